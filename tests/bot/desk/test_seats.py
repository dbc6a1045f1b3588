"""A seat that a person holds: asked in the thread, waited for without a worker and over restarts,
answered by a reply or a button, and silent after the stated time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from adapters.posts.export.transcript import by_round
from adapters.posts.keys import root_key
from bot.posting.deliver import Poster
from bot.posting.record import incoming, posts_so_far
from bot.wire.parts import Parts, open_parts
from core.application.commands import ReplayRequest, Start
from core.application.desk import Caller
from core.debate.events import TurnFinished
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import SleepingHands
from tests.standins.chat import RecordingChat

BEN = "slack:T1/U2"
SEAT = "devils_advocate"


@dataclass
class Thread:
    parts: Parts
    chat: RecordingChat
    id: str = ""

    async def start(self, *seats: str, **options: object) -> Debate:
        start = Start("design_doc", "Shall we move?", seats=seats, rounds=2, yes=True, **options)  # type: ignore[arg-type]  # a test names its options
        answer = await self.parts.desk.take(start, Caller(ASKER, PLACE, "e1"))
        assert answer.ok, answer.text
        self.id = answer.debate
        return await self.play()

    async def play(self) -> Debate:
        debate = await self.parts.advancer.advance(self.id)
        poster = Poster(self.parts.stores.outbox, {"slack": self.chat}, "test", paces={})
        for _ in range(2):
            await poster.deliver_all()
        return debate

    async def reply(self, text: str, person: str = ASKER, *, mentioned: bool = False) -> str:
        """Writes in the debate's thread and returns the answer's text."""
        line = next(x for x in self.chat.lines() if x["key"] == root_key(self.id))
        number = len(self.chat.receipts) + len(text)
        caller = Caller(person, PLACE, f"m{number}", thread=str(line["id"]))
        answer = await self.parts.desk.take_message(caller, text, mentioned, f"m{number}")
        return answer.text if answer is not None else ""

    async def posts(self) -> list[str]:
        events = await self.parts.stores.debates.load(self.id)
        return [incoming(each.body).fallback for each in posts_so_far(events, PLACE)]


@asynccontextmanager
async def opened(folder: Path, clock: SleepingHands) -> AsyncIterator[Thread]:
    chat = RecordingChat(folder / "chat.jsonl")
    settings = settings_for(str(folder / "debate.db"), folder)
    async with open_parts(settings, shell=False, chats={"slack": chat}, clock=clock) as parts:
        yield Thread(parts, chat)


async def test_a_person_is_asked_in_the_thread_and_heard_over_a_restart(tmp_path: Path) -> None:
    clock = SleepingHands()
    async with opened(tmp_path, clock) as thread:
        debate = await thread.start(f"{SEAT}=person:me", vote_window=0.0)
        assert debate.rests
        assert debate.awaited[0].seat == SEAT
        title = "U1, it is your turn as the devil's advocate: "
        assert len([post for post in await thread.posts() if post.startswith(title)]) == 1
        assert await thread.parts.stores.debates.find_runnable() == [], "nobody holds it meanwhile"
        clock.time += timedelta(minutes=2)
        assert "Begin with the option" in await thread.reply("say: Hm, let me think.")
        assert await thread.reply("I only talk to Ben here.") == ""
        status = await thread.reply("show", mentioned=True)
        assert status == await thread.reply("please show this!", mentioned=True) != ""
        assert "You hold no seat" in await thread.reply("say: reject: it is dear", BEN)
    async with opened(tmp_path, clock) as again:
        again.id = thread.id
        assert (await again.play()).rests
        words = await again.reply("reject 70%: it is too dear", mentioned=True)
        assert words == "Taken as the words of the devil's advocate."
        assert await again.parts.stores.debates.find_runnable() == [again.id]
        debate = await again.play()
        while debate.awaited:
            turn = debate.awaited[0]
            caller, value = Caller(ASKER, PLACE, f"b{turn.id}"), f"{again.id}:{turn.id}"
            press = await again.parts.desk.press("say", value, caller, "reject: as before")
            assert press.ok, press.text
            debate = await again.play()
        assert debate.concluded is not None
        replayed = await again.parts.desk.take(ReplayRequest(again.id), Caller(ASKER, PLACE, "r1"))
        assert replayed.text.startswith("The same"), replayed.text
    document = outcome(debate)
    seat = next(one for one in document["seats"] if one["seat"] == SEAT)
    assert (seat["model"], seat["held_by"], seat["stance"]) == ("", "U1", "reject")
    assert debate.spent == 0.0
    assert "**Devil's advocate (U1)** · reject" in "\n".join(by_round(debate).values())


async def test_after_the_stated_time_the_seat_is_silent_and_the_debate_goes_on(
    tmp_path: Path,
) -> None:
    clock = SleepingHands()
    async with opened(tmp_path, clock) as thread:
        debate = await thread.start(f"{SEAT}=person:U2", timeout=120.0, vote_window=0.0)
        turn = debate.awaited[0].id
        clock.time += timedelta(seconds=119)
        assert await thread.parts.stores.debates.find_runnable() == []
        clock.time += timedelta(seconds=1)
        assert await thread.parts.stores.debates.find_runnable() == [thread.id]
        debate = await thread.play()
        assert debate.failed[turn] == "not within 2 minutes"
        caller = Caller(BEN, PLACE, "late")
        answer = await thread.parts.desk.press("say", f"{thread.id}:{turn}", caller, "reject: no")
        assert "It is not your turn now" in answer.text
        for _ in range(9):
            clock.time += timedelta(minutes=2)
            debate = await thread.play()
        assert debate.concluded is not None
        assert outcome(debate)["votes"]["final"]["none"] == 1
        replayed = await thread.parts.desk.take(ReplayRequest(thread.id), Caller(ASKER, PLACE, "r"))
        assert replayed.text.startswith("The same"), replayed.text


async def test_a_seat_that_nobody_can_be_asked_in_is_refused_before_anything_is_spent(
    tmp_path: Path,
) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("U1",), "--seats takes person:me, person:ACCOUNT or token:NAME"),
        (("nobody=person:me",), "no seat is free for nobody"),
        (("person:me", "person:U1"), "names somebody twice"),
        (("person:U1!,",), "needs the id of an account"),
        (("token:ci",), "No token of yours or of a service here is called 'ci'"),
        (tuple(f"person:U{n}" for n in range(1, 5)), "leaves no voting seat to a model"),
    ]
    async with opened(tmp_path, SleepingHands()) as thread:
        for seats, why in cases:
            start = Start("design_doc", "Shall we move?", seats=seats, yes=True)
            caller = Caller(ASKER, PLACE, "e1", confirms_price=True)
            answer = await thread.parts.desk.take(start, caller)
            assert (answer.ok, why in answer.text) == (False, True), answer.text


async def test_who_held_a_seat_is_forgotten_with_their_words(tmp_path: Path) -> None:
    """The choice stays, as that of a person who voted does."""
    async with opened(tmp_path, SleepingHands()) as thread:
        debate = await thread.start(f"{SEAT}=person:U2", vote_window=0.0)
        while debate.awaited:
            turn = f"{thread.id}:{debate.awaited[0].id}"
            caller = Caller(BEN, PLACE, turn)
            pressed = await thread.parts.desk.press("say", turn, caller, "reject 70%: a kumquat")
            assert pressed.ok, pressed.text
            debate = await thread.play()
        before = outcome(debate)
        done = await thread.parts.retention.forget_person(BEN)
        assert done.changed == (thread.id,)
        events = await thread.parts.stores.debates.load(thread.id)
        turns = {turn.id for turn in debate.turns if turn.seat == SEAT}
        own = [e.statement for e in events if isinstance(e, TurnFinished) and e.turn in turns]
        assert {one.stance.option for one in own if one.stance} == {"reject"}
        assert "U2" not in str(events)
        assert "kumquat" not in str(own)
        after = outcome(await thread.parts.service.load(thread.id))
        assert after["verdict"]["decision"] == before["verdict"]["decision"]
        assert after["votes"] == before["votes"]
