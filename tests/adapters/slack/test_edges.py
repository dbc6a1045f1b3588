"""Posts exactly at the limits of Slack's elements, and one character beyond them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from adapters.ports.chat import Post, Shape
from adapters.slack.incoming.forms import views
from adapters.slack.outgoing.layout import answer_parts, layout, plain_text
from adapters.text.pieces import TextSpan
from core.application.desk import Button, Glance, Home, TemplateChoice
from core.words.views.course.invitations import MORE_BELOW


def _post(shape: Shape = Shape.STATEMENT, **more: Any) -> Post:
    return Post("k", "d1", shape, **more)


def _texts(element: Any) -> Iterator[str]:
    """Yields every text in a block, in order."""
    if isinstance(element, Mapping):
        if isinstance(text := element.get("text"), str):
            yield text
        for value in element.values():
            if not isinstance(value, str):
                yield from _texts(value)
    elif isinstance(element, list):
        for each in element:
            yield from _texts(each)


def _all_texts(post: Post) -> list[str]:
    return [text for part in layout(post) for text in _texts(part.blocks)]


def _cut(length: int, limit: int) -> str:
    return "x" * length if length <= limit else "x" * (limit - 1) + "…"


@pytest.mark.parametrize("length", [149, 150, 151])
@pytest.mark.parametrize("shape", [Shape.ROOT, Shape.ROUND, Shape.VERDICT])
def test_a_title_is_a_header_and_whole_below_where_it_is_too_long(
    shape: Shape, length: int
) -> None:
    [part] = layout(_post(shape, title="x" * length))
    header, *rest = part.blocks
    assert header == {"type": "header", "text": plain_text("x" * length, 150)}
    assert [*_texts(rest)] == ["x" * length] * (length > 150)
    assert header["text"]["text"] == _cut(length, 150)


def test_a_title_with_an_address_or_of_another_shape_is_a_line() -> None:
    for post in (_post(title="t"), _post(Shape.ROOT, title="t", url="https://github.com/o/r")):
        assert [block["type"] for block in layout(post)[0].blocks] == ["rich_text"]


@pytest.mark.parametrize("length", [599, 600, 601])
def test_a_line_at_the_head_is_cut(length: int) -> None:
    assert _all_texts(_post(title="x" * length)) == [_cut(length, 600)]
    assert _all_texts(_post(who="x" * length)) == [_cut(length, 600)]


@pytest.mark.parametrize("length", [1_999, 2_000, 2_001])
def test_a_quote_and_a_buttons_value_are_cut(length: int) -> None:
    assert _all_texts(_post(quote="x" * length)) == [_cut(length, 2_000)]
    [part] = layout(_post(title="t", buttons=(Button("stop", "Stop", "x" * length),)))
    assert part.blocks[-1]["elements"][0]["value"] == "x" * min(length, 2_000)


@pytest.mark.parametrize("length", [1_499, 1_500, 1_501])
def test_small_print_is_cut(length: int) -> None:
    assert _all_texts(_post(title="t", small="x" * length)) == ["t", _cut(length, 1_500)]


@pytest.mark.parametrize("length", [74, 75, 76, 99, 100, 101, 299, 300, 301])
def test_the_texts_of_a_button_are_cut(length: int) -> None:
    button = Button("stop", "x" * length, "d1", danger=True, confirm="x" * length)
    [part] = layout(_post(title="t", buttons=(button,)))
    made = part.blocks[-1]["elements"][0]
    assert made["text"]["text"] == _cut(length, 75)
    assert made["style"] == "danger"
    asks = {name: text["text"] for name, text in made["confirm"].items()}
    assert asks == {
        "title": _cut(length, 100), "text": _cut(length, 300), "confirm": "Yes", "deny": "No"
    }  # fmt: skip


def test_a_plain_button_has_neither_style_nor_question_nor_value() -> None:
    [part] = layout(_post(title="t", buttons=(Button("stop", "Stop"),)))
    assert part.blocks[-1]["elements"] == [
        {"type": "button", "action_id": "debate.press.stop.0", "text": plain_text("Stop", 75)}
    ]


def test_buttons_without_room_are_in_menus_of_five() -> None:
    def row(buttons: int, more: int) -> list[str]:
        made = [Button("stop", f"B{n}", f"d{n}") for n in range(buttons)]
        made += [Button("fork", f"M{n}", f"d{n}", more=True) for n in range(more)]
        [part] = layout(_post(title="t", buttons=tuple(made)))
        return [element["type"] for element in part.blocks[-1]["elements"]]

    assert row(4, 0) == ["button"] * 4
    assert row(26, 0) == ["overflow"] * 6
    assert row(2, 5) == ["button"] * 2 + ["overflow"]
    assert row(2, 6) == ["button"] * 2 + ["overflow"] * 2


@pytest.mark.parametrize("length", [79, 80, 81])
def test_the_label_of_a_field_is_cut_and_repeated_where_its_text_goes_on(length: int) -> None:
    assert _all_texts(_post(fields=(("x" * length, "v"),))) == [f"{_cut(length, 80)}: ", "v"]
    assert _all_texts(_post(fields=(("L", ""),))) == ["L: ", "–"]
    long = " ".join(["word"] * 600)
    texts = _all_texts(_post(fields=(("L", long),)))
    assert [text for text in texts if text.startswith("L")] == ["L: ", "L (continued): "]


@pytest.mark.parametrize("length", [699, 700, 701])
def test_the_text_for_notifications_is_cut(length: int) -> None:
    assert layout(_post(fallback="x" * length))[0].text == _cut(length, 700)
    assert answer_parts("x" * length)[0].text == _cut(length, 700)


def test_the_text_for_notifications_is_the_statement() -> None:
    def text(shape: Shape, **more: Any) -> str:
        return layout(_post(shape, **more))[0].text

    spoken = {"who": "Ann", "title": "Round 1", "body": "**No.** Why?"}
    assert text(Shape.STATEMENT, **spoken) == "Ann: Round 1: No. Why?"
    assert text(Shape.VERDICT, **spoken) == "Ann: Round 1"
    assert text(Shape.STATEMENT, fallback="f", **spoken) == "Ann: Round 1: No. Why?"
    assert text(Shape.STATEMENT, fallback="f") == "f"
    assert text(Shape.NOTICE) == "Debate"


def test_a_post_without_words_shows_its_fallback() -> None:
    assert _all_texts(_post(fallback="f")) == ["f"]
    assert _all_texts(_post()) == ["…"]
    assert [*_texts(answer_parts("")[0].blocks)] == ["…"]


def test_a_long_root_is_one_message_that_says_so() -> None:
    body = "\n\n".join("word " * 400 for _ in range(9))
    [root] = layout(_post(Shape.ROOT, title="t", body=body))
    assert [*_texts(root.blocks)][-1] == MORE_BELOW
    first, *_, last = layout(_post(who="Ann", body=body))
    assert [*_texts(first.blocks)][-1].endswith(", goes on below")
    assert next(_texts(last.blocks)).startswith("Ann (")


def test_no_message_is_longer_than_slack_takes() -> None:
    fields = tuple((f"F{n}", "value " * 90) for n in range(20))
    for part in layout(_post(title="t", body="*a* " * 600, fields=fields, small="s" * 1_500)):
        assert len(json.dumps(part.blocks, ensure_ascii=False)) <= 9_300


def test_a_challenge_is_a_quote_and_other_bodies_are_not() -> None:
    [quoted] = layout(_post(Shape.CHALLENGE, body="one\ntwo"))
    assert [e["type"] for e in quoted.blocks[0]["elements"]] == ["rich_text_quote"]
    [plain] = layout(_post(body="one"))
    assert [e["type"] for e in plain.blocks[0]["elements"]] == ["rich_text_section"]


def test_a_speaker_and_where_they_stand_are_one_line() -> None:
    spans = (TextSpan("block"), TextSpan(" (80%)", italic=True))
    assert _all_texts(_post(who="Ann", subtitle=spans)) == ["Ann", " · ", "block", " (80%)"]
    assert _all_texts(_post(title="T", subtitle=spans)) == ["T", "\n", "block", " (80%)"]
    lines = ((TextSpan("one"),), (), (TextSpan("two"),))
    assert len(layout(_post(title="T", lines=lines))[0].blocks) == 3


@pytest.mark.parametrize("length", [1_999, 2_000, 2_001])
def test_the_description_of_a_template_is_cut(length: int) -> None:
    template = TemplateChoice("t", "n" * 80, "x" * length)
    blocks = views.start_form([template], views.Memo())["blocks"]
    about = next(block for block in blocks if block["type"] == "context")
    assert about["elements"] == [plain_text("x" * length, 2_000)]
    assert about["elements"][0]["text"] == _cut(length, 2_000)
    [option] = blocks[0]["element"]["options"]
    assert option["text"]["text"] == "n" * 74 + "…"
    assert option["description"]["text"] == "x" * 74 + "…"


@pytest.mark.parametrize(("count", "more"), [(12, False), (13, True)])
def test_a_list_of_the_home_tab_has_twelve_lines(count: int, more: bool) -> None:
    glances = tuple(Glance(f"d{n}", f"D{n}", "running", "", "slack:T1/C1") for n in range(count))
    texts = [*_texts(views.home(Home(glances, (), ()), "T1")["blocks"])]
    assert ("D11" in texts, "D12" in texts) == (True, False)
    assert any(f"and {count - 12} more" in text for text in texts) is more


@pytest.mark.parametrize("length", [149, 150, 151, 299, 300, 301])
def test_a_line_of_the_home_tab_is_cut(length: int) -> None:
    glance = Glance("d1", "x" * length, "running", "y" * length, "discord:1/2")
    texts = [*_texts(views.home(Home((glance,), (), ()), "T1")["blocks"])]
    assert _cut(length, 150) in texts
    detail = "y" * length if length <= 300 else "y" * 299 + "…"
    assert f" · {detail}" in texts


@pytest.mark.parametrize("length", [2_999, 3_000, 3_001])
def test_a_form_is_filled_in_up_to_its_limit(length: int) -> None:
    template = TemplateChoice("t", "T", "")
    form = views.start_form([template], views.Memo(), target="x" * length, note="n" * length)
    target = next(block for block in form["blocks"] if block.get("block_id") == "target")
    assert target["element"]["initial_value"] == "x" * min(length, 3_000)
    note = next(block for block in form["blocks"] if block.get("block_id") == "note")
    assert len(note["text"]["text"]) == min(length, 3_000)
