"""The webhooks of GitLab."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from typing import Any

from adapters.forges.events import (
    ForgeEvent,
    ForgeEventKind,
    WrongSecret,
    clean,
    host_of,
    is_bot,
    is_draft,
    is_ours,
    reading,
    repo_of,
    time_of,
)

_TRAIN = re.compile(r"refs/merge-requests/(\d{1,15})/train")
_BEGUN = ("created", "waiting_for_resource", "preparing", "pending")


def read_gitlab(headers: Mapping[str, str], body: bytes, token: str) -> tuple[ForgeEvent, ...]:
    """Returns the events of one webhook of GitLab; none if it does not matter here. Raises
    ``Forged``.
    """
    given = headers.get("x-gitlab-token", "")
    if not token or not hmac.compare_digest(
        given.encode("utf-8", "surrogateescape"), token.encode()
    ):
        raise WrongSecret("the token is wrong")
    with reading(body) as payload:
        match payload.get("object_kind"):
            case "merge_request":
                return _of_merge_request(payload)
            case "note" if payload.get("merge_request"):
                return _of_note(payload)
            case "pipeline":
                return _of_train(payload)
            case "emoji" if payload.get("merge_request") and payload.get("note"):
                return _of_emoji(payload)
            case _:
                return ()


def _of_merge_request(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    """Returns one event, or one for each label that was put on."""
    request, changes = payload["object_attributes"], payload.get("changes", {})
    action = request.get("action", "")
    shared = {
        **_whose_project(payload),
        "number": int(request["iid"]),
        "head": str(request.get("last_commit", {}).get("id", "")),
        "draft": is_draft(request, "draft", "work_in_progress"),
        "at": time_of(request.get("updated_at")),
        "author": _author(payload, request),
    }
    if action == "reopen":
        return (ForgeEvent(ForgeEventKind.OPENED, **shared),)
    if action in {"merge", "close"}:
        commit = str(request.get("merge_commit_sha") or "")
        merged = action == "merge"
        return (ForgeEvent(ForgeEventKind.CLOSED, **shared, merged=merged, merge_commit=commit),)
    if action not in {"open", "update"}:
        return ()
    events = []
    if action == "open":  # its labels come with it
        changes = {"labels": {"current": payload.get("labels", ())}}
        events.append(ForgeEvent(ForgeEventKind.OPENED, **shared))
    if request.get("oldrev"):
        events.append(ForgeEvent(ForgeEventKind.PUSHED, **shared))
    if "target_branch" in changes:
        events.append(ForgeEvent(ForgeEventKind.RETARGETED, **shared))
    if changes.get("draft", {}).get("current") is False:
        events.append(ForgeEvent(ForgeEventKind.OPENED, **shared))
    labels = changes.get("labels", {})
    before = {label["title"] for label in labels.get("previous", ())}
    events += [
        ForgeEvent(ForgeEventKind.LABELED, **shared, label=str(label["title"]))
        for label in labels.get("current", ())
        if label["title"] not in before
    ]
    return tuple(events)


def _author(payload: dict[str, Any], request: dict[str, Any]) -> str:
    """Returns who opened the merge request, if that is who did this."""
    user = payload["user"]
    own = user.get("id") is not None and user.get("id") == request.get("author_id")
    return str(user["username"]) if own else ""


def _of_note(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    note = payload["object_attributes"]
    if note.get("system") or is_ours(note.get("note")) or is_bot(payload["user"]["username"]):
        return ()
    discussed = note.get("type") in {"DiscussionNote", "DiffNote"}
    return (
        ForgeEvent(
            ForgeEventKind.REPLIED if discussed else ForgeEventKind.COMMENTED,
            **_whose_project(payload),
            number=int(payload["merge_request"]["iid"]),
            text=clean(note.get("note")),
            comment=str(note["id"]),
            reply_to=str(note.get("discussion_id") or "") if discussed else "",
            at=time_of(note.get("created_at")),
        ),
    )


def _of_train(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    """Returns the event of a merge train that begins to test a merge request: the pipeline's ref
    names the number. Only its first states count, because the bot's status becomes one of its jobs.
    """
    pipeline = payload["object_attributes"]
    train = _TRAIN.fullmatch(str(pipeline.get("ref")))
    if train is None or pipeline.get("status") not in _BEGUN:
        return ()
    return (
        ForgeEvent(
            ForgeEventKind.QUEUED,
            **_whose_project(payload),
            number=int(train[1]),
            head=str(pipeline["sha"]),
        ),
    )


def _of_emoji(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    """Returns the event of a reaction to a note; which one it is, the forge says when asked."""
    return (
        ForgeEvent(
            ForgeEventKind.REACTED,
            **_whose_project(payload),
            number=int(payload["merge_request"]["iid"]),
            at=time_of(payload["object_attributes"].get("updated_at")),
        ),
    )


def _whose_project(payload: dict[str, Any]) -> dict[str, Any]:
    project = payload["project"]
    return {
        "forge": "gitlab",
        "host": host_of(project["web_url"]),
        "repo_id": str(project.get("id", "")),
        "repo": repo_of("gitlab", project["path_with_namespace"]),
        "actor": str(payload["user"]["username"]),
    }
