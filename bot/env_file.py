"""The ``.env`` file: when it is read, which of its names count, and the warnings about it.

The working folder may be anyone's repository, and a file there could send keys away or run code. So
only ``serve`` reads its folder's file by itself, and so do ``open``, ``init`` and ``doctor``, which
look after its bot; ``DEBATE_ENV_FILE`` names one for every command, and only names that the program
lists count. People run ``doctor`` to look around, also in a stranger's folder: a file whose
addresses would receive secrets of the environment is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from io import StringIO
from pathlib import Path

from adapters.processes.files import read_regular
from core.debate.errors import BadInput
from core.debate.material.escaping import show_path

LONGEST = 100_000  # bytes
_HOST_TOKEN = re.compile(r"(?:GITHUB|GITLAB)_TOKEN_[A-Z0-9_]+", re.ASCII)
NETWORK = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE")
"""The names by which a network's proxy and authority are known to everybody."""
_ADDRESS = re.compile(
    r"[A-Z0-9_]+_(?:API_URL|GATEWAY_URL|API_BASE|BASE_URL)|DEBATE_MODELS_FILE|OLLAMA_HOST"
    r"|(?:HTTPS?|ALL)_PROXY|SSL_CERT_FILE"
)
_KEPT = re.compile(r"[A-Z0-9_]+_(?:TOKEN|SECRET|KEY)(?:_[A-Z0-9_]+)?")
"""Parts of names whose values are secrets and must be sent to nobody by mistake."""


class Trust(Enum):
    """The trust in the ``.env`` file of the working folder."""

    NOT = "not"  # only one that DEBATE_ENV_FILE names
    CAREFUL = "careful"  # unless secrets of the environment would be sent somewhere
    WHOLE = "whole"


def place_of(named: str, folder: Path) -> Path:
    """Returns the file that is read: the ``named`` one, else that of the folder."""
    return folder / Path(named or ".env").expanduser()


def read(
    environ: Mapping[str, str], folder: Path, ours: Collection[str], trust: Trust
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Returns the names and values that count, and a warning for the person. ``ours`` are the names
    that the program reads itself; those of providers are listed here. Raises ``BadInput`` for a
    file that is needed and cannot be read.
    """
    named = environ.get("DEBATE_ENV_FILE", "").strip()
    path = place_of(named, folder)
    if not named and trust is Trust.NOT:
        return {}, _unread(path, environ, ours)
    values = _parsed(path, needed=bool(named))
    taken = {name: value for name, value in values.items() if takes(name, ours)}
    if not named and trust is Trust.CAREFUL and (warning := _would_send(path, taken, environ)):
        return {}, (warning,)
    return taken, _warning(path, values, taken)


def takes(name: str, ours: Collection[str]) -> bool:
    """Return whether a ``.env`` file may set ``name``."""
    from adapters.models.catalogue.keys import is_key, is_setting

    if name in NETWORK:
        return True
    return name in ours or bool(_HOST_TOKEN.fullmatch(name)) or is_key(name) or is_setting(name)


def _parsed(path: Path, *, needed: bool) -> dict[str, str]:
    """Parses a file without expanding ``$``, which passwords contain. A missing file is empty,
    unless it is ``needed``.
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
    return parsed(text)


def parsed(text: str) -> dict[str, str]:
    """Returns the values of a file, unchanged."""
    from dotenv import dotenv_values

    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


def _warning(path: Path, texts: Collection[str], taken: Collection[str]) -> tuple[str, ...]:
    if not texts:
        return ()
    left = sorted(name for name in texts if name not in taken)
    more = ""
    if left:
        more = f"; not on my list and left out: {_listed(left)}"
    count = f"{len(taken)} setting{'' if len(taken) == 1 else 's'}"
    return (f"{show_path(str(path))}: {count} taken{more}.",)


def _unread(path: Path, environ: Mapping[str, str], ours: Collection[str]) -> tuple[str, ...]:
    """Returns a line about an ignored file that would change something, "" if it would not."""
    try:
        values = _parsed(path, needed=False)
    except BadInput:
        return ()
    names = sorted(name for name in values if takes(name, ours) and name not in environ)
    if not names:
        return ()
    why = "only commands that look after a bot (serve, init, doctor, setup, db …) read that file"
    instead = "If you trust it: export DEBATE_ENV_FILE=.env"
    return (f"{show_path(str(path))} names {_listed(names)} and is not read: {why}. {instead}",)


def _would_send(path: Path, taken: Mapping[str, str], environ: Mapping[str, str]) -> str:
    """Warns if addresses of the file would receive secrets of the environment; returns "" if none
    would.
    """
    addresses = sorted(name for name in taken if _ADDRESS.fullmatch(name) and name not in environ)
    secrets = sorted(name for name, value in environ.items() if value and _KEPT.fullmatch(name))
    if not addresses or not secrets:
        return ""
    return (
        f"{show_path(str(path))} is not read: it names {_listed(addresses)}, which would be sent "
        f"what the environment keeps ({_listed(secrets)}). If you trust it: "
        "set DEBATE_ENV_FILE=.env"
    )


def _listed(names: Sequence[str]) -> str:
    rendered = ", ".join(show_path(name)[:40] for name in names[:4])
    if len(names) <= 4:
        return rendered
    return f"{rendered} and {len(names) - 4} more"
