"""The desk's part for languages: what a place and a person have set, and who hears which."""

from __future__ import annotations

from dataclasses import dataclass

from bot.desk.handlers import handles
from core.application.commands import requests as r
from core.application.desk import Caller, DeskAnswer
from core.languages import ENGLISH, LANGUAGES, say, speaking
from storage.places import Places


@dataclass(frozen=True, slots=True)
class LanguageDesk:
    places: Places

    @handles(r.Language)
    async def choose(self, request: r.Language, caller: Caller) -> DeskAnswer:
        """Sets the language of the caller's place, or of the caller, and answers in it."""
        if request.code:
            code = "" if request.code == "auto" else request.code
            of = caller.person if request.me else caller.place
            await self.places.set_language(of, code, caller.person, person=request.me)
        with speaking(await self.heard_by(caller)):
            here = await self.places.language(caller.place)
            mine = await self.places.language(caller.person, person=True)
            lines = (
                say("Debates here: {language}.", language=_name(here)),
                say("Private answers to you: {language}.", language=_name(mine)),
            )
            return DeskAnswer("\n".join(lines))

    async def heard_by(self, caller: Caller) -> str:
        """Returns the language of the private answers to a person: their own, else that of their
        platform, else the place's. Programs read English.
        """
        if caller.program:
            return ENGLISH
        own = await self.places.language(caller.person, person=True)
        return own or caller.language or await self.of_place(caller.place)

    async def of_place(self, place: str) -> str:
        """Returns the language of what everybody in a place reads."""
        return await self.places.language(place) or ENGLISH


def _name(code: str) -> str:
    return LANGUAGES.get(code) or say("not set, so the language of each question")
