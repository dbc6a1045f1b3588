"""The material in a prompt: the whole of it for turns that judge the whole, else the places in
dispute. A cut is always marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from core.debate.due.argument import at_issue
from core.debate.material import Hunk, Material
from core.debate.material.diffs import LEGEND, hunk_near, numbered, render
from core.debate.material.escaping import show_hidden, show_path
from core.debate.material.rendering import (
    render_around,
    render_demands,
    render_precedents,
    render_records,
    render_scanned,
)
from core.debate.prompting.form import task_of
from core.debate.prompting.frame import fill, marked
from core.debate.prompting.size import ALWAYS_WHOLE, EXCERPT, cited_room
from core.debate.replies.tasks import TASKS, Task
from core.debate.scene import CitableLine
from core.debate.script import Topic, Turn, TurnId
from core.debate.state import Debate, once
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import CODE, MergedFinding
from core.debate.verdict.worth import by_worth

_OPENING = 600
"""The characters of a text's beginning that represent the question in the turns in between."""


def material_block(debate: Debate, turn: Turn, task: Task, token: str, *, brief: bool) -> str:
    """Renders the material, with what is known of it from elsewhere; a ``brief`` one does not
    explain citations.
    """
    m = debate.open.material
    kind = m.kind.value.replace("_", " ")
    title = "" if m.text.startswith(m.title) else show_hidden(m.title)[:300]
    whole = m.text.removeprefix(f"{LEGEND}\n\n") if brief else m.text
    around = ""
    if reads_whole(debate, task):
        about = "\n\n".join(part for part in (title, m.body.strip(), whole) if part)
        text = fill("material", kind=kind, fence=token, text=marked(about, token))
        if m.around and (task.whole or task.argues):
            around = render_around(m.around, m.around_left)
    else:
        about = f"{title}\n\n{_excerpt(debate, turn, whole)}".lstrip("\n")
        text = fill("excerpt", kind=kind, fence=token, text=marked(about, token))
    before = {
        "ledger": render_demands(m.demands),
        "remarks": render_scanned(one for one in m.scanned if one.author),
        "scanned": render_scanned(one for one in m.scanned if not one.author),
    }
    if task.whole:
        before["precedents"] = render_precedents(m.precedents)
        before["records"] = render_records(m.records)
        before["guidelines"] = m.guidelines
    after = {"around": around, "assume": debate.open.terms.assume}
    return "\n".join((*_fenced(before, token), text, *_fenced(after, token)))


def _fenced(texts: Mapping[str, str], token: str) -> Iterator[str]:
    """Yields each text inside the prompt file of its name; empty texts are left out."""
    for name, text in texts.items():
        if text:
            yield fill(name, fence=token, text=marked(text, token))


def part_block(debate: Debate, turn: Turn, token: str) -> str:
    """Renders, for a change that is read in parts, the turn's own part."""
    part = debate.open.material.parts[int(turn.about_the(Topic.PART)) - 1]
    return fill("part", fence=token, text=marked(part.text, token))


def cited_block(debate: Debate, turn: Turn, token: str) -> str:
    """Renders the places that findings name, empty if they name none."""
    places = _fit_places(_cited(debate, turn), cited_room(debate.open.material))
    if not places:
        return ""
    return fill("cited", fence=token, text=marked("\n".join(places), token))


def lines_read(debate: Debate, turn: Turn) -> tuple[CitableLine, ...]:
    """Returns the changed lines of the new side that the turn reads, or all its lines if nothing is
    changed.
    """
    lines = [(hunk.path, line) for hunk in _hunks_read(debate, turn) for line in hunk.lines]
    if any(line.mark != " " for _, line in lines):
        lines = [(path, line) for path, line in lines if line.mark == "+"]
    citable = (
        CitableLine(show_path(path), line.new, line.text.strip())
        for path, line in lines
        if line.new is not None
    )
    return tuple(dict.fromkeys(citable))


def _hunks_read(debate: Debate, turn: Turn) -> Iterator[Hunk]:
    m = debate.open.material
    if number := turn.about_the(Topic.PART):
        text = m.parts[int(number) - 1].text
        yield from (hunk for hunk in m.hunks if render(hunk) in text)
    elif m.parts or not reads_whole(debate, task_of(debate, turn)):
        room = EXCERPT
        if task_of(debate, turn).whole:
            room = cited_room(m)
        places = _cited(debate, turn)
        near = [hunk for place in _split(places, room)[0] if (hunk := places[place])]
        yield from near or _beginning(m)
    else:
        yield from m.hunks


def _beginning(material: Material) -> Iterator[Hunk]:
    begins = material.text[:_OPENING].split("\n")
    for hunk in material.hunks:
        yield replace(hunk, lines=tuple(x for x in hunk.lines if numbered(x) in begins))


def reads_whole(debate: Debate, task: Task) -> bool:
    """Return whether a task reads the whole material: those that judge the whole do, those that
    argue over a change that fits into one reading, and all if it is short. A demonstration model
    reads too slowly for that.
    """
    m = debate.open.material
    argues = task.argues and bool(m.hunks) and not debate.open.terms.demo
    short = len(m.text) <= ALWAYS_WHOLE
    return task.whole or ((argues or short) and not m.parts)


def _excerpt(debate: Debate, turn: Turn, text: str) -> str:
    """Renders the places cited in the statements that ``turn`` reads, those most worth debating
    first, at most ``EXCERPT`` characters; it names what is not shown. If nothing is cited, it is
    the beginning of ``text``.
    """
    m = debate.open.material
    places = _fit_places(_cited(debate, turn) if m.hunks else _quoted(debate, turn), EXCERPT)
    if not m.hunks or not places:
        begins = f"{text[:_OPENING]}\n"
        shortened = f"[shortened: the first {_OPENING} of {len(text)} characters]"
        places.insert(0, f"{begins}{shortened}")
    return "\n".join(places)


def _fit_places(places: Iterable[str], room: int) -> list[str]:
    """Renders as many places, in their order, as ``room`` characters hold; it names what is not
    shown.
    """
    lines, left = _split(places, room)
    if left:
        lines.append(f"[{left} more cited places are not repeated here]")
    return lines


def _split(places: Iterable[str], room: int) -> tuple[list[str], int]:
    fitting: list[str] = []
    left = 0
    for place in dict.fromkeys(places):
        if len(place) <= room:
            fitting.append(place)
            room -= len(place)
        else:
            left += 1
    return fitting, left


def _cited(debate: Debate, turn: Turn) -> dict[str, Hunk | None]:
    """Returns the lines around each finding, by their text; an empty text has none."""
    places: dict[str, Hunk | None] = {}
    for finding in worth_debating(debate, turn):
        f = finding.wording
        if f.anchored:
            hunk = hunk_near(debate.open.material, f.path, f.line, f.side, context=3)
            places["" if hunk is None else f"=== {hunk.path}\n{render(hunk)}"] = hunk
    return places


def worth_debating(debate: Debate, turn: Turn) -> tuple[MergedFinding, ...]:
    """Returns the findings in the statements that ``turn`` reads, in the order in which they are
    worth debating; people's votes play no part.
    """
    if TASKS[turn.task].pointed:
        return at_issue(debate, turn)
    return _worth_of(debate, turn.reads)


@once
def _worth_of(debate: Debate, turns: tuple[TurnId, ...]) -> tuple[MergedFinding, ...]:
    findings = merge_findings(debate.heard(turns))
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
