"""Sends private messages to one person: in the place of their request, or in their direct
messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from adapters.ports.chat import Chat
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure, Locales
from core.languages import ENGLISH


class FindLanguage(Protocol):
    async def __call__(self, of: str, *, person: bool = False) -> str:
        """Returns the language that was set for a place, or for a ``person``; "" for none
        (``storage.places.Places.language``).
        """
        ...


async def language_of(
    chats: Mapping[str, Chat], find: FindLanguage | None, person: str, place: str
) -> str:
    """Returns the language of a message that a person did not ask for just now: their own, else
    that of their platform if the chat knows it, else the place's.
    """
    if find is None:
        return ENGLISH
    if own := await find(person, person=True):
        return own
    chat: object = chats.get(platform_of(person))
    if isinstance(chat, Locales):
        with suppress(DeliveryError):
            if language := await chat.language_of(person):
                return language
    return await find(place)


async def tell(
    chats: Mapping[str, Chat], place: str, person: str, text: str, *, direct: bool = False
) -> None:
    """Sends a message to one person, privately in ``place``.

    With ``direct``, or for a person known elsewhere than there, it goes to their direct messages,
    and to ``place`` if those accept none. Raises ``DeliveryError``.
    """
    chat = chats.get(platform_of(person))
    if chat is None:
        raise DeliveryError(DeliveryFailure.DEAD, f"no chat reaches {person}")
    here = platform_of(place) == platform_of(person)
    if here and not direct:
        await chat.send_private(place, person, text)
        return
    try:
        await chat.send_direct(person, text)
    except DeliveryError as problem:
        if problem.kind != DeliveryFailure.DEAD or not here:
            raise
        await chat.send_private(place, person, text)
