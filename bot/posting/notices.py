"""Notices to a thread about its own posts: one that may be missing, a vote without emojis."""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from core.application.desk import Button
from storage.claims import Delivery


def question_key(key: str) -> str:
    """Returns the key of the post that asks about the post ``key``."""
    return f"{key}?"


def question(delivery: Delivery, reason: str) -> Post:
    """Asks whether a message that may be missing is to be posted again."""
    title = "A message of this debate may be missing here"
    return Post(
        key=question_key(delivery.key),
        debate=delivery.debate,
        shape=Shape.NOTICE,
        title=title,
        body=reason,
        buttons=(Button("repost", "Post it again", f"{delivery.place} {delivery.key}"),),
        fallback=f"{title}: {reason}",
    )


def without_emojis(delivery: Delivery, reason: str) -> Post:
    """Posts once in a thread that a vote has no emojis, and how to vote without them."""
    title = "I could not put the emojis of a vote here"
    body = f"{reason} Vote with the buttons, or with `/debate vote`."
    return Post(
        f"{delivery.debate}:unseeded",
        delivery.debate,
        Shape.NOTICE,
        title=title,
        body=body,
        fallback=f"{title}: {reason}",
    )
