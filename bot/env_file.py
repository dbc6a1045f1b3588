"""The ``.env`` file: whether it is read, what of it is taken, and what is said about that.

The folder that somebody stands in may be anybody's repository, and a file that is obeyed there
can send keys away or run code. So only ``serve`` reads the file of its folder by itself,
``DEBATE_ENV_FILE`` names one for every command, and only names that we know are taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from pathlib import Path

from adapters.processes.files import read_regular
from core.errors import BadInput
from core.material.escaping import show_path

LONGEST = 100_000  # bytes
_HOST_TOKEN = re.compile(r"(?:GITHUB|GITLAB)_TOKEN_[A-Z0-9_]+", re.ASCII)


def read(
    environ: Mapping[str, str], folder: Path, ours: Collection[str], *, serving: bool
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """(names and values that are taken, what a person should know of it).

    ``ours`` are the names that we read ourselves; those of providers are known here. Raises
    ``BadInput`` for a file that is needed and cannot be read.
    """
    named = environ.get("DEBATE_ENV_FILE", "").strip()
    path = folder / Path(named or ".env").expanduser()
    if not named and not serving:
        return {}, _unread(path, environ, ours)
    found = _parsed(path, needed=bool(named))
    taken = {name: value for name, value in found.items() if takes(name, ours)}
    return taken, _said(path, found, taken)


def takes(name: str, ours: Collection[str]) -> bool:
    """Whether a ``.env`` file may set ``name``."""
    from adapters.models.catalogue.keys import is_key, is_setting

    return name in ours or bool(_HOST_TOKEN.fullmatch(name)) or is_key(name) or is_setting(name)


def _parsed(path: Path, *, needed: bool) -> dict[str, str]:
    """``$`` stands for itself, for passwords contain it. A file that is not there is empty, unless
    it is ``needed``.
    """
    try:
        text = read_regular(path, LONGEST).decode("utf-8-sig")
    except FileNotFoundError as error:
        if not needed:
            return {}
        raise BadInput(f"DEBATE_ENV_FILE names {path}, which is not there.") from error
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadInput(f"{path} cannot be read: {why}. Write lines NAME=value in UTF-8.") from error
    from dotenv import dotenv_values

    found = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in found.items() if value is not None}


def _said(path: Path, found: Collection[str], taken: Collection[str]) -> tuple[str, ...]:
    if not found:
        return ()
    left = sorted(name for name in found if name not in taken)
    more = ""
    if left:
        more = f"; not on my list and left out: {_listed(left)}"
    count = f"{len(taken)} setting{'' if len(taken) == 1 else 's'}"
    return (f"{show_path(str(path))}: {count} taken{more}.",)


def _unread(path: Path, environ: Mapping[str, str], ours: Collection[str]) -> tuple[str, ...]:
    """Says that a file lies there which would change something, where it would."""
    try:
        found = _parsed(path, needed=False)
    except BadInput:
        return ()
    names = sorted(name for name in found if takes(name, ours) and name not in environ)
    if not names:
        return ()
    why = "only `debate serve` reads the .env file of its folder by itself"
    instead = "Set DEBATE_ENV_FILE to that file where you trust it."
    return (f"{show_path(str(path))} names {_listed(names)} and is not read: {why}. {instead}",)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(show_path(name)[:40] for name in names[:4])
    if len(names) <= 4:
        return shown
    return f"{shown} and {len(names) - 4} more"
