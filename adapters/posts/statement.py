"""A statement as a post: speaker, stance, text, and answers that can be understood without the
finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted, sentences
from adapters.posts.keys import post_key
from adapters.text.pieces import TextSpan, coded
from core.application.desk import Button
from core.debate.replies import Answer, Position, Statement
from core.debate.replies.tasks import TASKS
from core.debate.script import Duty, Topic, Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict.findings.evidence import claim_faults
from core.languages import say, say_if
from core.words.views.course.argued import (
    EVIDENCE,
    VERBS,
    answer_types,
    argument_facts,
    argument_title,
    proposes,
    proven_quotes,
    statement_text,
)
from core.words.views.course.due_turns import due_lines, due_title
from core.words.views.course.happenings import (
    NOTHING_TO_ADD,
    SEARCH_FAILED,
    SHORTENED,
    adds_nothing,
    failed_searches,
    occasion,
    setting,
)
from core.words.views.language.faces import faces
from core.words.views.language.grammar import bracketed, capital, shortened
from core.words.views.language.people import holder_of
from core.words.views.language.references import called, names, spelled_out, subject_of
from core.words.views.language.seats import seat_name
from core.words.views.verdict.stances import standing_words

Line = tuple[TextSpan, ...]

_BODY = 700
"""The most characters of a statement in its post; the transcript holds the whole."""
_REASON = 150
_ANSWERS = 5
_QUOTES = 2
_SEARCHES = 300


def statement(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """Returns the post of a turn's statement; none if another post shows it, or it is only for the
    report.
    """
    spoken = debate.finished[turn.id]
    if silent(debate, turn, spoken):
        return ()
    who = speaker(debate, turn)
    lines = (*answers(debate, turn, spoken), *unproven(debate, turn, spoken))
    quiet = not lines and adds_nothing(debate, turn, spoken)
    text = spelled_out(debate, statement_text(debate, turn, spoken))
    post = Post(
        key=post_key(debate, at, "statement"),
        debate=debate.id,
        shape=Shape.STATEMENT,
        title=occasion(debate, turn) or argument_title(debate, spoken),
        who=who,
        face=faces(debate)[turn.seat],
        subtitle=standing(debate, turn, spoken, quiet=quiet),
        body="" if quiet else sentences(text, _BODY),
        lines=lines,
        fields=(*_argument(debate, spoken), *_evidence(debate, turn, spoken), *_sources(spoken)),
        subject=turn.id,
        small=_small(debate, turn, spoken),
        fallback=f"{who}: {shortened(text, 140)}",
        facts=holders(debate),
    )
    return (fitted(post),)


def _argument(debate: Debate, statement: Statement) -> Iterator[tuple[str, str]]:
    for label, text in argument_facts(statement):
        yield label, spelled_out(debate, shortened(text, _REASON))


def _evidence(debate: Debate, turn: Turn, statement: Statement) -> Iterator[tuple[str, str]]:
    if statement.argument is not None:
        return
    quotes = proven_quotes(debate, turn, statement)[:_QUOTES]
    if quotes:
        yield say(EVIDENCE), "; ".join(f"“{shortened(quote, _REASON)}”" for quote in quotes)


def _sources(statement: Statement) -> Iterator[tuple[str, str]]:
    for source in statement.sources[:3]:
        yield say("Source"), " - ".join(filter(None, (source.title, source.url)))
    if failed := failed_searches(statement):
        yield say(SEARCH_FAILED), shortened(failed, _SEARCHES)


def due_turn(debate: Debate, at: int, turn: TurnId) -> tuple[Post, ...]:
    """Returns the post of a turn that has begun; none if a model speaks."""
    if turn not in debate.until:
        return ()
    started = debate.script.turn(turn)
    holder = debate.open.terms.held[started.seat]
    title, lines = due_title(debate, started), due_lines(debate, started)
    return (
        Post(
            post_key(debate, at, "due"),
            debate.id,
            Shape.NOTICE,
            title=title,
            body="\n".join(lines),
            buttons=()
            if holder.name
            else (Button("say", say("Answer"), f"{debate.id}:{turn}", form=True),),
            fallback=f"{title}: {lines[0]}",
            facts={} if holder.name else {"person": holder.id},
        ),
    )


def silent(debate: Debate, turn: Turn, statement: Statement) -> bool:
    """True if a statement gets no post: a closing turn that only repeats the verdict, or the
    reading of one part of a large change, whose findings are posted with the round's.
    """
    if turn.about_the(Topic.PART):
        return True
    if not turn.closing:
        return False
    judged = debate.open.script.seat(turn.seat).duty is Duty.JUDGE and bool(statement.ruling)
    return not statement.text or not judged


def speaker(debate: Debate, turn: Turn) -> str:
    """Returns the seat's name, with the person or program that holds it."""
    return capital(seat_name(debate, turn.seat)) + bracketed(holder_of(debate, turn.seat))


