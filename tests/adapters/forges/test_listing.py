"""What a poll of a repository tells: changes since the last look, and new comments of people."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.forges.events import ForgeEventKind as Kind
from adapters.forges.listing import (
    ListedChange,
    changes_listed,
    comments_listed,
    notes_since,
    requests_listed,
)
from adapters.review import hidden
from core.debate.errors import CouldNotFinish
from core.debate.material import ChangeState
from tests.adapters.forges.canned import canned, client

OPEN = ListedChange(7, "head1", ChangeState.OPEN, False, ("b", "a"), "ann", None, base="main")
LINE = "open ready main head1 a b"


def test_a_state_line_says_all_that_is_compared() -> None:
    assert OPEN.state_line == LINE
    draft = replace(OPEN, draft=True, labels=(), state=ChangeState.MERGED)
    assert draft.state_line == "merged draft main head1"


@pytest.mark.parametrize(
    ("now", "before", "happened"),
    [
        ({}, LINE, []),
        ({}, "", [(Kind.OPENED, ""), (Kind.LABELED, "b"), (Kind.LABELED, "a")]),
        ({"labels": ()}, LINE, []),
        ({"labels": ("a", "b", "c\u00a0d")}, LINE, [(Kind.LABELED, "c d")]),
        ({"head": "head2"}, LINE, [(Kind.PUSHED, "")]),
        ({"base": "next"}, LINE, [(Kind.RETARGETED, "")]),
        ({"head": "head2", "base": "next"}, LINE, [(Kind.PUSHED, "")]),
        ({"draft": True}, LINE, []),
        ({}, LINE.replace("ready", "draft"), [(Kind.OPENED, "")]),
        ({"draft": True}, LINE.replace("ready", "draft"), []),
        ({"head": "head2"}, LINE.replace("ready", "draft"), [(Kind.OPENED, "")]),
        ({}, LINE.replace("open", "closed"), [(Kind.OPENED, "")]),
        ({"state": ChangeState.CLOSED}, LINE, [(Kind.CLOSED, "")]),
        ({"state": ChangeState.MERGED, "labels": ("c",)}, LINE, [(Kind.CLOSED, "")]),
        ({"state": ChangeState.MERGED}, LINE.replace("open", "closed"), []),
        ({"state": ChangeState.MERGED}, "", []),
    ],
)
def test_what_happened_follows_from_the_two_states(
    now: dict[str, Any], before: str, happened: list[tuple[Kind, str]]
) -> None:
    assert replace(OPEN, **now).since(before) == happened


PULLS = [
    {
        "number": 7, "title": "T", "head": {"sha": "h1", "ref": "x"},
        "base": {"sha": "b1", "ref": "main"}, "user": {"login": "ann"}, "draft": True,
        "labels": [{"name": "two words"}], "updated_at": "2026-03-09T01:00:00Z",
    },
    {
        "number": 6, "title": "T", "head": {"sha": "h2", "ref": "x"}, "state": "closed",
        "base": {"sha": "b1", "ref": "main"}, "merge_commit_sha": "m1",
        "merged_at": "2026-03-09T01:00:00Z",
    },
]  # fmt: skip


LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


async def test_changes_are_listed_until_nothing_is_new() -> None:
    answers = {"/repos/o/r/pulls": (200, PULLS, {"ETag": '"two"'})}
    async with canned(answers) as forge, client(forge) as api:
        listed, tag = await changes_listed(api, "o/r", "", LONG_AGO)
        forge.answers["/repos/o/r/pulls"] = (304, None, {})
        assert await changes_listed(api, "o/r", tag, LONG_AGO) == ([], '"two"')
    assert tag == '"two"'
    assert [*listed] == [
        ListedChange(
            7, "h1", ChangeState.OPEN, True, ("two\u00a0words",), "ann",
            datetime(2026, 3, 9, 1, tzinfo=UTC), "", "main",
        ),
        ListedChange(6, "h2", ChangeState.MERGED, False, (), "", None, "m1", "main"),
    ]  # fmt: skip
    (_, first, _), (_, _, headers) = forge.requests
    assert first.endswith("state=all&sort=updated&direction=desc&per_page=100&page=1")
    assert headers["If-None-Match"] == '"two"'


ODD = {**PULLS[0], "number": 5, "head": "h3"}


async def test_an_item_that_can_t_be_read_is_named_and_the_others_are_listed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = {
        "/repos/o/r/pulls": [PULLS[0], ODD, 7],
        "/repos/o/r/issues/comments": [comment(1) | {"user": "ann"}, comment(2)],
        "/projects/o/r/merge_requests": [{"iid": 3, "sha": []}, {"iid": 4}],
        "/projects/o/r/merge_requests/4/discussions": [{"id": "d1", "notes": 1}, {"id": "d2"}],
    }
    async with canned(answers) as forge, client(forge) as api:
        pulls, _ = await changes_listed(api, "o/r", "", LONG_AGO)
        comments, _ = await comments_listed(api, "github.com", "o/r", "", None, replies=False)
        requests = await requests_listed(api, "o/r", "")
        await notes_since(api, "gitlab.com", "o/r", 4, datetime(2026, 3, 9, tzinfo=UTC))
        forge.answers["/repos/o/r/pulls"] = [ODD]
        with pytest.raises(CouldNotFinish, match="can't read"):
            await changes_listed(api, "o/r", "", LONG_AGO)
    assert [[one.number for one in pulls], [one.number for one in comments]] == [[7], [2]]
    assert [one.number for one in requests] == [4]
    assert [vars(record)["item"] for record in caplog.records] == [
        "number 5", "item 3 of the page", "id 10", "iid 3", "id d1",
    ]  # fmt: skip
    assert {vars(record)["of"] for record in caplog.records} == {"o/r", "o/r!4"}


def comment(number: int, **more: Any) -> dict[str, Any]:
    page = f"https://api.github.com/repos/o/r/issues/{number}"
    return {"id": number * 10, "body": "Why?", "user": {"login": "ann"}, "issue_url": page} | more


async def test_comments_of_people_are_listed_and_no_others() -> None:
    rows = [
        comment(1),
        comment(2, user=None, body=None),
        comment(3, user={"login": "ci", "type": "Bot"}),
        comment(4, body=hidden("answer", "x")),
        comment(5, issue_url="https://api.github.com/elsewhere"),
    ]
    answers = {"/repos/o/r/issues/comments": (200, rows, {"ETag": "x"})}
    async with canned(answers) as forge, client(forge) as api:
        listed, tag = await comments_listed(api, "github.com", "o/r", "", None, replies=False)
        forge.answers["/repos/o/r/issues/comments"] = (304, None, {})
        again = await comments_listed(api, "github.com", "o/r", tag, None, replies=False)
    assert again == ([], "x")
    assert [(e.happened, e.number, e.actor, e.text, e.comment, e.reply_to) for e in listed] == [
        (Kind.COMMENTED, 1, "ann", "Why?", "10", ""),
        (Kind.COMMENTED, 2, "", "", "20", ""),
    ]


async def test_replies_are_those_under_another_comment() -> None:
    page = "https://api.github.com/repos/o/r/pulls/7"
    rows = [
        comment(1, pull_request_url=page, in_reply_to_id=9),
        comment(2, pull_request_url=page),
        comment(3, in_reply_to_id=9),
    ]
    async with canned({"/repos/o/r/pulls/comments": rows}) as forge, client(forge) as api:
        listed, tag = await comments_listed(api, "github.com", "o/r", "", None, replies=True)
    assert tag == ""
    assert [(e.happened, e.number, e.comment, e.reply_to) for e in listed] == [
        (Kind.REPLIED, 7, "10", "9")
    ]
