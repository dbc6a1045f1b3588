"""The transcript in a prompt: the statements that a turn reads, each after a line that names its
speaker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.debate.events import ChallengeRaised
from core.debate.material.plaintext import shorten
from core.debate.prompting.frame import marked
from core.debate.prompting.size import cited_room, heard_room
from core.debate.replies import Answer, Argument, Statement
from core.debate.replies.tasks import TASKS
from core.debate.replies.wording import own_words
from core.debate.script import Duty, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, once

_OLDER_POINT = 70
"""The characters of a point from before the latest round in a brief transcript."""
_PROSE = 900
"""The most characters of a statement's prose."""
_FINDING_FRAME = 40
"""The characters that a finding takes in a transcript in addition to its words."""
_BRIEF_LINE = 160
"""The most characters of a line of a brief transcript, and of a shortened round."""
_SHORTENED = "[There is no room for the quotations and reasons of this round]"


def transcript(debate: Debate, turn: Turn, token: str, *, brief: bool) -> list[str]:
    """Renders the statements that the turn reads, in script order, a text for each round, so that a
    turn that reads more begins with the same bytes.

    Each speaker gets a line, and their words follow behind marks: every point in full with its
    quotation, and the prose of the latest round, of whom a question is put to, and of questions. A
    ``brief`` one has no severities, confidence and answers, and long lines are cut.

    In a change that is read in parts, the statements may take as much room as the longest part,
    which their reader does not read. Beyond it the oldest rounds have no quotations, reasons and
    prose, and say so.
    """
    texts = _rounds(debate, turn, token, brief=brief)
    room = heard_room(debate.open.material)
    for number in texts:
        if room is None or sum(map(len, texts.values())) <= room:
            break
        texts |= _rounds(debate, turn, token, brief=brief, short=number)
    if untold := _found_in_parts(debate, turn)[1]:
        first = min(texts)
        more = f"[{untold} less severe findings of the parts are not repeated]"
        texts[first] = "\n".join(filter(None, (texts[first], more)))
    objections: list[str] = []
    for challenge in objections_before(debate, turn):
        objections.append(f"[{challenge.id}] A person objected:")
        objections.append(marked(challenge.text, token))
    blocks = [text for text in (*texts.values(), "\n".join(objections)) if text]
    if brief:
        return [_clip(block) for block in blocks]
    return blocks


def _rounds(
    debate: Debate, turn: Turn, token: str, *, brief: bool, short: int = -1
) -> dict[int, str]:
    """Returns the statements of each round; of the rounds up to ``short`` only the points and
    positions.
    """
    script = debate.script
    rounds = {t.id: t.round for t in script.turns}
    full = TASKS[turn.task].whole or turn.closing
    latest = max((rounds[id] for id in turn.reads), default=0)
    texts: dict[int, list[str]] = {rounds[id]: [] for id in _in_order(turn)}
    for speaker, statement in statements_before(debate, turn):
        name = f"[{speaker.id}] {label(debate, speaker.seat)}{_subject(debate, speaker)}"
        lines = texts[speaker.round]
        if statement is None:
            lines.append(f"{name}: no answer")
            continue
        if number := speaker.about_the(Topic.PART):
            name = f"{name}, part {number}"
        is_question = speaker.task == "question" or speaker.seat == turn.about_the(Topic.SEAT)
        if brief:
            words = brief_words(statement, short=not full and speaker.round < latest)
        elif speaker.round <= short:
            words = _clip(words_of(without_reasons(statement), prose=False))
        else:
            in_full = is_question or full or speaker.round == latest
            bare = speaker.about_the(Topic.PART) or TASKS[speaker.task].pointed
            words = words_of(statement, prose=in_full and not bare)
        lines += [_head(name, statement, brief=brief), marked(words, token)]
    written = {number: "\n".join(lines) for number, lines in texts.items()}
    shortened = [number for number in written if number <= short and written[number]]
    return written | {number: f"{_SHORTENED}\n{written[number]}" for number in shortened}


def without_reasons(statement: Statement) -> Statement:
    """Returns the statement without quotations and without the reasons of its answers."""
    return replace(
        statement,
        findings=tuple(replace(f, quote="") for f in statement.findings),
        claims=tuple(replace(c, quote="") for c in statement.claims),
        answers=tuple(replace(a, because="", checked=False) for a in statement.answers),
    )


def _subject(debate: Debate, turn: Turn) -> str:
    """Names what a statement is about, if its reader could not tell: the seat that it addresses,
    the attack that it makes or parries, or the angle from which its seat speaks.
    """
    if target := turn.about_the(Topic.SEAT):
        return f", to {label(debate, SeatId(target))}"
    if attack := turn.about_the(Topic.CATEGORY):
        return f", on {_short(attack)}"
    if angle := turn.about_the(Topic.LENS) or turn.about_the(Topic.ROLE):
        return f", as {_short(angle)}"
    return ""


def _short(name: str) -> str:
    return name.partition(":")[0].replace("_", " ")


