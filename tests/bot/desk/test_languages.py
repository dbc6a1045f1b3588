"""A place, a person, a start and a question each have a language, and reviews have their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput
from core.debate.prompting import prompt
from core.languages import say_error, speaking
from tests.bot.room.serving import SHELL, Served, served

CZECH = "Máme přesunout frontu úloh do PostgreSQL, když ji dnes čte jen jeden proces?"


async def typed(room: Served, line: str) -> DeskAnswer:
    request = parse(line, templates=("triad", "panel"))
    return await room.parts.desk.take(request, Caller(SHELL, SHELL, line))


async def test_a_question_a_place_and_a_start_choose_the_language(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        first = await room.debate(target=CZECH, rounds=1)
        assert first.language == "cs"
        turn = first.turns[0]
        assert "in Czech" in prompt(first, turn)[0].text
        _, page, _ = await room.get(f"/d/{first.id}")
        assert '<html lang="cs">' in page
        assert "Přepis" in page
        assert CZECH in page, "what a person wrote stays literal"
        plain = await room.debate(rounds=1)
        assert plain.language == ""
        assert "the question's language" in prompt(plain, plain.turns[0])[0].text
        await typed(room, "language de")
        placed = await room.debate(rounds=1)
        chosen = await room.debate(rounds=1, extras={"language": "en"})
        assert (placed.language, chosen.language) == ("de", "en")


async def test_answers_are_in_the_language_of_the_person_then_of_the_place(tmp_path: Path) -> None:
    """An admin sets it also where no private repository may be bound; a page outside a debate has
    the browser's.
    """
    async with served(tmp_path, DEBATE_PRIVATE_WORKSPACES="slack:T9") as room:
        assert (await typed(room, "language")).text.startswith("Debates here: not set")
        answer = await typed(room, "language cs")
        assert "Debaty zde: Čeština." in answer.text
        answer = await typed(room, "language de --me")
        assert answer.text.splitlines() == [
            "Debatten hier: Čeština.",
            "Private Antworten an Sie: Deutsch.",
        ]
        own = (await typed(room, "language auto --me")).text.splitlines()[1]
        assert own == (
            "Soukromé odpovědi vám: nenastaveno, tedy jazyk vaší platformy, jinak jazyk tohoto "
            "kanálu."
        ), "a private answer has no question whose language it could have"
        with pytest.raises(BadInput, match="'xx' is none of en, cs, de, auto"):
            parse("language xx", templates=())
        answer = await typed(room, "language auto")
        assert answer.text.startswith("Debates here: not set")

        admin = Caller("slack:T1/U1", "slack:T1/C1", "a", admin=True)
        answer = await room.parts.desk.take(parse("language de", templates=()), admin)
        assert answer.ok
        assert answer.text.startswith("Debatten hier: Deutsch.")
        bound = await room.parts.desk.take(parse("setup github o/r", templates=()), admin)
        assert "DEBATE_PRIVATE_WORKSPACES" in bound.text

        _, page, _ = await room.get("/new", **{"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"})
        assert '<html lang="de">' in page
        assert "Was soll debattiert werden?" in page
        _, page, _ = await room.get("/new", **{"Accept-Language": "fr,en;q=0.5"})
        assert '<html lang="en">' in page


_CZECH, _GERMAN = "slack:T1/U1", "slack:T1/U2"


async def wrote(room: Served, person: str, line: str) -> str:
    caller = Caller(person, "slack:T1/C1", f"{person} {line}")
    answer = await room.parts.desk.take_message(caller, line, mentioned=True, message=line)
    assert answer is not None
    return answer.text


async def test_help_errors_and_refusals_are_in_each_persons_language(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_LIMITS="schedule-every=2h") as room:
        await wrote(room, _CZECH, "language cs --me")
        await wrote(room, _GERMAN, "language de --me")
        other: list[str] = []
        hourly = 'schedule add "every hour" panel Should we move the queue?'
        for line, czech, german in (
            ("help", "verdikt počítá kód", "Code berechnet das Verdikt"),
            ("help start", "nejvíce kol, 1 až 9", "höchstens so viele Runden, 1 bis 9"),
            ("help vote", "platí váš poslední hlas", "letzte Stimme"),
            ("help code_review", "Průběh:", "So läuft sie ab:"),
            ("help nothing", "Nápověda k 'nothing' není.", "Hilfe zu 'nothing' gibt es nicht."),
            ("vot approve", "Měli jste na mysli vote? Takto:", "Meinten Sie vote? So:"),
            ("panel Should we? --rounds 77", "celé číslo od 1 do 9", "eine ganze Zahl von 1 bis 9"),
            ("panel Should we? --qiet", "Měli jste na mysli --quiet?", "Meinten Sie --quiet?"),
            ("design_doc Should we? --form extended", "--form je pro", "--form ist für das Format"),
            ("templates code_revew", "Šablona 'code_revew' neex", "Eine Vorlage 'code_revew'"),
            ("show d4k7q2xy", "Debata 'd4k7q2xy' tu není", "Eine Debatte 'd4k7q2xy' gibt es hier"),
            ("language cs", "Jen správce smí nastavit jazyk", "Nur ein Admin darf die Sprache"),
            ("stop", "Která debata? Žádná tu neběží.", "Welche Debatte? Hier läuft keine."),
            (hourly, "by bylo: 60 minut; nejméně", "lägen 60 Minuten, und 2 Stunden"),
            ("panel Should we move the queue?", "začíná: panel, téma", "beginnt: Panel zu"),
        ):
            for person, expected in ((_CZECH, czech), (_GERMAN, german)):
                answer = await wrote(room, person, line)
                if expected not in answer:
                    other.append(answer)
        assert not other
        program = Caller(_CZECH, "slack:T1/C1", "a program", program=True)
        plain = await room.parts.desk.take(parse("help", templates=()), program)
        assert "Several models" in plain.text


def test_an_error_is_stored_in_english_and_said_in_the_language_of_its_reader() -> None:
    error = BadInput("It needs {what}.", what="{x}")
    with speaking("de"):
        assert say_error(error) == "Der Befehl braucht {x}."
        assert say_error(OSError("disk {0}")) == "disk {0}"
        assert say_error(BadInput("foreign {text}")) == "foreign {text}"
    assert str(error) == say_error(error) == "It needs {x}."
