"""The screen of a person is compared whole: the thread, the plain lines of a pipe, the living
status, and keys as they are typed.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal.status import StatusLine, lines
from adapters.terminal.terminal import Style, Terminal, style_for
from adapters.terminal.typing import Keys
from core.debate import events as e
from core.debate.commands import RaiseChallenge
from core.debate.commands.decisions import decide
from core.debate.script import TurnId
from core.debate.state import evolve, replay
from core.debate.usage import Usage
from core.words.views.course.cost import spent_line
from core.words.views.course.progress import turns_taken
from tests.adapters.terminal.screen import Screen
from tests.core.table import Table, finding, table

SEATS = ("security_critic", "author", "chair:chair")
TURNS = (
    "t1 security_critic independent task=open",
    "t2 author round=1 reads=t1 task=respond",
    "end chair round=2 reads=t1,t2 task=close closing",
)


def story(**terms: object) -> Table:
    """Returns everything that can happen in a thread, with words that want to be more than
    words.
    """
    t = table(seats=SEATS, turns=TURNS, terms=terms)
    raised = finding(quote='f"select {name}"', trigger="name = x' or '1", fix="bind it")
    text = "The query is [bold]built[/] by hand.\nIt should be \x1b[31mbound\x1b[0m\u202e."
    claims, objection = ("User input reaches SQL",), "line 12 is only reached\nby admins"
    t.says("t1", "request_changes", text=text, findings=(raised,), claims=claims)
    t.challenges(objection, "security_critic", id="x1", author="shell:ann")
    t.fails("t2")
    t.add(e.DebatePaused("shell:ann", "Ctrl-C"), e.DebateResumed("shell:ann"))
    t.says("end", text="Bind the parameter.")
    return t.concluded()


def printed(style: Style, played: Table | None = None) -> str:
    out = io.StringIO()
    terminal = Terminal(out, style=style, width=80)
    events = (played or story()).events
    debate = replay(events[:1])
    for event in events[1:]:
        debate = evolve(debate, event)
        terminal.on_event(event, debate)
    return out.getvalue()


def test_a_pipe_gets_one_line_for_each_thing_that_happens() -> None:
    """``tests.golden`` holds the words of the other lines."""
    made = printed(Style.PLAIN).splitlines()
    assert len(made) == 12
    assert made[2].endswith(
        ": The query is [bold]built[/] by hand. It should be \\u001b[31mbound\\u001b[0m\\u202e."
    )
    objection = "ann challenges the security critic: line 12 is only reached by admins"
    assert made[4] == objection


def test_a_statement_stands_under_its_own_round() -> None:
    turns = ("t1 a", "t2 b", "t3 a round=1 reads=t1", "end b round=1 reads=t3 task=close closing")
    t = table(seats=("a", "b"), turns=turns)
    t.says("t1", text="One.").add(e.TurnStarted(TurnId("t2")), e.TurnStarted(TurnId("t3")))
    t.says("t2", text="Two.").says("t3", text="Three.")
    heads = [line for line in printed(Style.PLAIN, t).splitlines() if line.startswith("Round")]
    first, second = "Round 1 of 2", "Round 2 of 2"
    assert heads == [first, second, f"{first}, continued", f"{second}, continued"]


@pytest.mark.parametrize("style", [Style.PLAIN, Style.LIVE])
def test_an_answer_to_a_challenge_belongs_to_no_round(style: Style) -> None:
    """It is due in the round after, while the present one still speaks."""
    closing = "end b round=2 reads=t3 task=close closing"
    t = table(seats=("a", "b"), turns=("t1 a", "t2 b", "t3 a round=1 reads=t1,t2", closing))
    t.says("t1", text="One.").add(e.TurnStarted(TurnId("t2")))
    challenge = decide(t.debate, RaiseChallenge("shell:ann", "Nobody calls that", ("a",)))
    t.add(*challenge, e.TurnStarted(TurnId("x1.1"))).says("t2", text="Two.")
    t.says("x1.1", text="I do.").says("t3", text="Three.").says("end", text="Four.")
    played = printed(style, t).splitlines()
    heads = [line.partition("─")[0].strip() for line in played if line.startswith("Round")]
    assert heads == ["Round 1 of 3", "Round 2 of 3", "Round 3 of 3"]
    objection, answer, later = (
        next(n for n, line in enumerate(played) if words in line)
        for words in ("ann challenges", "I do.", "Three.")
    )
    assert objection < answer < later


def test_a_download_is_shown_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(io.StringIO(), style=Style.PLAIN)
    for done in range(0, 1_100_000_001, 50_000_000):
        terminal.note("Fetching Tiny", done, 1_100_000_000)
    played = capsys.readouterr().err.splitlines()
    assert played[0] == "Fetching Tiny: 0 of 1,100 MB"
    assert played[-1] == "Fetching Tiny: 1,100 of 1,100 MB"
    assert len(played) == 11
    t = table(seats=SEATS, turns=TURNS).add(e.TurnStarted(TurnId("t1")))
    waiting = status_of(t)
    waiting.note = played[3]
    assert drawn(waiting)[-1] == played[3]
    assert drawn(waiting)[0] == "⠋ security critic waits"
    waiting.heard(t.debate.turns[0], "The query")
    assert drawn(waiting)[0] == "⠋ security critic The query", "a note hides nobody's words"


def test_a_person_gets_a_thread() -> None:
    assert printed(Style.LIVE) == (
        "Round 1 of 3 ───────────────────────────────────────────────────────────────────\n"
        "● Security critic · request changes, 70% sure · Proposal\n"
        "  The query is [bold]built[/] by hand.\n"
        "  It should be \\u001b[31mbound\\u001b[0m\\u202e.\n"
        "\n"
        "▲ High: The query is built from user input\n"
        "  app/db.py:12 · open\n"
        '  │ f"select {name}"\n'
        "  When: name = x' or '1\n"
        "  Fix: bind it\n"
        "  Held by: security critic\n"
        "  finding 1 · security critic is 80% sure\n"
        "\n"
        "◆ ann challenges the security critic\n"
        "  line 12 is only reached\n"
        "  by admins\n"
        "\n"
        "Round 2 of 3 ───────────────────────────────────────────────────────────────────\n"
        "· author gave no answer: timeout: no answer in 90 s\n"
        "· Paused by ann: Ctrl-C\n"
        "· Resumed by ann\n"
        "Round 3 of 3 ───────────────────────────────────────────────────────────────────\n"
    )


def test_quiet_says_nothing_and_still_reports() -> None:
    assert printed(Style.QUIET) == ""
    out = io.StringIO()
    quiet = Terminal(out, style=Style.QUIET, width=80)
    quiet.say("progress")
    quiet.report("# Report\n\n[link](https://evil.example) \x1b[2J\n")
    assert out.getvalue() == "# Report\n\n[link](https://evil.example) \\u001b[2J\n"


def status_of(t: Table, **fields: object) -> StatusLine:
    status = StatusLine(debate=t.debate, seconds=75.0)
    for name, value in fields.items():
        setattr(status, name, value)
    return status


def drawn(status: StatusLine, width: int = 60, most: int = 8) -> list[str]:
    return [line.plain for line in lines(status, width, most)]


def test_the_status_says_who_thinks_and_what_it_costs() -> None:
    t = table(seats=SEATS, turns=TURNS, terms={"estimate": 0.02})
    t.says("t1", "approve", usage=Usage(1200, 0, 300, 0.0042)).add(e.TurnStarted(TurnId("t2")))
    status = status_of(t, hint="Ctrl-C pauses")
    assert drawn(status) == [
        "⠋ author is thinking",
        "1 of 3 turns · 1,500 tokens · $0.0042 of about $0.02 · 1:15",
        "Ctrl-C pauses",
    ]
    status.heard(t.debate.turns[1], "The retry is\nbounded by ")
    status.heard(t.debate.turns[1], "a deadline, and \x1b[31mthat is tested in three places.")
    status.typed = "line 12 is wro"
    assert drawn(status, width=40) == [
        "⠋ author hat is tested in three places.",
        "1 of 3 turns · 1,500 tokens · $0.0042 o…",
        "> line 12 is wro_",
    ]


def test_turns_that_were_not_needed_are_not_counted_as_taken() -> None:
    t = table(seats=SEATS, turns=TURNS).says("t1", "approve").skips("t2", "end").concluded()
    assert turns_taken(t.debate) == "1 of 3 turns, 2 not needed"
    assert drawn(status_of(t))[0].startswith("1 of 3 turns, 2 not needed · ")


def test_words_of_settled_turns_are_forgotten() -> None:
    t = table(seats=SEATS, turns=TURNS).add(e.TurnStarted(TurnId("t1")))
    status = status_of(t)
    status.heard(t.debate.turns[0], "x" * 5000)
    assert len(status.tails[TurnId("t1")]) == 2000
    status.debate = t.says("t1", "approve").debate
    status.settled()
    assert status.tails == {}


def test_an_unknown_price_is_not_free() -> None:
    t = table(seats=SEATS, turns=TURNS).says("t1", "approve", usage=Usage(10, 0, 5, None))
    assert drawn(status_of(t))[0] == "1 of 3 turns · 15 tokens · price unknown · 1:15"


@pytest.mark.parametrize(("estimate", "screen"), [(0.02, "$0 so far"), (0.0, "free")])
def test_nothing_is_free_before_the_first_paid_answer(estimate: float, screen: str) -> None:
    t = table(seats=SEATS, turns=TURNS, terms={"estimate": estimate})
    assert spent_line(t.debate) == screen
    t.says("t1", "approve", usage=Usage(1200, 0, 300, estimate / 4))
    assert spent_line(t.debate) == ("$0.0050" if estimate else "free")


def test_more_thinkers_than_lines_are_counted() -> None:
    seats = tuple(f"critic_{n}" for n in range(9))
    t = table(seats=(*seats, "chair:chair"), cast=dict.fromkeys(seats, "m"))
    t.add(*(e.TurnStarted(TurnId(f"t{n}")) for n in range(1, 10)))
    assert drawn(status_of(t), most=5)[2:] == [
        "⠋ critic 2 is thinking",
        "  and 6 more",
        "0 of 19 turns · 0 tokens · $0 so far · 1:15",
    ]


@given(st.text(max_size=300), st.text(max_size=300), st.integers(12, 100), st.integers(3, 9))
def test_the_status_never_outgrows_its_place(words: str, typed: str, width: int, most: int) -> None:
    t = table(seats=SEATS, turns=TURNS).add(e.TurnStarted(TurnId("t1")))
    status = status_of(t, typed=typed, hint="hint")
    status.heard(t.debate.turns[0], words)
    out = lines(status, width, most)
    assert len(out) <= most
    assert all(
        line.cell_len <= width and "\n" not in line.plain and "\x1b" not in line.plain
        for line in out
    )


@pytest.mark.parametrize(
    ("typed", "done", "left"),
    [
        (b"vote approve\r", ["vote approve"], ""),
        (b"one\ntwo\nthr", ["one", "two"], "thr"),
        (b"abc\x7f\x7fd\n", ["ad"], ""),
        (b"all gone\x15new\n", ["new"], ""),
        (b"one two\x17\n", ["one"], ""),
        (b"a\x1b[Ab\x1b[1;5Cc\x1bOPd", [], "abcd"),
        ("Grüße 🙂\n".encode(), ["Grüße 🙂"], ""),
        (b"\x00\x07\x04  \n", [], ""),
        (b"\xff\xfe\n", ["��"], ""),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_keys_become_lines(typed: bytes, done: list[str], left: str, at_once: bool) -> None:
    keys = Keys()
    pieces = [typed] if at_once else [typed[n : n + 1] for n in range(len(typed))]
    assert [line for piece in pieces for line in keys.feed(piece)] == done
    assert keys.text == left


@given(st.binary(max_size=200))
def test_no_key_does_harm(typed: bytes) -> None:
    keys = Keys()
    for line in [*keys.feed(typed), keys.text]:
        assert line.isprintable()


@pytest.mark.parametrize(
    ("make", "term", "quiet", "style"),
    [
        (Screen, "xterm", False, Style.LIVE), (Screen, "dumb", False, Style.PLAIN),
        (Screen, "", False, Style.PLAIN), (io.StringIO, "xterm", False, Style.PLAIN),
        (Screen, "xterm", True, Style.QUIET),
    ],
)  # fmt: skip
def test_the_style_follows_who_reads(
    make: Callable[[], io.StringIO],
    term: str,
    quiet: bool,
    style: Style,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", term)
    assert style_for(make(), quiet=quiet, plain=False) is style


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_can_be_switched_off(
    no_color: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", no_color)
    out = Screen()
    Terminal(out, style=Style.LIVE, width=80).say("Paused.", style="bold yellow")
    assert ("\x1b[1;33m" in out.getvalue()) is coloured
    assert "\x1b[1" in out.getvalue()  # bold is no colour
