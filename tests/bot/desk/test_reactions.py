"""Votes by reaction: as they come, and as they are found again on a message after the bot was
away.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.ports.chat import Reaction
from adapters.posts.keys import root_key, verdict_key
from bot.desk.taking_part.hot_seat import SEAT_EMOJI
from bot.desk.taking_part.reactions import recount_debate, recount_platform
from bot.posting.deliver import Poster
from bot.wire.parts import Parts, open_parts
from core.application.desk import Caller
from core.application.presence import DeliveryError
from core.debate.events import DebateRequest
from core.debate.state import Debate, replay
from storage.messages import SentMessage
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import SleepingHands
from tests.origins import origin
from tests.standins.chat import RecordingChat
from tests.storage.samples import requested

BEN, CARL, DORA = "slack:T1/U2", "slack:T1/U3", "slack:T1/U4"


@dataclass
class BusyChat(RecordingChat):
    """A chat that answers the first questions for reactions with these errors."""

    errors: list[DeliveryError] = field(default_factory=list)

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        if self.errors:
            raise self.errors.pop(0)
        return await super().read_reactions(place, message)


@dataclass
class Thread:
    """A debate whose vote is open, and its messages in the chat."""

    parts: Parts
    chat: BusyChat
    hands: SleepingHands
    id: str
    emojis: Sequence[str] = ()

    async def load(self) -> Debate:
        return await self.parts.service.load(self.id)

    def message(self, key: str) -> str:
        return next(str(line["id"]) for line in self.chat.lines() if line["key"] == key)

    async def react(
        self, key: str, emoji: str, person: str, *, added: bool = True, guest: bool = False
    ) -> None:
        source = f"{len(await self.parts.stores.queue.find_from(self.id, ''))}"
        caller = Caller(person, PLACE, source, guest=guest)
        await self.parts.desk.take_reaction(PLACE, self.message(key), caller, emoji, added)

    async def votes(self) -> dict[str, str]:
        """Returns who votes for what, after all commands were taken."""
        await self.parts.advancer.advance(self.id)
        debate = await self.load()
        return {person: vote.option for (about, person), vote in debate.votes.items() if not about}


@pytest.fixture
async def thread(tmp_path: Path) -> AsyncIterator[Thread]:
    hands, chat = SleepingHands(), BusyChat(tmp_path / "chat.jsonl")
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with open_parts(settings, shell=False, chats={"slack": chat}, clock=hands) as parts:
        request = DebateRequest(
            "design_doc", "Shall we?", ASKER, PLACE, rounds=1, vote_window=86_400.0
        )
        id = await parts.service.take(request, origin("e1"))
        await parts.advancer.advance(id)
        poster = Poster(parts.stores.outbox, {"slack": chat}, "test", paces={})
        for _ in range(3):
            await poster.deliver_all()
        one = Thread(parts, chat, hands, id)
        debate = await one.load()
        assert debate.concluded is not None
        assert not debate.final
        one.emojis = [option.emoji for option in debate.open.template.ballot]
        yield one


async def test_the_last_reaction_is_the_vote_and_what_stands_counts_when_it_goes(
    thread: Thread,
) -> None:
    """Reactions that came and went while the bot was away count in the same way."""
    root, verdict = root_key(thread.id), verdict_key(thread.id)
    first, second = thread.emojis[:2]
    options = [option.option for option in (await thread.load()).open.template.ballot]
    await thread.react(root, first, BEN)
    await thread.react(verdict, second, BEN)
    await thread.react(root, "tada", CARL)
    assert await thread.votes() == {BEN: options[1]}
    await thread.react(verdict, second, BEN, added=False)
    assert await thread.votes() == {BEN: options[0]}, "the one on the root still stands"
    await thread.react(root, first, BEN, added=False)
    assert await thread.votes() == {}

    await thread.react(root, first, BEN)
    held, message = thread.chat.held, thread.message(root)
    held[message] = [Reaction(second, (BEN, CARL), ("Ben",)), Reaction("tada", (CARL,))]
    await thread.parts.desk.recount("slack")
    assert await thread.votes() == {BEN: options[1], CARL: options[1]}
    thread.hands.time += timedelta(minutes=1)
    held[message] = [Reaction(second, (CARL,))]
    await thread.parts.desk.recount("slack")
    assert await thread.votes() == {CARL: options[1]}
    waiting = await thread.parts.stores.queue.find_from(thread.id, "")
    await thread.parts.desk.recount("slack")
    again = await thread.parts.stores.queue.find_from(thread.id, "")
    assert len(again) == len(waiting), "nothing has changed"


BUSY = [
    ([("dead", 0.0)], [], False),
    ([("uncertain", 9.0)], [], False),
    ([("retry", 1.0)] * 5, [1.0] * 5, False),
    ([("retry", 3.0), ("retry", 1.0)], [3.0, 1.0], True),
]


async def test_a_chat_that_is_busy_is_waited_for_and_where_it_stays_so_votes_stay(
    thread: Thread,
) -> None:
    """The root is read first of all messages; the reaction on it is gone by then."""
    await thread.react(root_key(thread.id), thread.emojis[0], BEN)
    option = (await thread.load()).open.template.ballot[0].option
    assert await thread.votes() == {BEN: option}
    for errors, slept, counted in BUSY:
        thread.chat.errors = [DeliveryError(kind, "busy", after=after) for kind, after in errors]
        before = len(thread.hands.slept)
        await recount_debate(thread.parts.desk, thread.id)
        assert thread.hands.slept[before:] == slept
        assert await thread.votes() == ({} if counted else {BEN: option})


@dataclass
class Sent:
    """A store of messages, each of a debate that is named like it, and the debates themselves, of
    which none is open.
    """

    messages: Sequence[SentMessage]
    read: list[str] = field(default_factory=list)

    async def load_live(self, _platform: str) -> Sequence[SentMessage]:
        return self.messages

    async def load(self, id: str) -> Any:
        if id == "all":
            return self.messages
        self.read.append(id)
        return replay([requested(id)])


async def test_the_verdict_is_read_first_then_findings_then_statements() -> None:
    """Time may end before all are read."""
    subjects = ("t4", "t1.f2", "t2", "", "t1.f1", None)
    sent: Any = Sent([SentMessage(PLACE, "1", "", str(x), "", x) for x in subjects])
    desk: Any = SimpleNamespace(
        service=sent,
        stores=SimpleNamespace(messages=sent, queue=sent),
        chats={"slack": BusyChat(Path())},
    )
    await recount_platform(desk, "slack")
    assert sent.read == ["", "None", "t1.f2", "t1.f1", "t4", "t2"]
    sent.read.clear()
    await recount_debate(desk, "all")
    assert sent.read == ["", "t1.f2", "t1.f1", "t4", "t2"]


async def test_nothing_is_counted_once_the_verdict_is_final_and_who_is_refused_is_told_privately(
    thread: Thread,
) -> None:
    """At its end all messages are read once more, and not after that; a refusal is told at most
    once a minute.
    """
    root = thread.message(root_key(thread.id))
    thread.chat.held[root] = [Reaction(thread.emojis[0], (BEN,))]
    thread.hands.time += timedelta(days=2)
    for _ in range(2):
        await thread.votes()
    before = await thread.load()
    assert before.final
    assert {person for _, person in before.votes} == {BEN}
    thread.chat.held[root] = [Reaction(thread.emojis[1], (CARL,))]
    await thread.parts.desk.recount("slack")
    await thread.react(root_key(thread.id), thread.emojis[1], CARL)
    assert (await thread.load()).votes == before.votes
    assert await thread.parts.stores.queue.load_waiting(thread.id) == []

    thread.chat.private.clear()
    keys = [str(line["key"]) for line in thread.chat.lines()]
    statement = next(key for key in keys if key.endswith(":statement"))
    await thread.react(statement, SEAT_EMOJI, BEN)
    [(place, person, text)] = thread.chat.private
    assert (place, person) == (PLACE, BEN)
    assert "No questions are put after the end." in text
    await thread.react(statement, SEAT_EMOJI, BEN)
    await thread.react(statement, SEAT_EMOJI, BEN, added=False)
    assert len(thread.chat.private) == 1
    await thread.react(statement, SEAT_EMOJI, DORA, guest=True)
    assert [person for _, person, _ in thread.chat.private] == [BEN, DORA]
    assert "a member may put a seat" in thread.chat.private[-1][2]
    thread.hands.time += timedelta(minutes=1)
    await thread.parts.stores.places.set_language(CARL, "cs", CARL, person=True)
    await thread.react(statement, SEAT_EMOJI, CARL, guest=True)
    assert "nezměnila: Hosté smějí" in thread.chat.private[-1][2], "as a whole in their language"
