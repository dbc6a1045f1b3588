"""Builds a seat's prompt, laid out so that money is spent once.

Order: system, material, transcript, the round's task, and last what is particular to the seat.
Everything before the last block is the same bytes for all seats of a round (the first two for all
turns that read the whole), so a provider's prompt cache serves it. Turns that judge the whole read
the material whole; in between, seats read the places in dispute and each other's claims, not
essays. A cut is always marked.

Seats know each other as P1..Pn, by the draw stored in the script: no model, role or person is named
in what they read of each other. Everything that others wrote (the material with its title, the
words of people and seats) stands inside a fence whose token is drawn per debate and occurs in none
of it, and each of its lines begins with a mark, so that no line of it can pass for one of ours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from string import Template as Text
from typing import assert_never

from core.debate import Debate, once, once_for
from core.due.examination import at_issue, lets_pass
from core.material import Fate, Material
from core.material.around import render_around
from core.material.diffs import hunk_around
from core.material.escaping import show_hidden
from core.material.precedents import render_precedents
from core.material.scanned import render_scanned
from core.ports import Message
from core.replies import Answer, Position, Statement
from core.replies.schema import criteria_of
from core.replies.sections import written_sections
from core.replies.tasks import TASKS, Task, with_earlier
from core.script import About, Duty, Topic, Turn, TurnId
from core.verdict.findings import CODE, MergedFinding, merge_findings
from core.verdict.worth import alone, by_worth

ALWAYS_WHOLE = 1500
"""The characters up to which the material is repeated in every prompt; beyond it only whole tasks
read all of it.
"""
EXCERPT = 1000
"""The characters of disputed places that the turns in between read."""
_MOST_ROOM = 24_000
"""The most characters of the places that findings of a change in parts name, and of these
findings.
"""
_OPENING = 600
"""The characters of a text's beginning that stand for the question in the turns in between."""
_OLDER_POINT = 70
"""The characters of a point from before the latest round that a turn reads; the rest is cut."""
_WORDS = 120
_FINDING_FRAME = 40
"""The characters that a finding takes in a transcript beside its own words."""
_MARK = "| "
"""The mark at the beginning of every line of foreign text."""


@cache
def _file(name: str) -> Text:
    return Text(
        files("core.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").rstrip("\n")
    )


def fill(name: str, **values: str) -> str:
    """Fills a prompt file's variables in. Raises ``KeyError`` for a variable that was not given."""
    return _file(name).substitute(values)


def prompt(debate: Debate, turn: Turn) -> tuple[Message, ...]:
    """Returns all blocks of a turn's prompt. It depends on the opening and on the statements that
    the turn reads, in script order, and on nothing else.
    """
    seat = debate.script.seat(turn.seat)
    brief = seat.brief or seat.role.replace("_", " ")
    own = Message("user", fill("seat", alias=_label(debate, seat.id), brief=brief))
    task_turn = turn if turn.task == "uphold" else turn.alike  # what a seat holds is its own
    return (*_shared(debate, task_turn, seat.duty), own)


@once
def _shared(debate: Debate, turn: Turn, duty: Duty) -> tuple[Message, ...]:
    """Returns the blocks that are the same for all seats of one duty with the same task on the same
    subject.
    """
    task = task_of(debate, turn)
    token = fence(debate)
    blocks = [
        Message("system", fill("system", fence=token)),
        _material(debate, turn, task, token),
        *_in_part(debate, turn, task, token),
    ]
    heard = () if task.pointed else _transcript(debate, turn, token)
    transcripts = [fill("transcript", fence=token, text=text) for text in heard]
    blocks += [Message("user", text, cache=text is transcripts[-1]) for text in transcripts]
    values = _values(debate, turn, duty, token)
    return (*blocks, Message("user", _task(debate, turn, task, values)))


def task_of(debate: Debate, turn: Turn) -> Task:
    """Returns the turn's task, extended by findings of an earlier run where there are any."""
    task = TASKS[turn.task]
    material = debate.open.material
    if material.earlier or material.scanned:
        return with_earlier(task)
    return task


def repair(messages: tuple[Message, ...], reply: str, problem: str) -> tuple[Message, ...]:
    """Returns the same prompt with the unreadable reply and what was wrong with it."""
    return (
        *messages,
        Message("assistant", reply[:4000]),
        Message("user", fill("repair", problem=problem)),
    )


