"""Shows a seat's name and picture with its message, if the workspace allows it.

Without that right the seat signs in the text. A refusal is remembered, and the refused message is
sent again without name and picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from slack_sdk.errors import SlackApiError

from adapters.ports.chat import Post, with_signature
from adapters.slack.outgoing.failures import reason_of
from adapters.slack.outgoing.markup import Json
from adapters.slack.scopes import FACES
from adapters.slack.workspaces import Workspaces
from core.application.place import Place
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.material.plaintext import cut

_NAME = 80  # characters of a name


class Faces:
    """The workspaces that let the bot speak under a seat's name."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._without: set[str] = set()

    async def signed(self, where: Place, post: Post) -> tuple[Post, Json]:
        """Returns ``post`` ready for layout, with the members of ``chat.postMessage`` that describe
        its speaker; none if it is signed in its text.
        """
        if not (post.who and post.face) or where.workspace in self._without:
            return post, {}
        us = await self._workspaces.identity(where.workspace)
        if FACES not in us.scopes:
            return post, {}
        speaker: Json = {"username": cut(post.who, _NAME), "icon_emoji": f":{post.face}:"}
        return with_signature(post), speaker

    @contextmanager
    def remembering(self, where: Place, speaker: Json, done: tuple[str, ...]) -> Iterator[None]:
        """Remembers that Slack refuses the name of the ``speaker``, which is left out from then on.
        Raises ``DeliveryError`` (retry) when that happens.
        """
        try:
            yield
        except SlackApiError as error:
            if not speaker or reason_of(error) != "missing_scope":
                raise
            self._without.add(where.workspace)
            text = "Slack does not let me speak under a seat's name here."
            raise DeliveryError(DeliveryFailure.RETRY, text, 0.0, done=done) from error
