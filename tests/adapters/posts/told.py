"""The posts that a thread got about a debate, and their text for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.ports.chat import Post, Shape
from adapters.posts import posts_for
from core.debate import events as e
from core.debate.state import Debate, begin, evolve


def posted(events: Sequence[e.Event]) -> list[Post]:
    """Returns every post that these events led to, edits too, in their order."""
    state: Debate | None = None
    posts: list[Post] = []
    for event in events:
        before = state
        if isinstance(event, e.DebateRequested):
            state = begin(event)
        else:
            assert state is not None
            state = evolve(state, event)
        posts += posts_for(before, event, state)
    return posts


def standing(posts: Sequence[Post]) -> list[Post]:
    """Returns the thread's messages as they are in the end, each as last edited and under the
    reactions it was given first.
    """
    last: dict[str, Post] = {}
    for post in posts:
        before = last.get(post.edits)
        offered = post.reaction_options or (before.reaction_options if before else ())
        last[post.edits or post.key] = replace(post, reaction_options=offered)
    return list(last.values())


def shaped(events: Sequence[e.Event], shape: Shape) -> list[Post]:
    """Returns the thread's messages of one shape as they are in the end."""
    return [post for post in standing(posted(events)) if post.shape is shape]


def seen(post: Post) -> str:
    """Its words from top to bottom, a line each."""
    lines = ["".join(span.text for span in line) for line in (post.subtitle, *post.lines)]
    fields = [f"{label}: {text}" for label, text in post.fields]
    parts = (post.who, post.title, lines[0], post.quote, post.body, *lines[1:], *fields, post.small)
    return "\n".join(filter(None, parts))