def fence(debate: Debate) -> str:
    """Returns a token that ends data.

    It is derived from the debate's draw and its opening, so it is the same in all prompts of the
    debate. Later statements cannot hold it: ``marked`` removes it.
    """
    m = debate.open.material
    earlier = (f"{finding.path} {finding.title} {finding.trigger}" for finding in m.earlier)
    foreign = (
        m.text,
        *(part.text for part in m.parts),
        m.title,
        m.body,
        m.guidelines,
        render_around(m.around),
        render_scanned(m.scanned),
        render_precedents(m.precedents),
    )
    return fence_for(f"{debate.id}:{debate.open.seed}", *foreign, *earlier)


def fence_for(drawn: str, *foreign: str) -> str:
    """Returns a token made from ``drawn`` that occurs in none of the texts."""
    for n in range(1000):
        token = hashlib.sha256(f"{drawn}:{n}".encode()).hexdigest()[:10]
        if not any(token in text for text in foreign):
            return token
    raise AssertionError("a text that holds a thousand chosen hashes was not written by chance")


def marked(text: str, token: str) -> str:
    """Renders foreign text as data: unseen characters spelled out, without the fence's token, a
    mark before every line.
    """
    lines = without(show_hidden(text), token).split("\n")
    return "\n".join(f"{_MARK}{line}".rstrip() for line in lines)


def without(text: str, token: str) -> str:
    """Returns the text without the fence's token."""
    return text.replace(token, "…")


@dataclass(frozen=True, slots=True)
class Size:
    """The characters of a material: ``whole`` is for every turn that judges the whole of it,
    ``parts`` adds each part of a large change for the turns that read that part.
    """

    whole: int
    parts: tuple[int, ...] = ()

    def read_in(self, turn: Turn) -> int:
        """Returns the characters of it that ``turn`` reads."""
        number = turn.about_the(Topic.PART)
        added = 0
        if number:
            added = self.parts[int(number) - 1]
        if TASKS[turn.task].whole or (self.whole <= ALWAYS_WHOLE and not self.parts):
            return self.whole + added
        return EXCERPT


def material_chars(material: Material) -> Size:
    """Returns the characters that the material takes in prompts."""
    around = render_around(material.around, material.around_left)
    reports = (render_scanned(material.scanned), render_precedents(material.precedents))
    texts = (material.title, material.body, material.guidelines, material.text, around, *reports)
    cited = _room(material) if material.parts else 0
    parts = tuple(_marked_chars(part.text) for part in material.parts)
    return Size(cited + sum(map(_marked_chars, texts)), parts)


@once_for("opened")
def size_read(debate: Debate) -> Size:
    """Returns ``material_chars`` of a debate's material."""
    return material_chars(debate.open.material)


def _marked_chars(text: str) -> int:
    if text:
        return len(text) + len(_MARK) * (1 + text.count("\n"))
    return 0


