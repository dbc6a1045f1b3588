"""The messages that programs receive about a debate, made from its events; pure.

A message is thin: decisions, counts, ids and hashes, no code, no words of anyone and no names.
``full`` adds titles, places and statements, for receivers that may read them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.debate import events as e
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.languages import msgid
from core.words.outcome import outcome
from core.words.views.verdict.decision import decision

SCHEMA = 1
"""The version of the messages' schema; an added member does not change it."""


class HookKind(StrEnum):
    STARTED = "debate.started"
    VERDICT = "debate.verdict"
    FAILED = "debate.failed"
    FINDING_OPENED = "finding.opened"
    FINDING_RESOLVED = "finding.resolved"
    CHALLENGE_ADDED = "challenge.added"
    CHALLENGE_ANSWERED = "challenge.answered"
    OUTCOME_RESOLVED = "outcome.resolved"
    REVIEW_POSTED = "review.posted"
    BUDGET_EXHAUSTED = "budget.exhausted"
    PING = "ping"


ABOUT = {
    HookKind.STARTED: msgid("the first seat begins"),
    HookKind.VERDICT: msgid("it is over, or people's votes changed the verdict"),
    HookKind.FAILED: msgid("it could not open, or no seat answered"),
    HookKind.FINDING_OPENED: msgid("a seat raises what nobody raised before"),
    HookKind.FINDING_RESOLVED: msgid("a finding is closed"),
    HookKind.CHALLENGE_ADDED: msgid("a person objects"),
    HookKind.CHALLENGE_ANSWERED: msgid("the seats answered an objection"),
    HookKind.OUTCOME_RESOLVED: msgid("somebody said whether the verdict held"),
    HookKind.REVIEW_POSTED: msgid("a review was posted to the pull request"),
    HookKind.BUDGET_EXHAUSTED: msgid("the money ran out"),
}
"""The moment at which each kind is sent, in words."""


USUAL = (HookKind.VERDICT, HookKind.FAILED)
"""The kinds that a webhook receives if its owner chose none."""
CHOICES = tuple(kind for kind in HookKind if kind is not HookKind.PING)

_TELLING = (
    e.OpeningFailed,
    e.ChallengeRaised,
    e.StopOrdered,
    e.DebateConcluded,
    e.VotesClosed,
    e.OutcomeResolved,
    e.ForgeNoted,
)


@dataclass(frozen=True, slots=True)
class Announcement:
    """An event's message: ``facts`` are for every receiver, ``more`` for receivers that may read
    everything.
    """

    kind: HookKind
    facts: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


def may_tell(before: Debate, event: e.Event, after: Debate) -> bool:
    """True if an event can lead to a message, decided without looking at the findings, because most
    events can't.
    """
    match event:
        case e.TurnStarted():
            return not before.started
        case e.TurnFinished():
            return bool(after.challenges) or _has_findings(after)
        case e.VoteCast() | e.VoteWithdrawn():
            return _has_findings(after)
        case _:
            return isinstance(event, _TELLING)


def announced(before: Debate, event: e.Event, after: Debate) -> Iterator[Announcement]:
    """Yields the messages that one event leads to."""
    match event:
        case e.OpeningFailed(reason):
            yield Announcement(HookKind.FAILED, {}, {"reason": reason})
        case e.TurnStarted() if not before.started:
            yield Announcement(HookKind.STARTED, {"template": after.open.template.id})
        case e.ChallengeRaised(id, _, text):
            yield Announcement(HookKind.CHALLENGE_ADDED, {"challenge": id}, {"text": text})
        case e.StopOrdered(e.EndReason.BUDGET):
            yield Announcement(HookKind.BUDGET_EXHAUSTED, {"cost_usd": round(after.spent, 6)})
        case e.DebateConcluded() if after.open.terms.vote_window > 0:
            yield _concluded(after)
        case e.VotesClosed(changed=changed) if changed or after.open.terms.vote_window <= 0:
            yield _concluded(after)
        case e.OutcomeResolved(held, because=why):
            yield Announcement(HookKind.OUTCOME_RESOLVED, {"held": held}, {"because": why})
        case e.ForgeNoted(e.ForgeNote.POSTED, url=url):
            yield Announcement(HookKind.REVIEW_POSTED, {}, {"url": url})
        case _:
            yield from _answered(before, event, after)
            yield from _changed(before, after)


