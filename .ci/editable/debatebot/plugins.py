"""What a plugin is written with: the mark of its functions, and the types that these are given and
give.
"""

from __future__ import annotations

from adapters.forges.links import ChangeLink, ForgeLinks
from adapters.forges.plugged import Forge, ForgeReader
from adapters.forges.port import Change, ForgeClient, Reading
from adapters.forges.writing import ReviewPoster
from adapters.material.scanners import Scan
from adapters.processes.workers import Work
from bot.plugins.hooks import Hooks, hookimpl
from bot.seats import AskModel, Prompt
from core.errors import BadInput, CouldNotFinish
from core.formats import Format, Plan
from core.formats.draft import Draft, brief
from core.material import Hunk, Line, Material
from core.script import Duty, Script, SeatId, TurnId
from core.template import Role, Template

__all__ = [
    "AskModel",
    "BadInput",
    "Change",
    "ChangeLink",
    "CouldNotFinish",
    "Draft",
    "Duty",
    "Forge",
    "ForgeClient",
    "ForgeLinks",
    "ForgeReader",
    "Format",
    "Hooks",
    "Hunk",
    "Line",
    "Material",
    "Plan",
    "Prompt",
    "Reading",
    "ReviewPoster",
    "Role",
    "Scan",
    "Script",
    "SeatId",
    "Template",
    "TurnId",
    "Work",
    "brief",
    "hookimpl",
]
