"""What the desk answers to many people about a store full of debates, and what it writes down."""

from __future__ import annotations

import asyncio
import atexit
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from adapters.commands import parse
from adapters.ports.chat import Reaction, Shape
from adapters.ports.desk import Caller
from adapters.posts import posts_for
from adapters.templates.catalogue import builtin
from bot.permissions.actions import PRESSES
from bot.posting.record import outgoing
from bot.settings import read
from bot.wire.parts import Parts, open_parts
from core import events as e
from core.debate import Debate, evolve, replay
from core.errors import DebateError
from core.log import Append, Outgoing
from core.outcome import outcome
from storage.outbox import MessageRef
from storage.tables import AUDIT, COMMAND, SCHEDULE
from tests.corpora.courses import course
from tests.corpora.surfaces import text_of
from tests.standins.chat import RecordingChat

NOW = datetime(2026, 12, 24, 12, 0, tzinfo=UTC)
NUMBERS = range(0, 54, 3)
_PLACES = ("slack:T1/C1", "slack:T1/C2", "slack:T2/C9", "discord:9/1", "shell:ann", "slack:T1/U7")
_TEMPLATES = {name: template.description for name, template in builtin().items()}


@dataclass
class _Standing:
    """A clock that stands until the next person asks, and that nobody waits for."""

    time: datetime = NOW

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        """Returns at once."""


def debate_id(number: int) -> str:
    return f"d{number:04d}xyz"


