"""The digests of a corpus, in a file of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.corpora import (
    arms,
    chats,
    desks,
    materials,
    operators,
    outside,
    plain,
    repositories,
    screens,
    scripts,
    shells,
    small,
    small_models,
    started,
    surfaces,
    sweeps,
    tables,
    typed,
    views,
)

FOLDER = Path(__file__).parent / "recorded"

CORPORA: Mapping[str, tuple[int, Callable[[int], str]]] = {
    **surfaces.CORPORA,
    **scripts.CORPORA,
    **typed.CORPORA,
    **materials.CORPORA,
    **started.CORPORA,
    **chats.CORPORA,
    **screens.CORPORA,
    **desks.CORPORA,
    **small.CORPORA,
    **plain.CORPORA,
    **sweeps.CORPORA,
    **arms.CORPORA,
    **views.CORPORA,
    **tables.CORPORA,
    **shells.CORPORA,
    **operators.CORPORA,
    **outside.CORPORA,
    **repositories.CORPORA,
    **small_models.CORPORA,
}
"""By name: how many cases there are, and what is made of each."""

_COSTLY = frozenset(surfaces.CORPORA) | {
    "commands", "double", "argued", "fitted", "laid_out", "near", "places", "plays", "prompts",
    "questions", "read", "replies", "reports", "times",
}  # fmt: skip
_FRACTION = re.compile(r"\.\d{10}")
_LONG = re.compile(r"-?\d+\.\d{10,}(?:e[-+]?\d+)?")


def is_quick(name: str, number: int) -> bool:
    """Says whether `make test` makes this case. Of kinds that take long it makes every third: the
    first of three, then the third, then the second, so that nothing drawn in turn is left out.
    """
    return name not in _COSTLY or (number + number // 3) % 3 == 0


def written(name: str, number: int) -> str:
    """Returns what is made of a case. Long fractions are rounded to nine digits, because Pythons
    add them up in different ways: from 3.12 on, ``sum`` keeps what is lost on the way.
    """
    made = CORPORA[name][1](number)
    if not _FRACTION.search(made):  # most have none, and to look for that is quick
        return made
    return _LONG.sub(lambda fraction: f"{float(fraction[0]):.9g}", made)


def digest(name: str, number: int) -> str:
    made = written(name, number)
    return hashlib.sha256(made.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def recorded(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text("utf-8").split()


def record(name: str) -> None:
    lines = (digest(name, number) + "\n" for number in range(CORPORA[name][0]))
    (FOLDER / f"{name}.txt").write_text("".join(lines), "utf-8")
