"""Lines that a person types while their debate runs."""

from __future__ import annotations

from bot.shell.playing.live import HELP, command_of
from core.debate import commands as c


def finding(number: int) -> str:
    return f"t1.f{number}" if number == 1 else ""


def test_a_line_is_a_command() -> None:
    cases: list[tuple[str, c.Command]] = [
        ("vote 2", c.CastVote("ann", "2")),  # the second option, not finding 2
        ("vote approve", c.CastVote("ann", "approve")),
        ("vote 1 real", c.CastVote("ann", "real", "t1.f1")),
        ("Vote #1 not_real", c.CastVote("ann", "not_real", "t1.f1")),
        ("hotseat 1", c.AskSeat("ann", "t1.f1", own=True)),
        ("hotseat author", c.AskSeat("ann", "author", own=True)),
        ("pause", c.Pause("ann")),
        ("STOP", c.Stop("ann")),
        (" It is not tested. ", c.RaiseChallenge("ann", "It is not tested.")),
        ("challenge it fails", c.RaiseChallenge("ann", "it fails")),
    ]
    for line, command in cases:
        assert command_of(line, "ann", finding) == command


def test_a_line_that_is_none_is_answered() -> None:
    cases: list[tuple[str, str]] = [
        ("vote 2 real", "No finding 2 was shown yet."),
        ("hotseat 2", "No finding 2 was shown yet."),
        ("pauze", "Did you mean pause?"),
        ("nonsense", f"One word is too little for a challenge. {HELP}"),
        *((line, HELP) for line in ("", "  ", "?", "help", "HELP me")),
    ]
    for line, sentence in cases:
        assert command_of(line, "ann", finding) == sentence
