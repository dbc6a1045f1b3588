"""The commands that only the shell has: they run the bot, look after the installation, and check a
receipt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import iscoroutine

from adapters.terminal.printing import put
from bot.settings import Settings
from core.application.commands.help import example
from core.debate.errors import BadInput
from core.languages import say

COMMANDS: Mapping[str, str] = {
    "init": "setup.init:init",
    "serve": "serve:serve",
    "open": "links:print_link",
    "tokens": "tokens:tokens",
    "mcp": "mcp:mcp",
    "doctor": "setup.doctor:doctor",
    "verify": "verify:verify",
    "forget": "forget:forget",
    "audit": "audit:audit",
    "db": "db:db",
    "completion": "maintain:complete",
    "eval": "evaluate:evaluate",
    "calibrate": "evaluate.calibrate:calibrate",
    "plugins": "maintain:plugins",
    "docs": "docs:docs",
}
"""The module and the function of each command; a module is loaded when its command is typed."""


def run(command: str, typed: Sequence[str], settings: Settings) -> int:
    """Runs a command with the words behind it and returns its exit code."""
    module, _, function = COMMANDS[command].partition(":")
    code = getattr(import_module(f"{__package__}.{module}"), function)(typed, settings)
    if iscoroutine(code):
        code = asyncio.run(code)
    return int(code)


def require_only(typed: Sequence[str], allowed: Sequence[str], command: str) -> None:
    """Raises ``BadInput`` for a word that the command does not take."""
    if odd := [word for word in typed if word not in allowed]:
        raise BadInput(
            say(
                "{command} does not take {word}. Like this: {form}",
                command=command,
                word=repr(odd[0][:40]),
                form=example(command, prefix="debate"),
            )
        )


def complete(typed: Sequence[str], settings: Settings) -> int:
    """Prints the script for a shell's completion."""
    from adapters.templates.catalogue import read_catalogue
    from core.application.commands.help import completion

    shell = typed[0].lower() if len(typed) == 1 else ""
    known = read_catalogue(settings.templates)
    put(completion(shell, {template.id: template.description for template in known}))
    return 0


def plugins(typed: Sequence[str], settings: Settings) -> int:
    """Prints the additions of installed packages; the exit code is 2 if a named plugin does not
    run.
    """
    from bot.plugins import find_plugins, load_plugins

    require_only(typed, (), "plugins")
    there = load_plugins(settings.plugins) if settings.plugins else find_plugins()
    none = "No plugins are installed. How one is made: debate docs plugins"
    put("\n".join(plugin.sentence for plugin in there.all) or none)
    return 2 if there.failures else 0
