"""Checks the additions of one plugin: each is of the kind that its hook promises, and no name
belongs to the program or another plugin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from adapters.forges.plugged import Forge
from adapters.material.scanners import GITHUB, Scan
from adapters.material.settings import standard_hosts
from adapters.ports.platform import ChatPlatform
from adapters.redaction.texts import one_line
from bot.plugins import Plugin, Plugins
from bot.plugins.forges import guarded_forge
from bot.plugins.models import PaidModel, PluginModel, is_our_model
from core.application.place import PROGRAM, SHELL
from core.debate.due.guards import GUARDS
from core.debate.errors import BadInput
from core.debate.formats import FORMATS, Format, Plan
from core.debate.replies.tasks import TASKS
from core.debate.script import Script
from core.debate.template import Template

_ROLE = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


def guarded(plugin: str, bare: Format) -> Format:
    """Returns the same format with every fault turned into a ``BadInput`` that names the plugin."""

    def compile(template: Template, plan: Plan, rng: Random) -> Script:
        who = f"the format {bare.name} of {plugin}"
        try:
            script = bare.compile(template, plan, rng)
        except BadInput:
            raise
        except (Exception, SystemExit) as error:
            why = one_line(f"{type(error).__name__}: {error}").text
            raise BadInput(f"{who} failed: {why}") from error
        if not isinstance(script, Script):
            raise BadInput(f"{who} made no script but {type(script).__name__}")
        if fault := next(_faults(script, bare.name), ""):
            raise BadInput(f"{who} made a script that can't be played: {fault}")
        return script

    return replace(bare, compile=compile)


def _faults(script: Script, name: str) -> Iterator[str]:
    """Returns the faults of a script beyond those that it refuses by itself."""
    if script.format != name:
        yield f"it is called {script.format!r}"
    if not script.voters:
        yield "nobody in it votes"
    for seat in script.seats:
        if not _ROLE.fullmatch(seat.role) or not _ROLE.fullmatch(seat.id):
            yield f"{seat.id[:40]!r} is no name of a seat"
    for turn in script:
        if turn.task not in TASKS:
            yield f"{turn.task!r} is no task; there are {', '.join(TASKS)}"
        if turn.when and turn.when not in GUARDS:
            yield f"{turn.when!r} is no guard; there are {', '.join(GUARDS)}"


_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*", re.ASCII)
_LONGEST = 60
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII)
_OUR_FORGES = frozenset({"github", "gitlab", "git", "forge", "attachment", "stdin"})
_OUR_HOSTS = standard_hosts()
_OUR_PLACES = _OUR_FORGES | {"slack", "discord", "room", PROGRAM, SHELL}


def with_additions(plugin: Plugin, answers: Mapping[str, Any], before: Plugins) -> Plugin:
    """Returns the plugin with the results of its hooks in the form that the program uses. Raises
    ``BadInput``.
    """
    formats = _formats(plugin.distribution, answers, before)
    plugin = replace(
        plugin,
        models=_models(plugin.distribution, answers, before),
        formats=formats,
        templates=_templates(answers, before, formats),
        scanners=_scanners(answers, before),
        forges=_forges(answers, before),
        chats=_chats(answers, before),
    )
    names = list(plugin.names())
    if twice := [f"{kind} {name}" for kind, name in names if names.count((kind, name)) > 1]:
        raise BadInput(f"it brings the {twice[0]} twice")
    return plugin


def _require_free(before: Plugins, kind: str, name: str, *, ours: bool) -> None:
    """Raises ``BadInput`` if a name is taken, or is none."""
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise BadInput(
            f"{name[:_LONGEST]!r} is no name for a {kind}: small letters and digits, with "
            "single . _ or - between"
        )
    if ours:
        raise BadInput(f"it brings a {kind} called {name!r}, and the program has one already")
    for other in before.all:
        if (kind, name) in other.names():
            raise BadInput(f"it brings a {kind} called {name!r}, which {other.distribution} brings")


def _models(plugin: str, answers: Mapping[str, Any], before: Plugins) -> Mapping[str, PluginModel]:
    given = _mapping("register_models", answers)
    for name, ask in given.items():
        _require_free(before, "model", name, ours=is_our_model(name))
        if not callable(ask) and not isinstance(ask, PaidModel):
            raise BadInput(f"the model {name!r} is no async function")
        if isinstance(ask, PaidModel) and not min(ask.prompt, ask.completion) >= 0:
            raise BadInput(f"the model {name!r} has no price of zero or more")
    return {name: PluginModel.of(name, ask, plugin) for name, ask in given.items()}


def _formats(plugin: str, answers: Mapping[str, Any], before: Plugins) -> tuple[Format, ...]:
    given = _sequence("register_formats", answers, Format)
    for each in given:
        _require_free(before, "format", each.name, ours=each.name in FORMATS)
    return tuple(guarded(plugin, each) for each in given)


def _templates(
    answers: Mapping[str, Any], before: Plugins, formats: Sequence[Format]
) -> tuple[Template, ...]:
    from adapters.templates.catalogue import builtin, plain
    from adapters.templates.loading import load

    there = {
        **FORMATS,
        **{one.name: one for one in before.formats},
        **{each.name: each for each in formats},
    }
    templates = tuple(load(text, there) for text in _sequence("register_templates", answers, str))
    for template in templates:
        _require_free(before, "template", template.id, ours=plain(template.id) in builtin())
    return templates


def _scanners(answers: Mapping[str, Any], before: Plugins) -> Mapping[str, Scan]:
    given = _mapping("register_scanners", answers)
    for name, scan in given.items():
        _require_free(before, "scanner", name, ours=name == GITHUB)
        if not callable(scan):
            raise BadInput(f"the scanner {name!r} is no async function")
    return given


def _forges(answers: Mapping[str, Any], before: Plugins) -> tuple[Forge, ...]:
    given = _sequence("register_forges", answers, Forge)
    for each in given:
        _require_free(before, "forge", each.links.name, ours=each.links.name in _OUR_FORGES)
        if not _HOST.fullmatch(each.host) or "{repo}" not in each.links.page:
            raise BadInput(f"the forge {each.links.name} names no host and page of a change")
        if each.host in before.forges or each.host in _OUR_HOSTS:
            raise BadInput(f"{each.host} is read by another forge")
    return tuple(guarded_forge(each) for each in given)


def _chats(answers: Mapping[str, Any], before: Plugins) -> tuple[ChatPlatform, ...]:
    given = _sequence("register_chats", answers, ChatPlatform)
    for each in given:
        _require_free(before, "chat", each.name, ours=each.name in _OUR_PLACES)
    return tuple(given)


def _mapping(hook: str, answers: Mapping[str, Any]) -> Mapping[str, Any]:
    answer = answers.get(hook, {})
    if not isinstance(answer, Mapping):
        raise BadInput(f"{hook} gave no mapping but {type(answer).__name__}")
    if odd := [name for name in answer if not isinstance(name, str)]:
        raise BadInput(f"{hook} gave {odd[0]!r} as a name")
    return answer


def _sequence(hook: str, answers: Mapping[str, Any], kind: type) -> Sequence[Any]:
    answer = answers.get(hook, ())
    if isinstance(answer, str) or not isinstance(answer, Sequence):
        raise BadInput(f"{hook} gave no list but {type(answer).__name__}")
    for each in answer:
        if not isinstance(each, kind):
            raise BadInput(f"{hook} gave {type(each).__name__} where {kind.__name__} belongs")
    return answer
