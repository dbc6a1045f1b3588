"""Adds the turns that a review owes because of its findings: refuters for findings that one seat
alone holds, one answer from each holder, and a question to each seat that would approve despite its
own blocking finding.

These turns follow from the state alone: the same events add the same turns, so a debate that died
in between adds them when it is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.debate import Debate, once
from core.events import EndReason, TurnsAdded
from core.formats.cross_examination import CONTESTED
from core.formats.demonstration import LEFT_TO_CODE
from core.replies import Severity
from core.script import About, Script, SeatId, Topic, Turn, TurnId
from core.template import Template
from core.verdict.families import family
from core.verdict.findings import FindingState, MergedFinding, merge_findings
from core.verdict.findings.cross_examined import (
    MOST_CALLED,
    is_lone,
    most_refuters,
    refuters,
    shared_out,
)
from core.verdict.findings.exchanges import asked_about, is_called_real, is_cross_examined
from core.verdict.quorum import lost_seats

BECAUSE = "findings"
"""The reason that the events adding these turns give."""
EARLY = (EndReason.CONVERGED, EndReason.CONSENSUS)
"""The reasons for which the rules, and not a person or an error, stop a debate early."""


def owed(debate: Debate) -> TurnsAdded | None:
    """Returns the event that adds the owed turns now and names the turns that read them; None where
    no turn is owed.
    """
    opened = debate.opened
    if opened is None or not opened.template.findings or debate.over or debate.paused is not None:
        return None
    if is_cross_examined(debate):
        turns = _examination(debate)
    elif opened.script.format == "phased":
        turns = _last_questions(debate)
    else:
        return None
    readers = [t for t in debate.waiting if t.closing or t.task == "justify"]
    if not turns or not readers:
        return None
    return TurnsAdded(tuple(turns), tuple(t.id for t in readers), BECAUSE)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The turns that findings may add to a script, used for its price: the ``likely`` ones, and all
    possible ones as ``most``. Their ids mean nothing.
    """

    likely: tuple[Turn, ...] = ()
    most: tuple[Turn, ...] = ()


NOTHING_FORESEEN = Foreseen()
SELDOM = "unmended"
"""The guard of the optional turn after a verdict that asks for missing fixes; it seldom has
anything to ask.
"""


def foreseen(template: Template, script: Script, wanted: int = 0) -> Foreseen:
    """Estimates the turns that the findings of a review may add to its script; ``wanted`` is the
    number of refuters per finding that a person set, 0 for none.

    One exchange is likely: the measured reviews had 0.3 to 1.3.
    """
    seats = list(dict.fromkeys(t.seat for t in script if t.independent))
    if not template.findings or not seats:
        return Foreseen()
    examined = any(r.title == CONTESTED for r in script.rounds)
    asking = [_ahead("uphold", seat) for seat in (seats if examined else script.voters)]
    if not examined:
        return Foreseen((), tuple(asking) if script.format == "phased" else ())
    most = most_refuters(min(wanted, len(seats) - 1)) + MOST_CALLED
    refuting = [_ahead("refute", seats[n % len(seats)]) for n in range(most)]
    return Foreseen((refuting[-1], asking[0]), (*refuting, *asking))


def _ahead(task: str, seat: SeatId) -> Turn:
    return Turn(TurnId(""), seat, task, about=About(Topic.FINDING))


@once
def at_issue(debate: Debate, turn: Turn) -> tuple[MergedFinding, ...]:
    """Returns the findings that a turn about single findings is asked about, as they stood after
    the turns that it reads.

    People's votes are left out, so that a prompt stays the same while votes come in.
    """
    known = {*turn.reads, *(t.id for t in debate.turns if t.independent)}
    heard = {id: statement for id, statement in debate.finished.items() if id in known}
    then = replace(debate, finished=heard, votes={})
    findings, about = merge_findings(then), set(asked_about(turn))
    concerned = [m for m in findings if about & set(m.ids)]
    match turn.task:
        case "uphold":
            return tuple(m for m in concerned if _is_asked_of(then, turn.seat, m))
        case "justify":
            return tuple(m for m in findings if m.blocking)
        case "mend":
            return tuple(m for m in findings if m.blocking and not m.proven and not _is_mended(m))
        case _:
            return tuple(concerned)


def lets_pass(debate: Debate, seat: SeatId) -> bool:
    """Says whether the option that a seat holds now does not block the change."""
    held = debate.stances().get(seat)
    if held is None:
        return False
    blocking = {o.option for o in debate.open.template.ballot if o.blocks}
    return bool(blocking) and held[1].option not in blocking


def _is_asked_of(debate: Debate, seat: SeatId, finding: MergedFinding) -> bool:
    """Says whether a holder must answer for a finding: a refuter answered it, or the holder would
    approve although the finding blocks.
    """
    if finding.state is not FindingState.OPEN or seat not in finding.by:
        return False
    refuted = finding.exchange is not None and finding.exchange.refuted > 0
    return refuted or (finding.blocking and lets_pass(debate, seat))


def _is_mended(finding: MergedFinding) -> bool:
    return bool(finding.wording.trigger and finding.wording.fix)


