"""Shows an answer of the desk to the asker: privately, in the thread, or as a file."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from adapters.slack import places
from adapters.slack.incoming.changes import change_buttons
from adapters.slack.incoming.payloads import Recipient
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.outgoing.layout import SlackMessage, answer_parts, plainer
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.application.desk import DeskAnswer
from core.application.offers import shown_text
from core.application.presence import DeliveryError, DeliveryFailure

_RESPONSES = 4  # of the five that Slack allows to one response URL

log = logging.getLogger(__name__)


class Answers:
    def __init__(self, settings: SlackSettings, workspaces: Workspaces, chat: SlackChat) -> None:
        self._settings = settings
        self._workspaces = workspaces
        self._chat = chat

    async def show(self, answer: DeskAnswer, to: Recipient) -> None:
        """Shows an answer to the person, or to everybody in the thread when it is not private.

        What cannot be shown is logged.
        """
        buttons = (*answer.buttons, *change_buttons(answer.changes))
        pages = answer_parts(shown_text(answer), buttons, self._settings.hosts)
        try:
            if to.response_url and answer.private:
                await self._respond(to.response_url, pages)
            elif answer.private and not places.is_direct(to.where):
                await self._chat.post_private(to.where, to.user, pages, to.thread)
            else:
                await self._chat.post_answer(to.where, pages, to.thread)
            if answer.files:
                await self._attach(answer, to)
        except DeliveryError as failure:
            log.warning(
                "an answer could not be shown",
                extra={"action": "slack.show", "reason": str(failure), "place": str(to.where)},
            )

    async def _respond(self, url: str, pages: Sequence[SlackMessage]) -> None:
        """Answers at the response URL. Raises ``DeliveryError``."""
        from slack_sdk.webhook.async_client import AsyncWebhookClient

        webhook = AsyncWebhookClient(url, session=self._workspaces.session, retry_handlers=[])
        for page in map(plainer, pages[:_RESPONSES]):
            answer = await webhook.send(
                text=page.text,
                blocks=page.blocks,
                response_type="ephemeral",
                replace_original=False,
                unfurl_links=False,
                unfurl_media=False,
            )
            if answer.status_code != 200:
                raise DeliveryError(
                    DeliveryFailure.DEAD, f"the response URL answered {answer.status_code}"
                )

    async def _attach(self, answer: DeskAnswer, to: Recipient) -> None:
        """Sends the files; private ones go into the direct message with the person, because files
        cannot be ephemeral.
        """
        where, thread = to.where, to.thread
        if answer.private and not places.is_direct(where):
            where, thread = await self._chat.open_direct(where.workspace, to.user), ""
        await self._chat.attach(str(where), thread or None, answer.files)
