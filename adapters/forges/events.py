"""What happened on a forge, as far as anybody here minds: one small record for a webhook of GitHub
or GitLab, or for what a poll noticed.

A webhook is checked before it is parsed, and what is kept of it are the few fields named here.
Nothing in it is trusted beyond that the forge sent it: whoever acts on it asks the forge how things
stand now, so late, repeated and re-ordered events do no harm. What bots say is left out, ourselves
among them: two that answer each other would never end.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import msgspec

from adapters.diffs.reading_order import GUIDELINE_FILES
from adapters.redaction import redact
from adapters.review import MARK

LONGEST = 4000
"""Characters of a comment that are kept."""


class Happened(StrEnum):
    OPENED = "opened"  # or opened again, or made ready for review
    LABELED = "labeled"
    PUSHED = "pushed"
    RETARGETED = "retargeted"  # it now goes into another branch
    CLOSED = "closed"  # merged or not
    COMMENTED = "commented"  # in the conversation
    REPLIED = "replied"  # under a comment on a line
    INSTALLED = "installed"
    UNINSTALLED = "uninstalled"
    GUIDELINES = "guidelines"  # the default branch got new ones


@dataclass(frozen=True, slots=True)
class ForgeEvent:
    """``repo`` is ``owner/name``. ``text`` is redacted; ``actor`` is who did it. ``comment`` is the
    id of what was written, ``reply_to`` of what it answers (GitLab: the discussion).
    """

    happened: Happened
    forge: str
    host: str
    repo: str
    number: int = 0
    head: str = ""
    label: str = ""
    draft: bool = False
    actor: str = ""
    text: str = ""
    comment: str = ""
    reply_to: str = ""
    at: datetime | None = None
    merged: bool = False
    merge_commit: str = ""
    installation: int = 0
    account: str = ""


class Forged(Exception):
    """A webhook that the forge did not send, or that nobody can read."""


class WrongSecret(Forged):
    """It is not proved with this secret."""


def body_key(forge: str, body: bytes) -> str:
    """A key for one delivery. It is of the signed body alone, since headers are not signed: a
    delivery that is repeated under another id is still the same.
    """
    return f"{forge}:{hashlib.sha256(body).hexdigest()}"


def read_github(headers: Mapping[str, str], body: bytes, secret: str) -> tuple[ForgeEvent, ...]:
    """The events of one webhook of GitHub; none for what nobody minds. Raises ``Forged``, and
    ``WrongSecret`` before anything is parsed.
    """
    from gidgethub import ValidationFailure, sansio

    try:
        sansio.validate_event(body, signature=headers.get("x-hub-signature-256", ""), secret=secret)
    except ValidationFailure as error:
        raise WrongSecret("the signature is wrong") from error
    payload = _decoded(body)
    try:
        event = _github_event(headers.get("x-github-event", ""), payload)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Forged(f"a field is missing or odd: {error}") from error
    return (event,) if event is not None else ()


def read_gitlab(headers: Mapping[str, str], body: bytes, token: str) -> tuple[ForgeEvent, ...]:
    """The events of one webhook of GitLab; none for what nobody minds. Raises ``Forged``."""
    given = headers.get("x-gitlab-token", "")
    if not token or not hmac.compare_digest(given.encode(), token.encode()):
        raise WrongSecret("the token is wrong")
    payload = _decoded(body)
    try:
        match payload.get("object_kind"):
            case "merge_request":
                return _of_merge_request(payload)
            case "note" if payload.get("merge_request"):
                return _of_note(payload)
            case _:
                return ()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Forged(f"a field is missing or odd: {error}") from error


def too_old(events: tuple[ForgeEvent, ...], now: datetime, days: float) -> bool:
    """Whether a delivery tells of something so long ago that it may have been forgotten here."""
    times = [event.at for event in events if event.at is not None]
    return bool(times) and (now - max(times)).total_seconds() > days * 86400


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Forged("the body is no JSON object") from error


_PULL = {
    "opened": Happened.OPENED,
    "reopened": Happened.OPENED,
    "ready_for_review": Happened.OPENED,
    "labeled": Happened.LABELED,
    "synchronize": Happened.PUSHED,
    "closed": Happened.CLOSED,
}


def _github_event(name: str, payload: dict[str, Any]) -> ForgeEvent | None:
    action = payload.get("action", "")
    match name:
        case "pull_request":
            return _of_pull(payload, action)
        case "issue_comment" if action == "created" and "pull_request" in payload["issue"]:
            return _of_comment(payload, Happened.COMMENTED, payload["issue"]["number"])
        case "pull_request_review_comment" if action == "created":
            reply = payload["comment"].get("in_reply_to_id")
            number = payload["pull_request"]["number"]
            if reply:
                return _of_comment(payload, Happened.REPLIED, number, reply)
            return None
        case "installation" if action in _INSTALLATION:
            return _of_installation(payload, _INSTALLATION[action])
        case "push":
            return _of_push(payload)
        case _:
            return None


_INSTALLATION = {
    "created": Happened.INSTALLED,
    "unsuspend": Happened.INSTALLED,
    "deleted": Happened.UNINSTALLED,
    "suspend": Happened.UNINSTALLED,
}


def _of_pull(payload: dict[str, Any], action: str) -> ForgeEvent | None:
    happened = _PULL.get(action)
    if action == "edited" and "base" in payload.get("changes", {}):
        happened = Happened.RETARGETED
    if happened is None:
        return None
    pull = payload["pull_request"]
    return ForgeEvent(
        happened,
        **_whose(payload),
        number=int(pull["number"]),
        head=str(pull["head"]["sha"]),
        label=str(payload["label"]["name"]) if happened is Happened.LABELED else "",
        draft=bool(pull.get("draft")),
        at=_time(pull.get("updated_at")),
        merged=bool(pull.get("merged")),
        merge_commit=str(pull.get("merge_commit_sha") or ""),
    )


def _of_comment(
    payload: dict[str, Any], happened: Happened, number: int, reply: int | None = None
) -> ForgeEvent | None:
    comment = payload["comment"]
    if payload["sender"].get("type") == "Bot" or is_ours(comment.get("body")):
        return None
    return ForgeEvent(
        happened,
        **_whose(payload),
        number=int(number),
        text=clean(comment.get("body")),
        comment=str(comment["id"]),
        reply_to=str(reply or ""),
        at=_time(comment.get("created_at")),
    )


def _of_installation(payload: dict[str, Any], happened: Happened) -> ForgeEvent:
    installation = payload["installation"]
    host = urlsplit(str(installation.get("html_url", ""))).hostname or "github.com"
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
    """A push that brings new guidelines to the default branch."""
    branch = payload["repository"].get("default_branch", "")
    if payload.get("ref") != f"refs/heads/{branch}":
        return None
    kinds = ("added", "modified", "removed")
    paths = {path for commit in payload["commits"] for kind in kinds for path in commit[kind]}
    touched = sorted(paths & set(GUIDELINE_FILES))
    if not touched:
        return None
    return ForgeEvent(
        Happened.GUIDELINES,
        **_whose(payload),
        head=str(payload["after"]),
        text=", ".join(touched),
        at=_time(payload["head_commit"]["timestamp"]) if payload.get("head_commit") else None,
    )


def _whose(payload: dict[str, Any]) -> dict[str, Any]:
    repository = payload["repository"]
    return {
        "forge": "github",
        "host": urlsplit(str(repository["html_url"])).hostname or "",
        "repo": str(repository["full_name"]),
        "actor": str(payload["sender"]["login"]),
        "installation": int(payload.get("installation", {}).get("id", 0)),
    }


def _of_merge_request(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    """One event, or one for each label that was put on."""
    asked, changes = payload["object_attributes"], payload.get("changes", {})
    action = asked.get("action", "")
    shared = {
        **_whose_project(payload),
        "number": int(asked["iid"]),
        "head": str(asked["last_commit"]["id"]),
        "draft": bool(asked.get("draft") or asked.get("work_in_progress")),
        "at": _time(asked.get("updated_at")),
    }
    if action in {"open", "reopen"}:
        return (ForgeEvent(Happened.OPENED, **shared),)
    if action in {"merge", "close"}:
        commit = str(asked.get("merge_commit_sha") or "")
        merged = action == "merge"
        return (ForgeEvent(Happened.CLOSED, **shared, merged=merged, merge_commit=commit),)
    if action != "update":
        return ()
    told = []
    if asked.get("oldrev"):
        told.append(ForgeEvent(Happened.PUSHED, **shared))
    if "target_branch" in changes:
        told.append(ForgeEvent(Happened.RETARGETED, **shared))
    if changes.get("draft", {}).get("current") is False:
        told.append(ForgeEvent(Happened.OPENED, **shared))
    labels = changes.get("labels", {})
    before = {label["title"] for label in labels.get("previous", ())}
    told += [
        ForgeEvent(Happened.LABELED, **shared, label=str(label["title"]))
        for label in labels.get("current", ())
        if label["title"] not in before
    ]
    return tuple(told)


def _of_note(payload: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    note = payload["object_attributes"]
    if note.get("system") or is_ours(note.get("note")):
        return ()
    discussed = note.get("type") in {"DiscussionNote", "DiffNote"}
    return (
        ForgeEvent(
            Happened.REPLIED if discussed else Happened.COMMENTED,
            **_whose_project(payload),
            number=int(payload["merge_request"]["iid"]),
            text=clean(note.get("note")),
            comment=str(note["id"]),
            reply_to=str(note.get("discussion_id") or "") if discussed else "",
            at=_time(note.get("created_at")),
        ),
    )


def _whose_project(payload: dict[str, Any]) -> dict[str, Any]:
    project = payload["project"]
    return {
        "forge": "gitlab",
        "host": urlsplit(str(project["web_url"])).hostname or "",
        "repo": str(project["path_with_namespace"]),
        "actor": str(payload["user"]["username"]),
    }


def is_ours(text: object) -> bool:
    """Whether we wrote it: what we say on a forge comes back as an event, and answers nobody."""
    return MARK in str(text or "")


def clean(text: object) -> str:
    return redact(str(text or "")[:LONGEST])[0]


def _time(text: object) -> datetime | None:
    """A time as forges write it, in one of their ways; aware, UTC."""
    if not isinstance(text, str) or not text:
        return None
    plain = text.replace(" UTC", "+00:00").replace("Z", "+00:00")
    made = datetime.fromisoformat(plain)
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC)
