"""The additions of one plugin, by kind. This module is light to import: a program without plugins
pays for none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapters.forges.plugged import Forge
    from adapters.material.scanners import Scan
    from adapters.ports.platform import ChatPlatform
    from bot.plugins.models import PluginModel
    from core.debate.formats import Format
    from core.debate.template import Template


@dataclass(frozen=True, slots=True)
class Brought:
    """The additions of one plugin."""

    models: Mapping[str, PluginModel] = field(default_factory=dict)
    formats: tuple[Format, ...] = ()
    templates: tuple[Template, ...] = ()
    scanners: Mapping[str, Scan] = field(default_factory=dict)
    forges: tuple[Forge, ...] = ()
    chats: tuple[ChatPlatform, ...] = ()

    def names(self) -> Iterator[tuple[str, str]]:
        """Returns the kind and the name of each addition."""
        yield from (("model", name) for name in self.models)
        yield from (("format", each.name) for each in self.formats)
        yield from (("template", each.id) for each in self.templates)
        yield from (("scanner", name) for name in self.scanners)
        yield from (("forge", each.links.name) for each in self.forges)
        yield from (("chat", each.name) for each in self.chats)

    @property
    def sentence(self) -> str:
        """Lists the names by their kind, for people."""
        by_kind: dict[str, list[str]] = {}
        for kind, name in self.names():
            by_kind.setdefault(f"{kind}s", []).append(name)
        listed = "; ".join(f"{kind} {', '.join(names)}" for kind, names in by_kind.items())
        return f"It brings {listed or 'nothing'}."
