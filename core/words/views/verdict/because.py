"""Gives the reason of a decision by votes in one line, in a seat's own words."""

from __future__ import annotations

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.debate.verdict.consensus import panel
from core.debate.verdict.cruxes import CruxKind, cruxes
from core.languages import msgid
from core.words.views.language.grammar import shortened
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import seat_name
from core.words.views.verdict.decision import decision

BECAUSE = msgid("Because")
_LONG = 200
"""The most characters of a reason."""


def because_line(debate: Debate) -> str:
    """Returns the claim on which the decision turns, else the words of a judge who ruled so, else
    those of the surest seat that holds it.

    It is empty if findings or attacks decide, and if nothing was decided.
    """
    by_votes = not debate.open.template.findings and debate.open.script.format != "gauntlet"
    if not (by_votes and decision(debate).reached):
        return ""
    text, seat = _claim(debate) or _ruling(debate) or _stance(debate) or ("", SeatId(""))
    words = spelled_out(debate, shortened(text, _LONG)).rstrip(".")
    return f"{words} ({seat_name(debate, seat)})" if words else ""


def _claim(debate: Debate) -> tuple[str, SeatId] | None:
    decisive = [crux.ids[0] for crux in cruxes(debate) if crux.kind is CruxKind.CLAIM]
    for turn, statement in debate.statements():
        for claim in statement.claims:
            if claim.id in decisive:
                return claim.text, turn.seat
    return None


def _ruling(debate: Debate) -> tuple[str, SeatId] | None:
    """Returns a judge's own words where judges decide; a chair's words are the report."""
    decided = verdict(debate)
    if "judge" not in decided.mechanism:
        return None
    for turn, statement in debate.statements(tuple(panel(debate).rulings)):
        if same_option(statement.ruling, decided.decision) and statement.text.strip():
            return statement.text, turn.seat
    return None


def _stance(debate: Debate) -> tuple[str, SeatId] | None:
    decided = verdict(debate).decision
    held = [
        (stance.confidence, stance.because, seat)
        for seat, (_, stance) in debate.stances().items()
        if same_option(stance.option, decided) and stance.because.strip()
    ]
    if not held:
        return None
    _, because, seat = max(held, key=lambda one: one[0])
    return because, seat
