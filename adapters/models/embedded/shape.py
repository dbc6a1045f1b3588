"""Shapes the question to a small model.

The model writes two or three readable sentences, and after them only choices that a grammar leaves
open: an option, a line, a position. Fields that it would only garble are left out, and filled in
afterwards (``embedded.reply``). Each seat is led to another point, because the same question gets
the same answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.debate.ports import Message
from core.debate.scene import CitableLine, Point, PointKind, Scene

CHARACTERS = 70
SECTION = 150
_QUOTED = 70
"""Most characters of a text in the structured part, whose lists hold one item: at seven tokens a
second, every further item costs ten seconds of waiting.
"""
_SHARES = [0.1, 0.3, 0.5, 0.7, 0.9]
"""The shares that the model may choose from: grammars know no bounds of a number, and a free one
came out as 100.
"""
PLACES = 40
"""Lines that are offered for a finding."""
_NAMED = 120
"""The most characters of a point in the model's prompt."""
ANSWERED = 2
"""The number of points that a seat answers if its task consists only of answers."""
LEFT_OUT = (
    *("text", "because", "moved_by", "would_resolve_if", "supports", "trigger", "fix"),
    *("category", "must_fix", "source", "untold"),
)
"""Fields that are left out of the model's schema: prose and reasons are in its text already, and it
filled the others with nonsense.
"""
_KINDS = (PointKind.OBJECTION, PointKind.FINDING, PointKind.CLAIM, PointKind.STATEMENT)
"""The kinds of points in order of priority; a seat answers only points of the first kind that is
present.
"""

PROSE_FIRST = "\n\nAnswer in one or two plain sentences, at most 25 words, no JSON, no headings."
NAME_A_LINE = (
    " Name the one line that matters most to you as file:line, say what can go wrong there "
    "and when."
)
THE_LINE = "The line that matters most is "
_SPEAK_TO = (
    " Speak to this point: {points}. Say whether it holds, and why, from the code. Do not "
    "repeat what was said before."
)
_WEIGH = " Say which point weighs most and what should be done about it."
_WEIGHTY = "What weighs most is that "
THEN_JSON = "Now choose what fits your answer, as JSON."
THEN_REPORT = "Now write the parts of the report, each one full sentence about the change, as JSON."

_ACTIVE = re.compile(r"[(=]")
_IDLE = re.compile(r"(?:from|import|def|class)\b|#|//|@|\"\"\"")
_CONTESTS, _KEEPS = "it does not hold", "I keep it"
_POSITIONS = {_CONTESTS: "dispute", _KEEPS: "keep"}
"""The position of an answer by the words with which it begins."""


@dataclass(frozen=True, slots=True)
class SmallQuestion:
    """One question to a small model: ``messages`` that ask for the prose, the ``schema`` of the
    structured part.

    ``opening`` are the first words of the answer; they are given to the model, so that it comes to
    the point. ``then`` asks for the structured part.
    """

    messages: tuple[Message, ...]
    opening: str
    then: str
    schema: Mapping[str, Any]
    places: Mapping[str, CitableLine]

    def after(self, text: str) -> Mapping[str, Any]:
        """Returns the schema once the prose is known: a line that it names is the line of the
        finding, and a side that it takes on a point is the position of its answer.
        """
        narrowed: dict[str, Any] = json.loads(json.dumps(self.schema))
        fields = narrowed.get("properties", {})
        named = [
            at
            for at, c in self.places.items()
            if c.path.rpartition("/")[2] in text and re.search(rf"\b{c.line}\b", text)
        ]
        if named and "findings" in fields:
            fields["findings"]["items"]["properties"]["place"]["enum"] = named
        for item in fields.get("answers", {}).get("prefixItems", ()):
            parts = item["properties"]
            for side, position in _POSITIONS.items():
                taken = f"On {parts['to'].get('const')}: {side}" in text
                if taken and position in parts.get("position", {}).get("enum", ()):
                    parts["position"]["enum"] = [position]
        return narrowed


def shape(messages: Sequence[Message], schema: Mapping[str, Any], scene: Scene) -> SmallQuestion:
    """Shapes a question that asks for a reply in ``schema`` after ``messages``."""
    fields = schema.get("properties", {})
    points: tuple[Point, ...] = ()
    if "answers" in fields:
        points = _points(scene, only_answers="findings" not in fields)
    places = _places(scene.lines) if "findings" in fields else {}
    task, opening = PROSE_FIRST, ""
    if points:
        task += _SPEAK_TO.format(points="; ".join(map(_name, points)))
        opening = _side(points[0], scene.lines)
    elif places:
        task += NAME_A_LINE
        opening = THE_LINE
    elif "sections" in fields:
        task += _WEIGH
        opening = _WEIGHTY
    then = THEN_JSON
    if "sections" in fields:
        then = THEN_REPORT
    plain = _brief(messages, scene)
    plain[-1] = replace(plain[-1], text=plain[-1].text + task)
    bound = bounded(schema, tuple(places), tuple(point.id for point in points))
    return SmallQuestion(tuple(plain), opening, then, bound, places)


