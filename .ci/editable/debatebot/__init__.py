"""Several models debate; people vote; code decides.

The public names of the library; whatever is not here may change without notice. Each is imported
when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.library.results import Dissent, Finding, Result, StoredDebate, Turn, Verdict
    from bot.library.running import Debate, debate, fork, list_debates, resume
    from bot.library.templates import (
        DebatePhase,
        DebateRole,
        DebateTemplate,
        get_template,
        list_templates,
    )
    from bot.plugins.hooks import hookimpl
    from bot.seats import Prompt, ScriptedSeats
    from core.debate.errors import BadInput, CouldNotFinish, DebateError, Refused

__all__ = [
    "BadInput",
    "CouldNotFinish",
    "Debate",
    "DebateError",
    "DebatePhase",
    "DebateRole",
    "DebateTemplate",
    "Dissent",
    "Finding",
    "Prompt",
    "Refused",
    "Result",
    "ScriptedSeats",
    "StoredDebate",
    "Turn",
    "Verdict",
    "debate",
    "fork",
    "get_template",
    "hookimpl",
    "list_debates",
    "list_templates",
    "resume",
]

_SEATS, _RESULTS, _RUNNING = "bot.seats", "bot.library.results", "bot.library.running"
_TEMPLATES, _ERRORS = "bot.library.templates", "core.debate.errors"
_HOMES = {
    **dict.fromkeys(("Prompt", "ScriptedSeats"), _SEATS),
    **dict.fromkeys(("Dissent", "Finding", "Result", "StoredDebate", "Turn", "Verdict"), _RESULTS),
    **dict.fromkeys(("Debate", "debate", "fork", "list_debates", "resume"), _RUNNING),
    **dict.fromkeys(("DebatePhase", "DebateRole", "DebateTemplate"), _TEMPLATES),
    **dict.fromkeys(("get_template", "list_templates"), _TEMPLATES),
    **dict.fromkeys(("BadInput", "CouldNotFinish", "DebateError", "Refused"), _ERRORS),
}


_HOMES["hookimpl"] = "bot.plugins.hooks"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
