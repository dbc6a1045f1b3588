"""``search`` in chats and in the shell finds statements for people who may see them, and for nobody
else.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput
from tests.bot.room.serving import Served
from tests.bot.room.test_search import kept
from tests.bot.room.test_signing_in import signing
from tests.end_to_end.shell import environment, process

QUESTION = "Should the queue of jobs move into PostgreSQL?"


async def ask_desk(room: Served, line: str, person: str, place: str) -> DeskAnswer:
    request = parse(line, templates=("triad", "panel"))
    return await room.parts.desk.take(request, Caller(person, place, f"{person} {line}"))


async def test_a_chat_finds_what_the_room_would_and_nothing_of_others(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        near = await on.room.debate(place="slack:T1/C1", asker="slack:T1/U2")
        await on.room.debate(place="slack:T2/C9", asker="slack:T2/U2")
        await on.room.debate(place="slack:T1/D7", asker="slack:T1/U2")
        await kept(on.room)
        answer = await ask_desk(on.room, "search queue jobs", "slack:T1/U1", "slack:T1/C1")
        (line,) = [one for one in answer.text.splitlines() if one.startswith("- ")]
        assert re.match(rf"- `{near.id}` \d{{4}}-\d\d-\d\d, triad, ", line)
        assert answer.files == (), "a document is for those who ask for it"
        none = await ask_desk(on.room, "search queue unicorns", "slack:T1/U1", "slack:T1/C1")
        assert none.text.startswith("No debate that you may see says “queue unicorns”.")
        for narrowed in ("--decision none_such", "--mine", "--template panel", "--by nobody",
                         "--repository acme/shop"):  # fmt: skip
            line = f"search queue {narrowed}"
            assert "No debate" in (await ask_desk(on.room, line, "slack:T1/U1", "slack:T1/C1")).text
        recent = await ask_desk(on.room, "search queue --since 1h", "slack:T1/U1", "slack:T1/C1")
        assert near.id in recent.text


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