def statements_before(debate: Debate, turn: Turn) -> Iterator[tuple[Turn, Statement | None]]:
    """Yields the turns that this one reads, each with its statement, or None if it failed. Of a
    part's reading it yields the findings for which there is room.
    """
    fitting, _ = _found_in_parts(debate, turn)
    for id in _in_order(turn):
        speaker, statement = debate.script.turn(id), debate.statement(id)
        if statement is not None and speaker.about_the(Topic.PART):
            findings = tuple(f for f in statement.findings if f.id in fitting)
            statement = replace(statement, findings=findings)
            if not (statement.findings or statement.answers):
                continue
        if statement is not None or id in debate.failed:
            yield speaker, statement


def objections_before(debate: Debate, turn: Turn) -> list[ChallengeRaised]:
    """Returns the people's challenges of which the turn reads an answer."""
    return [c for c in debate.challenges if any(id.startswith(f"{c.id}.") for id in turn.reads)]


def label(debate: Debate, seat_id: SeatId) -> str:
    """Returns the name by which seats know a seat: a drawn label, or its duty; the name of a holder
    that is code is its own.
    """
    script = debate.open.script
    duties = {seat.id: seat.duty for seat in script.seats}
    if duties.get(seat_id) is Duty.DEBATER:
        return script.alias(seat_id)
    return duties.get(seat_id, seat_id)


def words_of(statement: Statement, *, prose: bool = True) -> str:
    """Renders a statement: its text if ``prose`` is wanted or there is nothing else, its points
    with their quotations, its answers, and the sections of a report.
    """
    points = []
    for f in statement.findings:
        rating = f"{f.severity} {f.confidence:.2f} "
        points.append(f"- {f.id} {rating}{f.path}:{f.line} {f.title} | {f.trigger}")
        points += _quotation(f.quote)
    for c in statement.claims:
        points += [f"- {c.id} {c.text}", *_quotation(c.quote)]
    for answer in statement.answers:
        points += _answered(answer)
    if statement.argument is not None:
        points += _argued(statement.argument)
    points += [f"[{name}] {text}" for name, text in statement.sections.items() if text.strip()]
    if prose or not points:
        points.insert(0, "- " + shorten(statement.text, _PROSE))
    return "\n".join(points)


def brief_words(statement: Statement, *, short: bool) -> str:
    """Renders the points of a statement in few words, or its text if it has none."""
    points = [f"- {f.id} {f.path}:{f.line} {f.title} | {f.trigger}" for f in statement.findings]
    points += [f"- {c.id} {c.text}" for c in statement.claims]
    if statement.argument is not None:
        points.append(f"- {_kind_of(statement.argument)}: {statement.text[:400]}")
    pointless = not points and not statement.answers
    if pointless or (not short and not statement.claims and not statement.findings):
        points.insert(0, "- " + shorten(statement.text, 400))
    return "\n".join(shorten(p, _OLDER_POINT) if short else p for p in points)


def _quotation(quote: str) -> list[str]:
    """Renders a quotation line by line, with its white space, so that a copy of it is found."""
    if not quote.strip():
        return []
    return ["  quoted:", *quote.split("\n")]


def _argued(argument: Argument) -> list[str]:
    lines = [f"- {_kind_of(argument)}"]
    lines += [f"  evidence: {one}" for one in argument.evidence]
    if argument.impact_areas:
        lines.append(f"  concerns: {', '.join(argument.impact_areas)}")
    return lines


def _kind_of(argument: Argument) -> str:
    if not argument.references:
        return argument.type
    return f"{argument.type}, on {', '.join(argument.references)}"


def _in_order(turn: Turn) -> Iterator[TurnId]:
    return reversed(turn.reads) if turn.swapped else iter(turn.reads)


@once
def _found_in_parts(debate: Debate, turn: Turn) -> tuple[frozenset[str], int]:
    """Returns the findings of the parts for which there is room, the gravest first, and the number
    of the others.
    """
    readings = [statement for t, statement in debate.read_by(turn) if t.about_the(Topic.PART)]
    findings = [f for statement in readings for f in statement.findings]
    room = cited_room(debate.open.material)
    fitting: set[str] = set()
    for one in sorted(findings, key=lambda f: (-f.severity.rank, -f.confidence)):
        room -= len(one.title) + len(one.trigger) + len(one.path) + _FINDING_FRAME
        if room < 0:
            break
        fitting.add(one.id)
    return frozenset(fitting), len(findings) - len(fitting)


def _head(name: str, statement: Statement, *, brief: bool) -> str:
    """Names the speaker and what they hold: options and ids that code has checked, so the line
    needs no mark.
    """
    stance = statement.stance
    if stance is None:
        return name
    head = f"{name}: {stance.option}"
    if not brief:
        head += f" {stance.confidence:.2f}"
    if stance.moved_by:
        head += f", moved by {stance.moved_by}"
    return head


def _answered(answer: Answer) -> list[str]:
    """Renders an answer with its reason; a quotation that code found is shown once, with its place
    and its white space.
    """
    line = f"- re {answer.to}: {answer.position}"
    if not answer.checked:
        return [": ".join(filter(None, (line, answer.because)))]
    words = ": ".join(filter(None, (line, own_words(answer))))
    return [words, f"  quoted from {answer.path}:{answer.line}:", *answer.quote.split("\n")]


def _clip(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(x if len(x) <= _BRIEF_LINE else f"{x[:_BRIEF_LINE]} …" for x in lines)