def _examination(debate: Debate) -> list[Turn]:
    """Builds the refuting turns for the findings in doubt, and a turn for each holder that may have
    to answer.
    """
    script, first = debate.script, [t for t in debate.turns if t.independent]
    if debate.stop is not None or not debate.all_settled(first):
        return []
    contested = next((r.number - 1 for r in script.rounds if r.title == CONTESTED), None)
    if contested is None:
        return []
    findings = merge_findings(debate)
    refuting = [t for t in debate.turns if t.task == "refute"]
    before = {id for t in refuting for id in asked_about(t)}
    lone = [m for m in findings if m.state is FindingState.OPEN and is_lone(m.held)]
    examined = [m for m in findings if before & set(m.ids)]
    due = [m for m in findings if m not in examined and _is_doubtful(debate, m)]
    due.sort(key=lambda m: _worth(debate, m))
    wanted = debate.open.terms.refuters
    each = refuters(len({m.id for m in (*lone, *examined)}), wanted)
    left = most_refuters(wanted) - len(refuting)
    if any(_is_called(debate, m) for m in due):
        left += MOST_CALLED
    shares = shared_out(len(due), each, left)
    turns = list(_refuters(debate, due, shares, contested))
    return [*turns, *_holders(debate, (*due, *findings), turns, contested)]


def _worth(debate: Debate, finding: MergedFinding) -> tuple[bool, int, float, str]:
    """Sorts findings for examination: first those that people call real, then the gravest."""
    wording, called = finding.wording, _is_called(debate, finding)
    return not called, -wording.severity.rank, -wording.confidence, finding.mark


def _is_called(debate: Debate, finding: MergedFinding) -> bool:
    """Says whether a person calls a finding real that does not block yet."""
    return not finding.blocking and is_called_real(debate, finding.ids)


def _is_doubtful(debate: Debate, finding: MergedFinding) -> bool:
    """Says whether a finding must be cross-examined: one seat alone holds it and it is sure and
    severe, a person calls it real, or the debate was asked to examine everything.
    """
    if (
        finding.state is not FindingState.OPEN
        or not finding.evident
        or finding.proven
        or finding.confirmed
    ):
        return False
    anyway = debate.open.terms.anyway and finding.sure(Severity.MEDIUM)
    return is_lone(finding.held) or _is_called(debate, finding) or anyway


def _refuters(
    debate: Debate, due: Sequence[MergedFinding], shares: Sequence[int], round: int
) -> Iterator[Turn]:
    """Yields the refuting turns: each finding gets its share of seats that did not raise it, of
    other model families where possible and the least busy first.
    """
    load = dict.fromkeys(_able(debate), 0)
    number = sum(t.task == "refute" for t in debate.turns)
    for finding, share in zip(due, shares, strict=True):
        near = {family(debate.model_of(s)) for s in finding.by if s in debate.voters}
        free = [s for s in load if s not in {r.seat for r in finding.raised}]
        for _ in range(min(share, len(free))):
            seat = min(free, key=lambda s: _preference(debate, s, near, load[s]))
            free.remove(seat)
            near.add(family(debate.model_of(seat)))
            number, load[seat] = number + 1, load[seat] + 1
            about = About(Topic.FINDING, finding.id)
            yield Turn(TurnId(f"r{number}"), seat, "refute", round=round, about=about)


def _preference(
    debate: Debate, seat: SeatId, near: Iterable[str], load: int
) -> tuple[bool, int, str]:
    return family(debate.model_of(seat)) in near, load, debate.script.alias(seat)


def _able(debate: Debate) -> list[SeatId]:
    """Returns the opening seats that still answer, or all opening seats where none does; never one
    that a fork leaves out.
    """
    seats = dict.fromkeys(t.seat for t in debate.turns if t.independent)
    opening = [seat for seat in seats if not _is_left_out(debate, seat)]
    lost = lost_seats(debate)
    return [s for s in opening if s not in lost] or opening


def _is_left_out(debate: Debate, seat: SeatId) -> bool:
    return debate.fork is not None and debate.fork.without == seat


def _holders(
    debate: Debate, findings: Iterable[MergedFinding], refuting: Sequence[Turn], round: int
) -> list[Turn]:
    """Builds one turn for each seat that must answer for its findings: those under examination now,
    and blocking ones that the seat would let pass. No seat is asked twice about a finding.
    """
    examined = {id: t.id for t in refuting for id in asked_about(t)}
    answered = {(t.seat, id) for t in debate.turns if t.task == "uphold" for id in asked_about(t)}
    about: dict[SeatId, list[str]] = {}
    for m in {m.id: m for m in findings if m.state is FindingState.OPEN}.values():
        for seat in m.by:
            owes = m.id in examined or (m.blocking and lets_pass(debate, seat))
            if owes and seat in debate.voters and (seat, m.id) not in answered:
                about.setdefault(seat, []).append(m.id)
    number = sum(t.task == "uphold" for t in debate.turns)
    turns = []
    for n, (seat, ids) in enumerate(about.items(), number + 1):
        reads = tuple(t.id for t in refuting if set(asked_about(t)) & set(ids))
        topic = About(Topic.FINDING, " ".join(ids))
        turns.append(
            Turn(TurnId(f"h{n}"), seat, "uphold", reads, round, "asked_to_uphold", about=topic)
        )
    return turns


def _last_questions(debate: Debate) -> list[Turn]:
    """Builds, once all other turns are over, a turn for each seat that would approve despite its
    own blocking finding.
    """
    stop = debate.stop
    spoken = [t for t in debate.turns if not t.closing]
    if stop is not None and not (stop.closing and stop.reason in EARLY):
        return []
    if all(t.independent for t in spoken) or not debate.all_settled(spoken):
        return []
    if any(t.when == LEFT_TO_CODE for t in debate.turns):
        return []  # a demonstration shows how a debate goes, and is short
    reads = [t.id for t in spoken if t.id in debate.finished]
    last = max(t.round for t in spoken if t.id in debate.finished) if reads else 0
    asking = [m for m in merge_findings(debate) if m.blocking]
    turns = _holders(debate, asking, (), last)
    return [replace(t, reads=tuple(reads)) for t in turns]