def _place_of(number: int) -> str:
    return _PLACES[number // 3 % len(_PLACES)]


def _moved(number: int) -> list[e.Event]:
    """The events of a drawn debate, under an id and in a place of its own."""
    requested, *later = course(number)
    assert isinstance(requested, e.DebateRequested)
    place = _place_of(number)
    request = replace(requested.request, place=place, asker=f"{place.partition('/')[0]}/U7")
    if place == "shell:ann":
        request = replace(request, asker="shell:ann")
    return [replace(requested, id=debate_id(number), request=request), *later]


async def _store(parts: Parts, number: int) -> None:
    """Stores a debate as its writer does, and notes its first messages as posted."""
    events = _moved(number)
    first, stores = events[0], parts.stores
    assert isinstance(first, e.DebateRequested)
    await stores.debates.create(first, f"asked:{number}")
    log = await stores.debates.claim(first.id, "gone:1")
    states = [replay(events[:1])]
    for event in events[1:]:
        states.append(evolve(states[-1], event))
    debate = states[-1]
    posts = tuple(_first_posts(debate, events, states))
    await log.append(
        Append(
            first.id, 1, tuple(events[1:]), states=tuple(states), status=debate.status, posts=posts
        )
    )
    if debate.concluded is not None:
        held = debate.resolved.held if debate.resolved else None
        await stores.outcomes.save(first.id, outcome(debate), debate.concluded.at, held)
    await log.release()


def _first_posts(
    debate: Debate, events: Sequence[e.Event], states: Sequence[Debate]
) -> list[Outgoing]:
    place = debate.request.place
    made = [
        post
        for event, before, after in zip(events[1:], states, states[1:], strict=False)
        for post in posts_for(before, event, after)
        if not post.to and not post.edits and post.shape in (Shape.ROOT, Shape.VERDICT)
    ]
    return [outgoing(post, place) for post in made[:2]] if not place.startswith("shell") else []


async def _fill(parts: Parts) -> None:
    for number in NUMBERS:
        await _store(parts, number)
    number = 0
    while deliveries := await parts.stores.outbox.claim("test"):
        for delivery in deliveries:
            number += 1
            await parts.stores.outbox.mark_sent(
                delivery, MessageRef(f"m{number}", (f"m{number}",), "")
            )
    while await parts.desk.searches.keeper.keep():
        pass
    for line in (
        'schedule add "every weekday 09:00 Europe/Helsinki" code_review o/r',
        'schedule add "every monday 14:30" panel "What next?" --department shop',
    ):
        for caller in (_CALLERS[1], _CALLERS[4]):
            await _typed(parts, line, caller)


_CALLERS = (
    Caller("shell:ann", "shell:ann", "event"),
    Caller("slack:T1/U7", "slack:T1/C1", "event", "Ann"),
    Caller("slack:T1/U2", "slack:T1/C1", "event", "Ben", thread="m1"),
    Caller("slack:T1/U3", "slack:T1/C2", "event", admin=True, confirms_price=True),
    Caller("slack:T1/U4", "slack:T1/C2", "event", guest=True),
    Caller("slack:T2/U7", "slack:T2/C9", "event", moderates=True),
    Caller("discord:9/U7", "discord:9/1", "event"),
    Caller("slack:T1/U7", "slack:T1/U7", "event", private=True),
    Caller("program:T1/ci", "slack:T1/C1", "event", program=True),
)
_LINES = (
    "list", "status", "list --department <shop>", "list --priority high --json", "leaderboard",
    "leaderboard --json", "search query", 'search "pool never closed" --since 900d',
    "search find --decision approve", "search a --mine", "search xyzzy", "schedule list",
    "show {}", "show {} --json", "export {} md", "export {} sarif", "export {} play", "receipt {}",
    "challenge {} It is not tested.", "hotseat {} 1", "hotseat {} author", "vote {} approve",
    "vote {} 2", "vote {} f1 real", "vote {} nonsense", "pause {}", "resume {}", "stop {}",
    "held {} yes because no bug came", "held {} no", "useful {} yes", "useful {} no",
    "compare {} {}", "mirror {} #general", "mirror {} slack:T1/C2", "post {}",
    "fork {} --without author", "fork {} --at 3 --assume 'nobody logs in'", "templates panel",
    "help vote", "hooks list", "setup github", "setup github o/r --labels a",
)  # fmt: skip


async def _typed(parts: Parts, line: str, caller: Caller) -> str:
    try:
        request = parse(line, templates=_TEMPLATES, prefix=caller.prefix)
    except DebateError as refused:
        return f"{line}: {refused}"
    return f"{line}: {text_of(await parts.desk.take(request, caller))}"


@cache
def filled() -> Path:
    """A database that holds all of them; every case works on a copy."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    async def fill() -> None:
        async with _open(folder) as parts:
            await _fill(parts)

    asyncio.run(fill())
    return folder / "debate.db"


def _open(folder: Path, clock: _Standing | None = None) -> Any:
    environ = {
        "DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", "DEBATE_SIGNING_KEY": "ab" * 32,
        "DEBATE_DATABASE_URL": str(folder / "debate.db"),
    }  # fmt: skip
    chats = {name: RecordingChat(folder / f"{name}.jsonl", name) for name in ("slack", "discord")}
    chats["slack"].names = {"slack:T1/C2": "general"}
    chats["slack"].guests = {"slack:T1/U4"}
    chats["slack"].held = {
        f"m{n}": [Reaction("x", ("slack:T1/U8", "slack:T1/U9"), ("Zoe",))] for n in (1, 2)
    }
    settings = read(environ, folder)
    return open_parts(settings, shell=False, clock=clock or _Standing(), chats=chats)


async def _asked(number: int, folder: Path) -> str:
    """One person's requests, buttons and home page, then what was stored of them."""
    caller, rng, made = _CALLERS[number % len(_CALLERS)], Random(f"desk {number}"), []
    clock = _Standing()
    async with _open(folder, clock) as parts:
        own = [n for n in NUMBERS if _place_of(n) == caller.place] or NUMBERS
        for line in rng.sample(_LINES, 20):
            clock.time += timedelta(minutes=1)
            ids = [debate_id(rng.choice(rng.choice((own, own, NUMBERS)))) for _ in range(2)]
            made.append(await _typed(parts, line.format(*ids), caller))
        for action in rng.sample(sorted(PRESSES.keys() - {"fork", "rerun", "recheck"}), 6):
            rest = rng.choice(("", ":yes", ":t1.f1", ":t1.f1:real", "::approve"))
            value = f"{debate_id(rng.choice(rng.choice((own, NUMBERS))))}{rest}"
            answer = await parts.desk.press(action, value, caller, rng.choice(("", "Why?")))
            made.append(f"{action} {value}: {text_of(answer)}")
        made.append(text_of(await parts.desk.home(caller)))
        await parts.desk.recount("slack")
        made += await _written(parts)
        lines = await parts.service.list()
    text = "\n".join(made)
    known = {debate_id(number) for number in NUMBERS}
    for at, line in enumerate(sorted(lines, key=lambda line: line.origin_key or "")):
        text = text if line.id in known else text.replace(line.id, f"new-{at}")
    return text


_ACTS = ("at", "who", "surface", "place", "what", "about", "detail")


async def _written(parts: Parts) -> list[str]:
    columns = (COMMAND.c.debate_id, COMMAND.c.source_key, COMMAND.c.payload)
    queries = [
        sa.select(*columns).order_by(COMMAND.c.id),
        sa.select(*(AUDIT.c[name] for name in _ACTS)).order_by(AUDIT.c.number),
        sa.select(SCHEDULE).order_by(SCHEDULE.c.id),
    ]

    def work(conn: sa.Connection) -> list[str]:
        return [text_of(list(row)) for query in queries for row in conn.execute(query)]

    return await parts.stores.database.read(work)


def _desk(number: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(filled(), Path(folder) / "debate.db")
        return asyncio.run(_asked(number, Path(folder)))


async def _deleted(number: int, folder: Path) -> str:
    """What is deleted of one debate, of a person and of a workspace that left, and what stays."""
    made: list[str] = []
    clock, messages = _Standing(), [f"m{n}" for n in range(1, 40)]
    async with _open(folder, clock) as parts:
        slack = parts.desk.reactions.chats["slack"]
        assert isinstance(slack, RecordingChat)
        slack.kept = dict.fromkeys(messages[number :: len(NUMBERS)], "It is too old.")
        retention, ids = parts.retention, [debate_id(n) for n in NUMBERS[number::6]]
        for id in ids:
            held = await retention.finder.find([id])
            made += [id, *held.lines]
            try:
                made.append(str(await retention.delete(await parts.service.load(id), "asked for")))
            except DebateError as refused:
                made.append(str(refused))
                continue
            made.append(text_of(await retention.delete_copies([id], held, "asked for")))
        person = ("slack:T1/U7", "discord:9/U7", "shell:ann", "nobody")[number % 4]
        made.append(text_of(await retention.forget_person(person)))
        await parts.desk.forget_workspace("slack:T2")
        for days in (29, 200):
            clock.time += timedelta(days=days)
            made.append(str(await retention.tidy()))
            while await parts.remover.remove_due():
                pass
            made.append(text_of(slack.removed))
        for id in ids:
            made += (await retention.finder.find([id])).lines
            events = await parts.stores.debates.load(id)
            made.append(text_of([type(event).__name__ for event in events]))
            made.append(text_of(await parts.stores.outcomes.get(id)))
        made += await _written(parts)
    return "\n".join(made)


def _forgotten(number: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(filled(), Path(folder) / "debate.db")
        text = asyncio.run(_deleted(number, Path(folder)))
    return re.sub(r"forgotten:[0-9a-f]{8}", "forgotten:ANY", text)  # drawn anew each time


CORPORA = {"desks": (len(_CALLERS), _desk), "forgotten": (2, _forgotten)}
