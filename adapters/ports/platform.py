"""A chat platform as the program starts it: the chat, through which posts go out, and the app,
which brings people's requests to the desk. Plugins describe theirs in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from adapters.ports.chat import Chat, Post, Reaction
from core.application.desk import Desk
from core.application.place import Person, Place, PlaceRules, bare_channel
from core.application.presence import DeliveryError, DeliveryFailure, Ref


class Platform(Protocol):
    """A platform's app."""

    async def start(self) -> None:
        """Connects the app. Raises ``BadInput`` for a token that the platform refuses."""
        ...

    async def stop(self) -> None: ...

    def ready(self) -> str:
        """Returns "" when the connection works in both directions, else a sentence on what is
        missing.
        """
        ...


@dataclass(frozen=True, slots=True)
class PlatformConnection:
    """A platform's connection. ``listen`` makes the app that brings requests to a desk, ``speak``
    makes an app that receives nothing and only serves the chat.
    """

    chat: Chat
    listen: Callable[[Desk], Platform]
    speak: Callable[[], Platform]


class PlainPlaces:
    """Places without special rules: ``NAME:WORKSPACE/CHANNEL``, and ``@USER`` as the channel of a
    direct message.
    """

    def is_direct(self, place: Place) -> bool:
        return place.channel.startswith("@")

    def workspace_of(self, place: Place) -> str:
        return place.workspace_key or str(place)

    def channel_named(self, text: str) -> str:
        return bare_channel(text)

    def known_as(self, person: Person, places: Sequence[Place]) -> Person:
        return person


@dataclass(frozen=True, slots=True)
class ChatPlatform:
    """A plugin's chat. ``connect`` receives the environment, and returns None if the chat is not
    configured there.
    """

    name: str
    connect: Callable[[Mapping[str, str]], PlatformConnection | None]
    rules: PlaceRules = field(default_factory=PlainPlaces)


class PlainChat:
    """The parts of a ``Chat`` that a plugin may leave out: one without reactions, which deletes
    nothing.
    """

    async def add_reactions(self, ref: Ref, post: Post, done: Sequence[str] = ()) -> None:
        return

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        return ()

    async def remove(self, place: str, message: str) -> None:
        raise DeliveryError(DeliveryFailure.DEAD, "This chat deletes no messages.")

    async def remove_files(self, place: str, thread: str, debate: str) -> None:
        return

    async def acknowledge(self, place: str, message: str, emoji: str) -> None:
        return


def plain_text(markdown: str) -> str:
    """Returns a ``DeskAnswer`` or a private line as text, for a chat without markup."""
    from adapters.text.foreign import visible
    from adapters.text.markdown import pieces, plain

    return visible(plain(pieces(markdown)))


def post_text(post: Post) -> str:
    """Returns a whole post as text, for a chat without markup."""
    from adapters.text.foreign import visible

    lines = [" ".join(filter(None, (post.who, post.title)))]
    lines += ["".join(span.text for span in spans) for spans in (post.subtitle, *post.lines)]
    lines.insert(2, f"> {post.quote}" if post.quote else "")
    lines.insert(3, plain_text(post.body))
    lines += [f"{label}: {value}" for label, value in post.fields]
    return visible("\n".join(filter(None, (*lines, post.small))) or post.fallback)
