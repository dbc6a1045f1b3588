"""Every debate that a test plays to its end in this process is played once more, when the test is
over, on what was stored of it: the same events must come out.

``python -m tests.replayed [FOLDER…]`` runs the tests and prints how many stored debates that were,
of which kinds, and how many came out different.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from core.debate.events import Event
    from core.debate.log import Call
    from core.words.views.course.replayed import Replayed

    Stored = tuple[Sequence[Event], Sequence[Call]]

NOTED = "REPLAYED_TO"
"""The environment variable that names the file in which each replay is a line."""
STAGED: set[str] = set()
"""Debates whose past a test wrote itself: nobody played it, so it can't be played again."""
FOLDERS = ("tests/bot", "tests/end_to_end", "tests/storage", "tests/trust", "tests/adapters")


def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Collects the debates that a test plays to their ends, if it plays any, and replays them."""
    if "bot.debates.advance" not in sys.modules:
        yield
        return
    from bot.debates.advance import Advancer
    from core.debate.errors import CouldNotFinish

    stored: dict[str, Stored] = {}
    advance = Advancer.advance

    async def watched(self: Advancer, id: str, **given: Any) -> Any:
        debate = await advance(self, id, **given)
        unread = id not in stored or len(stored[id][0]) != debate.count
        if debate.concluded is not None and id not in STAGED and unread:
            with suppress(CouldNotFinish):  # the store of this test is away
                stored[id] = await self.debates.load(id), await self.debates.load_calls(id)
        return debate

    monkeypatch.setattr(Advancer, "advance", watched)
    yield
    if not stored:
        return
    with closing(asyncio.new_event_loop()) as loop:
        others = loop.run_until_complete(_differing(stored.values()))
    if others:
        pytest.fail(f"played again it is another debate: {others}", pytrace=False)


async def _differing(stored: Iterable[Stored]) -> list[list[str]]:
    """Plays each debate once more and returns what differs in it."""
    from bot.debates.replay import replay_debate

    others = []
    for events, calls in stored:
        replayed = await replay_debate(events, calls)
        note(events, replayed)
        if replayed.difference is not None or replayed.reworded:
            others.append([*replayed.lines, str(replayed.document["difference"])])
    return others


def note(events: Sequence[Event], replayed: Replayed) -> None:
    """Adds a line on a replay to the file that is asked for, if one is."""
    if NOTED not in os.environ:
        return
    from core.debate import events as e

    opened = next((event for event in events if isinstance(event, e.DebateOpened)), None)
    if opened is None:
        return
    first = events[0]
    spoken = [event.statement for event in events if isinstance(event, e.TurnFinished)]
    traits = {
        "challenge": _has(events, e.ChallengeRaised),
        "vote": _has(events, e.VoteCast),
        "hot seat": _has(events, e.SeatAsked),
        "pause": _has(events, e.DebatePaused),
        "stop": _has(events, e.StopOrdered),
        "failed call": _has(events, e.TurnFailed),
        "look-up": any(statement.sources for statement in spoken),
        "fork": isinstance(first, e.DebateRequested) and first.fork is not None,
        "vote window": opened.terms.vote_window > 0,
    }
    line = {
        "debate": f"{os.environ.get('PYTEST_CURRENT_TEST')} {hash(repr((first, opened)))}",
        "events": len(events),
        "format": opened.script.format,
        "template": opened.template.id,
        "traits": [name for name, there in traits.items() if there],
        "differs": not replayed.same or bool(replayed.reworded),
    }
    with Path(os.environ[NOTED]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _has(events: Sequence[Event], kind: type) -> bool:
    return any(isinstance(event, kind) for event in events)


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """Counts debates, each as it stood when it was played again last."""
    debates = {line["debate"]: line for line in lines}.values()
    differing = sum(line["differs"] for line in lines)
    formats = Counter(line["format"] for line in debates)
    templates = {line["template"] for line in debates}
    traits = Counter(trait for line in debates for trait in line["traits"])

    def listed(counts: Counter[str]) -> str:
        return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))

    return (
        f"{len(debates)} stored debates of {len(templates)} templates, played again "
        f"{len(lines)} times: {differing} differences\n"
        f"by format: {listed(formats)}\nwith: {listed(traits)}"
    )


def main(folders: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "replayed")
        file.touch()
        words = ["-m", "pytest", "-q", *(folders or FOLDERS)]
        run = subprocess.run(
            [sys.executable, *words], env={**os.environ, NOTED: str(file)}, check=False
        )
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    print(summary(lines))
    return run.returncode or any(line["differs"] for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