def _room(material: Material) -> int:
    """Returns the characters for the places that findings name, which are as many for the findings
    of the parts, in the turns after them.
    """
    longest = max((len(part.text) for part in material.parts), default=0)
    return max(EXCERPT, min(_MOST_ROOM, longest // 4))


def _in_part(debate: Debate, turn: Turn, task: Task, token: str) -> list[Message]:
    """Renders, for a change that is read in parts, the turn's own part, or else the places that
    findings name.
    """
    material = debate.open.material
    if not material.parts or not task.whole:
        return []
    if number := turn.about_the(Topic.PART):
        text = marked(material.parts[int(number) - 1].text, token)
        return [Message("user", fill("part", fence=token, text=text), cache=True)]
    places = _places(_cited(debate, turn), _room(material))
    if not places:
        return []
    return [Message("user", fill("cited", fence=token, text=marked("\n".join(places), token)))]


def _material(debate: Debate, turn: Turn, task: Task, token: str) -> Message:
    m = debate.open.material
    kind = m.kind.value.replace("_", " ")
    title = "" if m.text.startswith(m.title) else show_hidden(m.title)[:300]
    if task.whole or (len(m.text) <= ALWAYS_WHOLE and not m.parts):
        about = "\n\n".join(part for part in (title, m.body.strip(), m.text) if part)
        text = fill("material", kind=kind, fence=token, text=marked(about, token))
        if m.guidelines and task.whole:
            rules = fill("guidelines", fence=token, text=marked(m.guidelines, token))
            text = f"{rules}\n{text}"
        if m.around and task.whole:
            near = marked(render_around(m.around, m.around_left), token)
            text = f"{text}\n{fill('around', fence=token, text=near)}"
    else:
        about = f"{title}\n\n{_excerpt(debate, turn)}".lstrip("\n")
        text = fill("excerpt", kind=kind, fence=token, text=marked(about, token))
    if m.precedents and task.whole:
        before = marked(render_precedents(m.precedents), token)
        text = f"{fill('precedents', fence=token, text=before)}\n{text}"
    if m.scanned:
        scan_report = marked(render_scanned(m.scanned), token)
        text = f"{fill('scanned', fence=token, text=scan_report)}\n{text}"
    if m.earlier:
        earlier = marked(_found_earlier(m), token)
        text = f"{fill('earlier', fence=token, text=earlier)}\n{text}"
    if assume := debate.open.terms.assume:
        text = f"{text}\n{fill('assume', fence=token, text=marked(assume, token))}"
    return Message("user", text, cache=True)


_FATES = {
    Fate.SAME: "untouched since",
    Fate.MOVED: "untouched since",
    Fate.CHANGED: "its lines changed: still there?",
    Fate.GONE: "its lines are gone",
}


def _found_earlier(material: Material) -> str:
    """Renders one line for each finding of the run before."""
    lines = []
    for finding in material.earlier:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        state = "people say it is not real" if finding.disputed else _FATES[finding.fate]
        text = f"{finding.id} {finding.severity} {place} {finding.title} | {finding.trigger}"
        lines.append(f"{_shortened(show_hidden(text), 300)} ({state})")
    return "\n".join(lines)


def _excerpt(debate: Debate, turn: Turn) -> str:
    """Renders the places cited in the statements that ``turn`` reads, those most worth debating
    first, at most ``EXCERPT`` characters; it says what is not shown.
    """
    m = debate.open.material
    places = _places(_cited(debate, turn) if m.hunks else _quoted(debate, turn), EXCERPT)
    if not m.hunks or not places:
        begins = f"{m.text[:_OPENING]}\n"
        shortened = f"[shortened: the first {_OPENING} of {len(m.text)} characters]"
        places.insert(0, f"{begins}{shortened}")
    return "\n".join(places)


def _places(places: Iterable[str], room: int) -> list[str]:
    """Renders as many places, in their order, as ``room`` characters hold; it says what is not
    shown.
    """
    lines: list[str] = []
    left = 0
    for place in dict.fromkeys(places):
        if len(place) <= room:
            lines.append(place)
            room -= len(place)
        else:
            left += 1
    if left:
        lines.append(f"[{left} more cited places are not repeated here]")
    return lines


def _cited(debate: Debate, turn: Turn) -> list[str]:
    findings = (m.wording for m in _worth(debate, turn) if m.wording.anchored)
    return [hunk_around(debate.open.material, f.path, f.line, f.side, context=3) for f in findings]


def _worth(debate: Debate, turn: Turn) -> tuple[MergedFinding, ...]:
    """Returns the findings in the statements that ``turn`` reads, in the order in which they are
    worth debating; people's votes play no part.
    """
    if TASKS[turn.task].pointed:
        return at_issue(debate, turn)
    return _worth_of(debate, turn.reads)


@once
def _worth_of(debate: Debate, turns: tuple[TurnId, ...]) -> tuple[MergedFinding, ...]:
    heard = {id: debate.finished[id] for id in turns if id in debate.finished}
    findings = merge_findings(replace(debate, finished=heard, votes={}))
    return by_worth(m for m in findings if any(r.seat != CODE for r in m.raised))


def _quoted(debate: Debate, turn: Turn) -> list[str]:
    text = debate.open.material.text
    quotes = [c.quote for _, statement in debate.read_by(turn) for c in statement.claims if c.quote]
    positions = [(text.find(quote), quote) for quote in quotes]
    return [
        f"... {text[max(0, at - 120) : at + len(quote) + 120].strip()} ..."
        for at, quote in positions
        if at >= _OPENING
    ]


def _transcript(debate: Debate, turn: Turn, token: str) -> list[str]:
    """Renders the statements that the turn reads, in script order, a text for each round, so that a
    turn that reads more begins with the same bytes.

    Each speaker gets a line of ours, and behind marks their words. Closing and judging turns read
    every point in full, the others older ones shortened.
    """
    script = debate.script
    rounds = {t.id: t.round for t in script.turns}
    full = TASKS[turn.task].whole or turn.closing
    latest = max((rounds[id] for id in turn.reads), default=0)
    texts: dict[int, list[str]] = {}
    fitting, untold = _found_in_parts(debate, turn)
    for id in reversed(turn.reads) if turn.swapped else turn.reads:
        speaker = script.turn(id)
        lines = texts.setdefault(rounds[id], [])
        label = f"[{id}] {_label(debate, speaker.seat)}"
        if (statement := debate.statement(id)) is not None:
            if number := speaker.about_the(Topic.PART):
                label = f"{label}, part {number}"
                statement = replace(
                    statement, findings=tuple(f for f in statement.findings if f.id in fitting)
                )
                if not (statement.findings or statement.answers):
                    continue
            short = (
                not full and rounds[id] < latest and speaker.seat != turn.about_the(Topic.SEAT)
            )  # whom a question is put to is read in full
            lines += [_head(label, statement), marked(_spoken(statement, short=short), token)]
        elif id in debate.failed:
            lines.append(f"{label}: no answer")
    if untold:
        texts[min(texts)].append(f"[{untold} less severe findings of the parts are not repeated]")
    objections: list[str] = []
    for challenge in debate.challenges:
        if any(id.startswith(f"{challenge.id}.") for id in turn.reads):
            objections.append(f"[{challenge.id}] A person objected:")
            objections.append(marked(challenge.text, token))
    return ["\n".join(lines) for lines in (*texts.values(), objections) if lines]


@once
def _found_in_parts(debate: Debate, turn: Turn) -> tuple[frozenset[str], int]:
    """Returns the findings of the parts for which there is room, the gravest first, and the number
    of the others.
    """
    readings = [statement for t, statement in debate.read_by(turn) if t.about_the(Topic.PART)]
    findings = [f for statement in readings for f in statement.findings]
    room = _room(debate.open.material)
    fitting: set[str] = set()
    for one in sorted(findings, key=lambda f: (-f.severity.rank, -f.confidence)):
        room -= len(one.title) + len(one.trigger) + len(one.path) + _FINDING_FRAME
        if room < 0:
            break
        fitting.add(one.id)
    return frozenset(fitting), len(findings) - len(fitting)


def _label(debate: Debate, seat_id: str) -> str:
    script = debate.open.script
    seat = next(s for s in script.seats if s.id == seat_id)
    if seat.duty is Duty.DEBATER:
        return script.alias(seat.id)
    return seat.duty.value


def _head(label: str, statement: Statement) -> str:
    """Names the speaker and what they hold: options and ids that code has checked, so it is a line
    of ours.
    """
    if statement.stance is None:
        return label
    moved = ""
    if statement.stance.moved_by:
        moved = f", moved by {statement.stance.moved_by}"
    return f"{label}: {statement.stance.option} {statement.stance.confidence:.2f}{moved}"


def _spoken(statement: Statement, *, short: bool) -> str:
    points = [
        f"- {f.id} {f.severity} {f.confidence:.2f} {f.path}:{f.line} {f.title} | {f.trigger}"
        for f in statement.findings
    ]
    points += [
        f"- {c.id} {c.text}" + (f' ("{c.quote}")' if c.quote and not short else "")
        for c in statement.claims
    ]
    points += [_answered(a) for a in statement.answers]
    if statement.argument is not None:
        about = ", ".join(statement.argument.references) or "nothing before"
        points.append(f"- {statement.argument.type}, on {about}: {statement.text[:400]}")
    if not points or (not short and not statement.claims and not statement.findings):
        points.insert(0, "- " + _shortened(statement.text, 400))
    if short:
        points = [_shortened(p, _OLDER_POINT) for p in points if not p.startswith("- re ")]
    return "\n".join(points)


def _answered(answer: Answer) -> str:
    line = f"- re {answer.to}: {answer.position}"
    if answer.because:
        return f"{line}: {answer.because}"
    return line


def _shortened(text: str, limit: int) -> str:
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0] + " [...]"


def _open_points(debate: Debate, turn: Turn) -> tuple[str, ...]:
    """Returns the ids of findings and claims that a seat disputed and nobody withdrew or conceded,
    among the statements that ``turn`` reads.
    """
    last: dict[str, Position] = {}
    for _, statement in debate.read_by(turn):
        last |= {answer.to: answer.position for answer in statement.answers}
    return tuple(
        to for to, position in last.items() if position in (Position.DISPUTE, Position.KEEP)
    )


def _task(debate: Debate, turn: Turn, task: Task, values: Mapping[str, str]) -> str:
    """Renders the task in the same words for all seats that get the same one."""
    goal, open_points = debate.open.script.rounds[turn.round].goal, ""
    if turn.about_the(Topic.CHALLENGE) or turn.about_the(Topic.HOT_SEAT):
        goal = ""
    if (
        "answers" in task.asks
        and not task.pointed
        and (lone := [m.id for m in _worth(debate, turn) if alone(m)])
    ):
        open_points = f"Settle first what one seat holds alone: {', '.join(lone)}\n"
    parts = len(debate.open.material.parts)
    if parts and task.name == "open":
        open_points += f"{fill('after-parts', parts=str(parts))}\n"
    disputed = () if task.pointed else _open_points(debate, turn)
    if disputed:
        open_points += f"Still open: {', '.join(disputed)}\n"
    return fill(
        "round",
        goal=goal and f"{goal}\n",
        task=_file(f"task-{task.name}").substitute(values),
        open=open_points,
        fields=_fields(debate, task, values),
    )


def _values(debate: Debate, turn: Turn, duty: Duty, token: str) -> dict[str, str]:
    template = debate.open.template
    criteria = criteria_of(template)
    return {
        "fence": token,
        "about": _at_issue(debate, turn, token) or _about(debate, turn.about, token),
        "challenge": turn.about_the(Topic.CHALLENGE),
        "criteria": ", ".join(c.replace("_", " ") for c in criteria),
        "criteria_keys": ", ".join(f'"{c}": 0-1' for c in criteria),
        "options": "|".join(o.option for o in template.ballot),
        "sections": json.dumps(dict.fromkeys(written_sections(template), "")),
        "words": str(_WORDS if duty is Duty.DEBATER else _WORDS // 2),
        "attacks": ", ".join(t.id for t in debate.turns if t.task == "attack"),
    }


def _at_issue(debate: Debate, turn: Turn, token: str) -> str:
    """Renders the findings that the turn is asked about, each with the evidence against it."""
    if not TASKS[turn.task].pointed:
        return ""
    lines = []
    for finding in at_issue(debate, turn):
        f = finding.wording
        lines.append(f"{finding.id} {f.path}:{f.line} {_shortened(f.title, 200)}")
        lines.append(f"  quoted: {_shortened(f.quote, 300)}")
        if f.trigger:
            lines.append(f"  said to be reached by: {_shortened(f.trigger, 300)}")
        if turn.task == "uphold":
            lines += _against(debate, turn, finding)
    return marked("\n".join(lines), token)


def _against(debate: Debate, turn: Turn, finding: MergedFinding) -> list[str]:
    """Renders a refuter's quotation, or that the seat itself would let the finding pass."""
    lines = [
        f"  need not be fixed, says another reader: {a.path}:{a.line} {_shortened(a.quote, 300)}"
        for _, statement in debate.read_by(turn)
        for a in statement.answers
        if a.to in finding.ids and a.checked
    ]
    if not lines and lets_pass(debate, turn.seat):
        return ["  you hold it, and would let the change pass"]
    return lines


def _about(debate: Debate, about: About | None, token: str) -> str:
    """Renders the subject of the turn."""
    if about is None:
        return ""
    match about.topic:
        case Topic.CHALLENGE:
            texts = {c.id: c.text for c in debate.challenges}
            return marked(texts.get(about.name, ""), token)
        case Topic.SEAT:
            return _label(debate, about.name)
        case Topic.CATEGORY | Topic.ROLE:
            return about.name.replace("_", " ")
        case Topic.ARGUMENT | Topic.LENS:
            return about.name
        case Topic.PART:
            return f"{about.name} of {len(debate.open.material.parts)}"
        case Topic.HOT_SEAT:
            return marked(_defended(debate, about.name), token)
        case Topic.SWAPPED | Topic.FINDING:
            return ""
        case _:
            assert_never(about.topic)


def _defended(debate: Debate, id: str) -> str:
    """Renders a statement or a finding that a seat must answer for, in its own words."""
    if (statement := debate.statement(id)) is not None:
        return f"[{id}] {_spoken(statement, short=False)}"
    f = next((f for _, x in debate.statements() for f in x.findings if f.id == id), None)
    if f is None:
        return id
    return f"{id} {f.path}:{f.line} {_shortened(f.title, 200)} | {_shortened(f.trigger, 300)}"


def _fields(debate: Debate, task: Task, values: Mapping[str, str]) -> str:
    names = [
        "text",
        *(
            a
            for a in task.asks
            if a != "findings" or debate.open.material.hunks or task.name == "attack"
        ),
    ]
    if "ruling" in names and not needs_ruling(debate):
        names.remove("ruling")
    if task.pointed:
        names.remove("text")
    if task.own_answers:
        names = [f"answers-{task.name}" if n == "answers" else n for n in names]
    return "\n".join(_file(f"field-{n}").safe_substitute(values) for n in names)


def needs_ruling(debate: Debate) -> bool:
    return debate.open.terms.consensus in ("judge", "hybrid")
