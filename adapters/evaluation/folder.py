"""A folder of cases: ``NAME.diff`` with ``NAME.json``, which describes it.

The JSON holds ``good_change`` (true if nothing is wrong), or what is wrong: ``defect`` with its
``locations`` (``file``, ``line`` on the new side) and ``must_mention_any`` (words of which a right
finding says one); several defects are in a list ``defects`` of such objects. ``pr_title`` and
``pr_body`` are read by the seats with the diff. With a ``range`` (``clone``, a folder; ``repo``,
OWNER/NAME; ``base`` and ``commit``) they read the repository around the change too.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from adapters.processes.files import make_folder, read_regular, resolved, write_file
from adapters.processes.unread import unread
from core.debate.errors import BadInput
from core.evaluation import Case, ClonedRange, Defect, Spot
from core.evaluation.groups import TRAITS
from core.words.views.language.grammar import nearest

_LARGEST = 20_000_000  # bytes of one file
_MOST = 1000
"""Cases of one folder."""
_FIELDS = (
    "defect", "defects", "good_change", "id", "locations", "must_mention_any", "origin",
    "pr_body", "pr_title", "range", "traits",
)  # fmt: skip
_SLIP = 0.8
"""A name so near to a field's is the field, mistyped; others are remarks and are not read."""


@dataclass(frozen=True, slots=True)
class CaseFolder:
    """The cases, and those that state neither a defect nor its absence. ``about`` describes their
    origin in sentences.
    """

    cases: tuple[Case, ...]
    unknown: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def read_folder(folder: Path, clones: Path) -> CaseFolder:
    """Returns all cases below ``folder``, by name, with their clones in ``clones``. Raises
    ``BadInput`` with the file that is wrong.
    """
    diffs = sorted(folder.glob("*.diff"))[: _MOST + 1]
    if not diffs:
        raise BadInput(
            f"{folder} holds no cases. A case is NAME.diff with NAME.json next to it: "
            "see `debate docs measuring`."
        )
    if len(diffs) > _MOST:
        raise BadInput(f"{folder} holds more than {_MOST} cases. Split it.")
    read = [_case(path, clones) for path in diffs]
    cases = tuple(c for c in read if c.clean or c.defects)
    unknown = tuple(c.id for c in read if not (c.clean or c.defects))
    if not cases:
        raise BadInput(
            f"No case of {folder} names a defect (defect, locations) or is marked as free of "
            "defects (good_change): there is nothing to measure."
        )
    return CaseFolder(cases, unknown)


def _case(path: Path, clones: Path) -> Case:
    beside = path.with_suffix(".json")
    for one in (path, beside):
        if resolved(one).parent != resolved(path.parent):
            raise BadInput(f"{one} is a link that leads out of the folder, and is not read.")
    facts = _facts(beside)
    try:
        diff = read_regular(path, _LARGEST)
    except OSError as error:
        raise unread(path, error) from error
    clean = facts.get("good_change") is True
    if clean and (facts.get("locations") or facts.get("defects")):
        raise BadInput(f"{beside}: good_change is true, and it names a defect. Delete one of them.")
    given = facts.get("range")
    try:
        cloned = None if given is None else msgspec.convert(given, ClonedRange)
    except msgspec.ValidationError as error:
        raise BadInput(f"{beside}: range is {{clone, repo, base, commit}}: {error}.") from error
    if cloned is not None and not _is_inside(cloned.clone, clones):
        raise BadInput(
            f"{beside}: its clone {cloned.clone} is outside {clones}, and is not read. If you "
            "trust it, name the folder that it is in: --clones FOLDER"
        )
    return Case(
        path.stem,
        _text(facts, "pr_title", beside),
        _text(facts, "pr_body", beside),
        diff,
        () if clean else _defects(facts, beside),
        clean,
        _text(facts, "origin", beside) or str(path.name),
        _traits(facts, beside),
        cloned,
    )


