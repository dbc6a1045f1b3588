"""The room's settings, given when it is built; nothing here reads the environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adapters.templates.sources import SHIPPED, TemplateSources
from adapters.text.links import HOSTS


@dataclass(frozen=True, slots=True)
class RoomSettings:
    """``public_url`` is the address that people reach, empty if only this machine does. ``hosts``
    may be linked to, ``templates`` are further templates; ``receipts`` means that they can be
    signed here, ``links`` that people outside may be given some. ``example`` is a change to try the
    room with.
    """

    public_url: str = ""
    hosts: frozenset[str] = HOSTS
    templates: TemplateSources = SHIPPED
    receipts: bool = False
    links: bool = False
    example: Path | None = None

    @property
    def secure(self) -> bool:
        """True if browsers reach it over TLS."""
        return self.public_url.startswith("https://")
