"""Describes the points on which the verdict turns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.cruxes import Crux, CruxKind, cruxes
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import (
    bracketed,
    capital,
    listed,
    option_words,
    quoted,
    shortened,
    uncapital,
)
from core.words.views.language.references import finding_title, spelled_out
from core.words.views.language.seats import holder
from core.words.views.verdict.decision import decision
from core.words.views.verdict.labels import decision_label, was_decided

TURNS_ON = msgid("What it turns on")
SETTLES = msgid("What would settle it")
HELD_BY, DISPUTED_BY = msgid("holds"), msgid("disputes")
MOST = 3
"""The most lines in a report."""
_TITLE, _NAME, _TRIGGER, _LONG = 90, 70, 210, 240


@dataclass(frozen=True, slots=True)
class CruxView:
    """A crux in words: ``title`` is the point itself, ``line`` all of it in one line. ``seats``
    hold it, ``against`` dispute it.
    """

    title: str
    place: str
    line: str
    seats: tuple[SeatId, ...]
    against: tuple[SeatId, ...]


def crux_views(debate: Debate) -> tuple[CruxView, ...]:
    """Returns the points on which the verdict turns, the first ones first; seats whose same stance
    is equally decisive share one view.
    """
    alike: dict[tuple[str, ...], list[Crux]] = {}
    reached = decision(debate).reached
    for crux in cruxes(debate):
        if not reached and not _decides(crux):
            continue  # there is no decision with it either
        alike.setdefault(_alike(debate, crux), []).append(crux)
    made = []
    for group in alike.values():
        by = tuple(dict.fromkeys(seat for crux in group for seat in crux.by))
        made.append(_view(debate, replace(group[0], by=by), len(group)))
    return tuple(made)


def _alike(debate: Debate, crux: Crux) -> tuple[str, ...]:
    if crux.kind is not CruxKind.STANCE:
        return crux.ids
    _, stance = debate.stances()[crux.by[0]]
    return stance.option, crux.without


def crux_lines(debate: Debate) -> tuple[str, ...]:
    """Returns at most three lines."""
    views = crux_views(debate)
    lines = [view.line for view in views[:MOST]]
    if (more := len(views) - MOST) > 0:
        lines.append(say("{lines} And {more} more.", lines=lines.pop(), more=more))
    return tuple(lines)


def _view(debate: Debate, crux: Crux, votes: int) -> CruxView:
    """Describes a crux; ``votes`` is the number of stances that it stands for, each of which is
    enough.
    """
    title, place, settles = _point(debate, crux)
    if votes > 1:
        title = say("{title} of {votes} seats", title=title, votes=votes)
    who = say("held by nobody now")
    if crux.by:
        who = say("held by {seats}", seats=_seats(debate, crux.by))
    if crux.kind is CruxKind.CLAIM:
        who = say(
            "said by {seats}, it moved {seats2}",
            seats=_seats(debate, crux.by[:1]),
            seats2=_seats(debate, crux.by[1:]),
        )
    if against := tuple(seat for seat in crux.against if seat not in crux.by):
        who = say("{who}, not by {seats}", who=who, seats=_seats(debate, against))
    without = msgid("without it")
    if votes > 1:
        without = msgid("without any one of them")
    elif crux.together:
        without = msgid("without any of them")
    title = spelled_out(debate, shortened(title, _TITLE))
    where = bracketed(spelled_out(debate, _names(debate, crux)) or place)
    line = f"{capital(title)}{where}: {who}; {say(without)} {_instead(crux)}."
    if settles := spelled_out(debate, shortened(settles, _LONG)):
        line += f" {say(SETTLES)}: {settles.rstrip('.')}."
    return CruxView(title, place, line, crux.by, crux.against)


def _decides(crux: Crux) -> bool:
    """Return whether anything would be decided without the crux."""
    return was_decided(crux.without, crux.mechanism, reached=crux.reached)


def _instead(crux: Crux) -> str:
    if _decides(crux):
        return say("the verdict would be {option}", option=option_words(crux.without))
    return say(
        "there would be {decision_label}",
        decision_label=uncapital(decision_label(crux.without, reached=False)),
    )


def _point(debate: Debate, crux: Crux) -> tuple[str, str, str]:
    if crux.kind is CruxKind.STANCE:
        _, stance = debate.stances()[crux.by[0]]
        title = say("the stance “{option}”", option=option_words(stance.option))
        return title, "", stance.would_resolve_if
    if crux.kind is CruxKind.CLAIM:
        claims = {c.id: c for _, statement in debate.statements() for c in statement.claims}
        return quoted(shortened(claims[crux.ids[0]].text, _TITLE - 2)), "", ""
    findings = [m for m in merge_findings(debate) if m.id in crux.ids]
    if crux.together:
        return say("{count} findings that must be fixed", count=len(findings)), "", ""
    f = findings[0].wording
    place = f.path and f"{f.path}:{f.line or ''}".removesuffix(":")
    return finding_title(f), place, _settles(debate, findings[0])


def _names(debate: Debate, crux: Crux) -> str:
    if not crux.together:
        return ""
    titles = [finding_title(m.wording) for m in merge_findings(debate) if m.id in crux.ids]
    names = [quoted(shortened(title, _NAME)) for title in titles[:MOST]]
    if len(titles) > MOST:
        names.append(say("{count} more", count=len(titles) - MOST))
    return listed(names)


def _settles(debate: Debate, finding: MergedFinding) -> str:
    for seat in finding.disputed_by:
        stance = debate.stances().get(seat)
        if stance is not None and stance[1].would_resolve_if:
            return stance[1].would_resolve_if
    trigger = shortened(finding.wording.trigger, _TRIGGER).rstrip(".")
    return say_if(trigger, msgid("whether this can happen, “{trigger}”"), trigger=trigger)


def _seats(debate: Debate, seats: tuple[SeatId, ...]) -> str:
    return listed([holder(debate, seat) for seat in seats])
