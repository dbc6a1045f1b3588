"""A text that is stored in English is said in the reader's language, with its names as they are."""

from __future__ import annotations

import re

import pytest

from core.debate.stored import stored, stored_many
from core.languages import ENGLISH, LANGUAGES, say, say_many, speaking
from core.languages.stored import NAME, say_stored
from tests.counting import calls_counted
from tools.catalogues import FILES, Text

LINES = (FILES / NAME).read_text("utf-8").splitlines()
MARKED = [Text(one, many) for one, _, many in (line.partition("\t") for line in LINES)]
TRANSLATED = [code for code in LANGUAGES if code != ENGLISH]


def test_a_text_of_a_known_shape_is_said_with_its_names() -> None:
    read = stored_many(
        3,
        "{n} line that could not be read, from line {first}",
        "{n} lines that could not be read, from line {first}",
        first="1,200",
    )
    assert read == "3 lines that could not be read, from line 1,200"
    with speaking("cs"):
        czech = say_stored(read)
        assert czech.split("od")[0] == "3 řádky, které nešly přečíst, "
        assert "1,200" not in czech
    assert say_stored(read) == read


@pytest.mark.parametrize(
    ("english", "czech"),
    [
        ("vendored", "převzatý cizí kód"),
        ("generated (.gitattributes)", "generovaný (.gitattributes)"),
        (
            "renamed, no text changed; mode 100644 -> 100755",
            "přejmenován, žádný text se nezměnil; režim 100644 -> 100755",
        ),
        (
            "1 of 3 files read in full, 2 left out (1 vendored; 1 lock file).",
            (
                "celé přečteno 1, celkem: 3 soubory, vynecháno: 2 "
                "(převzatý cizí kód: 1; zámkový soubor: 1)."
            ),
        ),
        (
            (
                "a/b: provider down (HTTP 503, “lock file; gone”). Next: try again later, or "
                "choose another model with --models."
            ),
            (
                "a/b: poskytovatel nedostupný (HTTP 503, “lock file; gone”). Co dál: zkuste to "
                "později, nebo zvolte jiný model pomocí --models."
            ),
        ),
        (
            (
                "a/b, twice: it was cut off at its limit of 4000, before its end; a shorter one is "
                "needed"
            ),
            "a/b, dvakrát: byla useknuta na svém limitu 4000, před svým koncem; je třeba kratší",
        ),
        (
            "No seat changed its stance in Discussion 2/3 and nothing new came.",
            "V kole „Diskuse 2/3“ žádné místo nezměnilo postoj a nic nového nepřišlo.",
        ),
        (
            "the test ends with an error on the change (ImportError: binary)",
            "test skončí chybou na změně (ImportError: binary)",
        ),
        (
            (
                "o/r#7 was merged on 4 Nov 2026: this is a post-mortem, and nothing is posted "
                "back to it."
            ),
            "o/r#7: sloučen 4. 11. 2026. Toto je zpětný rozbor a nic se k němu nezveřejní.",
        ),
    ],
)
def test_the_parts_of_a_stored_text_are_said_and_what_was_quoted_stays(
    english: str, czech: str
) -> None:
    with speaking("cs"):
        assert say_stored(english) == czech


@pytest.mark.parametrize(
    "text", ["", "the disk is on fire", "vendored; and more", "outside", "31 Feb 2026", "x" * 5_000]
)
def test_an_unknown_text_stays_as_it_is(text: str) -> None:
    with speaking("cs"):
        assert say_stored(text) == text


def test_a_reason_as_an_earlier_release_stored_it_is_still_translated() -> None:
    with speaking("de"):
        text = say_stored("its tests are in no framework known here")
    assert text == "seine Tests sind in keinem hier bekannten Framework"


def test_a_long_list_leaves_the_sentence_around_it_translated() -> None:
    rules = ", ".join(f"CONTRIBUTING.md: How tests of part {n} are written" for n in range(20))
    with speaking("de"):
        text = say_stored(stored("Read of the project's rules: {why}.", why=rules))
    assert text == f"Gelesene Regeln des Projekts: {rules}."


def test_a_stranger_s_words_cost_a_bounded_work() -> None:
    """A path or a provider's answer is part of a stored text and may be made to be slow."""
    hostile = "vendored; " * 60 + "zz. " * 60
    with speaking("cs"), calls_counted() as counted:
        assert say_stored(hostile) == hostile
    assert 0 < counted["fullmatch"] < 50_000  # without a bound it is many millions


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_marked_text_is_recognised(language: str) -> None:
    with speaking(language):
        for text in MARKED:
            assert say_stored(_english(text)) == _expected(text), text.one


def _fields(text: Text) -> dict[str, str]:
    """Returns a value for each field: a known word in those that are said as well."""
    names = set(re.findall(r"\{(\w+)\}", text.one + text.many)) - {"n" if text.many else ""}
    return {
        name: "vendored" if name.startswith("why") else "7" if name == "n" else f"<{name}>"
        for name in names
    }


def _english(text: Text) -> str:
    if text.many:
        return stored_many(5, text.one, text.many, **_fields(text))
    return stored(text.one, **_fields(text))


def _expected(text: Text) -> str:
    fields = {name: say(value) for name, value in _fields(text).items()}
    return say_many(5, text.one, text.many, **fields) if text.many else say(text.one, **fields)


@pytest.mark.parametrize(
    ("text", "length", "known"),
    [
        ("the reply has no {}", 1_900, True),
        ("the reply has {} and no number from 0 to 1 for the estimate", 600, True),
        ("the reply has {} and no number from 0 to 1 for the estimate", 601, False),
    ],
)
def test_a_long_text_with_several_fields_stays_english(text: str, length: int, known: bool) -> None:
    long = text.format("7" * (length - len(text) + 2))
    with speaking("de"):
        assert (say_stored(long) != long) is known
