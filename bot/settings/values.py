"""Reads the text of a variable as a value: each reader takes the variable's name and its text, and
raises ``BadInput`` that names the variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from adapters.text.links import address_parts
from core.debate.earned import Gate, Threshold
from core.debate.errors import BadInput

_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_ACCOUNT = re.compile(r"[a-z][\w-]*:\S+")
_PERSON = r"[a-z][\w-]*:[^\s/]+/\S+"
_LEVELS = ("debug", "info", "warning", "error")


def as_text(_name: str, value: str) -> str:
    return value


def as_names(name: str, value: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if value and not names:
        raise BadInput(f"{name} holds only commas: write names between them, or remove it.")
    return names


def as_url(name: str, value: str) -> str:
    return as_address(name, value).rstrip("/")


def as_origin(name: str, value: str) -> str:
    """Reads an address without a path, since links and cookies hold for the whole host."""
    url = address_parts(value)
    if (
        url is None
        or url.scheme not in ("http", "https")
        or url.path.rstrip("/")
        or url.query
        or url.fragment
        or "@" in url.netloc
    ):
        raise BadInput(
            f"{name} is the address of a host of the bot's own, without a path: write it like "
            "https://debates.example.org."
        )
    return f"{url.scheme}://{url.netloc}"


def as_address(name: str, value: str) -> str:
    """Reads an address and keeps it exactly: for a gateway behind a path, the last slash
    matters.
    """
    url = address_parts(value)
    if url is None or url.scheme not in ("http", "https", "ws", "wss"):
        raise BadInput(f"{name} is no address: write it like https://example.org.")
    return value


def as_proof_place(name: str, value: str) -> str:
    """Reads where tests may be run; with ``,forks`` also those of changes that come from forks."""
    where, _, forks = value.replace(" ", "").partition(",")
    kind, _, image = where.partition(":")
    if value.lower() in _OFF:
        return ""
    if kind not in ("sandbox", "ci") or (image and kind != "sandbox") or forks not in ("", "forks"):
        raise BadInput(
            f"{name} says where tests may be run: sandbox, sandbox:IMAGE or ci; ,forks behind it "
            "allows them for changes from forks."
        )
    return value.replace(" ", "")


def as_path(_name: str, value: str) -> Path:
    return Path(value).expanduser()


def as_file(name: str, value: str) -> Path:
    if not Path(value).is_file():
        raise BadInput(f"{name} names {value}, which is not a file.")
    return Path(value)


def _number(value: str) -> float:
    """Returns the number, one below zero for none."""
    try:
        return float(value)
    except ValueError:
        return -1.0


def as_usd(name: str, value: str) -> float:
    usd = _number(value.removeprefix("$"))
    if not 0 <= usd < 1e6:
        raise BadInput(f"{name} is no amount of US dollars: write it like 2.50.")
    return usd


def within(most: float) -> Callable[[str, str], float]:
    """Reads a number from 0 to ``most``."""

    def read(name: str, value: str) -> float:
        number = _number(value)
        if not 0 <= number <= most:
            raise BadInput(f"{name} is a number from 0 to {most:g}.")
        return number

    return read


def as_seconds(name: str, value: str) -> float | None:
    return _duration(name, value, "30m or 2h") or None


def as_keep(name: str, value: str) -> float:
    """Reads how long something is kept; with 0 it is deleted at once."""
    return _duration(name, value, "90d or 12h")


def as_wait(name: str, value: str) -> float:
    """Reads how long something may wait; with 0 it does not."""
    return _duration(name, value, "90s or 5m")


def _duration(name: str, value: str, like: str) -> float:
    from core.application.commands.kinds import seconds

    duration = seconds(value)
    if duration is None:
        raise BadInput(f"{name} is no time: write it like {like}.")
    return duration


def as_long_keep(name: str, value: str) -> float | None:
    """Reads how long something is kept, at least an hour; ``off`` gives None: for ever."""
    duration = as_keep(name, value)
    if 0 < duration < 3600:
        raise BadInput(f"{name} is at least an hour, like 90d; off keeps everything.")
    return duration or None


def as_port(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) <= 65535):
        raise BadInput(f"{name} is no port: a whole number up to 65535 (0 takes any free one).")
    return int(value)


def as_level(name: str, value: str) -> str:
    if value.lower() not in _LEVELS:
        raise BadInput(f"{name} is one of {', '.join(_LEVELS)}.")
    return value.lower()


def one_of(kind: type[StrEnum]) -> Callable[[str, str], StrEnum]:
    """Reads one of a few words."""

    def read(name: str, value: str) -> StrEnum:
        try:
            return kind(value.lower())
        except ValueError:
            raise BadInput(f"{name} is one of {', '.join(kind)}.") from None

    return read


def as_gate(name: str, value: str) -> tuple[Gate, Threshold]:
    """Reads a gate, and for an earned one what must be reached: "earned:0.8" is a precision,
    "earned:0.8@0.95" also how certain it must be.
    """
    word, has_bar, text = value.lower().partition(":")
    if word not in list(Gate) or (has_bar and word != Gate.EARNED):
        raise BadInput(f"{name} is one of {', '.join(Gate)}, or like earned:0.8.")
    threshold = Threshold()
    if has_bar:
        precision, _, certainty = text.partition("@")
        try:
            threshold = Threshold(float(precision), float(certainty or threshold.certainty))
        except ValueError:
            threshold = Threshold(0.0)
        if not (0 < threshold.precision < 1 and 0 < threshold.certainty < 1):
            raise BadInput(
                f"{name}: both numbers of {value!r} are between 0 and 1, like earned:0.8."
            )
    return Gate(word), threshold


def as_switch(name: str, value: str) -> bool:
    if value.lower() not in (*_ON, *_OFF):
        raise BadInput(f"{name} is 1 or 0.")
    return value.lower() in _ON


def as_accounts(name: str, value: str) -> Mapping[str, str]:
    """Reads pairs of accounts that are one person."""
    pairs = [[one.strip() for one in part.split("=")] for part in as_names(name, value)]
    accounts = [account for pair in pairs for account in pair]
    if any(len(pair) != 2 for pair in pairs) or not all(map(_ACCOUNT.fullmatch, accounts)):
        raise BadInput(f"{name} is a comma list of accounts, like github:ann=slack:T1/U1.")
    return dict(pairs)


def _each(name: str, value: str, form: str, kind: str, like: str) -> tuple[str, ...]:
    """Reads a comma list whose every member has the ``form``."""
    members = as_names(name, value)
    if odd := next((member for member in members if not re.fullmatch(form, member)), ""):
        raise BadInput(
            f"{name}: {odd!r} is no {kind}. Write names like {like} with commas between them."
        )
    return members


def as_hosts(name: str, value: str) -> tuple[str, ...]:
    form = r"[a-z0-9.-]+(?::\d+)?"
    return _each(name, value.lower(), form, "host's name", "git.acme.com")


def as_people(name: str, value: str) -> frozenset[str]:
    return frozenset(_each(name, value, _PERSON, "person", "slack:T1/U1"))


def as_starters(name: str, value: str) -> frozenset[str]:
    """Reads people; the word "admins" means those of a workspace."""
    return frozenset(_each(name, value, f"admins|{_PERSON}", "person", "slack:T1/U1 or admins"))


def as_workspaces(name: str, value: str) -> frozenset[str]:
    form = r"[a-z][\w-]*:[^\s/]+"
    return frozenset(_each(name, value, form, "workspace or server", "slack:T1 or discord:G1"))


def as_whole(name: str, value: str) -> int:
    """Reads a whole number of one or more."""
    if not (value.isascii() and value.isdigit() and 0 < int(value) < 1e9):
        raise BadInput(f"{name} is a whole number of 1 or more.")
    return int(value)


def as_local(name: str, value: str) -> str:
    """Reads the address of a server of this network, which may have no scheme."""
    as_address(name, value if "//" in value else f"http://{value}")
    return value
