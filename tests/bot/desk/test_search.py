"""``search`` in the shell finds statements without a bot; ``tests.bot.room.test_search`` has it in
chats.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.application.commands import parse
from core.debate.errors import BadInput
from tests.end_to_end.shell import environment, process

QUESTION = "Should the queue of jobs move into PostgreSQL?"


def test_the_shell_finds_without_a_bot_that_runs(tmp_path: Path) -> None:
    env = environment()
    made = process(tmp_path, "triad", QUESTION, "--json", env=env).document
    ran = process(tmp_path, "search", "queue", "postgres", "--json", env=env)
    assert [row["id"] for row in ran.document] == [made["id"]]
    assert ran.document[0]["decision"] == made["verdict"]["decision"]
    printed = process(tmp_path, "search", "queue", env=env)
    assert (printed.code, made["id"] in printed.out) == (0, True)
    nothing = process(tmp_path, "search", "unicorns", "--json", env=env)
    assert (nothing.code, json.loads(nothing.out)) == (0, [])


@pytest.mark.parametrize("line", ["search", "search --since never queue"])
def test_what_cannot_be_looked_for_says_so(line: str) -> None:
    with pytest.raises(BadInput):
        parse(line, templates=())
