"""Stores the request of a debate with a message to post, before anything plays it."""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from adapters.posts.keys import root_key
from bot.posting.record import outgoing
from bot.wire.parts import Parts
from core.debate.events import DebateRequest
from core.debate.log import Append, Outgoing
from storage.events.log import DebateLog
from tests.bot.crashing import ASKER
from tests.origins import origin


async def ask(parts: Parts, place: str, source: str, template: str = "panel") -> DebateLog:
    """Returns the debate's log; its first message waits to be posted."""
    id = await parts.service.take(
        DebateRequest(template, "What next?", ASKER, place), origin(source)
    )
    log = await parts.stores.debates.claim(id, "test")
    await log.append(Append(id, 1, posts=(root_of(id, place),)))
    return log


def root_of(id: str, place: str) -> Outgoing:
    return outgoing(Post(root_key(id), id, Shape.ROOT, title="What next?", subject=""), place)