def _is_inside(name: str, folder: Path) -> bool:
    return "\0" not in name and resolved(Path(name)).is_relative_to(resolved(folder))


def _facts(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        raise BadInput(f"{path.name} is missing: it describes {path.stem}.diff.")
    try:
        facts = json.loads(read_regular(path, _LARGEST))
    except OSError as error:
        raise unread(path, error) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON.") from error
    if not isinstance(facts, dict):
        raise BadInput(f"{path} is no JSON object.")
    if not isinstance(facts.get("good_change", False), bool):
        raise BadInput(f"{path}: good_change is true or false.")
    _require_fields(facts, _FIELDS, path)
    return facts


def _require_fields(facts: Mapping[str, Any], known: Collection[str], path: Path) -> None:
    """Raises ``BadInput`` for a field that is mistyped, because it would not be read."""
    for name in facts.keys() - known:
        if near := nearest(name, known, _SLIP):
            raise BadInput(f"{path}: {name[:40]!r} is no field. Did you mean {near}?")


def _defects(facts: Mapping[str, Any], path: Path) -> tuple[Defect, ...]:
    given = facts.get("defects")
    if given is None:
        given = []
        if facts.get("good_change") is False or facts.get("locations"):
            given = [facts]
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadInput(f"{path}: defects is a list of objects.")
    for one in given:
        _require_fields(one, _FIELDS, path)
    return tuple(
        Defect(
            _text(one, "defect", path),
            tuple(_spot(at, path) for at in _list(one, "locations", path)),
            tuple(_word(word, path) for word in _list(one, "must_mention_any", path)),
        )
        for one in given
    )


def _word(given: Any, path: Path) -> str:
    if not isinstance(given, str) or not given.strip():
        raise BadInput(f"{path}: must_mention_any holds words.")
    return given


def _spot(given: Any, path: Path) -> Spot:
    match given:
        case {"file": str(file), "line": int(line)} if file and line > 0:
            last = given.get("last", line)
            if not {type(line), type(last)} - {int} and line <= last:
                return Spot(file, line, given.get("last", 0))
    raise BadInput(
        f"{path}: a location is a file and a line, like {{file: app.py, line: 12}}, with a last "
        "line if there are several."
    )


def _traits(facts: Mapping[str, Any], path: Path) -> Mapping[str, str]:
    given = facts.get("traits") or {}
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise BadInput(f"{path}: traits are texts by name.")
    _require_fields(given, TRAITS, path)
    return {name: given[name] for name in TRAITS if name in given}


def _list(facts: Mapping[str, Any], field: str, path: Path) -> list[Any]:
    given = facts.get(field) or []
    if not isinstance(given, list):
        raise BadInput(f"{path}: {field} is a list.")
    return given


def _text(facts: Mapping[str, Any], field: str, path: Path) -> str:
    given = facts.get(field) or ""
    if not isinstance(given, str):
        raise BadInput(f"{path}: {field} is text.")
    return given


def write_cases(cases: Sequence[Case], folder: Path) -> None:
    """Writes the cases as a folder of cases, for people to look through and to fix."""
    make_folder(folder)
    for case in cases:
        write_file(folder / f"{case.id}.diff", case.diff)
        facts = {
            "id": case.id,
            "pr_title": case.title,
            "pr_body": case.body,
            "good_change": case.clean,
            "origin": case.origin,
            "traits": dict(case.traits),
            "defects": [_written(defect) for defect in case.defects],
        }
        if case.range is not None:
            facts["range"] = asdict(case.range)
        text = json.dumps(facts, ensure_ascii=False, indent=1)
        write_file(folder / f"{case.id}.json", text + "\n")


def _written(defect: Defect) -> dict[str, object]:
    return {
        "defect": defect.what,
        "locations": [
            {"file": s.path, "line": s.line, **({"last": s.last} if s.last else {})}
            for s in defect.spots
        ],
        "must_mention_any": list(defect.words),
    }
