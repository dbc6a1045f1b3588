"""The room's places, and what they mean (``core.application.place.PlaceRules``).

A workspace that signs in has one room: ``room:slack:T1/main``. People with the shell's link are in
the shell's place.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.application.place import Person, Place
from core.debate.errors import BadInput

PLATFORM = "room"
_CHANNEL = "main"


def place(workspace: str) -> Place:
    """Returns the room of a workspace, which is named as the store names it: ``slack:T1``."""
    return Place(PLATFORM, workspace, _CHANNEL)


def is_direct(_place: Place) -> bool:
    return False


def workspace_of(place: Place) -> str:
    """Returns the workspace whose people sign in there."""
    return place.workspace or str(place)


def channel_named(text: str) -> str:
    raise BadInput(f"A room is no channel for {text[:40]!r}.")


def known_as(person: Person, places: Sequence[Place]) -> Person:
    return person
