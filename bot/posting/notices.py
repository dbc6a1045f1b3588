"""Notices to a thread about its own posts: one that may be missing, a vote without emojis."""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from core.application.desk import Button
from core.languages import say
from core.languages.stored import say_stored
from storage.claims import Delivery


def question_key(key: str) -> str:
    """Returns the key of the post that asks about the post ``key``."""
    return f"{key}?"


def question(delivery: Delivery, reason: str) -> Post:
    """Asks whether a message that may be missing is to be posted again."""
    title, reason = say("A message of this debate may be missing here"), say_stored(reason)
    return Post(
        key=question_key(delivery.key),
        debate=delivery.debate,
        shape=Shape.NOTICE,
        title=title,
        body=reason,
        buttons=(Button("repost", say("Post it again"), f"{delivery.place} {delivery.key}"),),
        fallback=f"{title}: {reason}",
    )


def without_emojis(delivery: Delivery, reason: str) -> Post:
    """Posts once in a thread that a vote has no emojis, and how to vote without them."""
    title, reason = say("I could not put the emojis of a vote here"), say_stored(reason)
    body = say("{reason} Vote with the buttons, or with `/debate vote`.", reason=reason)
    return Post(
        f"{delivery.debate}:unseeded",
        delivery.debate,
        Shape.NOTICE,
        title=title,
        body=body,
        fallback=f"{title}: {reason}",
    )
