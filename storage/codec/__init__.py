"""Turns events and commands into JSON-able data, and back, for ever.

Stored data outlives the code that wrote it. So each stored event carries its kind and a version,
and a change that makes old data unreadable needs an entry in ``storage.codec.upgrades``: a function
from the payload of one version to that of the next. A new field with a default needs none. Nothing
here drops or guesses: an unknown kind or version is an error that says so.

Events are read by several threads. msgspec learns a type when it is first read, and two threads
that learn one at the same moment crash the process, so a codec has all its types learned at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast, get_args

import msgspec

from core.debate.commands import Command
from core.debate.errors import CouldNotFinish
from core.debate.events import Event, UnknownEvent
from core.words.receipt.canonical import digest
from storage.codec.upgrades import UPGRADES, Payload, Upgrade

T = TypeVar("T")


class UnknownFormat(CouldNotFinish):
    """Stored data has a kind, version or shape that this release does not know."""


class Codec(Generic[T]):
    """Converts between one closed union of frozen dataclasses and their stored form: kind, version
    and payload. ``unknown`` is the union's member for data that a newer release stored;
    ``renamed`` are old kinds by today's.
    """

    def __init__(
        self,
        union: object,
        upgrades: Mapping[str, Mapping[int, Upgrade]],
        unknown: type[UnknownEvent] | None = None,
        renamed: Mapping[str, str] = {},
    ) -> None:
        self._unknown = unknown
        known = [cls for cls in get_args(union) if cls is not unknown]
        self.types: dict[str, type[T]] = {kind_of(cls): cls for cls in known}
        self._kinds = {cls: kind for kind, cls in self.types.items()}
        self.types |= {old: self.types[new] for old, new in renamed.items()}
        self._upgrades = upgrades
        for cls in self.types.values():
            msgspec.json.Decoder(cls)

    def version(self, kind: str) -> int:
        """Returns the version that is written now."""
        return max(self._upgrades.get(kind, {}), default=0) + 1

    def knows(self, kind: str, version: int) -> bool:
        return kind in self.types and version <= self.version(kind)

    def kind_and_version(self, item: T) -> tuple[str, int]:
        """Returns the stored kind and version of ``item``. Raises ``KeyError`` for a type outside
        the union.
        """
        if isinstance(item, UnknownEvent):
            return item.kind, item.version
        kind = self._kinds[type(item)]
        return kind, self.version(kind)

    def encode(self, item: T) -> tuple[str, int, Payload]:
        """Returns the stored form of ``item``. Raises ``KeyError`` for a type outside the union."""
        payload = msgspec.to_builtins(payload_of(item), enc_hook=_plain)
        return *self.kind_and_version(item), payload

    def decode(self, kind: str, version: int, payload: Payload) -> T:
        """Returns the stored item as today's type. Raises ``UnknownFormat``."""
        newest = self.version(kind)
        if not self.knows(kind, version):
            if self._unknown is not None:
                return cast("T", self._unknown(kind, version, payload))
            raise UnknownFormat(
                f"The store holds {kind!r} version {version}, written by a newer release: update "
                "debatebot to read it."
            )
        cls = self.types[kind]
        for step in range(version, newest):
            payload = self._upgrades[kind][step](payload)
        try:
            return msgspec.convert(payload, cls)
        except msgspec.ValidationError as err:
            raise UnknownFormat(
                f"The store holds {kind!r} (version {version}) that cannot be read: {err}"
            ) from err


def kind_of(cls: type) -> str:
    """Returns the stored name of a type: its own in snake case. A type that is renamed therefore
    needs its old kind preserved.
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


def payload_of(item: object) -> object:
    """Returns the fields of an item that form its payload."""
    return item.payload if isinstance(item, UnknownEvent) else item


RENAMED = {
    "resolve_outcome": "outcome_resolved",
    "judge_finding": "finding_judged",
    "rate_verdict": "verdict_rated",
    "ask_held": "follow_up_due",
    "note_forge": "forge_noted",
    "note_wait": "wait_noted",
}
"""Kinds of commands under which older releases stored what today's types hold."""
EVENTS: Codec[Event] = Codec(Event, UPGRADES, UnknownEvent)
COMMANDS: Codec[Command] = Codec(Command, UPGRADES, renamed=RENAMED)


def event_hash(event: Event) -> str:
    """Returns the hash that the event has in its debate's chain if it is stored today."""
    kind, version = EVENTS.kind_and_version(event)
    payload = msgspec.json.decode(dump(payload_of(event)))
    return digest({"kind": kind, "version": version, "payload": payload})


def dump(value: Any) -> str:
    """Returns JSON text of any value made of our dataclasses and builtins; half a surrogate pair,
    which no database accepts, becomes "?".
    """
    try:
        return msgspec.json.encode(value, enc_hook=_plain).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_clean(msgspec.to_builtins(value, enc_hook=_plain))).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be stored")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value
