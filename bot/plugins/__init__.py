"""Installed packages that add something: entry points of the group ``debatebot``, run only if the
operator names their distribution.

A plugin runs in the process that plays debates, with all its permissions; the processes that read
foreign text load none.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from threading import Timer
from typing import TYPE_CHECKING, Any

from core.debate.errors import DebateError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from adapters.forges.plugged import Forge
    from adapters.forges.port import Host
    from adapters.material.scanners import Scan
    from adapters.ports.platform import ChatPlatform
    from bot.plugins.models import PluginModel
    from core.debate.formats import Format
    from core.debate.ports import Price
    from core.debate.template import Template

logger = logging.getLogger(__name__)
_SLOW = 10.0
"""Seconds after which a plugin that is still being loaded is named."""


class PluginState(StrEnum):
    """The state of a plugin: whether it runs."""

    LOADED = "loaded"
    UNNAMED = "unnamed"  # it is installed, and the operator does not name it
    BROKEN = "broken"
    MISSING = "missing"  # the operator names it, and it is not installed


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin, with its additions. ``name`` is its entry point's, empty if there is none;
    ``why`` says why it is broken.
    """

    distribution: str
    version: str = ""
    name: str = ""
    state: PluginState = PluginState.UNNAMED
    why: str = ""
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
    def title(self) -> str:
        """Returns the distribution with its version, and the entry point if that has
        another name.
        """
        title = f"{self.distribution} {self.version}".strip()
        if not self.name or normal(self.name) == normal(self.distribution):
            return title
        return f"{title} ({self.name})"

    @property
    def sentence(self) -> str:
        """Describes for people whether the plugin runs."""
        match self.state:
            case PluginState.LOADED:
                kinds: dict[str, list[str]] = {}
                for kind, name in self.names():
                    kinds.setdefault(f"{kind}s", []).append(name)
                listed = "; ".join(f"{kind} {', '.join(names)}" for kind, names in kinds.items())
                return f"{self.title}: loaded. It brings {listed or 'nothing'}."
            case PluginState.UNNAMED:
                return f"{self.title}: not loaded, because DEBATE_PLUGINS does not name it."
            case PluginState.BROKEN:
                return f"{self.title}: not loaded, because {self.why}."
            case PluginState.MISSING:
                return f"{self.title}: named in DEBATE_PLUGINS, and not installed here."


@dataclass(frozen=True, slots=True)
class Plugins:
    """All plugins that are installed or named, in the order in which they are loaded."""

    all: tuple[Plugin, ...] = ()

    @property
    def failures(self) -> tuple[Plugin, ...]:
        """Returns the plugins that were named and do not run."""
        return tuple(p for p in self.all if p.state in (PluginState.BROKEN, PluginState.MISSING))

    @property
    def models(self) -> Mapping[str, PluginModel]:
        return {name: model for p in self.all for name, model in p.models.items()}

    @property
    def prices(self) -> Mapping[str, Price]:
        """Returns the prices of plugins' paid models."""
        return {name: each.paid.price for name, each in self.models.items() if each.paid}

    @property
    def formats(self) -> tuple[Format, ...]:
        return tuple(each for p in self.all for each in p.formats)

    @property
    def hosts(self) -> Mapping[str, Host]:
        """Returns the hosts whose links plugins read."""
        from adapters.forges.port import Host

        return {name: Host(forge.links, "") for name, forge in self.forges.items()}

    @property
    def chats(self) -> tuple[ChatPlatform, ...]:
        return tuple(each for p in self.all for each in p.chats)

    @property
    def forges(self) -> Mapping[str, Forge]:
        """Returns plugins' forges by their hosts."""
        return {each.host: each for p in self.all for each in p.forges}

    @property
    def scanners(self) -> Mapping[str, Scan]:
        return {name: scan for p in self.all for name, scan in p.scanners.items()}

    @property
    def templates(self) -> tuple[Template, ...]:
        return tuple(each for p in self.all for each in p.templates)


def normal(distribution: str) -> str:
    """Normalizes a distribution's name for comparison: ``Acme_Debates`` is ``acme-debates``."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def find_plugins(named: Sequence[str] = ()) -> Plugins:
    """Returns all installed plugins, and the ``named`` ones that are not installed; it runs
    none.
    """
    wanted = {normal(name): name for name in named}
    there = [_unnamed(point) for point in _entry_points()]
    known = {normal(plugin.distribution) for plugin in there}
    missing = (
        Plugin(wanted[name], state=PluginState.MISSING) for name in sorted(wanted.keys() - known)
    )
    return Plugins((*there, *missing))


@cache
def load_plugins(named: tuple[str, ...]) -> Plugins:
    """Finds plugins as ``find_plugins`` does and loads those of the ``named`` distributions, once
    in a process. One that breaks hides no other; without a name nothing is searched.
    """
    if not named:
        return Plugins()
    wanted = {normal(name) for name in named}
    there: list[Plugin] = []
    for point in _entry_points():
        plugin = _unnamed(point)
        if normal(plugin.distribution) in wanted:
            with _named_if_slow(plugin):
                plugin = _loaded(plugin, point, Plugins(tuple(there)))
        there.append(plugin)
    missing = (p for p in find_plugins(named).all if p.state is PluginState.MISSING)
    return Plugins((*there, *missing))


@contextmanager
def _named_if_slow(plugin: Plugin) -> Iterator[None]:
    """Warns of a plugin whose code does not come to its end."""
    text = f"{plugin.title} is still being loaded. Without it: take it out of DEBATE_PLUGINS."
    timer = Timer(_SLOW, logger.warning, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _entry_points() -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points

    from bot.plugins.hooks import GROUP

    return iter(sorted(entry_points(group=GROUP), key=lambda p: (_distribution(p), p.name)))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.name


def _unnamed(point: EntryPoint) -> Plugin:
    version = ""
    if point.dist:
        version = point.dist.version
    return Plugin(_distribution(point), version, point.name)


def _loaded(plugin: Plugin, point: EntryPoint, before: Plugins) -> Plugin:
    """Returns the plugin with its additions, none of which may repeat an addition ``before`` it."""
    import pluggy

    from bot.plugins.bringing import with_additions
    from bot.plugins.hooks import GROUP, PluginHooks

    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(PluginHooks)
    try:
        manager.register(point.load(), point.name)
        manager.check_pending()
        loaded = with_additions(plugin, _answers(manager), before)
    except DebateError as error:
        return replace(plugin, state=PluginState.BROKEN, why=_line(str(error)))
    except (Exception, SystemExit) as error:  # noqa: BLE001  a stranger's code may raise anything
        why = _line(f"{type(error).__name__}: {error}")
        return replace(plugin, state=PluginState.BROKEN, why=why)
    return replace(loaded, state=PluginState.LOADED)


def _line(text: str) -> str:
    """Returns a stranger's text on one line and without secrets."""
    from adapters.redaction.texts import one_line

    return one_line(text).text.rstrip(".")


def _answers(manager: Any) -> Mapping[str, Any]:
    from bot.plugins.hooks import PluginHooks

    names = [name for name in vars(PluginHooks) if name.startswith("register_")]
    answers = {name: getattr(manager.hook, name)() for name in names}
    return {name: given[0] for name, given in answers.items() if given}
