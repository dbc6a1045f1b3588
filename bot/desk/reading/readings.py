"""Notes in the audit log who read or exported which debate."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field

from cachetools import TTLCache

from core.application.desk import Caller
from core.application.place import PROGRAM, platform_of
from storage.audit import Act, Actor, AuditLog

_ONCE_IN = 600.0
"""Seconds within which the same person's readings of the same debate in the same place are one
line.
"""
_MANY = 10_000
ROOM = "room"


def surface_of(caller: Caller) -> str:
    """Names the surface of a request. A page that is open on this machine is neither its
    shell nor a program.
    """
    if caller.program:
        return PROGRAM
    from_room = caller.source.startswith(f"{ROOM}:")
    if from_room:
        return ROOM
    return platform_of(caller.place)


def _noted() -> MutableMapping[tuple[str, str, str], bool]:
    return TTLCache(_MANY, _ONCE_IN)


@dataclass(frozen=True, slots=True)
class ReadingAudit:
    audit: AuditLog
    _noted: MutableMapping[tuple[str, str, str], bool] = field(default_factory=_noted)

    async def note(self, caller: Caller, debate: str, form: str = "") -> None:
        """Records that a debate is shown, or exported in a ``form``; the record is durable before
        the debate is shown.
        """
        key = (caller.person, caller.place, debate)
        if not form and key in self._noted:
            return
        by = Actor(caller.person, surface_of(caller), caller.place)
        act = Act("export", debate, {"as": form}) if form else Act("read", debate)
        await self.audit.append(by, act)
        if not form:
            self._noted[key] = True

    async def note_linked(self, debate: str) -> None:
        """Records that a person outside read a debate by a link."""
        if ("", "", debate) not in self._noted:
            await self.audit.append(Actor("", "link"), Act("read", debate))
            self._noted["", "", debate] = True
