"""One family of errors, sorted by who can fix them.

The message of an error is written for the person who reads it: what happened and what to do next.
It never holds a secret; code that builds an error from foreign text redacts that text first. The
vendor's own error is retained as ``__cause__``.
"""

from __future__ import annotations

import sys
from enum import StrEnum

from core.debate.usage import Usage


class DebateError(Exception):
    """The base of all errors that are shown to people; ``exit_code`` is the shell's exit status. It
    is stored and logged in English; ``core.languages.say_error`` writes it for its reader.
    """

    exit_code = 3

    def __init__(self, text: str = "", /, **fields: object) -> None:
        super().__init__(text.format(**fields) if fields else text)
        self.text, self.fields = text, fields


class BadInput(DebateError):
    """The person or the configuration asked for something impossible: nothing was started, nothing
    was stored.
    """

    exit_code = 2


class Refused(DebateError):
    """The command was understood and is not allowed now (wrong state, not permitted). Nothing
    changed.
    """

    exit_code = 2


class NothingNew(BadInput):
    """A change that was debated before has nothing new to debate."""


class CouldNotFinish(DebateError):
    """Something outside failed: a provider, a forge, a budget. Trying again later can help."""

    exit_code = 3


class NeedsNewer(CouldNotFinish):
    """A debate needs a newer release to be played."""


class StoreAway(CouldNotFinish):
    """The database does not answer, or accepts no writes now. Data stored before stays."""


class ModelFailure(StrEnum):
    """The kinds of failed model calls; their words are stored with the calls."""

    NO_KEY = "no_key"
    BAD_KEY = "bad_key"
    NO_CREDIT = "no_credit"
    RATE_LIMITED = "rate_limited"
    CONTEXT_TOO_LONG = "context_too_long"
    REFUSED_BY_POLICY = "refused_by_policy"
    PROVIDER_DOWN = "provider_down"
    TIMEOUT = "timeout"
    BAD_REPLY = "bad_reply"


class ModelError(CouldNotFinish):
    """A model call failed. ``kind`` is a ``ModelFailure``, or its word; ``retry_after`` is in
    seconds if the provider named it; ``usage`` is what the provider charges all the same, None if
    nothing. Raises ``ValueError`` for another word.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = ModelFailure(kind)
        self.retry_after = retry_after
        self.usage = usage


def brought_by(extra: str) -> str:
    """Returns the command that installs an optional part of the program with the tool that made the
    environment; another tool's would install it elsewhere.
    """
    part = f"'debatebot[{extra}]'"
    match sys.prefix.replace("\\", "/").rstrip("/").split("/"):
        case [*_, "pipx", "venvs", name]:
            return f"pipx runpip {name} install {part}"
        case [*_, "uv", "tools", _]:
            return f"uv tool install {part}"
        case [*parents, _] if any(one.startswith("archive-v") for one in parents):
            return f"uvx {part}"
        case _:
            return f"pip install {part}"


class Fenced(Exception):
    """Another process has taken this debate over: stop at once and change nothing. Never shown to
    people.
    """
