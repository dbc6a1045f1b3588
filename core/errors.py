"""One family of errors, sorted by who can mend them.

The message of an error is written for the person who reads it: what happened and what to do next.
It never holds a secret; whoever builds an error from foreign text redacts that text first. The
vendor's own error is kept as ``__cause__``.
"""

from __future__ import annotations

import sys


class DebateError(Exception):
    """Base of all errors that are shown to people.

    ``exit_code`` is what the shell returns for it.
    """

    exit_code = 3


class BadInput(DebateError):
    """The person or the configuration asked for something that cannot be: nothing was started,
    nothing was stored.
    """

    exit_code = 2


class Refused(DebateError):
    """The command was understood and is not allowed now (wrong state, not permitted).

    Nothing changed.
    """

    exit_code = 2


class NothingNew(BadInput):
    """A change that was debated before has nothing to debate again."""


class CouldNotFinish(DebateError):
    """Something outside failed: a provider, a forge, a budget. Trying again later can help."""

    exit_code = 3


class NeedsNewer(CouldNotFinish):
    """A debate holds what only a newer release can play."""


class StoreAway(CouldNotFinish):
    """The database does not answer, or takes nothing now. What was stored before stays."""


class ModelError(CouldNotFinish):
    """A model call failed. ``kind`` says how; ``retry_after`` is in seconds where the provider
    named it.

    kinds: no_key, bad_key, no_credit, rate_limited, context_too_long, refused_by_policy,
    provider_down, timeout, bad_reply.
    """

    def __init__(self, kind: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


def brought_by(extra: str, prefix: str = sys.prefix) -> str:
    """What to type for a part of the program that comes when it is asked for: the command of the
    tool that made the environment at ``prefix``, for another's would put it elsewhere.
    """
    part = f"'debatebot[{extra}]'"
    match prefix.replace("\\", "/").rstrip("/").split("/"):
        case [*_, "pipx", "venvs", name]:
            return f"pipx runpip {name} install {part}"
        case [*_, "uv", "tools", _]:
            return f"uv tool install {part}"
        case [*parents, _] if any(one.startswith("archive-v") for one in parents):
            return f"uvx {part}"
        case _:
            return f"pip install {part}"


class Fenced(Exception):
    """Another process has taken this debate over: stop at once and touch nothing.

    Never shown to people.
    """
