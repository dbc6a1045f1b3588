"""Each shipped catalogue is whole: every text is translated, with the same fields."""

from __future__ import annotations

import pytest

from core.languages import ENGLISH, LANGUAGES, say, say_many, speaking
from core.languages.stored import NAME as STORED
from tools.catalogues import (
    FILES,
    Text,
    faults,
    load,
    stored_list,
    texts,
    unsaid,
    unsaid_in,
    updated,
)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != ENGLISH])
def test_every_text_is_translated_with_its_fields(language: str) -> None:
    problems = list(faults(language, load(language), texts()))
    assert problems == [], "python -m tools.catalogues --write, then translate the new texts"


def test_the_list_of_stored_texts_is_that_of_the_program() -> None:
    assert (FILES / STORED).read_text("utf-8") == stored_list(texts())
    assert "\n" not in "".join(text.one + text.many for text in texts().values() if text.stored)


def test_what_is_wrong_with_a_catalogue_is_named() -> None:
    wanted = {"{n} is due": Text("{n} is due"), "no such text": Text("no such text")}
    catalogue = updated(load("cs"), "cs", wanted)
    for message in catalogue:
        if message.id == "{n} is due":
            message.string = "na řadě je {x}"
    problems = list(faults("cs", catalogue, wanted | {"new": Text("new")}))
    assert [line.partition(": ")[2].split(" ")[0].rstrip(":") for line in problems] == [
        "fields",
        "not",
        "missing",
    ]


def test_what_people_are_answered_has_a_text_in_the_catalogues() -> None:
    assert list(unsaid()) == [], "say an answer; give an error a text and fields"
    source = """
raise Refused("There is no {thing}.", thing=thing)
raise Refused(f"There is no {thing}.")
raise WrongUsage("help", f"{thing} is no command")
DeskAnswer(say("There it is."))
DeskAnswer("There it is.")
"""
    assert list(unsaid_in(source)) == [3, 4, 6]


def test_a_number_has_the_form_that_its_language_wants() -> None:
    with speaking("cs"):
        counted = [say_many(n, "{n} finding", "{n} findings") for n in (1, 3, 5)]
        assert counted == ["1 nález", "3 nálezy", "5 nálezů"]
        assert say("Changes requested") == "Vyžádány změny"
    with speaking("de"):
        assert say_many(1, "{n} finding", "{n} findings") == "1 Befund"
