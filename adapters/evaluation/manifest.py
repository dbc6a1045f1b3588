"""Sets of real changes: rows of facts about public commits, and the cases made from them and their
clones.

A row names a commit (``cause``) that a later commit of the same project (``fix``) names as the
source of a fault, the place of the fault, and a commit (``control``) about which nobody has
complained. A row holds no code. ``history.jsonl``, which ships, was read case by case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from adapters.evaluation.past import GitHistory
from adapters.processes.files import FileTooLarge, NotRegular, read_regular
from adapters.processes.unread import unread
from adapters.text.documents import NoDocument, read_json
from core.debate.errors import BadInput
from core.evaluation import Case, ClonedRange, Defect, Spot
from core.evaluation.groups import KIND, LANGUAGE, SEVERITY, SIZE, VISIBLE, size_of
from core.words.views.language.grammar import did_you_mean

T = TypeVar("T")
SHIPPED = "history"
_LARGEST = 20_000_000  # bytes
_MOST_FAULTS = 20
Kind = Literal[
    "logic", "error-handling", "concurrency", "resource", "security", "performance", "api-compat",
    "parsing/format", "config/build",
]  # fmt: skip
Severity = Literal["low", "medium", "high", "critical"]
Visible = Literal["diff", "repository", "hard"]
_Commit = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
_Words = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
_Count = Annotated[int, msgspec.Meta(ge=0)]
_Line = Annotated[int, msgspec.Meta(ge=1)]


class DefectLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of the new side, in the cause's version."""

    path: _Words
    first: _Line
    last: _Line

    @property
    def spot(self) -> Spot:
        return Spot(self.path, self.first, self.last)


class CleanChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A clean change: the ``fix`` itself, or a ``like`` one of the same repository."""

    commit: _Commit
    base: _Commit
    merged: date
    files: _Count
    lines: _Count
    how: Literal["fix", "like"]


class DefectiveChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change with a known defect; ``docs/measuring.md`` defines each field."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w.-]{0,79}$")]
    repo: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,99}$")]
    licence: _Words
    language: _Words
    cause: _Commit
    base: _Commit
    merged: date
    fix: _Commit
    fixed: date
    files: _Count
    lines: _Count
    locations: Annotated[list[DefectLines], msgspec.Meta(min_length=1, max_length=50)]
    kind: Kind
    severity: Severity
    visible: Visible
    defect: _Words
    must_mention_any: Annotated[list[_Words], msgspec.Meta(max_length=20)]
    control: CleanChange | None = None
    merge: bool = False


class WrongRows(BadInput):
    """The error for a file with wrong rows; ``faults`` has a line for each."""

    def __init__(self, name: str, faults: Sequence[str]) -> None:
        more = len(faults) - _MOST_FAULTS
        rest = ""
        if more > 0:
            rest = f", {more} more than shown"
        super().__init__(f"{name} has {len(faults)} faults{rest}. Nothing was played.")
        self.faults = tuple(faults[:_MOST_FAULTS])


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """``name`` is what people call it; ``mark`` names its very content."""

    name: str
    mark: str
    rows: tuple[DefectiveChange, ...]

    @property
    def repositories(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.repo for row in self.rows))


def read_set(name: str) -> ChangeSet:
    """Returns the set that ships, or one of a file. Raises ``BadInput`` with a line for each row
    that is wrong.
    """
    if name == SHIPPED:
        data = files("adapters.evaluation").joinpath("history.jsonl").read_bytes()
        return _set_of(SHIPPED, data)
    path = Path(name)
    try:
        return _set_of(path.name, read_regular(path, _LARGEST))
    except NotRegular as error:
        raise BadInput(
            f"{name[:120]} is no file. The set that ships is --set {SHIPPED}."
        ) from error
    except FileTooLarge as error:
        raise BadInput(f"{name[:120]} is larger than {_LARGEST // 1_000_000} MB.") from error
    except FileNotFoundError as error:
        near = did_you_mean(name, [SHIPPED])
        raise BadInput(
            f"There is no set {name[:120]!r}: --set takes {SHIPPED}, or a file of rows.{near}"
        ) from error
    except OSError as error:
        raise unread(path, error) from error


def _set_of(name: str, data: bytes) -> ChangeSet:
    rows: list[DefectiveChange] = []
    faults: list[str] = []
    for number, row in rows_in(name, data, DefectiveChange, faults):
        faults += [f"{name}, row {number} ({row.id}): {fault}" for fault in _faults(row, rows)]
        rows.append(row)
    if faults:
        raise WrongRows(name, faults)
    if not rows:
        raise BadInput(f"{name} holds no rows. `debate docs measuring` shows what a row is.")
    return ChangeSet(name, sha256(data).hexdigest()[:12], tuple(rows))


def rows_in(name: str, data: bytes, kind: type[T], faults: list[str]) -> Iterator[tuple[int, T]]:
    """Yields the number of each line and its row, and adds a fault for each line that is none."""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield number, read_json(line, kind)
        except NoDocument as error:
            what, _, where = str(error).partition(" - at `$")
            parts = [where.rstrip("`").lstrip("."), what.replace("`", "")]
            faults.append(f"{name}, row {number}: {': '.join(filter(None, parts))}.")


def _faults(row: DefectiveChange, before: Collection[DefectiveChange]) -> Iterator[str]:
    if any(row.id == other.id for other in before):
        yield "another row has this id."
    if any(row.cause == other.cause for other in before):
        yield "another row has this cause."
    if row.control and any(row.control.commit == other.cause for other in before):
        yield "its control is the cause of another row."
    if row.fixed < row.merged:
        yield "it was fixed before it was merged."
    for place in row.locations:
        if place.last < place.first:
            yield f"locations: {place.path} ends before it begins."


def select(given: ChangeSet, languages: Sequence[str] = (), since: date | None = None) -> ChangeSet:
    """Returns the rows in these languages that were fixed on a day or later, in an order in which
    languages take turns, so that its beginning is a fair sample. Raises ``BadInput`` if none is
    left.
    """
    known = sorted({row.language for row in given.rows})
    by_name = {language.casefold(): language for language in known}
    wanted = []
    for name in languages:
        if name.casefold() not in by_name:
            raise BadInput(
                f"No row of {given.name} is in {name[:40]!r}. Languages: {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )
        wanted.append(by_name[name.casefold()])
    kept = [
        row
        for row in given.rows
        if (not wanted or row.language in wanted) and (since is None or row.fixed >= since)
    ]
    if not kept:
        newest = max(row.fixed for row in given.rows)
        raise BadInput(
            f"No row of {given.name} is left: --fixed-since {since} asks for changes that were "
            f"fixed since then, and the newest was fixed on {newest}."
        )
    return replace(given, rows=tuple(_in_turns(kept)))


def _in_turns(rows: Sequence[DefectiveChange]) -> Iterator[DefectiveChange]:
    drawn = sorted(rows, key=lambda row: sha256(row.cause.encode()).hexdigest())
    by_language: dict[str, list[DefectiveChange]] = {}
    for row in drawn:
        by_language.setdefault(row.language, []).append(row)
    for turn in zip_longest(*by_language.values()):
        yield from (row for row in turn if row is not None)


def narrow(given: ChangeSet, most: int | None) -> ChangeSet:
    """Returns the first rows that give at most ``most`` cases with their controls; at least one
    row.
    """
    kept: list[DefectiveChange] = []
    cases = 0
    for row in given.rows:
        cases += 1 + (row.control is not None)
        if kept and most is not None and cases > most:
            break
        kept.append(row)
    return replace(given, rows=tuple(kept))


async def cases_of(row: DefectiveChange, past: GitHistory) -> tuple[Case, ...]:
    """Returns the change and its control, if it has one."""
    clone = str(past.folder.resolve())
    defect = Defect(
        row.defect,
        tuple(place.spot for place in row.locations),
        tuple(row.must_mention_any),
    )
    traits = {KIND: row.kind, SEVERITY: row.severity, VISIBLE: row.visible}
    cause = await past.commit(row.cause)
    bad = Case(
        row.id,
        cause.subject,
        cause.body,
        await past.diff(row.base, row.cause),
        (defect,),
        origin=f"{row.repo}@{row.cause[:12]}, fixed by {row.fix[:12]}",
        traits={**_common(row, row.lines), **traits},
        range=ClonedRange(clone, row.repo, row.base, row.cause),
    )
    if row.control is None:
        return (bad,)
    control = await past.commit(row.control.commit)
    clean = Case(
        f"{row.id}-control",
        control.subject,
        control.body,
        await past.diff(row.control.base, row.control.commit),
        clean=True,
        origin=f"{row.repo}@{row.control.commit[:12]}, nobody has complained of it",
        traits=_common(row, row.control.lines),
        range=ClonedRange(clone, row.repo, row.control.base, row.control.commit),
    )
    return (bad, clean)


def _common(row: DefectiveChange, lines: int) -> Mapping[str, str]:
    return {LANGUAGE: row.language, SIZE: size_of(lines)}


def commits_of(row: DefectiveChange) -> tuple[str, ...]:
    """Returns the commits that must be there to read a row."""
    control = (row.control.commit, row.control.base) if row.control else ()
    return (row.cause, row.base, *control)
