"""Every poster keeps the same rules: the right lines, each thing once, and refusals with their true
cause.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace

import pytest
from aiohttp import web

from adapters.forges.refusals import RIGHTS, NotAllowed, OutcomeUnknown, RateLimited
from adapters.forges.writing import (
    LinesRefused,
    NewIssue,
    NewRecord,
    NewTest,
    TakesRecords,
    TakesTests,
    Written,
)
from adapters.review import Review, ThreadAnswer, hidden
from adapters.review.check import CommitCheck, Conclusion, ended, running
from adapters.review.text import compose
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.log import ForgePostKind
from tests.adapters.ports.forges import AT, Forge, github_forge, gitlab_forge, plugged_forge
from tests.adapters.review.samples import material, reviewed
from tests.core.table import table
from tests.standins.github_state import Comment

FORGES: dict[str, Callable[[], AbstractAsyncContextManager[Forge]]] = {
    "github": github_forge,
    "github with a personal token": lambda: github_forge(app=False),
    "github enterprise": lambda: github_forge(own_host=True, contents="write"),
    "gitlab": gitlab_forge,
    "a plugin's": plugged_forge,
}


@pytest.fixture(params=["github", "gitlab"])
async def forge(request: pytest.FixtureRequest) -> AsyncIterator[Forge]:
    async with FORGES[request.param]() as made:
        yield made


each_forge = pytest.mark.parametrize("forge", FORGES, indirect=True)


def review_for(forge: Forge) -> Review:
    return replace(compose(reviewed().debate), head=forge.head)


def let_write(forge: Forge) -> None:
    """Allows the app to write files."""
    if forge.github is not None:
        for installed in forge.github.app.installations.values():
            installed.contents = "write"


def answer_to(mark: str, resolves: bool = True) -> ThreadAnswer:
    return ThreadAnswer(mark, f"So.\n\n{hidden('answer', mark)}", resolves)


LINES = [
    ("app/db.py", "RIGHT", None, 11),
    ("app/db.py", "LEFT", None, 12),
    ("app/db.py", "RIGHT", 12, 13),
]


@each_forge
async def test_a_review_stands_on_its_lines_and_is_found_again(forge: Forge) -> None:
    review = review_for(forge)
    assert await forge.poster.find_review(forge.link, review) is None
    await forge.poster.post_review(forge.link, review)
    assert forge.lines == LINES
    assert forge.bodies == [review.body]
    assert sum("suggestion" in text for text in forge.texts) == 1
    written = await forge.poster.find_review(forge.link, review)
    assert written is not None
    assert set(written.comments) == {comment.mark for comment in review.comments}


async def test_an_answer_that_never_came_is_looked_up(forge: Forge) -> None:
    forge.lose("/reviews|/notes")
    with pytest.raises(OutcomeUnknown):
        await forge.poster.post_review(forge.link, review_for(forge))
    assert await forge.poster.find_review(forge.link, review_for(forge)) is not None
    assert len(forge.bodies) == 1


async def test_a_500_may_have_arrived_and_a_403_has_not(forge: Forge) -> None:
    forge.refuse("/reviews|/discussions", 500, times=1)
    with pytest.raises(OutcomeUnknown):
        await forge.poster.post_review(forge.link, review_for(forge))
    forge.refuse("/reviews|/discussions", 403, times=1)
    with pytest.raises(CouldNotFinish, match=f"refused: .*[.] {RIGHTS}$") as refused:
        await forge.poster.post_review(forge.link, review_for(forge))
    assert not isinstance(refused.value, OutcomeUnknown | RateLimited)
    assert (forge.bodies, forge.lines) == ([], [])


NEW = NewTest("tests/test_proof.py", "def test_it():\n    assert 'é'\n")


async def add_test(forge: Forge, test: NewTest) -> Written:
    assert isinstance(forge.poster, TakesTests)
    return await forge.poster.add_test(forge.link, test)


@each_forge
async def test_a_test_is_added_to_the_branch_once(forge: Forge) -> None:
    let_write(forge)
    forge.lose("/contents|/repository/commits")
    with suppress(OutcomeUnknown):  # GitHub's call is sent again at once
        await add_test(forge, NEW)
    await add_test(forge, NEW)
    assert forge.committed == [(NEW.message, NEW.text)]
    with pytest.raises(BadInput, match=r"another file at tests/test_proof[.]py"):
        await add_test(forge, replace(NEW, text="def test_other(): ...\n"))
    kept = await forge.poster.remove(forge.link, ForgePostKind.TEST, Written("c" * 40))
    assert "stays in the branch" in kept
    assert len(forge.committed) == 1


RECORD = NewRecord(
    "debate-0001", "docs/decisions/0001-é.md", "Prices: adopt", "# Prices é\n", "main"
)


async def test_a_record_is_proposed_once_whatever_answer_is_lost(forge: Forge) -> None:
    if not isinstance(forge.poster, TakesRecords):  # a plugin's
        return
    let_write(forge)
    repo = forge.link.repo
    assert await forge.poster.find_record(repo, RECORD) is None
    assert await forge.poster.default_branch(repo) == "main"
    for lost in ("/git/refs|/repository/commits", "/contents", "/pulls$|/merge_requests$"):
        forge.lose(lost)
        with suppress(OutcomeUnknown):
            await forge.poster.propose_record(repo, RECORD)
    made = await forge.poster.propose_record(repo, RECORD)
    assert await forge.poster.find_record(repo, RECORD) == made
    assert forge.committed_to(RECORD.branch) == [(RECORD.message, RECORD.text)]
    if forge.github is not None:
        opened = [p for p in forge.github.pulls.values() if p.branch == RECORD.branch]
        assert [(p.title, p.body, p.base_branch) for p in opened] == [
            (RECORD.title, RECORD.body, "main")
        ]
    else:
        assert forge.gitlab is not None
        (request,) = forge.gitlab.proposed.values()
        assert (request["title"], request["target_branch"]) == (RECORD.title, "main")


async def test_a_branch_with_another_record_is_left_alone(forge: Forge) -> None:
    if not isinstance(forge.poster, TakesRecords):
        return
    let_write(forge)
    if forge.github is not None:
        forge.github.proposals.branches[forge.link.repo, RECORD.branch] = "f" * 40
        forge.github.contents[forge.link.repo, RECORD.branch, RECORD.path] = b"other"
    else:
        assert forge.gitlab is not None
        forge.gitlab.contents[RECORD.branch, RECORD.path] = "other"
    with pytest.raises(BadInput, match="another file at docs/decisions"):
        await forge.poster.propose_record(forge.link.repo, RECORD)


async def test_a_test_is_added_to_no_fork_to_no_closed_change_and_by_no_app_that_may_not_write(
    forge: Forge,
) -> None:
    if forge.github is not None:
        with pytest.raises(NotAllowed, match="Resource not accessible by integration"):
            await add_test(forge, NEW)  # its app may not write files
    forge.move_to_fork()
    with pytest.raises(BadInput, match="in a fork"):
        await add_test(forge, NEW)
    forge.end()
    with pytest.raises(BadInput, match="not open any more"):
        await add_test(forge, NEW)
    assert forge.committed == []


@each_forge
async def test_answers_come_under_the_finding_once(forge: Forge) -> None:
    review = review_for(forge)
    await forge.poster.post_review(forge.link, review)
    mark = hidden("answer", f"second:{review.comments[1].mark}")
    answer = ThreadAnswer(review.comments[1].mark, f"Resolved as of `90fee08`.\n\n{mark}", True)
    assert await forge.poster.answer(forge.link, answer) is not None
    assert await forge.poster.answer(forge.link, answer) is not None
    assert forge.answers == [answer.body]
    may = forge.github is None or forge.link.host != "github.com" or not forge.poster.app  # type: ignore[attr-defined]
    assert forge.resolved == [False, may, False]
    unknown = ThreadAnswer("0000", "Resolved.\n\n<!-- x -->", True)
    assert await forge.poster.answer(forge.link, unknown) is None


async def test_an_app_that_may_write_files_resolves_what_is_resolved() -> None:
    async with github_forge(contents="write") as forge:
        review = review_for(forge)
        await forge.poster.post_review(forge.link, review)
        answers = [
            answer_to(one.mark, resolves)
            for one, resolves in zip(review.comments, (True, False, True), strict=True)
        ]
        assert forge.github is not None
        forge.lose("/graphql", times=1)
        with pytest.raises(OutcomeUnknown):
            await forge.poster.answer(forge.link, answers[0])
        forge.github.threads.limited = 1
        with pytest.raises(RateLimited, match="limit is used up; free again at"):
            await forge.poster.answer(forge.link, answers[0])
        for answer in answers:
            assert await forge.poster.answer(forge.link, answer) is not None
        assert forge.resolved == [True, False, True]
        assert len(forge.answers) == 3


_FIELD = "Field 'fullDatabaseId' doesn't exist on type 'PullRequestReviewComment'"
_THREAD = {"id": "t", "isResolved": False, "viewerCanResolve": True, "comments": {}}
_PAGE = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": [_THREAD]}


def _pull(**members: object) -> object:
    return {"data": {"repository": {"pullRequest": members}}}


LACKING = {
    "field": (200, {"errors": [{"message": _FIELD, "extensions": {"code": "undefinedField"}}]}),
    "typeless": (200, {"data": None, "errors": [{"message": _FIELD, "type": None}]}),
    "empty": (200, {"data": None}),
    "comments": (200, _pull(reviewThreads=_PAGE)),
    "member": (200, _pull()),
    "nothing": (404, {"message": "Not Found"}),
    "page": (200, "<html>"),
}


@pytest.mark.parametrize("lacking", LACKING)
async def test_an_answer_is_posted_although_graphql_lacks_something(lacking: str) -> None:
    status, body = LACKING[lacking]

    async def answered(_: web.Request) -> web.StreamResponse:
        return web.json_response(body, status=status)

    async with github_forge(contents="write") as forge:
        assert forge.github is not None
        review = review_for(forge)
        await forge.poster.post_review(forge.link, review)
        forge.github.spoil("/graphql", answered)
        answer = answer_to(review.comments[0].mark)
        assert await forge.poster.answer(forge.link, answer) is not None
        assert (forge.answers, forge.resolved[0]) == ([answer.body], False)


async def test_a_thread_behind_a_hundred_others_is_found() -> None:
    async with github_forge(contents="write") as forge:
        assert forge.github is not None
        held = forge.github.written.comments[AT]
        for id in range(1, 151):
            held.append(Comment(id, "eve", "Hm.", "app/db.py", 11, "RIGHT", forge.head))
        review = review_for(forge)
        await forge.poster.post_review(forge.link, review)
        answer = answer_to(review.comments[0].mark)
        assert await forge.poster.answer(forge.link, answer) is not None
        assert forge.resolved == [*[False] * 150, True, False, False]


async def test_who_may_not_resolve_has_answered() -> None:
    async with gitlab_forge() as forge:
        assert forge.gitlab is not None
        review = review_for(forge)
        await forge.poster.post_review(forge.link, review)
        forge.gitlab.refuse("PUT", "/discussions", 403)
        answer = answer_to(review.comments[0].mark)
        assert await forge.poster.answer(forge.link, answer) is not None
        assert (forge.answers, forge.resolved[0]) == ([answer.body], False)


@each_forge
async def test_a_mark_that_somebody_else_wrote_is_not_ours(forge: Forge) -> None:
    review = review_for(forge)
    finding = review.comments[0].mark
    issue = NewIssue("debate-0001:1", "Bind the name", "From debate debate-0001.")
    answer = ThreadAnswer(finding, f"Resolved.\n\n{hidden('answer', 'second')}", True)
    marks = (("review", review.mark), ("finding", finding), ("action", issue.mark))
    comment = forge.forge(*(hidden(*mark) for mark in marks))
    before = (forge.bodies[:], forge.texts[:], forge.answers[:])
    assert await forge.poster.find_review(forge.link, review) is None
    assert await forge.poster.finding_of(forge.link, comment) == ""
    assert await forge.poster.find_issue(forge.link, issue) is None
    assert await forge.poster.answer(forge.link, answer) is None
    assert (forge.bodies, forge.texts, forge.answers) == before
    await forge.poster.post_review(forge.link, review)
    assert len(forge.lines) - len(before[1]) == len(review.comments)


@each_forge
async def test_a_check_is_made_and_changed(forge: Forge) -> None:
    begun = replace(running("debate-0001", forge.head), link="https://bot.example/d/1")
    first = await forge.poster.put_check(forge.link, begun)
    over = replace(ended(reviewed().debate), head=forge.head)
    assert (over.conclusion, over.title) == (
        Conclusion.BLOCKED,
        "Changes requested: 1 finding must be fixed before merging",
    )
    known = await forge.poster.find_check(forge.link, over)
    await forge.poster.put_check(forge.link, over, (known or first).id)
    await forge.poster.put_check(forge.link, over, (known or first).id)  # again: no harm
    if forge.github is not None and not forge.poster.app:  # type: ignore[attr-defined]
        states = [s["state"] for s in forge.github.written.statuses["o/r", forge.head]]
        assert states == ["pending", "failure", "failure"]
    else:
        assert forge.check in {"failure", "failed"}
    if forge.gitlab is not None:
        await forge.poster.put_check(forge.link, replace(over, conclusion=Conclusion.ADVISED))
        assert forge.check == "success", "advice is no failed status on GitLab"


async def test_an_issue_is_found_by_its_mark(forge: Forge) -> None:
    issue = NewIssue("debate-0001:1", "Bind the name", "From debate debate-0001.")
    assert await forge.poster.find_issue(forge.link, issue) is None
    made = await forge.poster.open_issue(forge.link, issue)
    written = await forge.poster.find_issue(forge.link, issue)
    assert written is not None
    assert written.id == made.id
    assert forge.issues == ["Bind the name"]


async def test_who_may_write(forge: Forge) -> None:
    if forge.github is not None:
        forge.github.written.permissions |= {("o/r", "ann"): "write", ("o/r", "eve"): "read"}
    else:
        assert forge.gitlab is not None
        forge.gitlab.members |= {"ann": 40, "eve": 20, "annette": 50}
    repo = forge.link.repo
    people = ("ann", "eve", "nobody")
    assert [await forge.poster.may_write(repo, name) for name in people] == [True, False, False]


async def test_lines_that_are_refused_are_told_in_the_body(forge: Forge) -> None:
    review = review_for(forge)
    wrong = replace(review.comments[0], line=400, new=400)
    review = replace(review, comments=(wrong, *review.comments[1:]))
    if forge.github is not None:
        with pytest.raises(LinesRefused):
            await forge.poster.post_review(forge.link, review)
        assert forge.bodies == []
        review = review.in_body()
    await forge.poster.post_review(forge.link, review)
    assert forge.lines == ([] if forge.github is not None else LINES[1:])
    (body,) = forge.bodies
    text, _, mark = wrong.body.rpartition("\n\n")
    assert wrong.code
    assert body.count(f"{text}\n\n{wrong.code}\n\n{mark}") == 1


@pytest.mark.parametrize(
    ("debate", "conclusion", "title"),
    [
        (table(material=material()), "neutral", "No verdict: the debate did not come to its end"),
        (table(material=material(), terms={"demo": True}).says("t1", "approve"), "neutral",
            "Demonstration, not a review"),
        (table(material=material()).says("t1", "approve").says("t2", "approve")
            .says("t3", "approve"), "passed", "Approved: no finding is open"),
    ],
)  # fmt: skip
def test_what_a_check_says(debate: object, conclusion: str, title: str) -> None:
    over = ended(debate.says("end").concluded().debate)  # type: ignore[attr-defined]
    assert (over.conclusion, over.title) == (conclusion, title)


def test_a_change_that_was_read_in_part_is_never_green() -> None:
    from core.debate.material import Coverage, Read

    partly = replace(material(), coverage=(Coverage("a.py", Read.LEFT_OUT, "too large"),))
    t = table(material=partly).says("t1", "approve").says("t2", "approve").says("t3", "approve")
    over: CommitCheck = ended(t.says("end").concluded().debate)
    assert over.conclusion is Conclusion.NEUTRAL
    assert "not everything was read" in over.title
