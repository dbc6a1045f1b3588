"""Keeps mined changes in a file that people answer: one change a row, ``answer`` yes, no or empty.
The shell fills it in while it asks; it can be edited by hand as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from adapters.evaluation.manifest import DefectLines, WrongRows, rows_in
from adapters.processes.files import read_regular, write_file
from adapters.processes.unread import unread

_LARGEST = 20_000_000  # bytes
Answer = Literal["yes", "no", "skip", ""]


class Mined(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change with the facts by which a person judges it. ``link`` are the fix's words,
    ``wording`` their kind, ``right`` the share of such links that was right, if it was counted.
    """

    id: str
    answer: Answer
    cause: str
    subject: str
    fix: str
    fixed: str
    mended: str
    link: str
    wording: str
    right: float | None
    lines: int
    locations: list[DefectLines]


@dataclass(frozen=True, slots=True)
class MinedAnswers:
    """The answers file, with its rows in the order in which they were mined."""

    path: Path
    rows: Mapping[str, Mined]

    @property
    def causes(self) -> frozenset[str]:
        return frozenset(row.cause for row in self.rows.values())

    def of(self, *answers: Answer) -> list[Mined]:
        return [row for row in self.rows.values() if row.answer in answers]

    def add(self, rows: Sequence[Mined]) -> MinedAnswers:
        """Adds rows, or replaces those of the same change, and writes the file at once."""
        made = MinedAnswers(self.path, {**self.rows, **{row.id: row for row in rows}})
        every = (msgspec.to_builtins(row) for row in made.rows.values())
        write_file(self.path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in every))
        return made


def read_answers(path: Path) -> MinedAnswers:
    """Returns the answers of a file; none if there is no file. Raises ``BadInput`` with a line for
    each row that is wrong.
    """
    try:
        data = read_regular(path, _LARGEST)
    except FileNotFoundError:
        return MinedAnswers(path, {})
    except OSError as error:
        raise unread(path, error) from error
    faults: list[str] = []
    rows = {row.id: row for _, row in rows_in(path.name, data, Mined, faults)}
    if faults:
        raise WrongRows(path.name, faults)
    return MinedAnswers(path, rows)