def holders(debate: Debate) -> dict[str, str]:
    """Returns the fact by which a post names the people who hold seats; empty if nobody does."""
    held = debate.open.terms.held.values()
    people = dict.fromkeys(holder.id for holder in held if not holder.name)
    if not people:
        return {}
    return {"people": " ".join(people)}


def standing(debate: Debate, turn: Turn, statement: Statement, *, quiet: bool = False) -> Line:
    """Returns the seat's stance now and before, whether it proposes findings, and whether it has
    nothing to add.
    """
    texts = (standing_words(debate, turn, statement), proposes(statement))
    words = " · ".join(filter(None, (*texts, say_if(quiet, NOTHING_TO_ADD))))
    return (TextSpan(words),) if words else ()


def answers(debate: Debate, turn: Turn, statement: Statement) -> list[Line]:
    """Returns a seat's answers in words, disputes with their reasons first and agreement on one
    line; none if its statement consists only of answers.
    """
    if TASKS[turn.task].pointed:
        return []
    given = sorted(_fresh(debate, turn, statement), key=lambda a: list(VERBS).index(a.position))
    visible = [a for a in given if a.position is not Position.AGREE]
    agreed = [a for a in given if a.position is Position.AGREE]
    lines = [_answer(debate, turn, a) for a in visible[:_ANSWERS]]
    if agreed:
        lines.append(_agreement(debate, turn, agreed))
    return lines


def _fresh(debate: Debate, turn: Turn, statement: Statement) -> Iterator[Answer]:
    """Yields the answers that the seat has not given before. Answers to two wordings of one finding
    count as one; agreement with a claim is left out.
    """
    seen = {
        (subject_of(debate, answer.to), answer.position, answer.because)
        for earlier, then in debate.statements((turn.seat,))
        if earlier.id != turn.id
        for answer in then.answers
    }
    known: set[tuple[str, Position]] = set()
    for answer in statement.answers:
        subject, named = subject_of(debate, answer.to), names(debate).get(answer.to)
        quiet = answer.position is Position.AGREE and not (named and named.finding)
        repeated = (subject, answer.position, answer.because) in seen
        if (subject, answer.position) not in known and not quiet and not repeated:
            known.add((subject, answer.position))
            yield answer


def _answer(debate: Debate, turn: Turn, answer: Answer) -> Line:
    type, _ = answer_types(debate)[turn.id][debate.finished[turn.id].answers.index(answer)]
    verb = f"{capital(say(type.value))}: {say(VERBS[answer.position])} "
    line = [TextSpan(verb), *_subject(debate, turn, answer)]
    if answer.because:
        line += coded(f": {spelled_out(debate, shortened(answer.because, _REASON))}")
    return tuple(line)


def _subject(debate: Debate, turn: Turn, answer: Answer) -> list[TextSpan]:
    title, by = called(debate, answer.to)
    spans, named = [TextSpan(title, italic=True)], names(debate).get(answer.to)
    if by and named is not None and named.by != turn.seat:
        spans.append(TextSpan(bracketed(by)))
    return spans


def _agreement(debate: Debate, turn: Turn, agreed: Sequence[Answer]) -> Line:
    spans = [TextSpan(f"{say(VERBS[Position.AGREE])} ")]
    for n, answer in enumerate(agreed[:3]):
        spans += [TextSpan(", ")] * (n > 0) + _subject(debate, turn, answer)
    rest = len(agreed) - 3
    if rest > 0:
        return (*spans, TextSpan(say(" and {rest} more", rest=rest)))
    return tuple(spans)


def unproven(debate: Debate, turn: Turn, statement: Statement) -> list[Line]:
    """Returns the lines on the claims whose evidence could not be found in the material."""
    wrong = claim_faults(debate, (turn,))
    lines: list[Line] = []
    for claim in (c for c in statement.claims if c.id in wrong):
        why = spelled_out(debate, shortened(wrong[claim.id], _REASON))
        claimed = TextSpan(shortened(claim.text, 120), italic=True)
        lines.append((TextSpan(say("not proven: "), bold=True), claimed, *coded(f" ({why})")))
    return lines[:2]


def _small(debate: Debate, turn: Turn, statement: Statement) -> str:
    short = say_if(len(statement.text.strip()) > _BODY, SHORTENED)
    return " · ".join(filter(None, (setting(debate, turn, statement), short)))
