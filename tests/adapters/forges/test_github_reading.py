"""What GitHub says of a change, read to its edges from canned answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.forges.github.reading import GitHub
from adapters.forges.github.writing import GitHubPoster
from adapters.forges.links import ChangeLink
from adapters.forges.port import ForgeChange, PullFilter
from adapters.review import Review, hidden
from core.debate.errors import BadInput
from core.debate.material.since import BranchMove, Since
from tests.adapters.forges.canned import Canned, canned, client

LINK = ChangeLink("github", "github.com", "o/r", 7)
CHANGE = ForgeChange(LINK, "T", "", "ann", "head2", "base2", "main")
DAY = datetime(2026, 3, 9, tzinfo=UTC)


def pull(number: int, **more: Any) -> dict[str, Any]:
    side = {"sha": f"h{number}", "ref": "main"}
    return {
        "number": number, "title": "T", "head": side, "base": side, "user": {"login": "ann"},
        "updated_at": (DAY - timedelta(minutes=number)).isoformat(),
    } | more  # fmt: skip


async def listed(pulls: list[dict[str, Any]], wanted: PullFilter) -> tuple[list[int], Canned]:
    async with canned({"/repos/o/r/pulls": pulls}) as forge, client(forge) as api:
        heads = await GitHub(api).open_pulls("github.com", "o/r", wanted)
    assert all(link.rpartition("/")[2] == head[1:] for link, head in heads.items())
    return [int(head[1:]) for head in heads.values()], forge


@pytest.mark.parametrize(
    ("count", "wanted", "numbers", "pages"),
    [
        (3, PullFilter(), [0, 1, 2], 1),
        (3, PullFilter(at_most=2), [0, 1], 1),
        (3, PullFilter(updated_since=DAY - timedelta(minutes=1)), [0, 1], 1),
        (3, PullFilter(updated_since=DAY + timedelta(minutes=1)), [], 1),
        (100, PullFilter(at_most=100), [*range(100)], 1),
        (100, PullFilter(at_most=101), [*range(100)], 10),
        (100, PullFilter(author="bob"), [], 10),
        (99, PullFilter(author="bob"), [], 1),
        (100, PullFilter(updated_since=DAY - timedelta(minutes=5)), [*range(6)], 1),
    ],
)
async def test_open_changes_are_listed_as_far_as_is_wanted(
    count: int, wanted: PullFilter, numbers: list[int], pages: int
) -> None:
    seen, forge = await listed([pull(n) for n in range(count)], wanted)
    assert seen == numbers
    assert [path.rpartition("page=")[2] for _, path, _ in forge.requests] == [
        str(page) for page in range(1, pages + 1)
    ]


async def test_a_base_is_asked_for_and_what_has_no_day_is_old() -> None:
    _, forge = await listed([], PullFilter(base="next"))
    assert "&base=next&" in forge.requests[0][1]
    numbers, _ = await listed(
        [pull(1, updated_at=None), pull(2)], PullFilter(updated_since=DAY - timedelta(days=1))
    )
    assert numbers == [2]
    async with canned({}) as gone, client(gone) as api:
        with pytest.raises(BadInput):
            await GitHub(api).open_pulls("github.com", "o/r", PullFilter())


def compared(status: str, *parents: int) -> dict[str, Any]:
    """Returns a comparison whose commits have that many parents."""
    some = [{"sha": "a", "parents": [{"sha": f"{n}"} for n in range(many)]} for many in parents]
    return {"status": status, "merge_base_commit": {"sha": "b"}, "commits": some}


AHEAD = compared("ahead", 1)


@pytest.mark.parametrize(
    ("between", "since", "move"),
    [
        (AHEAD, Since("base2", "head1", 2, "main"), BranchMove.PUSH),
        (compared("identical"), Since("base2", "head1", 2), BranchMove.PUSH),
        (compared("ahead", 1, 2), Since("base2", "head1", 2, "main"), BranchMove.MERGE),
        (compared("diverged"), Since("base1", "head1", 2), BranchMove.REBASE),
        (compared("behind"), Since("base2", "head1", 2), BranchMove.FORCE_PUSH),
        ((404, {}, {}), Since("base1", "head1", 2), BranchMove.FORCE_PUSH),
        (AHEAD, Since("base2", "head1", 2, "next"), BranchMove.BASE_CHANGE),
    ],
)
async def test_how_a_branch_came_from_an_earlier_head(
    between: Any, since: Since, move: BranchMove
) -> None:
    old: tuple[int, str, dict[str, str]] = (200, "diff", {})
    answers = {
        f"/repos/o/r/compare/{since.base}...head1": old,
        "/repos/o/r/compare/head1...head2": between,
    }
    async with canned(answers) as forge, client(forge) as api:
        reading = await GitHub(api).reading_at(CHANGE, since)
        del forge.answers[f"/repos/o/r/compare/{since.base}...head1"]
        assert await GitHub(api).reading_at(CHANGE, since) is None
    assert reading is not None
    assert reading[1] is move
    assert (reading[0].change.head, reading[0].change.base) == ("head1", since.base)


def issue(number: int, repo: str = "o/r", **more: Any) -> dict[str, Any]:
    page = f"https://api.github.com/repos/{repo}"
    return {"number": number, "title": f"I{number}", "repository_url": page, "body": "B"} | more


async def test_at_most_three_issues_of_the_same_repository_are_read() -> None:
    body = "Closes #1, fixes #2, closes #1, resolves #3, fixes #4"
    answers = {
        "/repos/o/r/issues/1": issue(1, "O/R"),
        "/repos/o/r/issues/2": issue(2, body=None),
        "/repos/o/r/issues/3": issue(3, "other/r"),
        "/repos/o/r/issues/4": issue(4),
    }
    change = ForgeChange(LINK, "T", body, "ann", "head2", "base2", "main")
    async with canned(answers) as forge, client(forge) as api:
        assert await GitHub(api).linked_issues(change) == [(1, "I1", "B"), (2, "I2", "")]
        for status in (404, 410, 301):
            forge.answers["/repos/o/r/issues/2"] = (status, {}, {"Location": "/moved"})
            assert await GitHub(api).linked_issues(change) == [(1, "I1", "B")]
    assert not [path for _, path, _ in forge.requests if "moved" in path or path.endswith("/4")]


async def test_a_review_is_found_among_those_of_accounts_that_are_gone() -> None:
    mark = hidden("review", "m")
    made = [{"id": 1, "body": mark, "user": None}, {"id": 2, "body": mark, "user": {"login": "us"}}]
    comment = {"id": 3, "body": "", "user": None}
    answers = {
        "/repos/o/r/pulls/7/reviews": made,
        "/repos/o/r/pulls/7/comments": [comment],
        "/user": {"login": "us"},
    }
    async with canned(answers) as forge, client(forge) as api:
        review = await GitHubPoster(api, app=False).find_review(LINK, Review("m", "h", "", "", ()))
    assert review is not None
    assert review.id == "2"
