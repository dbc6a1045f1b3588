"""What a message says to us: its words without our name and Discord's wrappings, and its attached
file as the material of a debate.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import discord

from adapters.commands import Start, parse
from adapters.commands.named import find_template
from adapters.discord.incoming import attachments

_LINK = re.compile(r"<(https?://[^\s<>]+)>")


def unwrapped(text: str) -> str:
    """Links without the angle brackets with which people keep Discord from unfolding them."""
    return _LINK.sub(r"\1", text)


def addressed(message: discord.Message, me: int) -> bool:
    """Whether we are mentioned, by our name or by the role that Discord made for us, which is named
    the same.
    """
    return any(user.id == me for user in message.mentions) or _own_role(message) in {
        role.id for role in message.role_mentions
    }


def said(message: discord.Message, me: int) -> str:
    """The words without our mention."""
    names = f"{me}|&{_own_role(message)}" if _own_role(message) else str(me)
    return unwrapped(re.sub(rf"<@!?(?:{names})>[:,]?", "", message.content)).strip()


def _own_role(message: discord.Message) -> int:
    role = message.guild.self_role if message.guild is not None else None
    return role.id if role is not None else 0


async def with_file(
    message: discord.Message, text: str, templates: Collection[str], limit: int, *, threaded: bool
) -> Start | None:
    """The debate that a message asks for on its attached file. None where it brings no file or asks
    for something else.

    In a thread (``threaded``) only a template's name asks for a debate; other words may be a
    challenge. Raises ``BadInput`` for a file that cannot be debated, and for a start that cannot
    be.
    """
    if not message.attachments or (
        threaded and not any(find_template(word, templates) for word in text.split()[:2])
    ):
        return None
    ask = parse(text or "help", templates=templates, attached=True)
    if not isinstance(ask, Start) or (ask.target and not attachments.usable(message.attachments)):
        return None
    return await attachments.joined(ask, message.attachments, limit)
