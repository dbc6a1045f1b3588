"""Builds a seat's prompt, laid out for providers' caches.

Order: system, material, transcript, the round's task, and last what is particular to the seat.
Everything before the last block is the same bytes for all seats of a round (the first two for all
turns that read the whole), so a provider's prompt cache serves it. Turns that judge the whole read
the material whole; in between, seats read the places in dispute and each other's claims, not
essays. A cut is always marked.

Seats know each other as P1..Pn, by the draw stored in the script: no model, role or person is named
in what they read of each other. Everything that others wrote (the material with its title, the
words of people and seats) is inside a fence whose token is drawn per debate and occurs in none of
it, and each of its lines begins with a mark, so that none of them can pass for a line of the bot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from core.debate.due.argument import at_issue
from core.debate.formats.draft import brief as role_brief
from core.debate.ports import Message
from core.debate.prompting.form import fields, task_of
from core.debate.prompting.frame import fence, fill
from core.debate.prompting.material import cited_block, lines_read, material_block, part_block
from core.debate.prompting.task import task_block, variables
from core.debate.prompting.transcript import label, objections_before, statements_before, transcript
from core.debate.replies.tasks import LOCATE, Task
from core.debate.scene import Point, PointKind, Scene
from core.debate.script import Duty, Seat, Topic, Turn
from core.debate.state import Debate, once
from core.languages import english_name

_REPLY = 4000
"""The characters of a reply that its seat reads again if the call is repeated."""
QUESTIONS = "the question's language"
"""The language in which seats write if nobody chose one."""
NO_WORDS = "(no words)"
"""An answer that was cut before its first word, as the model reads it: no provider takes an empty
message.
"""


def prompt(debate: Debate, turn: Turn) -> tuple[Message, ...]:
    """Returns all blocks of a turn's prompt. It depends on the opening and on the statements that
    the turn reads, in script order.
    """
    seat = debate.script.seat(turn.seat)
    return (*_shared(debate, turn.alike, seat.duty), _own(debate, seat, seat.brief))


def scene(debate: Debate, turn: Turn) -> Scene:
    """Returns the values of the turn's prompt, and the same blocks in few words."""
    seat, task, token = debate.script.seat(turn.seat), task_of(debate, turn), fence(debate)
    blocks = [
        *_before_task(debate, turn, task, token, brief=True),
        Message("user", ""),  # the task: a schema says it
        _own(debate, seat, _short_brief(debate, seat)),
    ]
    points = _findings_at_issue(debate, turn)
    if not task.pointed:
        points = chain(_objections(debate, turn), _reports(debate), _stated(debate, turn))
    voters = debate.script.voters
    return Scene(
        voters.index(seat.id) + 1 if seat.votes else 0,
        lines_read(debate, turn),
        tuple(points),
        tuple(block.text for block in blocks),
    )


def repair(messages: tuple[Message, ...], reply: str, problem: str) -> tuple[Message, ...]:
    """Returns the same prompt with the unreadable reply and what was wrong with it."""
    return (
        *messages,
        Message("assistant", reply[:_REPLY] or NO_WORDS),
        Message("user", fill("repair", problem=problem)),
    )


def locating(
    debate: Debate, turn: Turn, messages: tuple[Message, ...], reply: str, why: str
) -> tuple[Message, ...]:
    """Returns the same prompt with the reply and the request for the finding that it lacks."""
    request = fill("locate", why=why, fields=fields(debate, LOCATE, {}))
    return (*messages, Message("assistant", reply[:_REPLY]), Message("user", request))


@once
def _shared(debate: Debate, turn: Turn, duty: Duty) -> tuple[Message, ...]:
    """Returns the blocks that are the same for all seats of one duty with the same task on the same
    subject.
    """
    task, token = task_of(debate, turn), fence(debate)
    values = variables(debate, turn, duty, token)
    return (
        *_before_task(debate, turn, task, token),
        Message("user", task_block(debate, turn, task, values)),
    )


def _before_task(
    debate: Debate, turn: Turn, task: Task, token: str, *, brief: bool = False
) -> list[Message]:
    blocks = [
        Message("system", _system(debate, token, brief=brief)),
        Message("user", material_block(debate, turn, task, token, brief=brief), cache=True),
    ]
    if debate.open.material.parts and task.whole:
        if turn.about_the(Topic.PART):
            blocks.append(Message("user", part_block(debate, turn, token), cache=True))
        elif places := cited_block(debate, turn, token):
            blocks.append(Message("user", places))
    heard = () if task.pointed else transcript(debate, turn, token, brief=brief)
    transcripts = [fill("transcript", fence=token, text=text) for text in heard]
    return [*blocks, *(Message("user", text, text is transcripts[-1]) for text in transcripts)]


def _system(debate: Debate, token: str, *, brief: bool) -> str:
    if brief:
        return fill("system-brief", fence=token)
    code = debate.open.terms.language
    language = f"{english_name(code)}; quotes and names as they are" if code else QUESTIONS
    return fill("system", fence=token, language=language)


def _own(debate: Debate, seat: Seat, brief: str) -> Message:
    brief = brief or seat.role.replace("_", " ")
    return Message("user", fill("seat", alias=label(debate, seat.id), brief=brief))


def _short_brief(debate: Debate, seat: Seat) -> str:
    """Returns a role's brief without its criteria and examples; any other brief as it is."""
    for role in debate.open.template.roles:
        if role.name == seat.role and role_brief(role) == seat.brief:
            return role_brief(replace(role, evaluation_criteria=(), example_prompts=()))
    return seat.brief


def _findings_at_issue(debate: Debate, turn: Turn) -> Iterator[Point]:
    for finding in at_issue(debate, turn):
        f, own = finding.wording, any(r.seat == turn.seat for r in finding.raised)
        text = f"{f.title} | {f.trigger}"
        yield Point(finding.id, PointKind.FINDING, text, f.path, f.line, own)


def _objections(debate: Debate, turn: Turn) -> Iterator[Point]:
    answered = {c.id for c in objections_before(debate, turn)}
    for challenge in debate.challenges:
        if challenge.id in answered or challenge.id == turn.about_the(Topic.CHALLENGE):
            yield Point(challenge.id, PointKind.OBJECTION, challenge.text)


def _reports(debate: Debate) -> Iterator[Point]:
    material = debate.open.material
    for demand in material.demands:
        if demand.listed:
            f = demand.finding
            yield Point(f.id, PointKind.FINDING, f.title, f.path, f.line)
    for report in material.scanned:
        yield Point(report.id, PointKind.FINDING, report.title, report.path, report.line)


def _stated(debate: Debate, turn: Turn) -> Iterator[Point]:
    for speaker, statement in statements_before(debate, turn):
        if statement is None:
            continue
        own = speaker.seat == turn.seat
        for f in statement.findings:
            text = f"{f.title} | {f.trigger}"
            yield Point(f.id, PointKind.FINDING, text, f.path, f.line, own)
        for c in statement.claims:
            yield Point(c.id, PointKind.CLAIM, c.text, own=own)
        yield Point(speaker.id, PointKind.STATEMENT, statement.text, own=own)
