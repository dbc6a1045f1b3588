"""Posts exactly at the limits of Slack's elements, and one character beyond them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from adapters.ports.chat import Post, Shape
from adapters.slack.incoming.forms import views
from adapters.slack.outgoing.layout import answer_parts, layout, plain_text
from adapters.text.pieces import TextSpan
from core.application.desk import Button, TemplateChoice
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


@pytest.mark.parametrize("length", [79, 80, 81])
def test_the_label_of_a_field_is_cut_and_repeated_where_its_text_goes_on(length: int) -> None:
    assert _all_texts(_post(fields=(("x" * length, "v"),))) == [f"{_cut(length, 80)}: ", "v"]
    assert _all_texts(_post(fields=(("L", ""),))) == ["L: ", "–"]
    long = " ".join(["word"] * 600)
    texts = _all_texts(_post(fields=(("L", long),)))
    assert [text for text in texts if text.startswith("L")] == ["L: ", "L (continued): "]


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


@pytest.mark.parametrize("length", [75, 76, 100, 101, 300, 301, 2_000, 2_001])
def test_what_a_button_holds_is_cut_to_what_slack_takes(length: int) -> None:
    """Slack refuses the whole message otherwise."""
    text = "x" * length
    button = Button("stop", text, text, danger=True, confirm=text)
    [part] = layout(_post(title="t", buttons=(button, Button("fork", text, "d1", more=True))))
    made, menu = part.blocks[-1]["elements"]
    assert made["text"]["text"] == menu["options"][0]["text"]["text"] == _cut(length, 75)
    assert (made["style"], made["value"]) == ("danger", text[:2_000])
    asks = {name: each["text"] for name, each in made["confirm"].items()}
    assert asks == {
        "title": _cut(length, 100), "text": _cut(length, 300), "confirm": "Yes", "deny": "No"
    }  # fmt: skip


@pytest.mark.parametrize("length", [2_000, 2_001, 3_000, 3_001])
def test_what_a_form_holds_is_cut_to_what_slack_takes(length: int) -> None:
    template = TemplateChoice("t", "n" * 80, "x" * length)
    blocks = views.start_form([template], views.Memo(), target="x" * length, note="n" * length)[
        "blocks"
    ]
    named = {block.get("block_id"): block for block in blocks}
    assert named["target"]["element"]["initial_value"] == "x" * min(length, 3_000)
    assert len(named["note"]["text"]["text"]) == min(length, 3_000)
    about = next(block for block in blocks if block["type"] == "context")
    assert about["elements"] == [plain_text("x" * length, 2_000)]
    [choice] = named["template"]["element"]["options"]
    assert choice["text"]["text"] == "n" * 74 + "…"
    assert choice["description"]["text"] == "x" * 74 + "…"
