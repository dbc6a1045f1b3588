"""A debate's log that also tells: the posts an event leads to go into the same commit as the event.

So a thread can never miss what happened, and never hear of what did not. A place that joins later
is told the whole story so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from adapters.ports.chat import Post, Shape
from adapters.ports.place import platform_of
from adapters.posts import posts_for
from adapters.posts.words import root_key
from bot.platforms import CHATS
from core import events as e
from core.debate import Debate, begin, evolve
from core.ports import Append, Call, Log, Outgoing


class PostingLog:
    """``core.ports.Log`` around another one. ``past`` are the events that the log holds already."""

    def __init__(self, log: Log, past: Sequence[e.Event]) -> None:
        self.log = log
        self.past = list(past)
        self._folded: tuple[int, Debate | None] = (0, None)
        state = self._state()
        self.places: tuple[str, ...] = state.places if state is not None else ()

    async def load(self) -> Sequence[e.Event]:
        return await self.log.load()

    async def calls(self) -> Sequence[Call]:
        return await self.log.calls()

    async def append(self, append: Append) -> None:
        told = [*self.past, *append.events]
        posts = self._posts(append.events)
        await self.log.append(replace(append, posts=(*append.posts, *posts)) if posts else append)
        self.past = told

    def _posts(self, events: Sequence[e.Event]) -> list[Outgoing]:
        """What these events lead to in every chat; where no chat listens, nothing is folded for
        it.
        """
        joins = any(isinstance(x, e.PlaceAdded) for x in events)
        if not joins and not chats(self.places):
            return []
        posts: list[Outgoing] = []
        state = self._state()
        told = list(self.past)
        for event in events:
            before, state = state, _after(state, event)
            told.append(event)
            places = before.places if before is not None else state.places
            if isinstance(event, e.DebateResumed):  # where it could not be posted, it may be by now
                posts += [Outgoing(root_key(state.id), place, "again") for place in chats(places)]
            posts += [
                outgoing(post, place)
                for place in chats(places)
                for post in posts_for(before, event, state)
            ]
            if isinstance(event, e.PlaceAdded):
                posts += story(told, event.place)
        self._folded = (len(told), state)
        self.places = state.places if state is not None else ()
        return posts

    def _state(self) -> Debate | None:
        """The state after ``past``, folded on from the last time it was needed."""
        count, state = self._folded
        for event in self.past[count:]:
            state = _after(state, event)
        self._folded = (len(self.past), state)
        return state


def _after(before: Debate | None, event: e.Event) -> Debate:
    if before is not None:
        return evolve(before, event)
    if not isinstance(event, e.DebateRequested):
        raise ValueError("a debate begins with DebateRequested")
    return begin(event)


def chats(places: Iterable[str]) -> list[str]:
    return [p for p in places if platform_of(p) in CHATS]


def story(events: Iterable[e.Event], place: str) -> list[Outgoing]:
    """Everything that has been told so far, for a place that joins now.

    Edits of the root are left to its last state.
    """
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
    return [outgoing(p, place) for p in (*posts, *last_edit.values())] if chats((place,)) else []


def outgoing(post: Post, place: str) -> Outgoing:
    """A post as the outbox keeps it."""
    return Outgoing(
        post.key, place, "edit" if post.edits else "post", msgspec.to_builtins(post), post.edits
    )


def reactions_of(post: Post, place: str) -> Outgoing | None:
    """The emojis that belong on a post or on what it edits, as a delivery of their own: once per
    message, those of statements last.
    """
    if not post.seeds:
        return None
    target = post.edits or post.key
    bare = Post(
        f"{target}:seeds",
        post.debate,
        post.shape,
        seeds=post.seeds,
        poll=post.poll,
        subject=post.subject,
    )
    op = "seed_later" if post.shape is Shape.STATEMENT else "seed"
    return Outgoing(bare.key, place, op, msgspec.to_builtins(bare), target)


def incoming(body: object) -> Post:
    """A post as the outbox gave it back."""
    return msgspec.convert(body, Post)
