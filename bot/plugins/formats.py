"""Guards a plugin's format: it is code from outside the core, so each script of it is checked
before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from core.debate.due.guards import GUARDS
from core.debate.errors import BadInput
from core.debate.formats import Format, Plan
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
        except Exception as error:
            raise BadInput(f"{who} failed: {type(error).__name__}: {error}") from error
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
