"""What a plugin is written with: the mark of its functions, and the types that these are given and
give.
"""

from __future__ import annotations

from adapters.material.scanners import Scan
from bot.plugins.hooks import Hooks, hookimpl
from bot.seats import AskModel, Prompt
from core.formats import Format, Plan
from core.formats.draft import Draft, brief
from core.material import Hunk, Line, Material
from core.script import Duty, Script, SeatId, TurnId
from core.template import Role, Template

__all__ = [
    "AskModel",
    "Draft",
    "Duty",
    "Format",
    "Hooks",
    "Hunk",
    "Line",
    "Material",
    "Plan",
    "Prompt",
    "Role",
    "Scan",
    "Script",
    "SeatId",
    "Template",
    "TurnId",
    "brief",
    "hookimpl",
]
