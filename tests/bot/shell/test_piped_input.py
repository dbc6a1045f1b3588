"""What piped input means where no template was named."""

from __future__ import annotations

from io import BytesIO, TextIOWrapper

import pytest

from bot.__main__ import main
from bot.settings import Settings
from bot.shell import cli
from bot.shell.piped import meant
from core.application.commands import Start
from core.debate.errors import BadInput

PIPED = Start("code_review", "-")


def test_a_diff_is_reviewed_a_link_followed_and_a_question_put_to_the_panel() -> None:
    """For other text a template must be named."""
    for data, template, target in (
        (b"", "code_review", "-"),
        (b" \n", "code_review", "-"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "code_review", "-"),
        (b"https://github.com/o/r/pull/7\n", "code_review", "https://github.com/o/r/pull/7"),
        (b"  What comes next?  \n", "panel", "What comes next?"),
    ):
        made = meant(PIPED, data)
        assert (made.template, made.target) == (template, target)
    for data in (b"two words", b"What comes next?\nAnd then?", b"word"):
        with pytest.raises(BadInput, match="name a template for it"):
            meant(PIPED, data)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Start, bytes | None]]:
    """Returns the starts that were typed, each with its piped input; none is played."""
    starts: list[tuple[Start, bytes | None]] = []

    async def answered(ask: Start, settings: Settings, _secrets: object) -> int:
        starts.append((ask, settings.piped))
        return 0

    monkeypatch.setattr(cli, "_answered", answered)
    return starts


def test_what_is_piped_to_a_named_template_is_not_looked_at_for_another(
    monkeypatch: pytest.MonkeyPatch, taken: list[tuple[Start, bytes | None]]
) -> None:
    question = b"Whose turn is it?"
    for typed, read in (
        ("-", question),
        ("- --quiet", question),
        ("panel -", None),
        ("design_doc - --quiet", None),
        ("start design_doc -", None),
    ):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(question)))
        assert main(typed.split()) == 0
        ask, piped = taken.pop()
        assert piped == read
        assert ask.target == (question.decode() if read else "-")


def test_a_question_next_to_the_input_is_refused_with_the_right_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_answered", None)
    question = "Should we move the queue?"
    for typed in (("panel", question, "-"), ("panel", "-", question, "--quiet"), (question, "-")):
        assert main(typed) == 2
        assert "(echo QUESTION; cat notes.md) | debate panel" in capsys.readouterr().err


def test_a_dash_inside_a_sentence_is_text(taken: list[tuple[Start, bytes | None]]) -> None:
    assert main(("panel", "Move", "the", "queue", "-", "or", "not?")) == 0
    assert taken[0][0].target == "Move the queue - or not?"
