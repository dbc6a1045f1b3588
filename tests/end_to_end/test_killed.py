"""A debate whose process is killed: ``debate resume`` ends it as if nothing had been, and pays for
no finished answer twice.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.debates.opening.request import request_of
from core.application.commands import Start, parse
from tests.end_to_end import nursery
from tests.end_to_end.played import PERSON, opened
from tests.end_to_end.shell import DEBATE, EXAMPLE, environment, process
from tests.patience import PATIENCE

LATENCY = "0.03"
"""Seconds a model takes to answer where the debate is played to its end."""
SLOW = ("0.2", "1", "5")
"""Seconds an answer takes where the process is to be killed, so that whoever watches the store sees
each turn before the next one is stored: longer ones where a busy machine let the end pass."""
SAME = (
    *("template", "format", "status", "ended_because", "material", "seats", "findings"),
    *("votes", "verdict", "dissent", "scores", "report"),
)
"""The members of the outcome that must not depend on how often the process died."""


def surroundings(folder: Path, latency: str = LATENCY) -> dict[str, str]:
    return environment(
        DEBATE_SCRIPTED_LATENCY=latency, DEBATE_SCRIPTED_LEDGER=str(folder / "ledger")
    )


def resumed(folder: Path, id: str) -> dict[str, Any]:
    """Returns the document that ``debate resume ID --json`` prints."""
    done = process(folder, "resume", id, "--json", env=surroundings(folder))
    assert done.code == 0, done.err
    document: dict[str, Any] = done.document
    return document


def statements_of(outcome: Mapping[str, Any]) -> list[Any]:
    """Returns every turn, in script order, with all it said and was shown."""
    turns = [turn for at in outcome["rounds"] for turn in at["turns"]]
    return [{name: value for name, value in turn.items() if name != "usage"} for turn in turns]


def ledger(folder: Path) -> list[str]:
    """Returns the requests that a model answered, in order, whichever process asked."""
    path = folder / "ledger"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["request"] for line in lines]


def counted(folder: Path, query: str) -> int:
    with sqlite3.connect(f"file:{folder / 'debate.db'}?mode=ro", uri=True) as base:
        return int(base.execute(query).fetchone()[0])


def killed(folder: Path, id: str, events: int, latency: str = SLOW[0]) -> None:
    """Plays until so many events are stored, then kills without a word."""
    child = nursery.Popen(
        [*DEBATE, "resume", id],
        cwd=folder,
        env=surroundings(folder, latency),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + PATIENCE
        while counted(folder, "select count(*) from event") < events and child.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.002)
    finally:
        child.kill()
        child.wait()


class Unbroken:
    """One opening, kept as a file, and the outcome of playing it without a break."""

    def __init__(self, folder: Path, id: str) -> None:
        self.folder, self.id = folder, id
        self.begun = counted(folder, "select count(*) from event")
        whole = self.copy(folder / "whole")
        self.outcome = resumed(whole, id)
        self.requests = ledger(whole)
        self.events = counted(whole, "select count(*) from event")

    def copy(self, to: Path) -> Path:
        to.mkdir()
        shutil.copy(self.folder / "debate.db", to / "debate.db")
        return to


async def begun(folder: Path) -> str:
    """Returns a stored opening of which no turn was played."""
    async with opened(folder) as parts:
        ask = parse(
            ["code_review", str(EXAMPLE), "--debate-anyway"],
            templates=["code_review"],
            prefix="debate",
        )
        assert isinstance(ask, Start)
        request = request_of(ask, asker=PERSON, place=PERSON, files=True)
        return await parts.service.open(await parts.service.prepare(request))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Unbroken:
    folder = tmp_path_factory.mktemp("opening")
    return Unbroken(folder, asyncio.run(begun(folder)))


def killed_at(unbroken: Unbroken, folder: Path, events: int) -> Path:
    """Returns a copy of the opening, played until so many events were stored, and killed before its
    end.
    """
    for latency in SLOW:
        broken = unbroken.copy(folder / f"broken-{latency}")
        killed(broken, unbroken.id, events, latency)
        if counted(broken, "select count(*) from event") < unbroken.events:
            return broken
    raise AssertionError("every debate was over before it was killed")


def dies_and_goes_on(unbroken: Unbroken, folder: Path, share: float) -> None:
    last = unbroken.events - 4  # later the end is in one commit, and nothing is left to go on with
    at = unbroken.begun + 1 + round(share * (last - unbroken.begun - 1))
    broken = killed_at(unbroken, folder, at)
    status = process(broken, "status", env=surroundings(broken))
    assert status.code == 0
    assert f"debate resume {unbroken.id}" in status.out
    paid = counted(broken, "select count(*) from llm_call where state = 'done'")
    before = len(ledger(broken))
    outcome = resumed(broken, unbroken.id)
    assert {name: outcome[name] for name in SAME} == {name: unbroken.outcome[name] for name in SAME}
    assert statements_of(outcome) == statements_of(unbroken.outcome)
    calls = ledger(broken)
    assert set(calls) == set(unbroken.requests)
    assert len(calls) - before == len(unbroken.requests) - paid
    assert paid <= before


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_killed_and_resumed(unbroken: Unbroken, tmp_path: Path, share: float) -> None:
    dies_and_goes_on(unbroken, tmp_path, share)


@pytest.mark.faults
@pytest.mark.parametrize("point", range(20))
def test_killed_at_twenty_points(unbroken: Unbroken, tmp_path: Path, point: int) -> None:
    dies_and_goes_on(unbroken, tmp_path, point / 19)


def test_an_end_whose_outcome_was_not_stored_is_resumed(tmp_path: Path) -> None:
    env = environment()
    typed = [*DEBATE, "panel", "Should we move the queue?", "--quiet"]
    played = nursery.Popen(typed, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)
    assert played.wait(PATIENCE) == 0
    (ended,) = process(tmp_path, "list", "--json", env=env).document
    with sqlite3.connect(tmp_path / "debate.db") as base:  # as a full disk leaves it
        base.execute("delete from outcome")
        owner = f"{socket.gethostname()}:{played.pid}"
        base.execute("update debate set owner = ?", (owner,))
    (line,) = process(tmp_path, "list", "--json", env=env).document
    assert (line["state"], line["next"]) == ("finished", f"go on: debate resume {line['id']}")
    again = process(tmp_path, "replay", line["id"], env=env)
    assert f"events of debate {line['id']} came out again, byte for byte. No model" in again.out
    resumed = process(tmp_path, "resume", env=env)
    assert resumed.code == 0, resumed.err
    (line,) = process(tmp_path, "list", "--json", env=env).document
    assert [line[name] for name in ("state", "next", "demo")] == [ended["state"], "", True]
    again = process(tmp_path, "resume", line["id"], env=env)
    assert (again.code, "is finished already" in again.err) == (2, True)
