"""A place, a person, a start and a question each have a language, and reviews have their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput
from core.debate.prompting import prompt
from tests.bot.room.serving import SHELL, Served, served

CZECH = "Máme přesunout frontu úloh do PostgreSQL, když ji dnes čte jen jeden proces?"


async def typed(room: Served, line: str) -> DeskAnswer:
    request = parse(line, templates=("triad", "panel"))
    return await room.parts.desk.take(request, Caller(SHELL, SHELL, line))


async def test_a_question_a_place_and_a_start_choose_the_language(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        first = await room.debate(target=CZECH)
        assert first.language == "cs"
        turn = first.turns[0]
        assert "in Czech" in prompt(first, turn)[0].text
        _, page, _ = await room.get(f"/d/{first.id}")
        assert '<html lang="cs">' in page
        assert "Přepis" in page
        assert CZECH in page, "what a person wrote stays literal"
        plain = await room.debate()
        assert plain.language == ""
        assert "the question's language" in prompt(plain, plain.turns[0])[0].text
        await typed(room, "language de")
        placed = await room.debate()
        chosen = await room.debate(extras={"language": "en"})
        assert (placed.language, chosen.language) == ("de", "en")


async def test_answers_are_in_the_language_of_the_person_then_of_the_place(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        assert (await typed(room, "language")).text.startswith("Debates here: not set")
        answer = await typed(room, "language cs")
        assert "Debaty zde: Čeština." in answer.text
        answer = await typed(room, "language de --me")
        assert answer.text.splitlines() == [
            "Debatten hier: Čeština.",
            "Private Antworten an Sie: Deutsch.",
        ]
        with pytest.raises(BadInput, match="'xx' is none of en, cs, de, auto"):
            parse("language xx", templates=())
        await typed(room, "language auto --me")
        answer = await typed(room, "language auto")
        assert answer.text.startswith("Debates here: not set")


async def test_a_page_outside_a_debate_has_the_browsers_language(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        _, page, _ = await room.get("/new", **{"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"})
        assert '<html lang="de">' in page
        assert "Was soll debattiert werden?" in page
        _, page, _ = await room.get("/new", **{"Accept-Language": "fr,en;q=0.5"})
        assert '<html lang="en">' in page
