"""Bolt's app with our listeners behind it.

Bolt acknowledges before a listener waits for anything, so Slack's three seconds never depend on the
desk, the database or a model. Authorizing is ours for the same reason: it answers from memory.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize

from adapters.slack.incoming.buttons import Buttons
from adapters.slack.incoming.events import Events
from adapters.slack.incoming.forms import Forms
from adapters.slack.incoming.forms.bindings import Bindings
from adapters.slack.incoming.forms.views import LINE_FORM, NEW, SETUP_FORM, START_FORM, TEMPLATE
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.messages import Messages
from adapters.slack.incoming.offers import CHANGE
from adapters.slack.incoming.payloads import Json
from adapters.slack.settings import SlackSettings
from core.application.commands.help import COMMAND

if TYPE_CHECKING:
    from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.workspaces import Workspaces

SHORTCUTS = ("debate_new", "debate_message")

log = logging.getLogger(__name__)


def bolt_app(
    settings: SlackSettings,
    workspaces: Workspaces,
    listener: Listener,
    client: AsyncWebClient,
    oauth_flow: AsyncOAuthFlow | None,
) -> AsyncApp:
    quiet = logging.getLogger("adapters.slack.bolt")
    # its debug lines hold whole payloads and headers
    quiet.setLevel(max(logging.INFO, log.getEffectiveLevel()))
    client._logger = quiet  # noqa: SLF001 (the SDK offers it in the constructor only, which the shared client does not use)
    bolt = AsyncApp(
        name="debatebot",
        logger=quiet,
        client=client,
        signing_secret=settings.signing_secret,
        authorize=FromMemory(workspaces),
        oauth_flow=oauth_flow,
        request_verification_enabled=bool(settings.signing_secret),
    )
    listen(bolt, listener)
    return bolt


def listen(bolt: AsyncApp, listener: Listener) -> None:
    messages, events = Messages(listener), Events(listener)
    buttons, forms, bindings = Buttons(listener), Forms(listener), Bindings(listener)

    def behind(work: Callable[[Json], Coroutine[Any, Any, None]]) -> Callable[..., Any]:
        async def acknowledged(ack: Any, body: Json) -> None:
            await ack()
            listener.go(body, work(body))

        return acknowledged

    def behind_event(work: Callable[[Json, Json], Coroutine[Any, Any, None]]) -> Callable[..., Any]:
        async def acknowledged(body: Json, event: Json) -> None:
            listener.go(body, work(body, event))

        return acknowledged

    bolt.command(COMMAND)(behind(messages.slash))
    bolt.shortcut(SHORTCUTS[0])(behind(forms.new))
    bolt.shortcut(SHORTCUTS[1])(behind(forms.on_message))
    bolt.action(NEW)(behind(forms.new))
    bolt.action(TEMPLATE)(behind(forms.template_chosen))
    bolt.action(re.compile(r"debate\.press\."))(behind(buttons.pressed))
    bolt.action(re.compile(rf"debate\.form\.{CHANGE}\."))(behind(bindings.opened))
    bolt.action(re.compile(r"debate\.form\."))(behind(buttons.opened))
    bolt.action(re.compile(r"debate\.more\."))(behind(buttons.chosen))
    bolt.view(START_FORM)(forms.submitted)
    bolt.view(LINE_FORM)(buttons.submitted)
    bolt.view(SETUP_FORM)(bindings.submitted)
    for event, heard in {
        "app_mention": messages.mention,
        "message": messages.message,
        "reaction_added": events.reaction,
        "reaction_removed": events.reaction,
        "app_home_opened": events.opened,
        "agent_session_stopped": events.stopped,
        "link_shared": events.linked,
        "app_uninstalled": events.removed,
        "tokens_revoked": events.removed,
    }.items():
        bolt.event(event)(behind_event(heard))

    async def failed(error: Exception, body: dict[str, Any]) -> None:
        await listener.fail(error, body)

    bolt.error(failed)


class FromMemory(AsyncAuthorize):
    """Authorizes without waiting; listeners look tokens up after the acknowledgement."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    async def __call__(
        self,
        *,
        context: Any,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,
        actor_team_id: str | None = None,
        actor_user_id: str | None = None,
    ) -> AuthorizeResult:
        us = self._workspaces.cached_identity(team_id or "")
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            user_id=user_id,
            bot_user_id=us.user if us else None,
            bot_id=us.bot if us else None,
        )
