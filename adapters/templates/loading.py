"""Template files: TOML in, a checked ``Template`` out, or every problem at once in words that name
the field and the remedy.

A template may come from anyone who can write a file, so nothing is taken on trust: unknown fields,
wrong types and broken rules are refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Any

import msgspec

from adapters.processes.files import FileTooLarge, read_regular
from adapters.templates import validation
from adapters.templates.validation import Problem, nearest_of
from core.debate.errors import BadInput
from core.debate.formats import FORMATS, Format
from core.debate.script import CONTESTED
from core.debate.template import Evidence, Mode, Option, People, Phase, Role, Template, Turns

LARGEST = 256 * 1024
"""Bytes of a template file; the shipped ones have about 6,000."""
_MOST = 50
"""Most unknown fields that are named; a file with more is another kind of file."""

RENAMED = {"template_id": "id"}
_IGNORED = {"template_type": "here only the id names a template"}
CLOSED: Mapping[str, type[Mode] | type[Evidence] | type[People] | type[Turns]] = {
    "consensus": Mode,
    "evidence_policy": Evidence,
    "people": People,
    "turns": Turns,
}
_TOML_WORDS = {
    "str": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "absent",
}
_TYPE = re.compile(r"`(\w+)(?: \| null)?`")
_ROW = re.compile(r"^(roles|phases|ballot)\[(\d+)\]")
_DEFAULT_RUBRIC = {"evidence": 0.4, "coverage": 0.3, "actionability": 0.3}
_DEFAULT_OUTPUT = (
    "# Summary\n\n{summary}\n\n## Open points\n\n{open_points}\n\n## Action "
    "items\n\n{action_items}\n"
)
_DEFAULT_BALLOT = (
    Option("accept", "white_check_mark"),
    Option("revise", "pencil2", strict=1),
    Option("reject", "x", strict=2, blocks=True),
)
_REVIEW_BALLOT = (
    Option("approve", "white_check_mark"),
    Option("comment", "speech_balloon", strict=1),
    Option("request_changes", "x", strict=2, blocks=True),
)


Source = str | Path | Mapping[str, Any]
"""The source of a template: TOML text, a file, or the table that such a file holds."""


class TemplateError(BadInput):
    """A template cannot be used.

    ``problems`` are all of its problems, one line each in the message.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(p) for p in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of ``debate templates check FILE``.

    ``template`` is None exactly when there are errors.
    """

    template: Template | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def load(source: Source, formats: Mapping[str, Format] = FORMATS) -> Template:
    """Returns the template in a ``Source``. Raises ``TemplateError``."""
    checked = check(source, formats)
    if checked.template is None:
        raise TemplateError(checked.errors)
    return checked.template


def check(source: Source, formats: Mapping[str, Format] = FORMATS) -> Checked:
    """Reads a template in one of the ``formats``, and lists its errors (it cannot be used) and its
    warnings (it can).
    """
    file = "template"
    if isinstance(source, Path):
        file = source.name
    try:
        document = _document(source)
        warnings = tuple(
            Problem(old, "has no effect", _IGNORED[old], file=file)
            for old in _IGNORED
            if document.pop(old, None) is not None
        )
    except TemplateError as error:
        return Checked(None, error.problems)
    both = tuple(
        Problem(old, f"is another name of {name}", "remove one of the two", file=file)
        for old, name in RENAMED.items()
        if old in document and name in document
    )
    if both:
        return Checked(None, both, warnings)
    raw, problems = _typed({RENAMED.get(key, key): value for key, value in document.items()})
    if raw is not None:
        problems += tuple(validation.errors(raw, formats))
    if raw is None or problems:
        return Checked(None, tuple(replace(p, file=file) for p in problems), warnings)
    odd = tuple(replace(p, file=file) for p in validation.warnings(raw, formats))
    return Checked(_scaled(raw), (), warnings + odd)


def shipped(path: Path) -> Template:
    """Returns a template that ships with the bot; a test checks its file."""
    return _scaled(_converted(tomllib.loads(path.read_text("utf-8"))))


def _scaled(template: Template) -> Template:
    """Returns the template with weights that sum to 1; those that do already stay as written."""
    total = fsum(template.rubric.values())
    return replace(template, rubric={k: v / total for k, v in template.rubric.items()})


def _document(source: Source) -> dict[str, Any]:
    """Returns the table in a ``Source``. Raises ``TemplateError``."""
    if isinstance(source, Mapping):
        return dict(source)
    file, text = "template", source
    try:
        if isinstance(source, Path):
            file = source.name
            text = read_regular(source, LARGEST).decode()
        return tomllib.loads(str(text))
    except FileTooLarge:
        wrong, right = f"is larger than {LARGEST} bytes", "a template is a few pages of text"
    except OSError as error:
        wrong, right = f"cannot be read ({error.strerror})", "check the path"
    except UnicodeDecodeError:
        wrong, right = "is not UTF-8 text", "save it as UTF-8"
    except ValueError as error:  # a number of thousands of digits is one that tomllib does not name
        wrong, right = f"is not TOML: {error}", "see `debate docs templates` for an example"
    except RecursionError:
        wrong, right = "nests too deep", "a template has tables of plain values"
    raise TemplateError((Problem("", wrong, right, file=file),))


def _converted(document: Mapping[str, Any]) -> Template:
    """Returns a document as a template with all defaults filled in. Raises
    ``msgspec.ValidationError``.
    """
    filled = {**_defaults(document), **document, **_ballot(document)}
    return msgspec.convert(filled, Template)


def _typed(document: dict[str, Any]) -> tuple[Template | None, tuple[Problem, ...]]:
    """Returns the document as a template with all defaults filled in, and the problems of its
    fields: unknown ones, which are then left out, and missing or mistyped ones, which leave no
    template.
    """
    unknown = tuple(islice(_unknown(document), _MOST))
    if len(unknown) == _MOST:
        return None, unknown
    known = _without(document, {problem.field for problem in unknown})
    try:
        return _converted(known), unknown
    except msgspec.ValidationError as error:
        return None, (*unknown, *_all_mistyped(known, error))


def _without(document: Mapping[str, Any], strangers: Collection[str]) -> dict[str, Any]:
    """Returns the document without its unknown fields, those of its tables too."""
    known: dict[str, Any] = {}
    for key, value in document.items():
        if key in strangers:
            continue
        known[key] = value
        if isinstance(value, list):
            known[key] = [
                {k: v for k, v in row.items() if f"{key}[{_label(row, i)}].{k}" not in strangers}
                if isinstance(row, dict)
                else row
                for i, row in enumerate(value, 1)
            ]
    return known


def _all_mistyped(document: dict[str, Any], error: msgspec.ValidationError) -> Iterator[Problem]:
    """Yields the problem that was met and, without the field or row that has it, the next ones."""
    rest = dict(document)
    for _ in range(_MOST):
        yield _mistyped(str(error), rest)
        place = re.search(r"\$\.(\w+)(?:\[(\d+)\])?", str(error))
        if place is None or place[1] not in rest:
            return
        rows = rest.pop(place[1])
        if place[2] and isinstance(rows, list):
            rest[place[1]] = [row for at, row in enumerate(rows) if at != int(place[2])]
        try:
            _converted(rest)
        except msgspec.ValidationError as following:
            error = following
        else:
            return


def _unknown(document: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _strangers("", document, [f.name for f in fields(Template)])
    rows = {"roles": fields(Role), "phases": fields(Phase), "ballot": fields(Option)}
    for key, known in rows.items():
        tables = document.get(key)
        if not isinstance(tables, list):
            continue
        for i, table in enumerate(tables, 1):
            if isinstance(table, dict):
                yield from _strangers(f"{key}[{_label(table, i)}].", table, [f.name for f in known])


def _strangers(where: str, table: Mapping[str, Any], known: list[str]) -> Iterator[Problem]:
    for key in table:
        if key not in known:
            right = nearest_of(key, known)
            yield Problem(where + key, "is no field of a template", right)


def _label(row: Mapping[str, Any], number: int) -> str:
    name = row.get("name")
    if isinstance(name, str) and name:
        return name
    return str(number)


def _defaults(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of absent fields that have no default in the dataclass."""
    id, roles, phases = document.get("id"), document.get("roles"), document.get("phases")
    rounds = []
    if isinstance(phases, list):
        rounds = [p.get("duration_rounds", 1) for p in phases if isinstance(p, dict)]
    counted = all(isinstance(r, int) for r in rounds)
    return {
        "name": id.replace("_", " ").replace("-", " ").title() if isinstance(id, str) else "",
        "description": "",
        "domain": "general",
        "format": CONTESTED if document.get("findings") is True else "phased",
        "roles": [],
        "phases": [],
        "rubric": _DEFAULT_RUBRIC,
        "output_format": _DEFAULT_OUTPUT,
        "max_rounds": sum(rounds) if rounds and counted else 3,
        "consensus_threshold": 0.6,
        "recommended_agents": max(1, len(roles)) if isinstance(roles, list) else 1,
    }


