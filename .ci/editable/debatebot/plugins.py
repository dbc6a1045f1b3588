"""What a plugin is written with: the mark of its functions, and the types that these are given and
give.
"""

from __future__ import annotations

from adapters.forges.links import ChangeLink, ForgeLinks
from adapters.forges.plugged import Forge, ForgeReader
from adapters.forges.port import ForgeChange as Change
from adapters.forges.port import ForgeClient, Reading
from adapters.forges.writing import ReviewPoster
from adapters.material.scanners import Scan
from adapters.ports.chat import Chat, Post, Reaction
from adapters.ports.platform import (
    ChatPlatform,
    PlainChat,
    PlainPlaces,
    Platform,
    plain_text,
    post_text,
)
from adapters.ports.platform import PlatformConnection as Connection
from adapters.processes.workers import Work
from bot.plugins.hooks import PluginHooks as Hooks
from bot.plugins.hooks import hookimpl
from bot.plugins.models import PaidModel
from bot.seats import AskModel, Prompt
from core.application.desk import Caller, Desk
from core.application.desk import DeskAnswer as Answer
from core.application.presence import DeliveryError, Ref
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.formats import Format, Plan
from core.debate.formats.draft import Draft, brief
from core.debate.material import ChangeState, Hunk, Line, Material
from core.debate.script import Duty, Script, SeatId, TurnId
from core.debate.template import Role, Template

__all__ = [
    "Answer",
    "AskModel",
    "BadInput",
    "Caller",
    "Change",
    "ChangeLink",
    "ChangeState",
    "Chat",
    "ChatPlatform",
    "Connection",
    "CouldNotFinish",
    "DeliveryError",
    "Desk",
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
    "PaidModel",
    "PlainChat",
    "PlainPlaces",
    "Plan",
    "Platform",
    "Post",
    "Prompt",
    "Reaction",
    "Reading",
    "Ref",
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
    "plain_text",
    "post_text",
]
