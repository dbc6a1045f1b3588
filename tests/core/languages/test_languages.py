"""Fixed words, numbers and dates in the current language, and the language of a text."""

from __future__ import annotations

from datetime import date

import pytest

from core.languages import (
    Catalogue,
    accepted,
    day,
    decimal,
    language_of,
    number,
    percent,
    say,
    say_many,
    speaking,
    spoken,
)
from core.languages.detection import detect


def test_english_is_the_text_itself() -> None:
    assert say("{a} and {b}", b="{x}", a=1) == "1 and {x}"
    assert say_many(1200, "{n} call", "{n} calls") == "1,200 calls"


def test_a_text_without_translation_stays_english() -> None:
    with speaking("cs"):
        assert say("no catalogue has {n} of these words", n=3) == (
            "no catalogue has 3 of these words"
        )
        assert say_many(2, "{n} unheard word", "{n} unheard words") == "2 unheard words"


def test_a_catalogue_that_is_not_whole_yet_leaves_its_gaps_english() -> None:
    texts, plurals = {"yes": "ano", "no": ""}, {"{n} day": ("", ""), "{n} hour": ("1", "2")}
    begun = Catalogue(texts, plurals, lambda n: n != 1)
    assert [begun.text(text) for text in ("yes", "no", "late")] == ["ano", "no", "late"]
    assert [begun.plural("{n} hour", "{n} hours", n) for n in (1, 5)] == ["1", "2"]
    assert [begun.plural("{n} day", "{n} days", n) for n in (1, 5)] == ["{n} day", "{n} days"]
    assert [begun.plural("{n} week", "{n} weeks", n) for n in (1, 5)] == ["{n} week", "{n} weeks"]
    with speaking("cs"):
        assert say("") == ""


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("cs", "cs"), ("de-AT,en;q=0.5", "de"), ("fr, CS ;q=0.8, de", "cs"), ("fr", "en"),
        ("", "en"),
    ],
)  # fmt: skip
def test_a_reader_s_language_is_the_first_that_ships(header: str, language: str) -> None:
    assert accepted(header) == language
    assert accepted(header, "de") == (language if header not in ("fr", "") else "de")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "cs_CZ.UTF-8"}, "cs"), ({"LANG": "de@euro"}, "de"), ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "de_DE", "LANG": "cs_CZ"}, "de"), ({"LC_ALL": "", "LC_MESSAGES": "cs"}, "cs"),
        ({}, "en"),
    ],
)  # fmt: skip
def test_a_machine_s_language_is_that_of_its_locale(
    environment: dict[str, str], language: str
) -> None:
    assert language_of(environment) == language


def test_an_unknown_language_is_english_and_blocks_nest() -> None:
    with speaking("cs"):
        with speaking("xx"):
            assert spoken() == "en"
        assert spoken() == "cs"
    assert spoken() == "en"


def test_figures_and_days_are_those_of_the_language() -> None:
    with speaking("cs"):
        assert number(12345).split() == ["12", "345"]
        assert percent(0.5).split() == ["50", "%"]
        assert day(date(2026, 11, 4)) == "4. 11. 2026"
    with speaking("de"):
        assert number(12345) == "12.345"
        assert (decimal(8.04, 1), decimal(0.5)) == ("8,0", "0,50")
        assert day(date(2026, 11, 4), year=False).startswith("4.")
    assert day(date(2026, 11, 4)) == "4 Nov 2026"
    assert (decimal(8.04, 1), decimal(0.5)) == ("8.0", "0.50")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Máme přesunout frontu úloh do PostgreSQL?", "cs"),
        ("Oprava: chyba při čtení diffu, který začíná BOM", "cs"),
        ("Sollen wir die Warteschlange nach PostgreSQL verschieben?", "de"),
        ("Should we move the queue to PostgreSQL?", "en"),
        ("Faut-il déplacer la file vers PostgreSQL ?", ""),
        ("fix: `der die das und` in src/und/die/das.py", ""),
        ("", ""),
        ("Should 42", ""),
        ("Should we", "en"),
        ("Příliš žluťoučký", "cs"),
        ("the and for der und", "en"),
        ("the and for der und nicht", ""),
        ("the and for our der und nicht", ""),
        ("the and for our this der und nicht", "en"),
        (f"{'x ' * 2_000}should we", ""),
        ("Add a retry to a client, a queue and a test", "en"),
        ("Rename s, k and v", ""),
        ("Die, die, die: end children that hang", ""),
    ],
)
def test_a_text_is_recognised_by_its_common_words(text: str, language: str) -> None:
    assert detect(text) == language
