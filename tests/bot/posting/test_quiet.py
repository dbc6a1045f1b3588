"""A quiet debate posts its own message and its verdict, and the rest once somebody wants to read
it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.ports.chat import Reaction
from adapters.posts.keys import root_key, verdict_key
from adapters.posts.root import UNFOLD
from bot.desk.taking_part.threads import ChatThreads
from bot.posting.deliver import Poster
from bot.posting.record import posts_so_far
from bot.wire.parts import Parts, open_parts
from core.application.desk import Caller
from core.debate.events import DebateRequest, WholeShown
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.origins import origin
from tests.standins.chat import RecordingChat

BEN = "slack:T1/U2"


async def start_quiet(parts: Parts) -> str:
    request = DebateRequest(
        "panel", "What next?", ASKER, PLACE, rounds=1, vote_window=0.0, quiet=True
    )
    return await parts.service.take(request, origin("e1"))


async def react(parts: Parts, chat: RecordingChat, key: str, emoji: str = UNFOLD) -> None:
    message = next(line["id"] for line in chat.lines() if line["key"] == key)
    await parts.desk.take_reaction(PLACE, message, Caller(BEN, PLACE, "e2"), emoji, True)


def sent(chat: RecordingChat) -> list[str]:
    return list(dict.fromkeys(line["key"] for line in chat.lines() if line["op"] == "send"))


async def whole(parts: Parts, id: str) -> list[str]:
    """Returns the keys of all posts of a debate."""
    events = await parts.stores.debates.load(id)
    return [post.key for post in posts_so_far(events, PLACE) if post.op == "post"]


async def test_a_reaction_on_its_message_shows_the_whole_once(tmp_path: Path) -> None:
    chat = RecordingChat(tmp_path / "chat.jsonl")
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with open_parts(settings, shell=False, chats={"slack": chat}) as parts:
        poster = Poster(parts.stores.outbox, {"slack": chat}, "test", paces={})
        id = await start_quiet(parts)
        await parts.advancer.advance(id)
        await poster.deliver_all()
        assert sent(chat) == [root_key(id), verdict_key(id)]
        assert chat.seeded[chat.lines()[0]["id"]] == [UNFOLD]
        await react(parts, chat, verdict_key(id))
        await react(parts, chat, root_key(id), "tada")
        assert await parts.stores.queue.load_waiting(id) == []
        await react(parts, chat, root_key(id))
        await react(parts, chat, root_key(id))
        await parts.advancer.advance(id)
        await parts.advancer.advance(id)
        await poster.deliver_all()
        events = await parts.stores.debates.load(id)
        assert [x for x in events if isinstance(x, WholeShown)] == [WholeShown(BEN)]
        assert sorted(sent(chat)) == sorted(await whole(parts, id))
        assert len(sent(chat)) > 5
        assert len(chat.keys()) == len(set(chat.keys())), "each once"


@pytest.mark.parametrize("missed", [False, True])
async def test_asked_for_while_it_runs_the_rest_is_told_as_it_happens(
    tmp_path: Path, missed: bool
) -> None:
    """With ``missed`` the bot was away when somebody reacted, and finds the reaction when it is
    back.
    """
    chat = RecordingChat(tmp_path / "chat.jsonl")
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with open_parts(settings, shell=False, chats={"slack": chat}) as parts:
        poster = Poster(parts.stores.outbox, {"slack": chat}, "test", paces={})
        id = await start_quiet(parts)

        @dataclass(frozen=True)
        class Reacting(ChatThreads):
            async def wait_for_first(self, id: str) -> None:
                await poster.deliver_all()
                if missed:
                    chat.held[chat.lines()[0]["id"]] = [Reaction(UNFOLD, (BEN,))]
                    await parts.desk.recount("slack")
                else:
                    await react(parts, chat, root_key(id))

        threads = Reacting(parts.desk)
        await replace(parts.advancer, threads=threads).advance(id)
        await poster.deliver_all()
        assert sent(chat)[0] == root_key(id)
        assert sent(chat) == await whole(parts, id)
