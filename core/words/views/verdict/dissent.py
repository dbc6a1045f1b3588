"""Gives the reason of a decision by votes, and names the seats that disagree with a decision, their
reasons, and what would settle it.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.debate.verdict.consensus import panel
from core.debate.verdict.cruxes import CruxKind, cruxes
from core.debate.verdict.dissent import NOT_STATED, Dissent, dissents
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.votes import NONE, final_votes
from core.languages import msgid, say
from core.words.views.language.grammar import option_words, shortened
from core.words.views.language.references import finding_title, spelled_out
from core.words.views.language.seats import seat_name
from core.words.views.verdict.decision import decision
from core.words.views.verdict.stances import stance_words

NOBODY, SETTLES = msgid("nobody"), msgid("Would settle it")
WHO, WHO_MOST = msgid("Who disagrees"), msgid("Who disagrees most")
_BECAUSE, _SETTLES = 220, 140
"""The most characters of a reason, and of what would settle it, if there is only one line."""

BECAUSE = msgid("Because")
_LONG = 200
"""The most characters of a reason."""


@dataclass(frozen=True, slots=True)
class DissentView:
    """A dissent in words: ``stance`` is the option with the seat's confidence; ``because`` is its
    reason, or a note that it gave none, and ``settles`` is empty then. ``weight`` ranks dissents:
    the strongest is the largest. ``holds`` means that it holds the one finding that must be fixed.
    """

    seat: SeatId
    who: str
    option: str
    stance: str
    because: str
    settles: str
    weight: tuple[bool, bool, float]
    holds: bool = False

    @property
    def line(self) -> str:
        """Returns the whole dissent in one line, shortened."""
        option = self.option
        if self.holds:
            option = say("{option}, holds the finding too", option=option)
        text = f"{self.who} ({option}): {shortened(self.because, _BECAUSE)}"
        if not self.settles:
            return text
        return f"{text.rstrip('.: ')}. {say(SETTLES)}: {shortened(self.settles, _SETTLES)}"


def dissent_views(debate: Debate) -> tuple[DissentView, ...]:
    """Returns all dissents in the order of the table."""
    decided, stances = verdict(debate), debate.stances()
    fix, views = [m for m in merge_findings(debate) if m.blocking], []
    for d in dissents(debate):
        stated, sure = d.would_resolve_if != NOT_STATED, 0.0
        words = option = option_words(d.stance)
        if d.seat in stances:
            sure = stances[d.seat][1].confidence
            words = stance_words((d.stance, sure))
        views.append(
            DissentView(
                seat=d.seat,
                who=seat_name(debate, d.seat),
                option=option,
                stance=words,
                because=_because(debate, d) or say("no reason given"),
                settles=_stated(debate, d.would_resolve_if),
                weight=(not same_option(d.stance, decided.decision), stated, sure),
                holds=len(fix) == 1 and d.seat in fix[0].by,
            )
        )
    return tuple(views)


def _because(debate: Debate, dissent: Dissent) -> str:
    """Returns a seat's reason, then on which findings it disagrees."""
    points = (
        each.words(finding_title(each.finding.wording), say(each.text)) for each in dissent.points
    )
    return _stated(debate, "; ".join(filter(None, (dissent.reason, *points))))


def disagreement(debate: Debate) -> tuple[str, str]:
    """Returns a label and the dissent of the surest seat that holds another option and names what
    would settle it, or the note that nobody dissents; both are empty if no seat took a stance.
    """
    if views := dissent_views(debate):
        label = WHO_MOST if len(views) > 1 else WHO
        return say(label), max(views, key=lambda view: view.weight).line
    if could_disagree(debate):
        return say(WHO), say(NOBODY)
    return "", ""


def could_disagree(debate: Debate) -> bool:
    """True if any seat took a stance at all."""
    return any(option != NONE for option in final_votes(debate).values())


def _stated(debate: Debate, text: str) -> str:
    if text == NOT_STATED:
        return ""
    return spelled_out(debate, text)


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
    if not words:
        return ""
    return f"{words} ({seat_name(debate, seat)})"


def _claim(debate: Debate) -> tuple[str, SeatId] | None:
    decisive = [crux.ids[0] for crux in cruxes(debate) if crux.kind is CruxKind.CLAIM]
    for turn, statement in debate.statements():
        for claim in statement.claims:
            if claim.id in decisive:
                return claim.text, turn.seat
    return None


def _ruling(debate: Debate) -> tuple[str, SeatId] | None:
    """Returns a judge's own words if judges decide; a chair's words are the report."""
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
