"""The result of a debate for programs: small frozen values, made of the folded state once.

They name what people see, and nothing of how it is stored: the whole is ``Result.document``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.debate import state as d
    from core.debate.script import SeatId
    from core.debate.script import Turn as ScriptTurn


@dataclass(frozen=True, slots=True)
class Verdict:
    """``decision`` is an option of the ballot, ``blocks`` whether it keeps a change from going in,
    ``agreement`` the share of the entitled seats that hold it. As text it is its headline.
    """

    decision: str
    reached: bool
    blocks: bool
    agreement: float
    headline: str
    summary: str
    actions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.headline


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. ``held_by`` and ``disputed_by`` are roles, ``state`` is open, withdrawn, disputed
    or resolved, ``blocks`` is True if the rule requires a fix. ``line`` is None if the quotation is
    not in the code.
    """

    id: str
    severity: str
    confidence: float
    title: str
    path: str
    line: int | None
    quote: str
    trigger: str
    fix: str
    held_by: tuple[str, ...]
    disputed_by: tuple[str, ...]
    state: str
    blocks: bool


@dataclass(frozen=True, slots=True)
class Dissent:
    """One seat against the decision, and the evidence that would change its stance."""

    role: str
    stance: str
    because: str
    would_resolve_if: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One contribution. ``failed`` is the reason why there is none; ``stance`` is the option that
    the seat holds, "" if it names none. ``usd`` is None if the price is unknown.
    """

    id: str
    role: str
    task: str
    round: str
    text: str
    stance: str = ""
    confidence: float | None = None
    failed: str = ""
    usd: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """A debate that is over. ``document`` is the outcome document, whose schema ships with the
    program; ``report`` is Markdown; ``usd`` is the cost of the calls whose price is known.
    """

    id: str
    status: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    dissent: tuple[Dissent, ...]
    turns: tuple[Turn, ...]
    usd: float
    report: str
    document: Mapping[str, Any]

    def __str__(self) -> str:
        return self.verdict.summary


@dataclass(frozen=True, slots=True)
class StoredDebate:
    """One line of a store's list; ``usd`` is its cost so far."""

    id: str
    title: str
    template: str
    status: str
    asked_at: datetime
    usd: float


def result_of(debate: d.Debate) -> Result:
    """Returns a debate's result for a program."""
    from core.debate.verdict.dissent import dissents
    from core.words.outcome import outcome

    document = outcome(debate)
    return Result(
        id=debate.id,
        status=debate.status,
        verdict=_verdict(debate),
        findings=tuple(_finding(debate, each) for each in document["findings"]),
        dissent=tuple(
            Dissent(_role(debate, x.seat), x.stance, x.because, x.would_resolve_if)
            for x in dissents(debate)
        ),
        turns=tuple(
            turn_of(debate, t) for t in debate.turns if t.id in debate.settled - {*debate.skipped}
        ),
        usd=debate.spent,
        report=str(document["report"]),
        document=document,
    )


def turn_of(debate: d.Debate, turn: ScriptTurn) -> Turn:
    """Returns a settled turn."""
    statement = debate.statement(turn.id)
    used = debate.usage.get(turn.id)
    return Turn(
        id=turn.id,
        role=_role(debate, turn.seat),
        task=turn.task,
        round=debate.script.rounds[turn.round].title,
        text=statement.text if statement else "",
        stance=statement.stance.option if statement and statement.stance else "",
        confidence=statement.stance.confidence if statement and statement.stance else None,
        failed=debate.failed.get(turn.id, ""),
        usd=used.usd if used else 0.0,
    )


def _verdict(debate: d.Debate) -> Verdict:
    from core.debate.verdict import verdict
    from core.debate.verdict.action_items import action_items
    from core.words.views.verdict.decision import decision

    decided, view = verdict(debate), decision(debate)
    return Verdict(
        decision=decided.decision,
        reached=decided.reached and not view.condition,
        blocks=view.blocks,
        agreement=decided.agreement,
        headline=view.headline,
        summary=view.summary,
        actions=action_items(debate),
    )


def _finding(debate: d.Debate, entry: Mapping[str, Any]) -> Finding:
    same = {each.name: entry[each.name] for each in fields(Finding) if each.name in entry}
    line = entry["line"] if entry["anchored"] else None
    held_by, disputed_by = (
        tuple(_role(debate, seat) for seat in entry[name]) for name in ("by", "disputed_by")
    )
    return Finding(
        **same | {"line": line, "disputed_by": disputed_by},
        held_by=held_by,
        blocks=entry["blocking"],
    )


def _role(debate: d.Debate, seat: SeatId) -> str:
    """Returns a seat's role; other sources (code, a scanner) keep their own name."""
    return next((s.role for s in debate.script.seats if s.id == seat), str(seat))
