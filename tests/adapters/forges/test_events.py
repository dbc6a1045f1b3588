"""Webhooks: nothing is read before it is proved, GitHub's own examples are understood, and only the
fields that matter are kept.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from adapters.forges.events import Forged, ForgeEvent, ForgeEventKind, body_key, too_old
from adapters.forges.github.events import read_github
from adapters.forges.gitlab.events import read_gitlab

SECRET = "hush-hush-hush"
EXAMPLES = json.loads(Path("tests/schemas/github-webhooks.json").read_text("utf-8"))


def signed(event: str, payload: dict[str, Any]) -> tuple[dict[str, str], bytes]:
    body = json.dumps(payload).encode()
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return {"x-github-event": event, "x-hub-signature-256": f"sha256={digest}"}, body


def read(name: str, **changes: Any) -> tuple[ForgeEvent, ...]:
    headers, body = signed(name.partition(".")[0], {**EXAMPLES[name], **changes})
    return read_github(headers, body, SECRET)


HELLO = ForgeEvent(
    ForgeEventKind.OPENED,
    "github",
    "github.com",
    "Codertocat/Hello-World",
    2,
    "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
    actor="Codertocat",
    at=datetime(2019, 5, 15, 15, 20, 33, tzinfo=UTC),
    author="Codertocat",
)


@pytest.mark.parametrize(
    ("name", "happened"),
    [
        ("pull_request.opened", ForgeEventKind.OPENED),
        ("pull_request.ready_for_review", ForgeEventKind.OPENED),
        ("pull_request.labeled", ForgeEventKind.LABELED),
        ("pull_request.synchronize", ForgeEventKind.PUSHED),
        ("pull_request.closed", ForgeEventKind.CLOSED),
    ],
)
def test_githubs_own_examples_of_pull_requests(name: str, happened: ForgeEventKind) -> None:
    (event,) = read(name)
    assert event.happened is happened
    assert "/" in event.repo
    assert event.number > 0
    assert len(event.head) == 40


def test_one_of_them_whole() -> None:
    event = read("pull_request.opened")[0]
    assert replace(event, installation=0) == replace(
        HELLO, at=event.at, repo=event.repo, head=event.head, number=event.number,
        actor=event.actor, draft=event.draft, merge_commit=event.merge_commit, repo_id="186853002",
    )  # fmt: skip
    assert event.host == "github.com"


def test_comments_replies_installations_and_pushes() -> None:
    issue = {**EXAMPLES["issue_comment.created"]["issue"], "pull_request": {"url": "x"}}
    (said,) = read("issue_comment.created", issue=issue)
    assert (said.happened, bool(said.text), bool(said.comment)) == (
        ForgeEventKind.COMMENTED,
        True,
        True,
    )
    assert read("issue_comment.created") == ()  # on an issue
    comment = {**EXAMPLES["pull_request_review_comment.created"]["comment"], "in_reply_to_id": 77}
    (reply,) = read("pull_request_review_comment.created", comment=comment)
    assert (reply.happened, reply.reply_to) == (ForgeEventKind.REPLIED, "77")
    assert read("pull_request_review_comment.created") == ()  # begins a thread of its own
    assert read("installation.created")[0].happened is ForgeEventKind.INSTALLED
    assert read("installation.deleted")[0].happened is ForgeEventKind.UNINSTALLED
    assert read("push") == ()
    assert read("ping") == ()


def test_a_push_of_new_guidelines() -> None:
    example = EXAMPLES["push"]
    commit = {"added": ["AGENTS.md"], "modified": ["src/a.py"], "removed": []}
    branch = example["repository"]["default_branch"]
    (event,) = read("push", ref=f"refs/heads/{branch}", commits=[commit], head_commit=None)
    assert (event.happened, event.text) == (ForgeEventKind.GUIDELINES, "AGENTS.md")
    assert read("push", ref="refs/heads/topic", commits=[commit]) == ()


def test_a_new_base_is_told_and_a_new_title_is_not() -> None:
    changed = {"action": "edited", "changes": {"base": {"ref": {"from": "main"}}}}
    assert read("pull_request.opened", **changed)[0].happened is ForgeEventKind.RETARGETED
    assert read("pull_request.opened", action="edited", changes={"title": {"from": "x"}}) == ()


@pytest.mark.parametrize("break_it", ["body", "signature", "secret", "none"])
def test_a_forged_webhook_is_not_read(break_it: str) -> None:
    headers, body = signed("pull_request", EXAMPLES["pull_request.opened"])
    secret = SECRET
    if break_it == "body":
        body = body.replace(b"opened", b"closed", 1)
    elif break_it == "signature":
        headers["x-hub-signature-256"] = "sha256=" + "0" * 64
    elif break_it == "none":
        del headers["x-hub-signature-256"]
    else:
        secret = "another"
    with pytest.raises(Forged, match="signature"):
        read_github(headers, body, secret)


def test_secrets_in_a_comment_are_not_kept() -> None:
    issue = {**EXAMPLES["issue_comment.created"]["issue"], "pull_request": {"url": "x"}}
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    comment = {**EXAMPLES["issue_comment.created"]["comment"], "body": f"/debate {token}"}
    (event,) = read("issue_comment.created", issue=issue, comment=comment)
    assert token not in event.text


def test_the_same_body_is_the_same_delivery_whatever_its_headers_say() -> None:
    _, body = signed("pull_request", EXAMPLES["pull_request.opened"])
    assert body_key("github", body) == body_key("github", body)
    assert body_key("github", body) != body_key("gitlab", body)


def test_what_is_too_old() -> None:
    now = datetime(2019, 5, 20, tzinfo=UTC)
    assert not too_old((HELLO,), now, 7)
    assert too_old((HELLO,), now, 3)
    assert not too_old((replace(HELLO, at=None),), now, 3)


MERGE_REQUEST: dict[str, Any] = {
    "object_kind": "merge_request",
    "user": {"username": "ann"},
    "project": {
        "web_url": "https://gitlab.com/group/sub/project",
        "path_with_namespace": "group/sub/project",
    },
    "object_attributes": {
        "iid": 7,
        "action": "open",
        "updated_at": "2026-05-03 10:00:00 UTC",
        "last_commit": {"id": "2" * 40},
        "draft": False,
    },
    "changes": {},
}


def gitlab(payload: dict[str, Any], token: str = SECRET) -> tuple[ForgeEvent, ...]:
    return read_gitlab({"x-gitlab-token": token}, json.dumps(payload).encode(), SECRET)


def merge_request(changes: dict[str, Any] | None = None, **asked: Any) -> tuple[ForgeEvent, ...]:
    attributes = {**MERGE_REQUEST["object_attributes"], **asked}
    return gitlab({**MERGE_REQUEST, "object_attributes": attributes, "changes": changes or {}})


def test_gitlabs_merge_requests() -> None:
    (event,) = merge_request()
    assert event == ForgeEvent(
        ForgeEventKind.OPENED, "gitlab", "gitlab.com", "group/sub/project", 7, "2" * 40,
        actor="ann", at=datetime(2026, 5, 3, 10, tzinfo=UTC),
    )  # fmt: skip
    assert merge_request(action="update") == ()
    (bare,) = merge_request(last_commit=None)
    assert bare == replace(event, head="")
    labelled = {"labels": [{"title": "a"}, {"title": "debate"}], "changes": {"target_branch": {}}}
    assert [(e.happened, e.label) for e in gitlab({**MERGE_REQUEST, **labelled})] == [
        (ForgeEventKind.OPENED, ""),
        (ForgeEventKind.LABELED, "a"),
        (ForgeEventKind.LABELED, "debate"),
    ]
    labels = {"previous": [{"title": "a"}], "current": [{"title": "a"}, {"title": "debate"}]}
    several = merge_request(
        {"labels": labels, "draft": {"previous": True, "current": False}},
        action="update",
        oldrev="1" * 40,
    )
    assert [(e.happened, e.label) for e in several] == [
        (ForgeEventKind.PUSHED, ""),
        (ForgeEventKind.OPENED, ""),
        (ForgeEventKind.LABELED, "debate"),
    ]
    (merged,) = merge_request(action="merge", merge_commit_sha="9" * 40)
    assert (merged.happened, merged.merged, merged.merge_commit) == (
        ForgeEventKind.CLOSED,
        True,
        "9" * 40,
    )


def test_gitlabs_drafts_and_authors() -> None:
    """Drafts start nothing unless the rules say so, dependency bots nothing at all."""
    for attributes, draft in (
        ({"draft": True}, True),
        ({"draft": False, "work_in_progress": True}, True),
        ({"action": "update", "oldrev": "1" * 40, "draft": True}, True),
        ({}, False),
    ):
        assert [event.draft for event in merge_request(**attributes)] == [draft]
    request = {**MERGE_REQUEST["object_attributes"], "author_id": 1}
    for id, author in ((1, "renovate-bot"), (2, "")):
        user = {"username": "renovate-bot", "id": id}
        (event,) = gitlab({**MERGE_REQUEST, "user": user, "object_attributes": request})
        assert event.author == author


@pytest.mark.parametrize("name", ["project_7_bot_3f2a", "group_12_bot", "project_7_bot1"])
def test_a_bot_of_gitlab_is_not_answered(name: str) -> None:
    """Two that answer each other would never end."""
    note = {"id": 5, "note": "/debate", "created_at": "2026-05-03T10:00:00.000Z", "type": None}
    payload = {**MERGE_REQUEST, "object_kind": "note", "object_attributes": note}
    payload |= {"merge_request": {"iid": 7}, "user": {"username": name}}
    assert gitlab(payload) == ()
    assert len(gitlab({**payload, "user": {"username": f"x{name}"}})) == 1


def test_gitlabs_notes() -> None:
    note = {"id": 5, "note": "/debate", "created_at": "2026-05-03T10:00:00.000Z", "type": None}
    payload = {**MERGE_REQUEST, "object_kind": "note", "object_attributes": note}
    (event,) = gitlab({**payload, "merge_request": {"iid": 7}})
    assert (event.happened, event.text, event.reply_to) == (ForgeEventKind.COMMENTED, "/debate", "")
    note = {**note, "type": "DiffNote", "discussion_id": "d1"}
    (reply,) = gitlab({**payload, "object_attributes": note, "merge_request": {"iid": 7}})
    assert (reply.happened, reply.reply_to) == (ForgeEventKind.REPLIED, "d1")
    assert gitlab(payload) == ()  # on an issue


def test_gitlab_with_the_wrong_token_or_none() -> None:
    with pytest.raises(Forged, match="token"):
        gitlab(MERGE_REQUEST, "wrong")
    with pytest.raises(Forged, match="token"):
        read_gitlab({}, b"{}", "")


ODD: tuple[Any, ...] = (
    *(None, [], {}, "", -1, 10**30, 2**63, True, 1e308, "\ud800", "\0", "x" * 20_000, "9" * 5_000),
    *("2026-99-99T00:00:00Z", "2026-05-03T10:00:00+99:99", "0001-01-01T00:00:00+23:59"),
    *("http://[::1", "<!channel>\n@everyone", ["a"], {"a": 1}),
)
"""Values of a wrong kind, or of no use, for a field."""


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the places, down to three levels, at which a payload holds something."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for name, one in inner:
        yield (*at, name)
        if isinstance(one, dict | list) and len(at) < 2:
            yield from places(one, (*at, name))


def with_odd(payload: Any, place: tuple[Any, ...], odd: Any) -> Any:
    """Returns the payload with something else at a place."""
    if not place:
        return odd
    changed = payload.copy()
    changed[place[0]] = with_odd(payload[place[0]], place[1:], odd)
    return changed


@pytest.mark.parametrize("name", [*EXAMPLES, "gitlab", "gitlab note"])
def test_a_payload_with_anything_in_any_place_is_read_or_refused(name: str) -> None:
    note = {"id": 5, "note": "x", "created_at": "2026-05-03T10:00:00.000Z", "type": "DiffNote"}
    note_payload = {**MERGE_REQUEST, "object_kind": "note", "object_attributes": note}
    gitlabs = {
        "gitlab": MERGE_REQUEST,
        "gitlab note": {**note_payload, "merge_request": {"iid": 7}},
    }
    payload = gitlabs.get(name) or EXAMPLES[name]
    draw = Random(name)
    where = list(places(payload))
    for place, odd in [(draw.choice(where), draw.choice(ODD)) for _ in range(80)]:
        changed = with_odd(payload, place, odd)
        try:
            if name in gitlabs:
                events = gitlab(changed)
            else:
                events = read_github(*signed(name.partition(".")[0], changed), SECRET)
        except Forged:
            continue
        for event in events:
            kept = msgspec.json.encode(msgspec.to_builtins(event))
            assert len(kept) < 50_000
            assert event.number < 2**53 > event.installation


NO_NAMES = ("", "o", "o/r/s/", "/r", "o/..", "evil/../o/r", "o/.", "o/r?x=1", "o/r#7", "ö/r", 7)


@pytest.mark.parametrize("name", [*NO_NAMES, "a/b/c"])
def test_a_name_that_no_repository_has_is_refused(name: object) -> None:
    repository = {**EXAMPLES["pull_request.opened"]["repository"], "full_name": name}
    with pytest.raises(Forged, match="the name of no repository"):
        read("pull_request.opened", repository=repository)


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_no_project_has_is_refused(name: object) -> None:
    project = {**MERGE_REQUEST["project"], "path_with_namespace": name}
    with pytest.raises(Forged, match="the name of no repository"):
        gitlab({**MERGE_REQUEST, "project": project})


def test_names_of_groups_and_of_accounts_that_a_company_manages_are_read() -> None:
    repository = {**EXAMPLES["pull_request.opened"]["repository"], "full_name": "ann_acme/.github"}
    (event,) = read("pull_request.opened", repository=repository)
    assert event.repo == "ann_acme/.github"
    project = {**MERGE_REQUEST["project"], "path_with_namespace": "a/b_1/c.d"}
    assert gitlab({**MERGE_REQUEST, "project": project})[0].repo == "a/b_1/c.d"


def test_a_host_is_named_with_its_port_as_in_links() -> None:
    repository = {**EXAMPLES["pull_request.opened"]["repository"]}
    repository["html_url"] = "https://Git.acme.com:8443/o/r"
    assert read("pull_request.opened", repository=repository)[0].host == "git.acme.com:8443"
    project = {**MERGE_REQUEST["project"], "web_url": "https://lab.acme.com:8443/g/p"}
    assert gitlab({**MERGE_REQUEST, "project": project})[0].host == "lab.acme.com:8443"


def test_that_a_repository_was_renamed_is_nothing_to_do() -> None:
    """The next event, or the next poll, renames what is stored."""
    renamed = {"action": "renamed", "changes": {"repository": {"name": {"from": "old"}}}}
    pull = EXAMPLES["pull_request.opened"]
    about = {name: pull[name] for name in ("repository", "sender")}
    for event, more in (("repository", renamed), ("repository", {"action": "transferred"})):
        headers, body = signed(event, {**about, **more})
        assert read_github(headers, body, SECRET) == ()
    for hook in ("project_rename", "project_transfer", "group_rename"):
        moved = {"event_name": hook, "path_with_namespace": "g/new", "project_id": 7}
        assert gitlab({**moved, "old_path_with_namespace": "g/old"}) == ()


def test_a_number_that_no_forge_gives_is_refused() -> None:
    payload = EXAMPLES["pull_request.opened"]
    for number in (-1, 2**63, 10**30, 1e308):
        with pytest.raises(Forged):
            read("pull_request.opened", pull_request={**payload["pull_request"], "number": number})
