"""Every sentence about why a change could not be read, and the interpretation of a forge's
refusals.

A wrong cause costs more than none (a 403 that is no rate limit, shown as one, sends people away for
an hour), so causes are distinguished by status, headers and the forge's own words, and those words
are redacted and escaped before they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import ceil

from adapters.forges.links import ForgeKind, ForgeLinks
from adapters.redaction import redact
from adapters.text.documents import NoDocument, read_object
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cut
from core.debate.stored import lasting, stored, stored_many
from core.languages import msgid, number, say, say_many
from core.languages.stored import say_stored

_SETUP = "/debate setup github"
_SETUP_GITLAB = "/debate setup gitlab"
STARTED = msgid("Nothing was started.")
_API = {"GitHub": "GITHUB_API_URL", "GitLab": "GITLAB_API_URL"}
_EXAMPLE = {
    "GitHub": "(of GitHub Enterprise https://HOST/api/v3)",
    "GitLab": "(https://HOST/api/v4)",
}
_LINK = {"GitHub": _SETUP, "GitLab": _SETUP_GITLAB}
_TOKEN = {"GitHub": "GITHUB_TOKEN", "GitLab": "GITLAB_TOKEN"}
POSTED = msgid("Nothing was posted.")
RIGHTS = msgid("The operator sees what its credential may do with: debate doctor --live")
_NO_LONGER = msgid(
    "{forge} no longer accepts the stored credential. In a shell set {token} (for a self-hosted "
    "forge, its variable) to a valid token; in a chat an admin must renew it. {undone}"
)
_WANTS_TOKEN = msgid(
    "{forge} asks for a token. In a shell set {token} (for a self-hosted forge, its variable) to "
    "a valid token; in a chat an admin can link the repository: {setup}. {undone}"
)
_FEW_CALLS = msgid("Without GITHUB_TOKEN it is 60 calls an hour. In a chat: {setup}")
_WORDS = 200  # characters of a foreign message that are shown


class OutcomeUnknown(CouldNotFinish):
    """A request was sent to a forge and no answer came, so that it may have been done. Look before
    sending again.
    """


class NotAllowed(CouldNotFinish):
    """The forge refuses this credential, or this content, and will refuse it again until a person
    changes something.
    """


class RateLimited(CouldNotFinish):
    """The forge's rate limit is used up.

    ``free_at`` is when it ends (aware, UTC), if the forge gave a time.
    """

    def __init__(self, message: str, free_at: datetime | None) -> None:
        super().__init__(message)
        self.free_at = free_at


def quote(text: str, longest: int = _WORDS) -> str:
    """Returns foreign text made safe for one line: redacted, escaped, short."""
    return cut(" ".join(show_hidden(redact(text)[0]).split()), longest)


def cannot_see(short: str, forge: ForgeKind, *, linked: bool) -> BadInput:
    """Returns the error for a repository that is missing, private or not bound to this channel: one
    text for all three, so that nobody learns which.

    ``linked`` is True if there is a token.
    """
    if isinstance(forge, ForgeLinks):
        return BadInput(
            "I can't see {short}. It does not exist, or this channel has no access to it.",
            short=short,
        )
    if forge == "gitlab" and linked:
        return BadInput(
            "I can't see {short}. It does not exist, or there is no access to it here. In a shell "
            "check GITLAB_TOKEN; in a chat an admin can check the channel's link: {setup}.",
            short=short,
            setup=_SETUP_GITLAB,
        )
    if forge == "gitlab":
        return BadInput(
            "I can't see {short}. It does not exist, or there is no access to it here. "
            "GITLAB_TOKEN is not set, so I can read public merge requests only. In a shell set it; "
            "for a chat the operator sets it, then an admin: {setup}.",
            short=short,
            setup=_SETUP_GITLAB,
        )
    if linked:
        return BadInput(
            "I can't see {short}. It does not exist, or there is no access to it here. In a shell "
            "check GITHUB_TOKEN; in a chat an admin can check the channel's link: {setup}.",
            short=short,
            setup=_SETUP,
        )
    return BadInput(
        "I can't see {short}. It does not exist, or it is private: GitHub is not linked yet, so I "
        "can read public pull requests only (60 calls an hour). In a shell set GITHUB_TOKEN; in a "
        "chat an admin can link it: {setup}.",
        short=short,
        setup=_SETUP,
    )


def nothing_to_debate(short: str, why: str) -> BadInput:
    """Returns the error for a change without text; ``why`` is a stored text."""
    return BadInput(
        "{short} changes no text ({why}). Nothing to debate; no model was called.",
        short=short,
        why=say_stored(why),
    )


def too_large(short: str, budget: int) -> BadInput:
    return BadInput(
        "No part of {short} fits the model's budget of {budget} tokens. Choose a model with a "
        "larger one, or name a folder after the link: path:src/",
        short=short,
        budget=number(budget),
    )


def timed_out(forge: str, seconds: float, tries: int) -> CouldNotFinish:
    times = {1: msgid("once"), 2: msgid("twice"), 3: msgid("three times")}.get(tries, "")
    return CouldNotFinish(
        "{forge} did not answer in {seconds} s, {times}. Nothing was started. Try again in a few "
        "minutes.",
        forge=forge,
        seconds=f"{seconds:g}",
        times=say(times) or say_many(tries, "{n} time", "{n} times"),
    )


def unreachable(forge: str, cause: str, step: str = "") -> CouldNotFinish:
    step = step or say(
        "check the network, HTTPS_PROXY if it is set, and the configured API address"
    )
    return CouldNotFinish(
        "{forge} could not be reached ({cause}). Nothing was started. Next: {step}.",
        forge=forge,
        cause=quote(cause),
        step=step,
    )


def redirected(forge: str) -> CouldNotFinish:
    return CouldNotFinish(
        "{forge} answered with a redirect to another host. It was not followed and nothing was "
        "started. If {forge} moved, set its new address: {variable}.",
        forge=forge,
        variable=_API[forge],
    )


def unreadable(forge: str, what: str) -> CouldNotFinish:
    return CouldNotFinish(
        "{forge} gave an answer that I can't read ({what}). Nothing was started.",
        forge=forge,
        what=quote(what),
    )


def page(forge: str, status: int, undone: str = STARTED) -> CouldNotFinish:
    """Returns the error for a web page that comes instead of data."""
    return CouldNotFinish(
        "A web page came instead of {forge}'s data (status {status}): a proxy's, a sign-in page, "
        "or {variable} is not the API's address {example}. {undone}",
        forge=forge,
        status=status,
        variable=_API.get(forge) or say("the API address"),
        example=_EXAMPLE.get(forge, ""),
        undone=say(undone),
    )


def preparing(short: str) -> CouldNotFinish:
    return CouldNotFinish(
        "GitLab is still preparing {short}, so there is no diff yet. That takes some seconds "
        "after a merge request is opened; one without a commit never gets a diff. Nothing was "
        "started. Try again in a minute.",
        short=short,
    )


def files_cut(forge: str, listed: int, change: str) -> str:
    """Returns the note for a list of files that ends before the change does."""
    return stored(
        "{forge} lists {why_files} of a {change} and no more; the files after them were not seen.",
        forge=forge,
        why_files=stored_many(listed, "{n} file", "{n} files"),
        change=change,
    )


def made_from_versions(forge: str, files: int) -> str:
    """Returns the note for files whose diff was made here."""
    return stored(
        "The diff of {why_files} was made from both versions, because {forge} gives none.",
        why_files=stored_many(files, "{n} file", "{n} files"),
        forge=forge,
    )


def moved(short: str) -> CouldNotFinish:
    return CouldNotFinish(
        "The branch of {short} moved twice while I was reading it. Nothing was started. Try again "
        "later.",
        short=short,
    )


def refused(
    forge: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    now: datetime,
    *,
    linked: bool = True,
    undone: str = STARTED,
) -> CouldNotFinish:
    """Returns the error for a forge's status of 400 and above, except 404.

    ``linked`` is True if a token was sent, ``undone`` which work did not happen because of it.
    """
    message = _message(body)
    limited = _free_at(headers, now)
    if status == 429 or (
        status == 403 and (limited is not None or "rate limit" in message.lower())
    ):
        return _rate_limited(
            forge,
            limited,
            now,
            "" if linked else f" {say(_FEW_CALLS, setup=_SETUP)}",
            undone,
        )
    if status == 401:
        text = _NO_LONGER if linked else _WANTS_TOKEN
        return NotAllowed(
            text, forge=forge, token=_TOKEN[forge], setup=_LINK[forge], undone=say(undone)
        )
    words = (quote(message) or say("no reason given")).rstrip(".")
    partly = "" if undone in (STARTED, POSTED) else f" {say(undone)}"
    if status == 403:
        return NotAllowed(
            "{forge} refused: {words}.{partly} {rights}",
            forge=forge,
            words=words,
            partly=partly,
            rights=say(RIGHTS),
        )
    if status >= 500:
        return CouldNotFinish(
            "{forge} is having trouble (status {status}). {undone} Try again in a few minutes.",
            forge=forge,
            status=status,
            undone=say(undone),
        )
    return NotAllowed(
        "{forge} refused with status {status}: {words}.{partly}",
        forge=forge,
        status=status,
        words=words,
        partly=partly,
    )


def _rate_limited(
    forge: str, free_at: datetime | None, now: datetime, advice: str, undone: str
) -> RateLimited:
    if free_at is None:
        text = say(
            "{forge}'s limit is used up. Try again in some minutes.{advice}",
            forge=forge, advice=advice,
        )  # fmt: skip
        return RateLimited(text, None)
    wait = max(60, 60 * ceil((free_at - now).total_seconds() / 60))
    text = say(
        "{forge}'s limit is used up; free again at {time} UTC (in {long}). {undone}{advice}",
        forge=forge,
        time=f"{free_at:%H:%M}",
        long=say_stored(lasting(wait)),
        undone=say(undone),
        advice=advice,
    )
    return RateLimited(text, free_at)


def _free_at(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Returns the time at which the limit ends, by ``Retry-After`` (seconds) or by the reset time
    of a budget with nothing left.
    """
    wait = headers.get("retry-after", "")
    if wait.isdecimal() and len(wait) < 7:
        return now + timedelta(seconds=int(wait))
    reset = headers.get("x-ratelimit-reset") or headers.get("ratelimit-reset") or ""
    remaining = headers.get("x-ratelimit-remaining") or headers.get("ratelimit-remaining")
    if remaining == "0" and reset.isdecimal() and len(reset) < 12:
        return datetime.fromtimestamp(int(reset), UTC)
    return None


def _message(body: bytes) -> str:
    try:
        answer = read_object(body)
    except NoDocument:
        return ""
    parts = (answer.get("message") or answer.get("error"), answer.get("errors"))
    return ": ".join(filter(None, (_flat(each, 3) for each in parts)))


def _flat(errors: object, deep: int) -> str:
    """Returns errors as one text: GitLab gives lists of sentences by the field that they are
    about, GitHub a list of sentences or of objects.
    """
    match errors:
        case str():
            return errors
        case list():
            return ", ".join(filter(None, (_flat(each, deep) for each in errors[:5])))
        case {"message": str(message)}:
            return message
        case dict() if deep:
            return "; ".join(f"{field} {_flat(each, deep - 1)}" for field, each in errors.items())
        case _:
            return ""
