"""``search`` in the shell finds statements without a bot; ``tests.bot.room.test_search`` has it in
chats.
"""

from __future__ import annotations

import json
from pathlib import Path

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
