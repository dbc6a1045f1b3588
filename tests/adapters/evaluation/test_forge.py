"""Measured changes as a forge gives them: the whole repository as far as the clone holds it."""

from __future__ import annotations

from pathlib import Path

from adapters.evaluation.past import GitHistory
from adapters.repository.tree import tree_of_archive
from tests.standins.repository import Repository


async def test_what_a_partial_clone_lacks_is_left_out_of_the_repository(tmp_path: Path) -> None:
    made = Repository(tmp_path / "made")
    made.commit("Begin", small="A = 1\n", large="B = 1\n" * 500)
    head = made.commit("Go on", small="A = 2\n")
    for options in ((), ("--filter=blob:limit=1000",)):
        past = await GitHistory.of(made.clone(tmp_path / f"clone{len(options)}.git", *options))
        files = tree_of_archive(await past.packed(head)).files
        assert files["small.py"] == "A = 2\n"
        assert ("large.py" in files) is (not options)
