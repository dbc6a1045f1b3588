"""All texts by name, and where they are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.golden import of_debates, of_projects, of_shells, of_words

FOLDER = Path(__file__).parent / "texts"
TEXTS: Mapping[str, Callable[[], str]] = {
    **of_debates.TEXTS,
    **of_projects.TEXTS,
    **of_shells.TEXTS,
    **of_words.TEXTS,
}


def written(name: str) -> str:
    return TEXTS[name]().rstrip() + "\n"
