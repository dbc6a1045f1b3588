"""Builds the JSON Schema of a task's reply, for providers that can bind their output to one.

It depends only on the task, the ballot and the template: all turns of a round send the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from core.debate.finding import TEXTS, Category, Severity
from core.debate.replies import Grade
from core.debate.replies.sections import written_sections
from core.debate.replies.tasks import MOST_ANSWERS, Task, asked_members
from core.debate.template import Template

_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def schema(task: Task, template: Template, *, findings: bool, ruling: bool) -> Mapping[str, Any]:
    """Returns the schema. ``findings`` is true if the material has lines to quote, ``ruling`` if
    the mode asks a judge to rule.
    """
    wanted = asked_members(task, lines=findings, ruling=ruling)
    options = tuple(o.option for o in template.ballot)
    return _reply(task, wanted, options, tuple(template.rubric), tuple(written_sections(template)))


@lru_cache(maxsize=128)  # every seat of a round is asked with the same
def _reply(
    task: Task,
    wanted: Sequence[str],
    ballot: Sequence[str],
    criteria: Sequence[str],
    sections: Sequence[str],
) -> Mapping[str, Any]:
    given = {"ballot": ballot, "scores": criteria, "sections": sections}
    fields = {name: _field(name, given) for name in wanted}
    if "answers" in fields:
        fields["answers"] = _answers(task)
    return _object(fields if task.pointed else {"text": _STRING, **fields})


def _answers(task: Task) -> dict[str, Any]:
    kinds = {"line": _INTEGER, "severity": _one_of(["", *Severity])}
    parts = {name: kinds.get(name, _STRING) for name in task.parts}
    each = _object({"to": _STRING, "position": _one_of(task.positions), **parts})
    return _list(each, MOST_ANSWERS)


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": dict(item), "maxItems": most}


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _field(name: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Returns the schema of one member of a reply; ``given`` are the names that the template
    prescribes for its keys.
    """
    options = _one_of(given["ballot"])
    match name:
        case "stance":
            words = dict.fromkeys(("because", "moved_by", "would_resolve_if"), _STRING)
            return _object({"option": options, "confidence": _SHARE, **words})
        case "claims":
            return _list(_object({"text": _STRING, "quote": _STRING, "supports": _STRING}), 4)
        case "findings":
            words = dict.fromkeys(("quote", *TEXTS, "source"), _STRING)
            place = {"title": _STRING, "path": _STRING, "line": _INTEGER}
            rating = {
                "category": _one_of(list(Category)),
                "severity": _one_of(list(Severity)),
                "confidence": _SHARE,
                "must_fix": {"type": "boolean"},
            }
            return _list(_object({**rating, **place, **words}), 5)
        case "argument":
            return _object(
                {k: _list(_STRING, 8) for k in ("references", "evidence", "impact_areas")}
            )  # its type is the turn's
        case "metrics":
            shares = dict.fromkeys(
                ("agreement", "resolution_quality", "evidence_strength", "feasibility"), _SHARE
            )
            return _object({**shares, "risks": {"type": "object", "additionalProperties": _SHARE}})
        case "scores":
            return _object(dict.fromkeys(given["scores"], _SHARE))
        case "sections":
            return _object(dict.fromkeys(given["sections"], _STRING))
        case "ruling":
            return options
        case "test":
            return _object(dict.fromkeys(("path", "name", "text"), _STRING))
        case "untold" | "withdraw":
            return dict(_STRING)
        case "grades":
            return {"type": "object", "additionalProperties": _one_of(list(Grade))}
        case "estimate":
            return dict(_SHARE)
        case _:  # actions, called; answers are the task's own
            return _list(_STRING, 8)