def _ballot(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the ballot with plain option names spelled out; the default one depends on whether
    findings decide.
    """
    rows = document.get("ballot")
    if rows is None:
        chosen = _DEFAULT_BALLOT
        if document.get("findings") is True:
            chosen = _REVIEW_BALLOT
        return {"ballot": [msgspec.to_builtins(o) for o in chosen]}
    if not isinstance(rows, list):
        return {}
    return {
        "ballot": [
            {"option": row, "strict": i} if isinstance(row, str) else row
            for i, row in enumerate(rows)
        ]
    }


def _mistyped(message: str, document: Mapping[str, Any]) -> Problem:
    """Rewords a sentence of msgspec's: "Expected `int`, got `str` - at `$.roles[0].name`"."""
    what, _, where = message.partition(" - at `$")
    field = _ROW.sub(lambda match: _named(match, document), where.rstrip("`").lstrip("."))
    if what.startswith("Object missing required field"):
        missing = what.split("`")[1]
        return Problem(f"{field}.{missing}".lstrip("."), "is missing", "add it")
    if what.startswith("Expected"):
        expected, _, got = _TYPE.sub(
            lambda match: _TOML_WORDS.get(match[1], match[1]), what.removeprefix("Expected ")
        ).partition(", got ")
        return Problem(field, f"is {got or f'not {expected}'}", f"it must be {expected}")
    right = "see `debate docs templates`"
    if closed := CLOSED.get(field.rpartition(".")[2]):
        right = f"use one of {', '.join(closed)}"
    return Problem(field, what[:1].lower() + what[1:], right)


def _named(match: re.Match[str], document: Mapping[str, Any]) -> str:
    row = document[match[1]][int(match[2])]
    number = int(match[2]) + 1
    if isinstance(row, dict):
        return f"{match[1]}[{_label(row, number)}]"
    return f"{match[1]}[{number}]"
