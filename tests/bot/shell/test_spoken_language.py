"""The shell speaks a debate's language, else the person's, else the machine's; programs read
English.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.__main__ import main
from core.languages import language_of
from tests.adapters.terminal.test_living import CONTROL
from tests.bot.shell.conftest import DIFF, Run
from tests.bot.shell.test_terminal import Screen
from tests.end_to_end.shell import environment, process
from tests.standins.openai import OpenAI

REVIEW = ("code_review", "a.diff", "--format", "contested", "--rounds", "1")


def test_a_machine_has_the_language_of_its_locale() -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({"LANG": "cs_CZ.UTF-8"}, "cs"),
        ({"LANG": "de"}, "de"),
        ({"LANG": "cs_CZ.UTF-8", "LC_MESSAGES": "de_AT@euro"}, "de"),
        ({"LANG": "cs_CZ.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "cs_CZ.UTF-8", "LC_ALL": ""}, "cs"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({}, "en"),
    ]
    for given, language in cases:
        assert language_of(given) == language


def test_a_review_in_a_czech_shell_is_in_czech(tmp_path: Path) -> None:
    (tmp_path / "a.diff").write_text(DIFF, "utf-8")
    env = environment(LANG="cs_CZ.UTF-8")
    ran = process(tmp_path, "code_review", "a.diff", "--budget", "5", env=env)
    assert ran.code == 0, ran.err
    for words in ("Cena: zdarma", "přemýšlí", "nález 1", "jen ukázka", "Poslat dál: debate export"):
        assert words in ran.out, words
    for words in ("is thinking", "Price", "Cost", "Round", "finding 1"):
        assert words not in ran.out, words
    stored = process(tmp_path, "list", "--json", env=env).document
    assert stored[0]["state"] == "changes requested", "programs read English"


def test_a_debate_that_was_started_in_a_language_is_shown_in_it(
    debate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "cs_CZ.UTF-8")
    ran = debate(*REVIEW, "--language", "de")
    assert ("denkt nach" in ran.out, "přemýšlí" in ran.out) == (True, False)
    outcome = debate(*REVIEW, "--json")
    assert "přemýšlí" not in outcome.err
    assert outcome.document["status"] == "finished"


def test_why_a_model_does_not_answer_is_in_the_machines_language(
    debate: Run, monkeypatch: pytest.MonkeyPatch, provider: OpenAI
) -> None:
    monkeypatch.setenv("LANG", "cs_CZ.UTF-8")
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 24)
    monkeypatch.setattr(provider, "refuses", 401)
    assert "neplatný klíč" in debate("code_review", "a.diff", "--models", "openai/gpt-5").err


def test_a_persons_own_language_is_before_the_machines(
    debate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "cs_CZ.UTF-8")
    debate("language", "de", "--me")
    assert "denkt nach" in debate(*REVIEW).out
    monkeypatch.delenv("LANG")
    assert "denkt nach" in debate(*REVIEW).out


def test_a_list_is_in_the_persons_language_on_a_screen_and_in_english_in_a_pipe(
    debate: Run, reviewed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict within a line keeps the capitals of German nouns."""
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert debate("list").out.split("\t")[1] == "changes requested"
    monkeypatch.setattr("sys.stdout", screen := Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    assert main(("list",)) == 0
    text = CONTROL.sub("", screen.getvalue())
    assert ("Änderungen verlangt" in text, "a.diff [Vorführung]" in text) == (True, True)
    assert ("Verdikt" in text, "requested" in text) == (True, False)
    assert main(("search", "app.py")) == 0
    assert "Code-Review, Änderungen verlangt: a.diff" in CONTROL.sub("", screen.getvalue())


@pytest.mark.parametrize(
    ("language", "warning"),
    [("en", "This is a demonstration"), ("cs", "Toto je ukázka"), ("de", "Dies ist eine Vorf")],
)
def test_a_demonstration_is_warned_of_once_in_each_language(
    debate: Run, language: str, warning: str
) -> None:
    ended = debate(*REVIEW, "--quiet", "--language", language)
    assert ended.out.count(warning) == 1
    id = debate("list").out.split("\t")[0]
    assert debate("show", id).out.count(warning) == 1


def test_a_demonstration_names_the_command_for_an_objection_to_other_models(
    debate: Run, reviewed: str
) -> None:
    refused = debate("challenge", reviewed, "Only tests call it.").err
    assert f"debate fork {reviewed} --models NAME" in refused
    assert all(line.removeprefix("debate:").strip() for line in refused.splitlines())


@pytest.mark.parametrize(
    ("language", "answers"),
    [
        (
            "cs_CZ.UTF-8",
            {
                "init --yes --model embedded": "Zapsáno",
                "forget nobody odd": "forget přijímá",
                "docs nothing": "Stránka 'nothing' neexistuje.",
                "open": "Žádný bot tu neběží.",
                "verify nope": "Soubor 'nope' neexistuje.",
                "help": "Několik modelů",
                "nope": "tu není",
                "nope.md": "Soubor 'nope.md' neexistuje. Co tam je: ls",
                "db restore x": "debate: There is no copy",  # for operators
                "serve x": "debate: serve does not",
            },
        ),
        (
            "de_DE.UTF-8",
            {
                "demo now": "demo nimmt keine Wörter",
                "/": "ist ein Ordner",
                "templates code_review": "Abdeckung der Sicherheit",
                "templates": "Reviews a change",  # columns are for programs
            },
        ),
    ],
)
def test_answers_and_slips_are_in_the_machines_language(
    debate: Run, monkeypatch: pytest.MonkeyPatch, language: str, answers: dict[str, str]
) -> None:
    monkeypatch.setenv("LANG", language)
    for typed, words in answers.items():
        ran = debate(*typed.split())
        assert words in ran.out + ran.err, typed
