"""Commits that a real history names as the cause of a fault are found by their words and confirmed
by blame, the surest wording first.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adapters.evaluation.manifest import DefectLines
from adapters.evaluation.mined import Mined
from adapters.evaluation.mining import candidates, open_history
from adapters.evaluation.past import GitHistory
from adapters.evaluation.wordings import AFTER, BUG_IN, INTRODUCED, REGRESSION, REVERTS, TAG
from core.debate.errors import BadInput
from tests.standins.repository import Repository

OLD = "a = 1\nb = 2\n"
BAD = "a = 1\nb = 2\nc = a / 0\n"
FIXED = "a = 1\nb = 2\nc = a / b\n"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("original") / "repository")
    made.commit("Begin", base="x = 1\n")
    made.commit("Older", app=OLD)
    return made


@pytest.fixture
def repository(tmp_path: Path, original: Repository) -> Repository:
    return Repository(tmp_path / "repository", original)


def mined(repository: Repository, passed: tuple[str, ...] = ()) -> list[Mined]:
    async def read() -> list[Mined]:
        past, links = await open_history(repository.folder)
        return [candidate async for candidate in candidates(past, links, passed)]

    return asyncio.run(read())


def test_a_fix_shows_where_the_change_it_names_was_wrong(repository: Repository) -> None:
    bad = repository.commit("Divide", app=BAD)
    fix = repository.commit("Divide by what is there", f"Regression in {bad[:10]}.", app=FIXED)
    (candidate,) = mined(repository)
    assert (candidate.cause, candidate.fix) == (bad, fix)
    assert (candidate.wording, candidate.locations) == (
        REGRESSION,
        [DefectLines("app.py", 3, 3)],
    )
    assert mined(repository, (bad,)) == []


def test_a_change_is_named_by_its_hash_or_its_pull_request(repository: Repository) -> None:
    messages = {
        "Fixes: {hash}": TAG,
        "A bug in {hash} made it fail.": BUG_IN,
        "This was introduced in commit {hash} (Divide).": INTRODUCED,
        "Broken since {hash}.": INTRODUCED,
        "Needed after {hash}.": AFTER,
        "regression from #{number}": REGRESSION,
        "Caused by https://github.com/o/r/pull/{number}": INTRODUCED,
    }
    wanted = {}
    for number, (message, wording) in enumerate(messages.items(), 100):
        bad = repository.commit(f"Divide (#{number})", **{f"f{number}": BAD})
        text = message.format(hash=bad[:10], number=number)
        repository.commit("Divide by what is there", text, **{f"f{number}": FIXED})
        wanted[bad] = wording
    assert {one.cause: one.wording for one in mined(repository)} == wanted


def test_a_merged_pull_request_is_the_change_of_its_merge(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("Work", app=BAD)
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile", base="x = 2\n")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "Merge pull request #77 from ann/side")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit("Divide by what is there", "Regressed in #77", app=FIXED)
    beside = repository.commit("Insert", other="a = 1\nd = 4\nc = a / b\n")
    text = f"Broken by {beside[:10]}"
    repository.commit("Name it", text, other="a = 1\nd = 4\nb = 2\nc = a / b\n")
    assert {one.cause: one.locations for one in mined(repository)} == {
        merge: [DefectLines("app.py", 3, 3)],
        beside: [DefectLines("other.py", 2, 3)],
    }, "a fix that only inserts shows the lines next to it"


def test_the_surest_wording_comes_first_and_a_revert_last(repository: Repository) -> None:
    after = repository.commit("One", one=BAD)
    surely = repository.commit("Two", two=BAD)
    taken = repository.commit("Three", three=BAD)
    repository.commit("Fix two", f"A bug in {surely}", two=FIXED)
    repository.commit("Fix one", f"Follow-up to {after}", one=FIXED)
    repository.commit('Revert "Three"', f"This reverts commit {taken}.", three=OLD)
    all_candidates = mined(repository)
    assert [one.wording for one in all_candidates] == [BUG_IN, AFTER, REVERTS]
    assert all_candidates[-1].locations == []


def test_what_is_no_defect_is_passed_over(repository: Repository) -> None:
    with pytest.raises(BadInput, match="Write cases by hand"):
        mined(repository)
    unconfirmed = repository.commit("Divide", other=BAD)
    repository.commit("Elsewhere", f"Regression in {unconfirmed[:10]}.", base="x = 3\n")
    large = repository.commit("Large", large="n = 1\n" * 400)
    repository.commit("Mend large", f"Fixes: {large}", large="n = 2\n" * 400)
    words = repository.commit("Words", app=BAD)
    repository.commit("Fix a typo in a comment", f"Fixes: {words}", app=FIXED)
    tested = repository.commit("Test it", test_app="assert 1\n")
    repository.commit("Mend the test", f"Fixes: {tested}", test_app="assert 2\n")
    assert mined(repository) == []


def test_a_commit_is_read_whatever_its_message_holds(repository: Repository) -> None:
    odd = repository.commit("Divide", "before\x1eafter", app=BAD)
    past = GitHistory(repository.folder, {})
    commit, (newest, *_) = asyncio.run(past.commit(odd)), asyncio.run(past.log(9))
    for each in (commit, newest):
        assert (each.id, each.subject, each.body) == (odd, "Divide", "before\x1eafter")


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no git repository"):
        asyncio.run(open_history(tmp_path))


def test_the_repository_s_own_programs_are_not_run(repository: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    bad = repository.commit("Divide", app=BAD)
    repository.commit("Divide by what is there", f"Regression in {bad}", app=FIXED)
    (repository.folder / ".gitattributes").write_text("*.py diff=odd filter=odd\n")
    repository.commit("Attributes")
    for name in ("diff.odd.textconv", "diff.odd.command", "diff.external", "core.fsmonitor"):
        repository.git("config", name, str(program))
    assert len(mined(repository)) == 1
    assert not trace.exists()
