"""The base of all Slack listeners: the desk, the caller's identity, answers, and work behind the
acknowledgement.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

from cachetools import LRUCache

from adapters.ports import asker
from adapters.slack import places
from adapters.slack.incoming.offers import change_buttons
from adapters.slack.incoming.payloads import (
    Json,
    Recipient,
    organisation_of,
    own_team_of,
    recipient_of,
    with_places,
)
from adapters.slack.incoming.words import named
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.outgoing.failures import reason_of
from adapters.slack.outgoing.layout import SlackMessage, answer_parts, plainer
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import NOBODY, Workspaces
from core.application.commands import Request, parse, parse_with_file
from core.application.commands.help import COMMAND
from core.application.commands.named import takes_channels
from core.application.desk import Caller, Desk, DeskAnswer
from core.application.offers import shown_text
from core.application.place import Place
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.errors import BadInput
from core.languages import msgid, say, speak

_REMEMBERED = 2_000
_RESPONSES = 4  # of the five that Slack allows to one response URL

_PATIENCE = 5.0  # seconds that Slack has to describe a channel
_UNREACHABLE = msgid(
    "I am not in this channel, so I could not post there. Invite me with /invite @Debatebot and "
    "repeat the command."
)

log = logging.getLogger(__name__)


class Listener:
    """Slack's side of the desk. Everything here happens after Slack got its acknowledgement."""

    def __init__(
        self, settings: SlackSettings, desk: Desk, workspaces: Workspaces, chat: SlackChat
    ) -> None:
        self.settings = settings
        self.desk = desk
        self.workspaces = workspaces
        self.chat = chat
        self._tasks: set[asyncio.Task[Any]] = set()
        self._seen: LRUCache[str, bool] = LRUCache(_REMEMBERED)

    def parse(self, text: str, *, attached: bool = False) -> Request:
        """Parses a line. Raises ``BadInput`` with the nearest right form."""
        templates = self.desk.template_names()
        return parse(text, templates=templates, prefix=COMMAND, attached=attached)

    def parse_with_file(self, text: str, file: str) -> Request:
        """Parses a line that came with a file of this text. Raises ``BadInput``."""
        templates = self.desk.template_names()
        return parse_with_file(text, file, templates=templates, prefix=COMMAND)

    async def caller(
        self, where: Place, user: str, source: str, *, thread: str = "", known: bool = True
    ) -> Caller:
        """Returns the caller behind a payload. ``known`` asks Slack for their name and rights,
        which a line that is not for the bot does not need.
        """
        person = NOBODY
        if known:
            person = await self.workspaces.person(where.workspace, user)
        return Caller(
            person=str(places.person(where.workspace, user)),
            place=str(where),
            source=f"{places.PLATFORM}:{source}",
            name=person.name,
            thread=thread,
            admin=person.admin,
            guest=person.guest,
            bot=person.bot,
            private=places.is_direct(where),
            confirms_price=True,
            language=person.language,
        )

    async def speak_to(self, caller: Caller) -> None:
        """Writes all that follows in this task in the caller's language."""
        speak(await asker.language_of(self.desk, caller))

    async def speak_in(self, where: Place) -> None:
        """Writes all that follows in this task in the language of a channel."""
        speak(await asker.language_of(self.desk, Caller("", str(where), source="")))

    async def form_language(self, where: Place, user: str) -> str:
        """Returns the language of a form that a person opens. Slack waits three seconds for it, so
        Slack and the store are asked for less than one each.
        """
        person = await self.workspaces.person(where.workspace, user, asker.PATIENCE)
        account = str(places.person(where.workspace, user))
        return await asker.language_of(
            self.desk, Caller(account, str(where), "", language=person.language)
        )

    async def read(self, text: str, team: str) -> str:
        """Returns Slack's escaped text as it was typed, with all references by name; channels as
        places only if a command takes one.
        """
        if takes_channels(text):
            text = with_places(text, team)
        return await named(text, partial(self.workspaces.name, team))

    async def show(self, answer: DeskAnswer, to: Recipient) -> None:
        """Shows an answer to the person, or to everybody in the thread when it is not private.

        What cannot be shown is logged.
        """
        buttons = (*answer.buttons, *change_buttons(answer.changes))
        pages = answer_parts(shown_text(answer), buttons, self.settings.hosts)
        try:
            if to.response_url and answer.private:
                await self._respond(to.response_url, pages)
            elif answer.private and not places.is_direct(to.where):
                await self.chat.post_private(to.where, to.user, pages, to.thread)
            else:
                await self.chat.post_answer(to.where, pages, to.thread)
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

        webhook = AsyncWebhookClient(url, session=self.workspaces.session, retry_handlers=[])
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
            where, thread = await self.chat.open_direct(where.workspace, to.user), ""
        await self.chat.attach(str(where), thread or None, answer.files)

    async def require_member(self, where: Place) -> None:
        """Checks that the bot may post here before a debate is stored and paid for. Raises
        ``BadInput``.
        """
        from slack_sdk.errors import SlackApiError, SlackClientError

        client = await self.workspaces.client(where.workspace)
        try:
            async with asyncio.timeout(_PATIENCE):
                answer = await client.conversations_info(channel=where.channel)
        except SlackApiError as error:
            if reason_of(error) in ("channel_not_found", "not_in_channel"):
                raise BadInput(say(_UNREACHABLE)) from error
            return  # Slack did not say: posting will tell
        except (SlackClientError, TimeoutError, OSError):
            return
        channel = answer.get("channel") or {}
        if channel.get("is_archived"):
            raise BadInput(say("This channel is archived. Start the debate somewhere else."))
        if not (channel.get("is_member") or channel.get("is_im") or channel.get("is_mpim")):
            raise BadInput(say(_UNREACHABLE))

    def is_new(self, source: str) -> bool:
        """True if this platform event is new to this process: a cheap guard before the desk's own,
        which survives restarts.
        """
        known = source in self._seen
        self._seen[source] = True
        return not known

    def go(self, body: Json, work: Coroutine[Any, Any, None]) -> None:
        """Does a listener's work after the acknowledgement; the person who asked gets a message
        about a failure.

        Not inside Bolt's listener: a failure there within Bolt's next ten milliseconds takes the
        acknowledgement back.
        """
        if organisation := organisation_of(body):
            self.workspaces.belongs(own_team_of(body), organisation)
        self.background(self._run(body, work))

    async def _run(self, body: Json, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 (the outermost frame of a listener: every failure is reported and logged)
            await self.fail(error, body)

    async def fail(self, error: Exception, body: Json) -> None:
        """Tells the person behind the payload about an error."""
        answer, to = asker.explain(error, log, "slack.listener"), recipient_of(body)
        if to is not None:
            await self.show(answer, to)

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs ``work`` on its own; its failure is logged, never lost."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error(
                "work in the background failed",
                extra={"action": "slack.background"},
                exc_info=error,
            )

    async def stop(self, seconds: float = 5.0) -> None:
        """Waits for running listeners to finish, then cancels them."""
        running = {task for task in self._tasks if task is not asyncio.current_task()}
        if running:
            _, late = await asyncio.wait(running, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