def message(
    hook: str, number: int, debate: Debate, one: Announcement, at: datetime, *, full: bool
) -> dict[str, str]:
    """Returns the message in its stored form: its id, its kind and the text, which is signed and
    sent unchanged at every attempt.

    ``number`` counts the messages about this debate to this webhook from 1, without a gap; the id
    is the same for every process and attempt.
    """
    data: dict[str, Any] = {"debate": debate.id, "number": number, **_target(debate), **one.facts}
    if full:
        title = debate.opened.material.title if debate.opened is not None else ""
        data |= {"title": title, **one.more}
    body = {"type": one.kind, "timestamp": at.isoformat(), "schema": SCHEMA, "data": data}
    made = hashlib.sha256(f"{hook}:{debate.id}:{number}".encode()).hexdigest()
    text = json.dumps(body, separators=(",", ":"))
    return {"id": f"msg_{made[:32]}", "kind": one.kind, "text": text}


def ping(at: datetime) -> str:
    """Returns the body of a test message."""
    body = {"type": HookKind.PING, "timestamp": at.isoformat(), "schema": SCHEMA, "data": {}}
    return json.dumps(body, separators=(",", ":"))


def _concluded(debate: Debate) -> Announcement:
    words = {"headline": decision(debate).headline}
    if debate.lost:
        return Announcement(HookKind.FAILED, {"cost_usd": round(debate.spent, 6)}, words)
    return Announcement(HookKind.VERDICT, _verdict(debate), words)


def _verdict(debate: Debate) -> dict[str, Any]:
    """Returns the facts of a verdict. ``events`` is the number of events up to it; the sender adds
    ``chain_head``, the hash over these.
    """
    standing = [one for one in merge_findings(debate) if one.state is FindingState.OPEN]
    counts: dict[str, int] = {}
    for one in standing:
        counts[one.wording.severity] = counts.get(one.wording.severity, 0) + 1
    document = outcome(debate)
    return {
        "template": debate.open.template.id,
        "decision": document["verdict"]["decision"],
        "reached": document["verdict"]["reached"],
        "blocks": decision(debate).blocks,
        "what_if": bool(decision(debate).condition),
        "findings": counts,
        "blocking": sum(one.blocking for one in standing),
        "cost_usd": round(debate.spent, 6),
        "events": debate.count,
    }


def _target(debate: Debate) -> dict[str, Any]:
    """Returns the change that a debate is about, if it is on a forge."""
    if debate.opened is None:
        return {}
    material = debate.opened.material
    if not material.source.startswith("https://"):
        return {}
    return {"target": {"link": material.source, "revision": material.revision}}


def _answered(before: Debate, event: e.Event, after: Debate) -> Iterator[Announcement]:
    if not isinstance(event, e.TurnFinished):
        return
    for challenge in after.challenges:
        if after.answers_to(challenge.id) and not before.answers_to(challenge.id):
            yield Announcement(HookKind.CHALLENGE_ANSWERED, {"challenge": challenge.id})


def _changed(before: Debate, after: Debate) -> Iterator[Announcement]:
    """Yields the findings that are open now and were not before, and those that are no longer open.
    A finding that several seats raised is one, whichever of its wordings came first.
    """
    if after.opened is None:
        return
    earlier = merge_findings(before) if before.opened is not None else ()
    stood = {id for one in earlier if one.state is FindingState.OPEN for id in _wordings(one)}
    for one in merge_findings(after):
        if (one.state is FindingState.OPEN) != (not stood.isdisjoint(_wordings(one))):
            kind = HookKind.FINDING_RESOLVED
            if one.state is FindingState.OPEN:
                kind = HookKind.FINDING_OPENED
            yield Announcement(kind, *_finding(one))


def _has_findings(debate: Debate) -> bool:
    """True if a seat, an earlier debate or a program has brought any finding."""
    if debate.opened is None:
        return False
    material = debate.opened.material
    if material.demands or material.proven or material.scanned:
        return True
    return any(statement.findings for _, statement in debate.statements())


def _finding(one: MergedFinding) -> Sequence[Mapping[str, Any]]:
    wording = one.wording
    thin = {
        "finding": one.id,
        "wordings": _wordings(one),
        "severity": wording.severity,
        "state": one.state,
    }
    return thin, {"title": wording.title, "path": wording.path, "line": wording.line}


def _wordings(one: MergedFinding) -> Sequence[str]:
    return [each.finding.id for each in one.raised]
