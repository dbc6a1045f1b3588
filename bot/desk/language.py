"""The desk's part for languages: what a place and a person have set, and who hears which."""

from __future__ import annotations

from bot.desk.handlers import handles
from bot.desk.parts import DeskParts
from core.application.commands import requests as r
from core.application.desk import Caller, DeskAnswer
from core.languages import ENGLISH, LANGUAGES, msgid, say, speaking

_OF_QUESTIONS = msgid("not set, so the language of each question")
_OF_PLATFORM = msgid("not set, so that of your platform, else that of this channel")


@handles(r.Language)
async def choose_language(desk: DeskParts, request: r.Language, caller: Caller) -> DeskAnswer:
    """Sets the language of the caller's place, or of the caller, and answers in it."""
    if request.code:
        code = "" if request.code == "auto" else request.code
        of = caller.person if request.me else caller.place
        await desk.stores.places.set_language(of, code, caller.person, person=request.me)
    with speaking(await person_language(desk, caller)):
        here = await desk.stores.places.language(caller.place)
        mine = await desk.stores.places.language(caller.person, person=True)
        lines = (
            say("Debates here: {language}.", language=LANGUAGES.get(here) or say(_OF_QUESTIONS)),
            say(
                "Private answers to you: {language}.",
                language=LANGUAGES.get(mine) or say(_OF_PLATFORM),
            ),
        )
        return DeskAnswer("\n".join(lines))


async def person_language(desk: DeskParts, caller: Caller) -> str:
    """Returns the language of the private answers to a person: their own, else that of their
    platform, else the place's. Programs read English.
    """
    if caller.program:
        return ENGLISH
    own = await desk.stores.places.language(caller.person, person=True)
    return own or caller.language or await place_language(desk, caller.place)


async def place_language(desk: DeskParts, place: str) -> str:
    """Returns the language of what everybody in a place reads."""
    return await desk.stores.places.language(place) or ENGLISH
