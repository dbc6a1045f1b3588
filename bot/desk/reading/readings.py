"""Notes in the audit log who read or exported which debate."""

from __future__ import annotations

from bot.desk.parts import DeskParts
from core.application.desk import Caller
from core.application.place import PROGRAM, ROOM, platform_of
from storage.audit import Act, Actor


def surface_of(caller: Caller) -> str:
    """Names the surface of a request. A page that is open on this machine is neither its
    shell nor a program.
    """
    if caller.program:
        return PROGRAM
    if caller.source.startswith(f"{ROOM}:"):
        return ROOM
    return platform_of(caller.place)


async def note_reading(desk: DeskParts, caller: Caller, debate: str, form: str = "") -> None:
    """Records that a debate is shown, or exported in a ``form``; the record is durable before
    the debate is shown.
    """
    key = (caller.person, caller.place, debate)
    if not form and key in desk.read:
        return
    by = Actor(caller.person, surface_of(caller), caller.place)
    act = Act("export", debate, {"as": form}) if form else Act("read", debate)
    await desk.stores.audit.append(by, act)
    if not form:
        desk.read[key] = True
