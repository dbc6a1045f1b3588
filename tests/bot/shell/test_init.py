"""``debate init``: five questions, once, and a file that ``serve`` and ``doctor`` read."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from adapters.slack.setup.manifest import making_link, manifest
from bot.env_file import parsed
from bot.shell.setup.answers import quoted
from bot.shell.setup.variables import all_variables, env_example
from core.words.receipt.signing import private_bytes
from tests.bot.shell.test_person import Person
from tests.end_to_end.shell import Ran, environment, process
from tests.project import ROOT
from tests.standins.slack import MANIFEST

ALL = b"slack\nopenai\nnone\n10\nhttps://debates.example/\n"


def bare(**more: str) -> dict[str, str]:
    """Returns an environment in which nobody chose a model."""
    env = environment(**more)
    return {name: value for name, value in env.items() if name != "DEBATE_MODELS"} | more


def init(
    folder: Path, *words: str, typed: bytes = b"", more: Mapping[str, str] | None = None
) -> Ran:
    return process(folder, "init", *words, env=bare(**(more or {})), stdin=typed.decode())


def values(folder: Path) -> dict[str, str]:
    return parsed((folder / ".env").read_text("utf-8"))


def test_five_questions_make_a_file_with_keys_links_and_the_next_step(tmp_path: Path) -> None:
    """A wrong answer is asked for again."""
    ran = init(tmp_path, typed=b"email\n" + ALL)
    assert "'email' is no answer to that." in ran.err
    assert "talk=slack" in (tmp_path / ".env").read_text("utf-8")
    assert re.findall(r"(\d) of 5", ran.err) == ["1", "1", "2", "3", "4", "5"]
    file = tmp_path / ".env"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    held = values(tmp_path)
    keys = {name: held.pop(name) for name in list(held) if name.endswith(("_KEY", "WATCH_TOKEN"))}
    assert held == {
        "SLACK_BOT_TOKEN": "",
        "SLACK_APP_TOKEN": "",
        "DEBATE_DAILY_BUDGET": "10.00",
        "DEBATE_BUDGET": "2.00",
        "DEBATE_PUBLIC_URL": "https://debates.example",
    }
    assert keys.pop("OPENAI_API_KEY") == ""
    assert len(private_bytes(keys["DEBATE_SIGNING_KEY"])) == 32
    assert len({*keys.values()}) == 3
    assert making_link() in ran.out
    for made in keys.values():
        assert made not in ran.out + ran.err
    missing = "Still empty in .env: SLACK_BOT_TOKEN, SLACK_APP_TOKEN, OPENAI_API_KEY. Then again"
    assert missing in ran.out
    assert "ok      receipts" in ran.out, "the doctor ends it"
    empty = {"models": "OPENAI_API_KEY", "Slack": "SLACK_BOT_TOKEN, SLACK_APP_TOKEN"}
    for part, names in empty.items():
        assert re.search(rf"BROKEN  {part} +empty in \.env: {names}\n +-> `debate init`", ran.out)
    assert ran.code == 2, "something is missing"


def test_again_it_asks_only_for_what_is_missing_and_keeps_everything_else(tmp_path: Path) -> None:
    init(tmp_path, typed=ALL)
    file = tmp_path / ".env"
    file.write_text(file.read_text("utf-8") + "# mine\nDEBATE_KEEP=90d\n", "utf-8")
    before = values(tmp_path)
    ran = init(tmp_path, typed=b"\n\nsk-test-0123456789ab$HOME\n")
    assert " of 5" not in ran.err
    names = re.findall(r"(\w+) \([^)]*Enter leaves it empty\)", ran.err)
    assert names == ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "OPENAI_API_KEY"]
    assert values(tmp_path) == {**before, "OPENAI_API_KEY": "sk-test-0123456789ab$HOME"}
    text = file.read_text("utf-8")
    assert "# mine\n" in text
    compose = "\nOPENAI_API_KEY='sk-test-0123456789ab$HOME'\n"
    assert compose in text, "Docker Compose reads it as it is"
    assert "sk-test" not in ran.out
    assert "Made:" not in ran.out


def test_a_secret_that_is_plainly_another_is_asked_for_again(tmp_path: Path) -> None:
    init(tmp_path, typed=ALL)
    pasted = b"xapp-1\nxoxb-1\nxoxb-1\nxapp-1\nxoxb-1\nsk-test-0123456789abcdef\n"
    ran = init(tmp_path, typed=pasted, more={"SLACK_API_URL": "http://127.0.0.1:1/api/"})
    again = "That is not a valid {}: check what you copied."
    names = ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "OPENAI_API_KEY"]
    assert [again.format(name) in ran.err for name in names] == [True] * 3
    held = values(tmp_path)
    assert [held[name] for name in names] == ["xoxb-1", "xapp-1", "sk-test-0123456789abcdef"]
    assert ran.out.endswith("fix what is BROKEN above, then again: debate doctor\n")
    file = tmp_path / ".env"
    file.write_text(file.read_text("utf-8").replace("=xapp-1", "=xoxb-2"), "utf-8")
    ran = init(tmp_path, typed=b"\n")
    assert "The value of SLACK_APP_TOKEN is not valid, so it was removed." in ran.err
    assert ran.out.endswith("Still empty in .env: SLACK_APP_TOKEN. Then again: debate init\n")


def test_a_forges_token_can_be_done_without(tmp_path: Path) -> None:
    first = init(tmp_path, typed=b"discord\nopenai\nboth\n5\nme\n")
    assert "Still empty in .env: DISCORD_TOKEN, OPENAI_API_KEY. Then again" in first.out
    assert re.search(r"BROKEN  Discord +empty in \.env: DISCORD_TOKEN\n", first.out)
    ran = init(tmp_path, typed=b"\nsk-test-0123456789abcdef\n\n\n")
    assert "GITHUB_TOKEN (a token that reads your repositories; Enter for public" in ran.err
    assert "GITLAB_TOKEN (a token with the scope api; Enter for public projects only)" in ran.err
    assert "Still empty in .env: DISCORD_TOKEN. Then again" in ran.out
    (tmp_path / "alone").mkdir()
    alone = init(tmp_path / "alone", "--yes", more={"OPENAI_API_KEY": "sk-test-0123456789abcdef"})
    assert alone.code == 0, alone.out
    assert "GitHub: public repositories are read as it is." in alone.out
    assert "Next: debate serve, or" in alone.out
    assert "Still empty" not in alone.out


def test_everything_there_is_green_and_says_what_to_do_next(tmp_path: Path) -> None:
    first = init(tmp_path, typed=b"none\nembedded\nnone\nnone\nme\n")
    assert first.code == 0, first.out
    assert "a first debate at once: DEBATE_ENV_FILE=.env debate LINK\n" in first.out
    again = init(tmp_path)
    assert (again.code, " of 5" in again.err, "Enter leaves" in again.err) == (0, False, False)
    assert "DEBATE_DAILY_BUDGET" not in values(tmp_path)


def test_without_questions_the_options_and_the_environment_answer(tmp_path: Path) -> None:
    given = {"DISCORD_TOKEN": "MTIz.x y#z'", "DEBATE_DATABASE_URL": "/data/debate.db"}
    ran = init(
        tmp_path, "--yes", "--model", "ollama/qwen3", "--forge", "none", "--whom", "me", more=given
    )
    held = values(tmp_path)
    assert {name: held[name] for name in given} == given
    assert (held["DEBATE_MODELS"], held["DEBATE_DAILY_BUDGET"]) == ("ollama/qwen3", "5.00")
    assert "From the environment: DISCORD_TOKEN, DEBATE_DATABASE_URL." in ran.out
    assert " of 5" not in ran.err
    assert "MTIz" not in ran.out


def test_what_was_set_by_hand_answers_for_itself(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "SLACK_BOT_TOKEN=xoxb-1\nGITLAB_TOKEN=glpat-1\nDEBATE_DAILY_BUDGET=3\n"
        "ANTHROPIC_API_KEY=sk-ant-0123456789\nDEBATE_PUBLIC_URL=https://d.example\n"
    )
    ran = init(tmp_path, "--yes")
    note = (tmp_path / ".env").read_text("utf-8").splitlines()[0]
    assert note == (
        "# debate init: talk=slack model=anthropic forge=gitlab budget=3 whom=https://d.example"
    )
    assert "Still empty in .env: SLACK_APP_TOKEN." in ran.out


def test_what_cannot_be_meant_writes_nothing(tmp_path: Path) -> None:
    for words, typed, reason in (
        ("--talk slak", b"", "'slak' is no answer to that. Did you mean slack?"),
        ("--all", b"", "init does not understand '--all'"),
        ("", b"slack\nopenai\n", "Nobody answers, and nothing was written."),
        ("--yes --budget -1", b"", "'-1' is no answer to that."),
    ):
        ran = init(tmp_path, *words.split(), typed=typed)
        assert (ran.code, reason in ran.err) == (2, True), ran.err
        assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("keys", "question"),
    [("\x03", "debate: Nothing was written. When you"), ("\x04", "debate: Nobody answers, and")],
)
def test_who_leaves_half_way_leaves_nothing_behind(
    tmp_path: Path, keys: str, question: str
) -> None:
    with closing(Person(tmp_path, "init", DEBATE_MODELS="")) as sitting:
        sitting.sees("1 of 5")
        sitting.types("slack\r")
        sitting.sees("2 of 5")
        sitting.types(keys)
        sitting.sees(question)
        assert sitting.leaves() == 2
    assert [*tmp_path.iterdir()] == []


def test_a_terminal_gets_its_lines_broken_between_words(tmp_path: Path) -> None:
    with closing(Person(tmp_path, "init", DEBATE_MODELS="", COLUMNS="60")) as sitting:
        for number, answer in enumerate(("slack", "openai", "", "", ""), start=1):
            sitting.sees(f"{number} of 5")
            sitting.types(f"{answer}\r")
        assert sitting.leaves() == 2
    lines = sitting.screen.splitlines()
    assert [one for one in lines if len(one) > 60 and " " in one.strip()] == []
    assert "  and browser always work)? [none]: slack" in lines


def test_a_repository_that_would_commit_the_file_is_told(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    hint = "does not ignore it: echo .env >> .gitignore"
    assert hint in init(tmp_path, "--yes", "--model", "embedded").out
    (tmp_path / ".gitignore").write_text(".env\n")
    assert hint not in init(tmp_path, "--yes").out


def test_values_are_read_as_they_were_written() -> None:
    for value in ("", "plain", "a b", "a#b", " # no", "it's", 'a"b', "\\n", "$HOME"):
        assert parsed(f"A={quoted(value)}\n") == {"A": value}


def test_the_link_holds_the_manifest_on_file() -> None:
    on_file = json.loads(MANIFEST.read_text("utf-8"))
    assert manifest() == on_file
    query = parse_qs(urlsplit(making_link()).query)
    assert json.loads(query["manifest_json"][0]) == on_file
    assert query["new_app"] == ["1"]


def test_the_example_is_made_from_the_table() -> None:
    """To write it anew: python -m bot.shell.setup.variables > .env.example"""
    assert (ROOT / ".env.example").read_text("utf-8") == env_example()
    assert parsed(env_example()) == {}


def test_every_variable_is_listed_once() -> None:
    names = [one.name for one in all_variables()]
    assert len(names) == len({*names})
