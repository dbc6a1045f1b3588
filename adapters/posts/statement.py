"""A statement: who, where they stand, what they say, and what they answer in words that stand
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted, sentences, shortened
from adapters.posts.names import called, names, spelled_out
from adapters.posts.words import listed, option_words, post_key, round_name, seat_name
from adapters.text.pieces import Span, coded
from core.debate import Debate
from core.outcome.account import models_hidden
from core.replies import Answer, Position, Statement
from core.script import Duty, Topic, Turn
from core.verdict.evidence import claim_faults

Line = tuple[Span, ...]

_BODY = 700
"""Characters of a statement; the whole stands in the transcript."""
_REASON = 150
_ANSWERS = 5
VERBS = {
    Position.DISPUTE: "disputes",
    Position.WITHDRAW: "takes back",
    Position.CONCEDE: "concedes",
    Position.ANSWERED: "answers",
    Position.KEEP: "stands by",
    Position.AGREE: "agrees with",
}
"""In the order in which they matter to a reader."""


def statement(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """None for what stands in other posts: a closing word for the report alone, a reading."""
    said = debate.finished[turn.id]
    if silent(debate, turn, said):
        return ()
    who = speaker(debate, turn)
    post = Post(
        key=post_key(debate, at, "statement"),
        debate=debate.id,
        shape=Shape.STATEMENT,
        title=_occasion(debate, turn),
        who=who,
        subtitle=standing(debate, turn, said),
        body=spelled_out(debate, sentences(said.text, _BODY)),
        lines=(*answers(debate, turn, said), *unproven(debate, turn, said)),
        fields=tuple(
            ("Source", " - ".join(filter(None, (s.title, s.url)))) for s in said.sources[:3]
        ),
        subject=turn.id,
        small=_small(debate, turn, said),
        fallback=f"{who}: {shortened(said.text, 140)}",
    )
    return (fitted(post),)


def silent(debate: Debate, turn: Turn, said: Statement) -> bool:
    """Whether a closing turn said nothing that the verdict does not say, or a part of a large
    change was read, whose findings are posted with the others of the round.
    """
    if turn.about_the(Topic.PART):
        return True
    if not turn.closing:
        return False
    judged = debate.open.script.seat(turn.seat).duty is Duty.JUDGE and bool(said.ruling)
    return not said.text or not judged


def missing(debate: Debate, turn: Turn) -> str:
    """What a seat failed to do."""
    if number := turn.about_the(Topic.PART):
        return f"did not read part {number} of {len(debate.open.material.parts)}"
    return "gave no answer"


def speaker(debate: Debate, turn: Turn) -> str:
    name = seat_name(debate, turn.seat)
    return name[:1].upper() + name[1:]


def _occasion(debate: Debate, turn: Turn) -> str:
    """What a statement answers, where that is not its round."""
    challenge = turn.about_the(Topic.CHALLENGE)
    if challenge:
        return f"Answer to “{called(debate, challenge)[0]}”"
    return ""


def standing(debate: Debate, turn: Turn, said: Statement) -> Line:
    """The stance, how sure, and what it was before: "request changes, 89 % sure · was: approve"."""
    if said.ruling:
        return (Span(f"rules {option_words(said.ruling)}"),)
    if said.stance is None:
        return ()
    now = said.stance.option
    told = [Span(f"{option_words(now)}, {said.stance.confidence:.0%} sure")]
    before = _before(debate, turn)
    if before and before != now:
        told.append(Span(f" · was: {option_words(before)}"))
        if said.stance.moved_by in names(debate):
            told.append(Span(f", moved by “{called(debate, said.stance.moved_by)[0]}”"))
    return tuple(told)


def _before(debate: Debate, turn: Turn) -> str:
    """The option that the seat held before this turn."""
    held = ""
    for earlier, said in debate.statements((turn.seat,)):
        if earlier.id == turn.id:
            break
        if said.stance is not None:
            held = said.stance.option
    return held


def answers(debate: Debate, turn: Turn, said: Statement) -> list[Line]:
    """What the seat answers, in words: disputes with their reasons first, agreement in one line."""
    given = sorted(_fresh(debate, turn, said), key=lambda a: list(VERBS).index(a.position))
    told = [a for a in given if a.position is not Position.AGREE]
    agreed = [a for a in given if a.position is Position.AGREE]
    lines = [_answer(debate, turn, a) for a in told[:_ANSWERS]]
    if agreed:
        lines.append(_agreement(debate, turn, agreed))
    return lines


def _fresh(debate: Debate, turn: Turn, said: Statement) -> Iterator[Answer]:
    """Answers that the seat has not given before: to two wordings of one finding it is one, and
    claims are agreed with in silence.
    """
    seen = {
        (_subject_of(debate, answer), answer.position, answer.because)
        for earlier, then in debate.statements((turn.seat,))
        if earlier.id != turn.id
        for answer in then.answers
    }
    told: set[tuple[str, Position]] = set()
    for answer in said.answers:
        subject, named = _subject_of(debate, answer), names(debate).get(answer.to)
        quiet = answer.position is Position.AGREE and not (named and named.finding)
        repeated = (subject, answer.position, answer.because) in seen
        if (subject, answer.position) not in told and not quiet and not repeated:
            told.add((subject, answer.position))
            yield answer


def _subject_of(debate: Debate, answer: Answer) -> str:
    named = names(debate).get(answer.to)
    return (named and named.finding) or answer.to


def _answer(debate: Debate, turn: Turn, answer: Answer) -> Line:
    line = [Span(f"{VERBS[answer.position]} "), *_subject(debate, turn, answer)]
    if answer.because:
        line += coded(f": {spelled_out(debate, shortened(answer.because, _REASON))}")
    return tuple(line)


def _subject(debate: Debate, turn: Turn, answer: Answer) -> list[Span]:
    title, by = called(debate, answer.to)
    named = names(debate).get(answer.to)
    whose = ""
    if by and named is not None and named.by != turn.seat:
        whose = f" ({by})"
    if whose:
        return [Span(title, italic=True), Span(whose)]
    return [Span(title, italic=True)]


def _agreement(debate: Debate, turn: Turn, agreed: Sequence[Answer]) -> Line:
    spans = [Span(f"{VERBS[Position.AGREE]} ")]
    for n, answer in enumerate(agreed[:3]):
        spans += [Span(", ")] * (n > 0) + _subject(debate, turn, answer)
    rest = len(agreed) - 3
    if rest > 0:
        return (*spans, Span(f" and {rest} more"))
    return tuple(spans)


def unproven(debate: Debate, turn: Turn, said: Statement) -> list[Line]:
    """Claims whose evidence could not be found."""
    wrong = claim_faults(debate, (turn,))
    lines: list[Line] = []
    for claim in (c for c in said.claims if c.id in wrong):
        why = spelled_out(debate, shortened(wrong[claim.id], _REASON))
        claimed = Span(shortened(claim.text, 120), italic=True)
        lines.append((Span("not proven: ", bold=True), claimed, *coded(f" ({why})")))
    return lines[:2]


def _small(debate: Debate, turn: Turn, said: Statement) -> str:
    """The round where it begins, and whose labels the text uses."""
    parts = []
    others = (t for t in debate.turns if t.round == turn.round and t.id != turn.id)
    if not any(t.id in debate.settled and not t.about_the(Topic.PART) for t in others):
        parts.append(round_name(debate, turn.round + 1))
    if turn.swapped:
        parts.append("the same case, heard in the other order")
    if not models_hidden(debate):
        used = [
            f"{alias} is the {seat_name(debate, seat)}"
            for seat, alias in debate.open.script.aliases
            if alias != seat and re.search(rf"\b{re.escape(alias)}\b", said.text)
        ]
        parts += [listed(used)] if used else []
    if len(said.text.strip()) > _BODY:
        parts.append("shortened; the whole stands in the transcript")
    return " · ".join(parts)
