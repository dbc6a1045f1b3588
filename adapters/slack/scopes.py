"""The scopes that the app needs, by method and by event.

``manifests/slack.json`` declares exactly these; tests hold the code and the manifest to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
_READ = ("channels:read", "groups:read", "im:read", "mpim:read")

METHODS: Mapping[str, tuple[str, ...]] = {
    "agents.sessions.setStatus": ("chat:write",),
    "apps.connections.open": (),  # an app-level token with connections:write
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "auth.test": (),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.unfurl": ("links:write",),
    "chat.update": ("chat:write",),
    "conversations.history": _HISTORY,
    "conversations.info": _READ,
    "conversations.members": _READ,
    "conversations.open": ("im:write",),
    "conversations.replies": _HISTORY,
    "files.completeUploadExternal": ("files:write",),
    "files.delete": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "reactions.add": ("reactions:write",),
    "reactions.get": ("reactions:read",),
    "usergroups.list": ("usergroups:read",),
    "users.info": ("users:read",),
    "views.open": (),
    "views.publish": (),
    "views.update": (),
}
"""The scopes that each Web API method needs in the conversations that the bot is used in."""

EVENTS: Mapping[str, tuple[str, ...]] = {
    "agent_session_stopped": (),
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "app_uninstalled": (),
    "link_shared": ("links:read",),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "tokens_revoked": (),
}

FACES = "chat:write.customize"
"""The scope that lets a message appear under its seat's name and picture."""

WITHOUT = frozenset({"assistant:write", "links:read", "links:write", "usergroups:read", FACES})
"""Scopes without which a debate works: only the agent surface, the cards below links, groups'
names, or seats' pictures are missing.
"""


_OTHERS = {
    "commands": "/debate and the shortcuts",
    "files:read": "attached files as material",
    FACES: "each seat's own name and picture on what it says",
}
"""Scopes that belong to no method and no event."""


def scopes() -> tuple[str, ...]:
    """Returns every bot scope, sorted."""
    wanted = [*METHODS.values(), *EVENTS.values(), _OTHERS]
    return tuple(sorted({scope for group in wanted for scope in group}))


def why(scope: str) -> str:
    """Returns the feature that stops working without ``scope``."""
    users = [method for method, wanted in METHODS.items() if scope in wanted] + [
        e for e, wanted in EVENTS.items() if scope in wanted
    ]
    return ", ".join(users) or _OTHERS.get(scope, "")


def declared(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(manifest["oauth_config"]["scopes"]["bot"]))
