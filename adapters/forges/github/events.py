"""Reads the webhooks of GitHub and GitHub Enterprise."""

from __future__ import annotations

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
from adapters.repository.project_rules import is_rule_file


def read_github(headers: Mapping[str, str], body: bytes, secret: str) -> tuple[ForgeEvent, ...]:
    """Returns the events of one webhook of GitHub; none if it does not matter here.

    Raises ``Forged``, and ``WrongSecret`` before anything is parsed.
    """
    from gidgethub import ValidationFailure, sansio

    try:
        sansio.validate_event(body, signature=headers.get("x-hub-signature-256", ""), secret=secret)
    except ValidationFailure as error:
        raise WrongSecret("the signature is wrong") from error
    with reading(body) as payload:
        event = _github_event(headers.get("x-github-event", ""), payload)
    if event is None:
        return ()
    return (event,)


_QUEUED = re.compile(r"/pr-(\d+)-[0-9a-f]+$")
_PULL = {
    "opened": ForgeEventKind.OPENED,
    "reopened": ForgeEventKind.OPENED,
    "ready_for_review": ForgeEventKind.OPENED,
    "labeled": ForgeEventKind.LABELED,
    "synchronize": ForgeEventKind.PUSHED,
    "closed": ForgeEventKind.CLOSED,
}


def _github_event(name: str, payload: dict[str, Any]) -> ForgeEvent | None:
    action = payload.get("action", "")
    match name:
        case "pull_request":
            return _of_pull(payload, action)
        case "issue_comment" if action == "created" and "pull_request" in payload["issue"]:
            return _of_comment(payload, ForgeEventKind.COMMENTED, payload["issue"]["number"])
        case "pull_request_review_comment" if action == "created":
            reply = payload["comment"].get("in_reply_to_id")
            number = payload["pull_request"]["number"]
            if reply:
                return _of_comment(payload, ForgeEventKind.REPLIED, number, reply)
            return None
        case "merge_group" if action == "checks_requested":
            return _of_queue(payload)
        case "installation" if action in _INSTALLATION:
            return _of_installation(payload, _INSTALLATION[action])
        case "push":
            return _of_push(payload)
        case _:
            return None


_INSTALLATION = {
    "created": ForgeEventKind.INSTALLED,
    "deleted": ForgeEventKind.UNINSTALLED,
}


def _of_pull(payload: dict[str, Any], action: str) -> ForgeEvent | None:
    happened = _PULL.get(action)
    if action == "edited" and "base" in payload.get("changes", {}):
        happened = ForgeEventKind.RETARGETED
    if happened is None:
        return None
    pull = payload["pull_request"]
    return ForgeEvent(
        happened,
        **_whose(payload),
        number=int(pull["number"]),
        head=str(pull["head"]["sha"]),
        label=str(payload["label"]["name"]) if happened is ForgeEventKind.LABELED else "",
        draft=is_draft(pull, "draft"),
        at=time_of(pull.get("updated_at")),
        merged=bool(pull.get("merged")),
        merge_commit=str(pull.get("merge_commit_sha") or ""),
        author=str((pull.get("user") or {}).get("login", "")),
    )


def _of_queue(payload: dict[str, Any]) -> ForgeEvent | None:
    """Returns the event of a merge queue that tests a pull request: its branch names the number."""
    group = payload["merge_group"]
    numbered = _QUEUED.search(str(group["head_ref"]))
    if numbered is None:
        return None
    return ForgeEvent(
        ForgeEventKind.QUEUED,
        **_whose(payload),
        number=int(numbered[1]),
        head=str(group["head_sha"]),
    )


def _of_comment(
    payload: dict[str, Any], happened: ForgeEventKind, number: int, reply: int | None = None
) -> ForgeEvent | None:
    comment = payload["comment"]
    sender = payload["sender"]
    if sender.get("type") == "Bot" or is_bot(sender["login"]) or is_ours(comment.get("body")):
        return None
    return ForgeEvent(
        happened,
        **_whose(payload),
        number=int(number),
        text=clean(comment.get("body")),
        comment=str(comment["id"]),
        reply_to=str(reply or ""),
        at=time_of(comment.get("created_at")),
    )


def _of_installation(payload: dict[str, Any], happened: ForgeEventKind) -> ForgeEvent:
    installation = payload["installation"]
    host = host_of(installation.get("html_url", "")) or "github.com"
    return ForgeEvent(
        happened,
        "github",
        host,
        "",
        actor=str(payload["sender"]["login"]),
        installation=int(installation["id"]),
        account=str(installation["account"]["login"]),
    )


def _of_push(payload: dict[str, Any]) -> ForgeEvent | None:
    """Returns the event of a push that brings new guidelines to the default branch."""
    branch = payload["repository"].get("default_branch", "")
    if payload.get("ref") != f"refs/heads/{branch}":
        return None
    kinds = ("added", "modified", "removed")
    paths = {path for commit in payload["commits"] for kind in kinds for path in commit[kind]}
    touched = sorted(filter(is_rule_file, paths))
    if not touched:
        return None
    return ForgeEvent(
        ForgeEventKind.GUIDELINES,
        **_whose(payload),
        head=str(payload["after"]),
        text=", ".join(touched),
        at=time_of(payload["head_commit"]["timestamp"]) if payload.get("head_commit") else None,
    )


def _whose(payload: dict[str, Any]) -> dict[str, Any]:
    repository = payload["repository"]
    return {
        "forge": "github",
        "host": host_of(repository["html_url"]),
        "repo_id": str(repository.get("id", "")),
        "repo": repo_of("github", repository["full_name"]),
        "actor": str(payload["sender"]["login"]),
        "installation": int(payload.get("installation", {}).get("id", 0)),
    }
