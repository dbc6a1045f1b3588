"""The hot seat from a channel: two people or the starter, told and replayed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from adapters.ports.chat import Reaction
from bot.debates.advance import Inbox
from bot.desk.taking_part import person
from bot.posting.deliver import Poster
from bot.posting.record import incoming, posts_so_far
from bot.wire.parts import Parts, open_parts
from core.application.commands import HotSeat, ReplayRequest
from core.application.desk import Caller
from core.debate.commands import AskSeat, Command, Pause, Resume
from core.debate.engine import InboxCommand
from core.debate.events import DebateRequest, Event, SeatAsked
from core.debate.script import Topic
from core.debate.state import Debate, replay
from core.words.outcome import outcome
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.origins import origin
from tests.standins.chat import RecordingChat
from tests.storage.samples import opened, requested

if TYPE_CHECKING:
    from bot.desk.parts import DeskParts

BOB, CAT = "slack:T1/U2", "slack:T1/U3"
Act = Callable[[Parts, RecordingChat, Debate], Awaitable[None]]


async def react(parts: Parts, chat: RecordingChat, debate: Debate, *people: str) -> None:
    key = next(line["key"] for line in chat.lines() if line["key"].endswith(":statement"))
    message = next(line["id"] for line in chat.lines() if line["key"] == key)
    for one in people:
        caller = Caller(one, PLACE, f"{one}{debate.count}")
        await parts.desk.take_reaction(PLACE, message, caller, "fire", True)


async def by_starter(parts: Parts, chat: RecordingChat, debate: Debate) -> None:
    await react(parts, chat, debate, ASKER)


async def by_two(parts: Parts, chat: RecordingChat, debate: Debate) -> None:
    await react(parts, chat, debate, BOB, BOB)
    turn = next(iter(debate.finished))
    answer = await parts.desk.press("hotseat", f"{debate.id}:{turn}", Caller(CAT, PLACE, "c1"))
    assert answer.ok, answer.text


async def missed(parts: Parts, chat: RecordingChat, debate: Debate) -> None:
    """The reactions of two people that came while no bot was listening."""
    line = next(x for x in chat.lines() if x["key"].endswith(":statement"))
    chat.held[line["id"]] = [Reaction("fire", (BOB, CAT))]
    await parts.desk.recount("slack")


async def missed_of_a_guest(parts: Parts, chat: RecordingChat, debate: Debate) -> None:
    """The same reactions, but one of the two people is a guest, who may only vote."""
    chat.guests.add(CAT)
    await missed(parts, chat, debate)


@pytest.mark.parametrize(
    ("act", "wanted", "turns"),
    [
        (by_starter, 1, True),
        (by_two, 2, True),
        (missed, 2, True),
        (missed_of_a_guest, 1, False),
    ],
)
async def test_a_statement_is_defended_in_the_thread(
    tmp_path: Path, act: Act, wanted: int, turns: bool
) -> None:
    chat = RecordingChat(tmp_path / "chat.jsonl")
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with open_parts(settings, shell=False, chats={"slack": chat}) as parts:
        poster = Poster(parts.stores.outbox, {"slack": chat}, "test", paces={})
        request = DebateRequest("panel", "Tabs or spaces?", ASKER, PLACE, vote_window=0.0)
        id = await parts.service.take(request, origin("e1"))
        inbox: Inbox = asyncio.Queue()

        def told_of(_event: Event, debate: Debate) -> None:
            if debate.paused is None and len(debate.finished) == 2:
                inbox.put_nowait(InboxCommand(Pause(ASKER)))

        paused = await parts.advancer.advance(id, event_listener=told_of, inbox=inbox)
        assert paused.status == "paused"
        await poster.deliver_all()
        await act(parts, chat, paused)
        await parts.stores.queue.enqueue(id, Resume(ASKER), "go on")
        end = await parts.advancer.advance(id)
        events = await parts.stores.debates.load(id)
        assert len([x for x in events if isinstance(x, SeatAsked)]) == wanted
        seat = [t.task for t in end.turns if t.about_the(Topic.HOT_SEAT)]
        assert seat[-1:] == ["stand"] * turns
        sent = [incoming(each.body) for each in posts_so_far(events, PLACE)]
        notices = [p.fallback for p in sent if "in the hot seat" in p.fallback]
        assert len(notices) == wanted
        assert ("One more person" in notices[-1]) is not turns
        titles = [p.title for p in sent if p.title.startswith("Hot seat: ")]
        assert len(titles) == len(seat)
        document = outcome(end)
        assert document["hot_seats"][0]["state"] == ("answered" if turns else "open")
        kept = await parts.stores.outcomes.get(id)
        assert kept is not None
        assert "Hot seats" in kept.document["report"]
        again = await parts.desk.take(ReplayRequest(id), Caller(ASKER, PLACE, "r1"))
        assert again.text.startswith("The same"), again.text


@pytest.mark.parametrize(
    ("caller", "place", "own"),
    [
        (Caller(ASKER, PLACE, "e"), PLACE, True),
        (Caller(BOB, PLACE, "e"), PLACE, False),
        (Caller(BOB, "slack:T1/D1", "e"), "slack:T1/D1", True),  # nobody else is there
        (Caller("shell:ann", "shell:ann", "e"), PLACE, True),
        (Caller("shell:ann", "shell:ann", "e", program=True), PLACE, False),
    ],
)
async def test_who_needs_no_second_person(
    caller: Caller, place: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    debate = replay([requested(place=place), opened()])
    given: list[Command] = []

    async def find(_desk: object, _request: object, _caller: Caller) -> tuple[Debate, str]:
        return debate, caller.person

    async def give(
        _desk: object, _debate: Debate, command: Command, _caller: Caller
    ) -> list[Event]:
        given.append(command)
        return []

    monkeypatch.setattr(person, "find_with_person", find)
    monkeypatch.setattr(person, "store_unless_known", give)
    permissions = SimpleNamespace(person=lambda account: account)
    desk = cast("DeskParts", SimpleNamespace(permissions=permissions, chats={}))
    await person.ask(desk, HotSeat("T1", "d1"), caller)
    assert given == [AskSeat(caller.person, "t1", own, "e")]