def _brief(messages: Sequence[Message], scene: Scene) -> list[Message]:
    """Returns the prompt in few words, for a model that reads twenty-five a second. Later messages,
    such as a request to fix a reply, stay as they are.
    """
    blocks = zip(messages, scene.brief, strict=False)
    brief = [replace(message, text=text) for message, text in blocks if text]
    return [*brief, *messages[len(scene.brief) :]]


def _points(scene: Scene, *, only_answers: bool) -> tuple[Point, ...]:
    """Returns the points that this seat speaks to: objections first, else a share of the findings
    that differs from seat to seat.
    """
    for kind in _KINDS:
        points = tuple(point for point in scene.points if point.kind is kind)
        if points and only_answers:
            return points[:ANSWERED]
        if points:
            own = tuple(point for point in points if point.own)
            return own[:1] or (points[scene.seat % len(points)],)
    return ()


def _name(point: Point) -> str:
    """Returns a point as the model reads it: its id, and its words if they are a sentence."""
    if point.kind is PointKind.FINDING:
        return f"{point.id} ({f'{point.path}:{point.line} {point.text}'[:_NAMED]})"
    if point.kind is PointKind.CLAIM:
        return f"{point.id} ({point.text[:_NAMED]})"
    return point.id


def _side(point: Point, lines: Sequence[CitableLine]) -> str:
    """Returns the first words of the answer to a point. Without them the model agrees with the last
    text that it read, in the same words.

    So each seat gets a side (the seat that raised a point keeps it, others contest it) and the line
    that the point is about.
    """
    if point.kind not in (PointKind.FINDING, PointKind.CLAIM):
        return f"On {point.id}: "
    side = f"{_KEEPS if point.own else _CONTESTS}, because"
    for line in lines:
        if (line.path, line.line) == (point.path, point.line):
            return f"On {point.id}: {side} `{line.text[:_QUOTED]}` "
    return f"On {point.id}: {side} "


def _places(lines: Sequence[CitableLine]) -> dict[str, CitableLine]:
    """Returns ``path:line`` of added lines in which something happens; a long change is thinned out
    evenly.
    """
    lines = [line for line in lines if len(line.text) > 10]
    active = [x for x in lines if _ACTIVE.search(x.text) and not _IDLE.match(x.text)] or lines
    step = max(1, -(-len(active) // PLACES))
    return {f"{line.path}:{line.line}": line for line in active[::step]}


def bounded(
    schema: Mapping[str, Any], places: Sequence[str] = (), points: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the schema with short texts and lists, without the fields that are left out. A
    finding chooses a place, answers go to the given points. Members that must follow from the
    others come last: a stance that comes first contradicts the findings.
    """
    cut = dict(_short(schema))
    fields = _needed(cut.get("properties", {}), points)
    if places and "findings" in fields:
        item = fields["findings"]["items"]
        kept = {
            name: part
            for name, part in item["properties"].items()
            if name not in ("path", "line", "side", "quote")
        }
        chosen = {"place": {"type": "string", "enum": list(places)}, **kept}
        fields["findings"]["items"] = item | {"properties": chosen, "required": list(chosen)}
    if points and "answers" in fields:
        item = fields["answers"]["items"]
        each = [
            item | {"properties": item["properties"] | {"to": {"const": point}}} for point in points
        ]
        fields["answers"] = {
            "type": "array",
            "prefixItems": each,
            "minItems": len(each),
            "maxItems": len(each),
        }
    for name, part in fields.get("sections", {}).get("properties", {}).items():
        fields["sections"]["properties"][name] = part | {"maxLength": SECTION}
    if fields:
        cut |= {
            "properties": fields,
            "required": [name for name in fields if name in cut.get("required", ())],
        }
    return cut


def _needed(fields: Mapping[str, Any], points: Sequence[str]) -> dict[str, Any]:
    """Returns the fields that the task needs: a seat that answers points brings no new findings,
    and claims would only repeat its prose.
    """
    dropped = {"findings"} if points else set()
    if {"findings", "answers"} & set(fields):
        dropped.add("claims")
    kept = {name: part for name, part in fields.items() if name not in dropped}
    if "stance" in kept:
        kept["stance"] = kept.pop("stance")
    return kept


def _short(part: Any) -> Any:
    if isinstance(part, list):
        return [_short(p) for p in part]
    if not isinstance(part, Mapping):
        return part
    cut = {
        k: _short(v)
        for k, v in part.items()
        if k not in ("description", "title", "pattern") or not isinstance(v, str)
    }
    kinds = cut.get("type", ())
    if not isinstance(kinds, list):
        kinds = [kinds]
    if isinstance(cut.get("properties"), dict) and (
        kept := {k: v for k, v in cut["properties"].items() if k not in LEFT_OUT}
    ):
        cut |= {"properties": kept, "required": [k for k in cut.get("required", ()) if k in kept]}
    if cut.get("maximum") == 1 and "number" in kinds:
        return {"enum": _SHARES}
    if "array" in kinds:
        cut["maxItems"] = max(1, cut.get("minItems", 0))
    if "string" in kinds and "enum" not in cut:
        cut["maxLength"] = max(
            min(cut.get("maxLength", CHARACTERS), CHARACTERS), cut.get("minLength", 0)
        )
    return cut
