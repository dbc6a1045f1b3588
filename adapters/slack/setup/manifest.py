"""The app's manifest, as in ``manifests/slack.json``, and the link that opens Slack's form with it,
so that nobody copies a file.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from adapters.slack.incoming.events import PROMPTS
from adapters.slack.incoming.routing import SHORTCUTS
from adapters.slack.scopes import EVENTS, scopes
from core.application.commands.help import COMMAND

_NEW_APP = "https://api.slack.com/apps"


def manifest() -> dict[str, Any]:
    """Returns the manifest, made from the code that it describes."""
    new, on_message = SHORTCUTS
    return {
        "_metadata": {"major_version": 2},
        "display_information": {
            "name": "Debatebot",
            "description": (
                "Several models argue in roles, people vote and challenge, code computes the "
                "verdict."
            ),
            "background_color": "#1f2d3d",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "agent_view": {
                "agent_description": (
                    "Opens a debate of several models on a pull request, a document or a question. "
                    "You vote, challenge and stop; the verdict is computed and kept."
                ),
                "suggested_prompts": [dict(each) for each in PROMPTS],
            },
            "bot_user": {"display_name": "Debatebot", "always_online": True},
            "shortcuts": [
                {
                    "name": "Start a debate",
                    "type": "global",
                    "callback_id": new,
                    "description": "Choose a template, a target and a budget; see the price first",
                },
                {
                    "name": "Debate this",
                    "type": "message",
                    "callback_id": on_message,
                    "description": "Debate this message, its file or its thread",
                },
            ],
            "slash_commands": [
                {
                    "command": COMMAND,
                    "description": "Start and steer debates",
                    "usage_hint": "code_review <PR link> | status | stop | schedule list | help",
                    "should_escape": True,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": list(scopes())}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def making_link() -> str:
    """Returns the link that opens Slack's form for a new app with the manifest filled in."""
    text = json.dumps(manifest(), separators=(",", ":"))
    return f"{_NEW_APP}?{urlencode({'new_app': 1, 'manifest_json': text})}"
