"""A debate's log that also posts: the posts that an event leads to go into the same commit as the
event.

So a thread never misses an event, and never shows an event that was not stored. A place that joins
later gets all posts so far.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec

from adapters.ports.chat import Post, Shape
from adapters.posts import is_withheld, posts_for, whole_posts
from adapters.posts.keys import root_key
from bot.platforms import CHATS
from core.application.place import platform_of
from core.debate import events as e
from core.debate.log import Append, Outgoing, PostOp
from core.debate.state import Debate, begin, evolve, replay
from core.languages import ENGLISH, speaking
from storage.events.log import DebateLog

MakePosts = Callable[[Debate | None, e.Event, Debate], Sequence[Post]]
Announce = Callable[[Append], Awaitable[Sequence[Outgoing]]]
"""Returns a commit's messages for programs (``bot.hooks.announce.webhook_rows``)."""
FindAskerLanguage = Callable[[e.DebateRequest], Awaitable[str]]
"""Returns the language of a message to the person who asked for a debate."""


class PostingLog:
    """``log.Log`` around the stored one. It folds nothing: the caller that appends events passes
    the states that they led to. ``announce`` returns the messages for programs,
    ``asker_language`` the language of the person who asked, who gets a message about a debate that
    could not open.
    """

    def __init__(
        self, log: DebateLog, announce: Announce, asker_language: FindAskerLanguage
    ) -> None:
        self.log = log
        self._announce = announce
        self._asker_language = asker_language

    async def append(self, append: Append) -> None:
        posts = [*await self._posts(append), *await self._announce(append)]
        await self.log.append(replace(append, posts=(*append.posts, *posts)))

    async def _posts(self, append: Append) -> list[Outgoing]:
        """Returns the posts that these events lead to in every chat. Raises ``ValueError`` for
        events without their states.
        """
        posts: list[Outgoing] = []
        steps = zip(append.events, pairwise(append.states), strict=True)
        for event, (before, after) in steps:
            places = chats(before.places)
            if isinstance(event, e.OpeningFailed):
                if places:
                    posts += await self._refusals(before, event, after)
                continue
            if isinstance(event, e.DebateResumed):  # if it could not be posted then, it may be now
                posts += [Outgoing(root_key(after.id), place, PostOp.AGAIN) for place in places]
            made = {
                language: _spoken_in(language, posts_for, before, event, after)
                for language in set(map(after.language_in, places))
            }
            posts += [
                outgoing(post, place, over=after.over)
                for place in places
                for post in made[after.language_in(place)]
            ]
            if isinstance(event, e.PlaceAdded):
                past = [*await self.log.load(), *append.events]
                posts += posts_so_far(past[: after.count], event.place)
            if isinstance(event, e.WholeShown):
                past = [*await self.log.load(), *append.events]
                for place in places:
                    posts += posts_so_far(past[: after.count], place, untold=True)
        return posts

    async def _refusals(
        self, before: Debate, event: e.OpeningFailed, after: Debate
    ) -> list[Outgoing]:
        """Returns the private line to the person who asked for a debate that could not open."""
        language = await self._asker_language(after.request)
        posts = _spoken_in(language, posts_for, before, event, after)
        return [outgoing(post, after.request.place) for post in posts if chats((post.to,))]


def _after(before: Debate | None, event: e.Event) -> Debate:
    if before is not None:
        return evolve(before, event)
    if not isinstance(event, e.DebateRequested):
        raise ValueError("a debate begins with DebateRequested")
    return begin(event)


def chats(places: Iterable[str]) -> list[str]:
    return [p for p in places if platform_of(p) in CHATS]


def posts_so_far(events: Sequence[e.Event], place: str, *, untold: bool = False) -> list[Outgoing]:
    """Returns all posts of a debate so far, for a place that joins now. ``untold`` are the posts
    that a quiet debate has withheld so far, for a place that gets them all. Edits of the root are
    left to its last state.
    """
    if not chats((place,)):
        return []
    posts: list[Post] = []
    last_edit: dict[str, Post] = {}
    state: Debate | None = None
    quiet = bool(events) and replay(events).quiet
    for event in events:
        before, state = state, _after(state, event)
        language = state.language_in(place)
        for post in _spoken_in(language, whole_posts, before, event, state):
            if post.to or (quiet and is_withheld(post)) or (untold and not is_withheld(post)):
                continue
            if post.edits:
                last_edit[post.edits] = post
            else:
                posts.append(post)
    return [outgoing(post, place) for post in (*posts, *last_edit.values())]


def _spoken_in(
    language: str, posts: MakePosts, before: Debate | None, event: e.Event, after: Debate
) -> list[Post]:
    """Returns an event's posts in a language, which each names unless it is English."""
    with speaking(language):
        made = posts(before, event, after)
    if language in ("", ENGLISH):
        return list(made)
    return [replace(post, facts={**post.facts, "language": language}) for post in made]


def outgoing(post: Post, place: str, *, over: bool = False) -> Outgoing:
    """Returns a post in the form that the outbox stores. The root goes before other posts; if the
    debate is ``over``, its verdict and its root show the decision and go first, too.
    """
    op, target = PostOp.POST, ""
    if post.to:
        op = PostOp.PRIVATE
    elif post.edits:
        op, target = PostOp.EDIT, post.edits
        if over and post.shape is Shape.ROOT:
            op = PostOp.EDIT_FIRST
    elif post.shape is Shape.ROOT or (over and post.shape is Shape.VERDICT):
        target = root_key(post.debate)
    return Outgoing(post.key, place, op, msgspec.to_builtins(post), target)


def reactions_of(post: Post, place: str) -> Outgoing | None:
    """Returns the emojis for a post, or for the post that it edits, as a separate delivery. A
    message gets them once, and statements get theirs last.
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
    op = PostOp.REACT
    if post.shape is Shape.STATEMENT:
        op = PostOp.REACT_LATER
    return Outgoing(bare.key, place, op, msgspec.to_builtins(bare), target)


def incoming(body: Mapping[str, Any]) -> Post:
    """Reads a post from the outbox; ``reaction_options`` were once called ``seeds``."""
    if "seeds" in body:
        body = {"reaction_options": body["seeds"], **body}
    return msgspec.convert(body, Post)
