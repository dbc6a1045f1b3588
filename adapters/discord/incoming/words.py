"""Reads Discord's text as people see it: people, roles, channels, emoji and times as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import discord

from core.application.commands.named import takes_channels
from core.application.commands.pasted import pasted_diff

NOBODY: Mapping[int, str] = {}
_CODE = re.compile(r"(```.*?(?:```|\Z)|``.+?``|`[^`\n]+`)", re.DOTALL)
_LINK = re.compile(r"<(https?://[^\s<>]+)>")
_MARK = re.compile(
    r"(?<!person:)<(?:@!?(?P<user>\d+)|@&(?P<role>\d+)|#(?P<channel>\d+)|"
    r"a?:(?P<emoji>\w+):\d+|t:(?P<time>-?\d+)(?::[a-zA-Z])?|/(?P<command>[^:<>\n]+):\d+|"
    r"id:(?P<page>[a-z-]+)|sound:\d+:(?P<sound>\d+))>"
)
_ESCAPED = re.compile(r"\\([^\w\s])|\\(_)", re.ASCII)


def words(text: str, guild: discord.Guild | None, people: Mapping[int, str] = NOBODY) -> str:
    """Returns the text with names instead of ids; code stays as it is, except that a link loses its
    angle brackets. ``people`` are names of users by id. The account after
    ``person:`` stays, and so do channels if a command takes them.
    """
    if takes_channels(text):
        return _LINK.sub(r"\1", text)
    escaped = pasted_diff(text) is None  # in a diff a backslash is one

    def named(match: re.Match[str]) -> str:
        return _named(match, guild, people)

    parts = _CODE.split(text)
    for at in range(0, len(parts), 2):
        read = _LINK.sub(r"\1", _MARK.sub(named, parts[at]))
        parts[at] = _ESCAPED.sub(lambda match: match[1] or match[2], read) if escaped else read
    return "".join(parts)


def _named(match: re.Match[str], guild: discord.Guild | None, people: Mapping[int, str]) -> str:
    kind = match.lastgroup or ""
    value = match[kind]
    match kind:
        case "user":
            member = guild.get_member(int(value)) if guild else None
            return f"@{people.get(int(value)) or getattr(member, 'display_name', '') or value}"
        case "role":
            role = guild.get_role(int(value)) if guild else None
            return f"@{role.name if role else value}"
        case "channel":
            channel = guild.get_channel_or_thread(int(value)) if guild else None
            return f"#{channel.name if channel else value}"
        case "emoji":
            return f":{value}:"
        case "time":
            return _time(int(value))
        case "command":
            return f"/{value}"
        case _:
            return f"({kind} {value})"


def _time(seconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return str(seconds)
