"""A clean change beside a defective one: of nearly its size, and mended by nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path

import pytest

from adapters.evaluation.controls import draw_control, near
from adapters.evaluation.past import GitHistory
from tests.standins.repository import Repository


def drawn(repository: Repository, cause: str, taken: Collection[str] = ()) -> str | None:
    async def draw() -> str | None:
        past = await GitHistory.of(repository.folder)
        commit = await past.commit(cause)
        changed = await past.changed(commit.base, commit.id)
        control = await draw_control(past, commit, changed, taken)
        return control[0].id if control else None

    return asyncio.run(draw())


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("Begin", base="x = 1\n")
    return made


def test_the_nearest_in_size_is_drawn(repository: Repository) -> None:
    repository.commit("Much", much="n = 1\n" * 60)
    near_it = repository.commit("Nearly", nearly="n = 1\n" * 11)
    repository.commit("Little", little="n = 1\n")
    bad = repository.commit("Bad", bad="n = 1\n" * 10)
    assert drawn(repository, bad) == near_it
    assert drawn(repository, bad, {near_it}) is None


def test_what_a_later_fix_changed_is_not_clean(repository: Repository) -> None:
    repository.commit("Mended later", mended="n = 1\n" * 10)
    stands = repository.commit("Stands", stands="m = 1\n" * 12)
    bad = repository.commit("Bad", bad="n = 1\n" * 10)
    repository.commit("Fix the first n", mended="n = 2\n" + "n = 1\n" * 9)
    repository.commit("Add beside", stands="m = 1\n" * 12, more="k = 1\n")
    assert drawn(repository, bad) == stands


def test_what_mends_something_or_is_dull_is_not_drawn(repository: Repository) -> None:
    repository.commit("Fix a crash", crash="n = 1\n" * 10)
    repository.commit("Bump the version", version="n = 1\n" * 10)
    repository.commit("Words", test_words="n = 1\n" * 10)
    bad = repository.commit("Bad", bad="n = 1\n" * 10)
    assert drawn(repository, bad) is None


def test_sizes_are_alike_within_half_as_much_again() -> None:
    for one, other, alike in ((10, 15, True), (10, 16, False), (1, 3, True), (1, 4, False)):
        assert near(one, other) is near(other, one) is alike
