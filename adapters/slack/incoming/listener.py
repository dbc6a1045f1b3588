"""What all listeners of Slack share: who is calling, how an answer is shown, and what a failure
says.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from adapters.commands import Request, parse
from adapters.ports.chat import DeliveryError
from adapters.ports.desk import Answer, Caller, Desk
from adapters.ports.place import Place
from adapters.slack import places
from adapters.slack.incoming.payloads import team_of
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.outgoing.failures import refusal
from adapters.slack.outgoing.layout import Part, message
from adapters.slack.settings import COMMAND, SlackSettings
from adapters.slack.setup.workspaces import Workspaces
from core.errors import BadInput, DebateError

Json = Mapping[str, Any]
BoltListener = Callable[..., Awaitable[None]]

_RESPONSES = 4  # of the five that Slack allows to one response URL
_REMEMBERED = 2_000
_TOO_LATE = frozenset({"expired_trigger_id", "exchanged_trigger_id", "trigger_expired"})
_PAST = frozenset({"not_found", "view_not_found", "hash_conflict"})
_UNREACHABLE = (
    "I am not in this channel, so I could not post there. Invite me with `/invite @debate` "
    "and repeat the command."
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
        self._seen: OrderedDict[str, None] = OrderedDict()

    def parse(self, text: str, *, attached: bool = False) -> Request:
        """Raises ``BadInput`` with the nearest right form."""
        return parse(
            text, templates=[t.id for t in self.desk.templates()], prefix=COMMAND, attached=attached
        )

    async def caller(
        self,
        where: Place,
        user: str,
        source: str,
        *,
        thread: str = "",
        private: bool = False,
        known: bool = True,
    ) -> Caller:
        """Who asks. ``known`` asks Slack for the name and the rights, which a line that is not for
        us does not need.
        """
        person = await self.workspaces.person(where.workspace, user) if known else None
        return Caller(
            person=str(places.person(where.workspace, user)),
            place=str(where),
            source=f"{places.PLATFORM}:{source}",
            name=person.name if person else "",
            thread=thread,
            admin=person.admin if person else False,
            private=private,
        )

    def first_time(self, source: str) -> bool:
        """Whether this platform event is new to this process: a cheap guard before the desk's own,
        which survives restarts.
        """
        if source in self._seen:
            return False
        self._seen[source] = None
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return True

    async def show(
        self, answer: Answer, where: Place, user: str, *, thread: str = "", response_url: str = ""
    ) -> None:
        """Shows an answer to the person, or to everybody in the thread when it is not private.

        What cannot be shown is logged.
        """
        pages = message(answer.text, answer.buttons, self.settings.hosts)
        try:
            if response_url and answer.private:
                await self._respond(response_url, pages)
            elif answer.private and not places.is_direct(where):
                await self.chat.whisper(where, user, pages, thread)
            else:
                await self.chat.say(where, pages, thread)
            if answer.files:
                await self._hand_over(answer, where, user, thread)
        except DeliveryError as failure:
            log.warning(
                "an answer could not be shown",
                extra={"action": "slack.show", "reason": str(failure), "place": str(where)},
            )

    async def complain(
        self,
        error: BaseException,
        where: Place | None,
        user: str,
        *,
        thread: str = "",
        response_url: str = "",
    ) -> None:
        """One private line for a failure: our own errors say what to do, any other gets an id that
        stands in the log too.
        """
        if isinstance(error, DebateError):
            text = str(error)
        else:
            number = secrets.token_hex(4)
            log.error(
                "a listener failed",
                extra={"action": "slack.listener", "error_id": number},
                exc_info=error,
            )
            text = (
                "Something went wrong on my side. Nothing of it is your fault; the log has "
                f"it under `{number}`."
            )
        if where is not None and user:
            await self.show(
                Answer(text, ok=False), where, user, thread=thread, response_url=response_url
            )

    async def reachable(self, where: Place) -> None:
        """Raises ``BadInput`` when a debate started here could not post: better said before
        anything is stored and paid.
        """
        from slack_sdk.errors import SlackApiError, SlackClientError

        client = await self.workspaces.client(where.workspace)
        try:
            async with asyncio.timeout(5):
                answer = await client.conversations_info(channel=where.channel)
        except SlackApiError as error:
            if refusal(error) in ("channel_not_found", "not_in_channel"):
                raise BadInput(_UNREACHABLE) from error
            return  # Slack did not say: posting will tell
        except (SlackClientError, TimeoutError, OSError):
            return
        channel = answer.get("channel") or {}
        if channel.get("is_archived"):
            raise BadInput("This channel is archived. Start the debate somewhere else.")
        if not (channel.get("is_member") or channel.get("is_im") or channel.get("is_mpim")):
            raise BadInput(_UNREACHABLE)

    async def open_view(self, body: Json, view: Json) -> None:
        """Opens a form for whoever pressed.

        Raises ``BadInput`` where Slack's three seconds for that have passed.
        """
        from slack_sdk.errors import SlackApiError

        client = await self.workspaces.client(team_of(body))
        try:
            await client.views_open(trigger_id=str(body["trigger_id"]), view=dict(view))
        except SlackApiError as error:
            if refusal(error) in _TOO_LATE:
                raise BadInput(
                    "That took longer than Slack allows for opening a form. Do it once more."
                ) from error
            raise

    async def show_view(self, team: str, id: str, view: Json, edition: str = "") -> None:
        """A form's next edition; nobody misses it where the form was closed, or shows a newer one
        than ``edition`` by now.
        """
        from slack_sdk.errors import SlackApiError

        client = await self.workspaces.client(team)
        try:
            await client.views_update(view_id=id, hash=edition or None, view=dict(view))
        except SlackApiError as error:
            if refusal(error) not in _PAST:
                raise

    def go(self, body: Json, work: Coroutine[Any, Any, None]) -> None:
        """Does a listener's work after the acknowledgement; the person who asked is told of a
        failure.

        Not inside Bolt's listener: a failure there within Bolt's next ten milliseconds takes the
        acknowledgement back.
        """
        self.background(self._attended(body, work))

    async def _attended(self, body: Json, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 (the outermost frame of a listener: every failure is told and logged)
            where, user, thread = place_of(body)
            await self.complain(
                error, where, user, thread=thread, response_url=str(body.get("response_url") or "")
            )

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs ``work`` on its own; its failure is logged, never lost."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error(
                "work in the background failed",
                extra={"action": "slack.background"},
                exc_info=error,
            )

    async def rest(self, seconds: float = 5.0) -> None:
        """Lets what runs come to its end, then ends it."""
        running = {task for task in self._tasks if task is not asyncio.current_task()}
        if running:
            _, late = await asyncio.wait(running, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _respond(self, url: str, pages: list[Part]) -> None:
        from slack_sdk.webhook.async_client import AsyncWebhookClient

        webhook = AsyncWebhookClient(url, session=self.workspaces.session, retry_handlers=[])
        for page in pages[:_RESPONSES]:
            answer = await webhook.send(
                text=page.text,
                blocks=page.blocks,
                response_type="ephemeral",
                replace_original=False,
                unfurl_links=False,
                unfurl_media=False,
            )
            if answer.status_code != 200:
                raise DeliveryError("dead", f"the response URL answered {answer.status_code}")

    async def _hand_over(self, answer: Answer, where: Place, user: str, thread: str) -> None:
        """Files cannot be ephemeral: private ones go into the direct message with the person."""
        if answer.private and not places.is_direct(where):
            where, thread = await self.chat.direct(where.workspace, user), ""
        await self.chat.attach(str(where), thread or None, answer.files)


def place_of(body: Json) -> tuple[Place | None, str, str]:
    """``(where, user, thread)`` of any payload: for errors, which know nothing else.

    Without a channel, it is the person themself.
    """
    event = body.get("event") or {}
    user = body.get("user_id") or event.get("user") or (body.get("user") or {}).get("id") or ""
    item = event.get("item") or {}
    channel = (
        body.get("channel_id")
        or (body.get("channel") or {}).get("id")
        or (event.get("channel") if isinstance(event.get("channel"), str) else None)
        or item.get("channel")
        or user
    )
    thread = event.get("thread_ts") or (body.get("message") or {}).get("thread_ts") or ""
    where = places.place(team_of(body), str(channel)) if channel and team_of(body) else None
    return where, str(user), str(thread)
