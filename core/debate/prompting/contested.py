"""Renders what a turn of the argument is about: each contested finding with its place, its
quotation and what everybody held and showed, and the decisions of the openings.

Quotations keep their white space, so that a copy of one is found again.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.debate.due.argument import at_issue
from core.debate.material.plaintext import shorten
from core.debate.prompting.frame import marked
from core.debate.prompting.transcript import label, objections_before
from core.debate.replies import Answer, Position, Statement
from core.debate.replies.wording import own_words
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings.contested import openings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.findings.positions import Raised

_REASON = 300
_OBJECTION = 900
_SHOWN = 5
"""The lines around a looked-up quotation that are shown with it."""
_POSITIONS = {
    Position.MUST_FIX: "real, must be fixed",
    Position.NEED_NOT: "real, need not block",
    Position.NOT_REAL: "not real",
    Position.AGREE: "agrees",
    Position.DISPUTE: "disputes it",
    Position.KEEP: "keeps it",
    Position.WITHDRAW: "withdraws it",
    Position.CONCEDE: "concedes it",
    Position.ANSWERED: "answers",
}


def contested_block(debate: Debate, turn: Turn, token: str) -> str:
    """Renders the findings that the turn must answer, the decisions of the openings, and the
    objections with what seats answered.
    """
    lines = [line for finding in at_issue(debate, turn) for line in _point(debate, turn, finding)]
    lines += [*_decisions(debate, turn), *_objections(debate, turn)]
    return marked("\n".join(lines), token)


def _objections(debate: Debate, turn: Turn) -> Iterator[str]:
    for objection in objections_before(debate, turn):
        yield f"{objection.id} A person objected: {shorten(objection.text, _OBJECTION)}"
        for speaker, statement in debate.read_by(turn):
            if speaker.about_the(Topic.CHALLENGE) != objection.id:
                continue
            who = label(debate, speaker.seat)
            for answer in statement.answers:
                if answer.to == objection.id:
                    yield from _answer(who, answer, statement)
            yield f"  {shorten(statement.text, _OBJECTION)}"


def _point(debate: Debate, turn: Turn, finding: MergedFinding) -> Iterator[str]:
    f = finding.wording
    kind = f"{f.category}, " if f.category else ""
    yield f"{finding.id} {f.path}:{f.line} {f.title} ({kind}{f.severity})"
    yield "quoted:"
    yield from f.quote.split("\n")
    wordings: dict[str, Raised] = {}
    for raised in finding.raised:
        wordings.setdefault(raised.seat, raised)
    for raised in wordings.values():
        block = "must be fixed" if raised.finding.asks_to_block else "need not block"
        who = f"raised by {label(debate, raised.seat)}: {block}, {raised.finding.severity}"
        title = raised.finding.title
        words = (title if title != f.title else "", raised.finding.trigger)
        yield f"- {who}; {shorten('; '.join(filter(None, words)) or title, _REASON)}"
    unsaid = [label(debate, s) for s in finding.silent]
    if unsaid:
        yield f"- read it and did not report it: {', '.join(unsaid)}"
    for speaker, statement in debate.read_by(turn):
        for answer in statement.answers:
            if answer.to in finding.ids:
                yield from _answer(label(debate, speaker.seat), answer, statement)
    yield ""


def _answer(who: str, answer: Answer, statement: Statement) -> Iterator[str]:
    """Renders a seat's answer with the lines that it quotes; an unfounded one is marked."""
    because = shorten(own_words(answer), _REASON)
    bare = "" if answer.checked or statement.looked_up else " (it shows no line)"
    yield f"- {who}: {_POSITIONS[answer.position]}{bare}. {because}".rstrip()
    if answer.checked:
        yield f"  {answer.path}:{answer.line} says:"
        yield from _shown(answer, statement)


def _shown(answer: Answer, statement: Statement) -> Iterator[str]:
    """Yields the quoted lines; of looked-up ones also those around them, which no other seat has
    before it, with their numbers.
    """
    for source in statement.sources:
        lines = source.text.split("\n")
        path = source.title.rpartition(":")[0]
        if source.repository and source.first and answer.line is not None and path == answer.path:
            at = answer.line - source.first
            if 0 <= at < len(lines):
                first = max(0, at - _SHOWN)
                around = enumerate(lines[first : at + _SHOWN + 1], source.first + first)
                yield from (f"{n} {line}" for n, line in around)
                return
    yield from answer.quote.split("\n")


def _decisions(debate: Debate, turn: Turn) -> Iterator[str]:
    """Yields what each seat decided last, among what the turn reads, with its reason."""
    held = dict(openings(debate))
    for speaker, statement in debate.read_by(turn):
        if statement.stance is not None and speaker.seat in held:
            held[speaker.seat] = statement
    yield "What they decided so far:"
    for seat, statement in held.items():
        if statement.stance is not None:
            because = shorten(statement.stance.because, _REASON)
            yield f"- {label(debate, seat)}: {statement.stance.option}. {because}"
