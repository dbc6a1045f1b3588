"""A debate's log that also tells: the posts an event leads to go into the same commit as the event.

So a thread can never miss what happened, and never hear of what did not. A place that joins later
is told the whole story so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec

from adapters.ports.chat import Post, Shape
from adapters.ports.place import platform_of
from adapters.posts import posts_for
from adapters.posts.words import root_key
from bot.platforms import CHATS
from core import events as e
from core.debate import Debate, begin, evolve
from core.log import Append, Call, Log, Outgoing


class PostingLog:
    """``core.log.Log`` around another one. It folds nothing: whoever appends events hands over the
    states that they led to.
    """

    def __init__(self, log: Log) -> None:
        self.log = log

    async def load(self) -> Sequence[e.Event]:
        return await self.log.load()

    async def calls(self) -> Sequence[Call]:
        return await self.log.calls()

    async def append(self, append: Append) -> None:
        posts = await self._posts(append)
        await self.log.append(replace(append, posts=(*append.posts, *posts)))

    async def _posts(self, append: Append) -> list[Outgoing]:
        """What these events lead to in every chat. Raises ``ValueError`` for events without their
        states.
        """
        posts: list[Outgoing] = []
        steps = zip(append.events, pairwise(append.states), strict=True)
        for event, (before, after) in steps:
            if isinstance(event, e.DebateResumed):  # where it could not be posted, it may be by now
                posts += [
                    Outgoing(root_key(after.id), place, "again") for place in chats(before.places)
                ]
            if places := chats(before.places):
                made = posts_for(before, event, after)
                posts += [outgoing(post, place) for place in places for post in made]
            if isinstance(event, e.PlaceAdded):
                past = [*await self.log.load(), *append.events]
                posts += posts_so_far(past[: after.count], event.place)
        return posts


def _after(before: Debate | None, event: e.Event) -> Debate:
    if before is not None:
        return evolve(before, event)
    if not isinstance(event, e.DebateRequested):
        raise ValueError("a debate begins with DebateRequested")
    return begin(event)


def chats(places: Iterable[str]) -> list[str]:
    return [p for p in places if platform_of(p) in CHATS]


def posts_so_far(events: Iterable[e.Event], place: str) -> list[Outgoing]:
    """Everything that has been told so far, for a place that joins now.

    Edits of the root are left to its last state.
    """
    if not chats((place,)):
        return []
    posts: list[Post] = []
    last_edit: dict[str, Post] = {}
    state: Debate | None = None
    for event in events:
        before, state = state, _after(state, event)
        for post in posts_for(before, event, state):
            if post.edits:
                last_edit[post.edits] = post
            else:
                posts.append(post)
    return [outgoing(post, place) for post in (*posts, *last_edit.values())]


def outgoing(post: Post, place: str) -> Outgoing:
    """A post as the outbox keeps it."""
    op = "edit" if post.edits else "post"
    return Outgoing(post.key, place, op, msgspec.to_builtins(post), post.edits)


def reactions_of(post: Post, place: str) -> Outgoing | None:
    """The emojis that belong on a post or on what it edits, as a delivery of their own: once per
    message, those of statements last.
    """
    if not post.reaction_options:
        return None
    target = post.edits or post.key
    bare = Post(
        f"{target}:seeds",
        post.debate,
        post.shape,
        reaction_options=post.reaction_options,
        poll=post.poll,
        subject=post.subject,
    )
    op = "seed_later" if post.shape is Shape.STATEMENT else "seed"
    return Outgoing(bare.key, place, op, msgspec.to_builtins(bare), target)


def incoming(body: Mapping[str, Any]) -> Post:
    """A post as the outbox gave it back; ``reaction_options`` were called ``seeds`` once."""
    if "seeds" in body:
        body = {"reaction_options": body["seeds"], **body}
    return msgspec.convert(body, Post)
