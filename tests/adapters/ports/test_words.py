"""What every surface says the same way: a failure, an answer that waits, a post without markup."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from adapters.ports.asker import explain
from adapters.ports.chat import Post, Shape, title_spans, with_name, with_page
from adapters.ports.platform import PlainPlaces, post_text
from adapters.text.pieces import TextSpan
from core.application.commands import Start
from core.application.desk import Button, Caller, ChatFile, DeskAnswer
from core.application.offers import (
    exact_text,
    readable,
    shown_text,
    with_button,
    without_button,
    without_digest,
)
from core.application.place import Place
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.errors import BadInput

LOG = logging.getLogger("tests.words")


def post(**more: Any) -> Post:
    return Post("k", "d1", Shape.NOTICE, **more)


def test_an_error_of_ours_keeps_its_words(caplog: pytest.LogCaptureFixture) -> None:
    for error in (BadInput("No *such* file."), DeliveryError(DeliveryFailure.DEAD, "Gone.")):
        answer = explain(error, LOG, "start")
        assert (answer.text.replace("\\", ""), answer.ok) == (str(error), False)
    assert caplog.records == []


def test_any_other_error_becomes_a_number_that_the_log_holds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = explain(ValueError("a secret path"), LOG, "start")
    (record,) = caplog.records
    number = vars(record)["error_id"]
    assert not answer.ok
    assert answer.text.endswith(f"administrator the number {number}.")
    assert len(number) == 8
    assert "secret" not in answer.text


def test_the_shell_is_a_person_at_this_machine_and_no_program() -> None:
    assert Caller("shell:ann", "shell:ann", source="1").shell
    assert not Caller("shell:ann", "shell:ann", source="1", program=True).shell
    assert not Caller("slack:T1/U1", "slack:T1/C1", source="1").shell


def test_a_price_is_agreed_to_by_a_button_or_by_typing_it_again() -> None:
    priced = DeskAnswer(
        "It may cost $2.", priced=Start("panel", "Why?"), buttons=(Button("a", "A"),)
    )
    typed = without_button(priced)
    assert typed.priced is None
    assert typed.text == (
        "It may cost $2. Write it again with `--yes` to start it, or with `--budget USD` to limit "
        "it."
    )
    pressed = with_button(priced, "7", ChatFile("f", "F"))
    assert pressed.priced is None
    assert pressed.text == "It may cost $2. It starts when you press the button."
    assert pressed.buttons == (Button("a", "A"), Button("agree", "Start it", "7"))
    assert pressed.files == (ChatFile("f", "F"),)
    assert without_button(DeskAnswer("Hello.")) == DeskAnswer("Hello.")


def test_a_text_to_be_posted_is_its_file_or_what_follows_the_sentence() -> None:
    split = exact_text(DeskAnswer("Read it.\n\nThe text.\n\nMore."))
    assert split == ("Read it.", "The text.\n\nMore.")
    long = DeskAnswer("Read it.\n\nSee the file.", files=(ChatFile("a", "A"), ChatFile("b", "B")))
    assert exact_text(long) == ("Read it.", "A")
    marked = "<!-- debatebot:review:1 -->\n\nOne.\n\n--- on a.py:3\n\nTwo."
    assert readable(marked) == "One.\n\n---\n\n**`a.py:3`**\n\nTwo."
    for actions, text in ((("skip", "approve"), readable(marked)), (("skip",), marked)):
        buttons = tuple(Button(action, action) for action in actions)
        assert shown_text(DeskAnswer(marked, buttons=buttons)) == text
    approving = DeskAnswer("Post it? (abc)", buttons=(Button("post", "Post", "d1:abc"),))
    assert without_digest(approving, "Post it (abc) or not (abd).") == "Post it or not (abd)."


def test_a_title_is_linked_by_its_reference_alone() -> None:
    url = "https://example.com/1"
    assert title_spans(post(title="o/r#1  Mend\nit")) == (TextSpan("o/r#1 Mend it", bold=True),)
    assert title_spans(post(title="o/r#1 Mend it", url=url)) == (
        TextSpan("o/r#1", bold=True, url=url),
        TextSpan(" Mend it", bold=True),
    )
    assert title_spans(post(title="Mend it", url=url)) == (
        TextSpan("Mend it", bold=True),
        TextSpan(" "),
        TextSpan("(open)", url=url),
    )


def test_a_person_is_named_once_where_their_name_is_known() -> None:
    known = post(title="U1 asks U1", fallback="U1: U1", facts={"person": "slack:T1/U1"})
    named = with_name(known, "slack:T1/U1", "Ann")
    assert (named.title, named.fallback) == ("Ann asks U1", "Ann: U1")
    assert with_name(known, "slack:T1/U1", "") == known
    assert with_name(post(title="U1 asks"), "", "Ann") == post(title="U1 asks")
    assert with_name(post(title="U10, U1"), "slack:T1/U1", "Ann").title == "U10, Ann"


def test_a_debate_s_own_messages_lead_to_its_page() -> None:
    for shape in Shape:
        made = with_page(Post("k", "d1", shape, facts={"a": "b"}), "https://room")
        page = {"page": "https://room/d/d1"} if shape in {Shape.ROOT, Shape.VERDICT} else {}
        assert made.facts == {"a": "b", **page}
        assert with_page(Post("k", "d1", shape), "").facts == {}


def test_a_post_without_markup_is_read_from_top_to_bottom() -> None:
    whole = post(
        who="Ann", title="asks", subtitle=(TextSpan("sub"), TextSpan("title")), quote="said",
        body="**bold**", lines=((TextSpan("first"),), (TextSpan("second"),)),
        fields=(("label", "value"),), small="small", fallback="fallback",
    )  # fmt: skip
    assert post_text(whole).split("\n") == [
        "Ann asks", "subtitle", "> said", "bold", "first", "second", "label: value", "small",
    ]  # fmt: skip
    assert post_text(post(title="asks", lines=((TextSpan("line"),),))) == "asks\nline"
    assert post_text(post(fallback="fallback")) == "fallback"


def test_places_without_rules_are_a_workspace_each() -> None:
    rules = PlainPlaces()
    assert rules.workspace_of(Place("acme", "w", "c")) == "acme:w"
    assert rules.workspace_of(Place("acme", "", "c")) == "acme:c"
    assert rules.is_direct(Place("acme", "w", "@ann"))
    assert not rules.is_direct(Place("acme", "w", "ann"))
