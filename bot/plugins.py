"""What installed packages add: entry points of the group ``debatebot``, called by pluggy.

A plugin runs in the process that plays debates, with all that this may do; the processes that read
foreign text load none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pluggy

from bot.seats import AskModel, OwnModel
from core.errors import BadInput
from core.ports import Model

GROUP = "debatebot"
hookimpl = pluggy.HookimplMarker(GROUP)
_hookspec = pluggy.HookspecMarker(GROUP)


class Hooks:
    """What a plugin may define, each marked with ``debatebot.hookimpl``."""

    @_hookspec
    def register_models(self) -> Mapping[str, AskModel]:  # type: ignore[empty-body]  # a signature
        """Models by name: async functions that answer a ``debatebot.Prompt``."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """``models`` are the names that it adds; ``broken`` says why it could not be loaded."""

    name: str
    version: str
    models: Mapping[str, AskModel]
    broken: str = ""


@cache
def find_plugins() -> tuple[Plugin, ...]:
    """All that is installed, loaded once. One that breaks hides no other."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(
        _loaded(point.name, point.dist.version if point.dist else "", point.load)
        for point in points
    )


def _loaded(name: str, version: str, load: Any) -> Plugin:
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(Hooks)
    try:
        manager.register(load(), name)
        manager.check_pending()
        given: list[Mapping[str, AskModel]] = manager.hook.register_models()
    except Exception as error:  # noqa: BLE001  a stranger's code: what it raises is said
        return Plugin(name, version, {}, f"{type(error).__name__}: {error}"[:200])
    return Plugin(name, version, {key: ask for one in given for key, ask in one.items()})


def plugin_models() -> dict[str, Model]:
    """Models of all plugins by name. Raises ``BadInput`` where two share one."""
    models: dict[str, Model] = {}
    for plugin in find_plugins():
        for name, ask in plugin.models.items():
            if name in models:
                raise BadInput(f"Two plugins add a model called {name!r}: remove one of them.")
            models[name] = OwnModel(name, ask, family=plugin.name)
    return models


def plugin_lines() -> list[str]:
    """One line for each plugin, for people."""
    lines = []
    for plugin in find_plugins():
        title = f"{plugin.name} {plugin.version}".strip()
        if plugin.broken:
            lines.append(f"{title}: can't be loaded ({plugin.broken})")
        else:
            lines.append(f"{title}: models {', '.join(plugin.models) or 'none'}")
    return lines or ["No plugins are installed."]
