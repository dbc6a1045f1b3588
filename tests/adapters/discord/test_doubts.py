"""What is no longer there, too old or unknown in Discord changes nothing, or is found again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from adapters.discord import places
from adapters.discord.app import DiscordApp, DiscordConnection
from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.payloads import Interaction
from adapters.discord.outgoing.channels import FORGOTTEN
from adapters.discord.outgoing.failures import TOKEN_OVER, delivery_error
from adapters.discord.outgoing.session import redirect
from adapters.discord.settings import DiscordSettings
from adapters.ports.chat import Shape
from core.application.presence import DeliveryError
from tests.adapters.desk import RecordingDesk
from tests.adapters.discord.conftest import Town, settings_for
from tests.adapters.discord.posts import post
from tests.standins.discord_world import FORUM


class _Followup:
    """The line beside an interaction; ``code`` is what Discord refuses it with."""

    def __init__(self, code: int = 0) -> None:
        self.code, self.lines = code, list[tuple[str, bool, bool]]()

    async def send(self, text: str, *, ephemeral: bool, suppress_embeds: bool) -> None:
        if self.code:
            answer: Any = SimpleNamespace(status=404, reason="Not Found", headers={})
            raise discord.HTTPException(answer, {"code": self.code, "message": "gone"})
        self.lines.append((text, ephemeral, suppress_embeds))


def _interaction(followup: _Followup, *, seconds: float = 0.0) -> Interaction:
    at = datetime.now(UTC) - timedelta(seconds=seconds)
    return cast("Interaction", SimpleNamespace(followup=followup, created_at=at))


async def test_a_line_stands_beside_an_interaction_as_long_as_discord_allows() -> None:
    kept = Interactions()
    assert not await kept.post_private("discord:1/2", "discord:1/3", "x")
    for seconds, allowed in ((0.0, True), (800.0, True), (850.0, False)):
        followup = _Followup()
        kept.remember("discord:1/2", "discord:1/3", _interaction(followup, seconds=seconds))
        assert await kept.post_private("discord:1/2", "discord:1/3", "x") is allowed
        assert followup.lines == [("x", True, True)] * allowed
    assert not await kept.post_private("discord:1/2", "discord:1/4", "x")


async def test_an_interaction_that_is_over_is_no_failure_and_another_refusal_is() -> None:
    kept = Interactions()
    for code in TOKEN_OVER:
        kept.remember("p", "a", _interaction(_Followup(code)))
        assert not await kept.post_private("p", "a", "x")
    kept.remember("p", "a", _interaction(_Followup(50001)))
    with pytest.raises(discord.HTTPException):
        await kept.post_private("p", "a", "x")


async def test_a_poll_that_may_have_arrived_is_known_by_its_question_and_answers(
    town: Town,
) -> None:
    root = await town.debate()
    since = datetime.now(UTC) - timedelta(seconds=5)

    def poll(question: str, *answers: str) -> Any:
        return post("d1:vote", Shape.NOTICE, title=question, poll=answers)

    ref = await town.app.chat.send(town.place, root.thread, poll("Adopt it?", "yes", "no"))
    for given, ids in (
        (poll("Adopt it?", "yes", "no"), ref.ids),
        (poll("Adopt it?", "no", "yes"), ref.ids[:1]),
        (poll("Drop it?", "yes", "no"), ref.ids[:1]),
        (poll("Adopt it?", "yes"), ref.ids[:1]),
    ):
        assert await town.app.chat.find(town.place, root.thread, given, since) == [*ids]


async def test_a_root_that_is_deleted_leaves_a_thread_without_its_name(town: Town) -> None:
    """A name that is not an emoji can't be added as a reaction."""
    ref = await town.debate()
    with pytest.raises(DeliveryError, match="Discord has no emoji named 'nonsense'"):
        await town.app.chat.acknowledge(town.place, ref.ids[0], "nonsense")
    other = await town.app.chat.send(town.place, ref.thread, post("d1:1", body="x"))
    await town.app.chat.remove(town.place, other.ids[0])
    thread = town.discord.world.channels[ref.thread]
    assert thread["name"] == "PR 7"
    await town.app.chat.remove(town.place, ref.ids[0])
    assert thread["name"] == FORGOTTEN
    await town.app.chat.remove(town.place, ref.ids[0])
    renamed = [
        call for call in town.discord.calls
        if call.method == "PATCH" and call.path == f"/channels/{ref.thread}"
    ]  # fmt: skip
    assert len(renamed) == 1


def test_a_connection_that_was_never_made_may_be_tried_again() -> None:
    key: Any = SimpleNamespace(host="h", port=443, ssl=True, is_ssl=True)
    failed = delivery_error(aiohttp.ClientConnectorError(key, OSError("refused")), "#general")
    assert (failed.kind, failed.after) == ("retry", 5.0)
    broke = delivery_error(aiohttp.ServerDisconnectedError(), "#general")
    assert broke.kind == "uncertain"


@pytest.mark.parametrize(
    ("text", "parts"),
    [("1/2", (1, 2, "")), ("1/2/poll", (1, 2, "poll")), ("1/2/file", (1, 2, "file"))],
)
def test_a_message_is_read_back(text: str, parts: tuple[int, int, str]) -> None:
    assert places.parts(text) == parts
    assert places.message(*parts) == text
    for odd in ("", "1", "1/", "x/2", "1/x", "/2"):
        with pytest.raises(DeliveryError):
            places.parts(odd)


async def test_the_pauses_between_two_tries_double_up_to_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 9:
            raise _Enough

    settings = settings_for(cast("Any", _Away()))
    redirect(settings)
    app = DiscordApp(DiscordConnection(settings), RecordingDesk())
    monkeypatch.setattr("adapters.discord.app.asyncio", SimpleNamespace(sleep=sleep))
    try:
        with pytest.raises(_Enough):
            await app._run()
    finally:
        redirect(DiscordSettings(token=""))
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


class _Enough(Exception):
    """The test has seen enough tries."""


class _Away:
    """A Discord that nothing listens for."""

    token, api_url, gateway_url = "t", "http://127.0.0.1:9", "ws://127.0.0.1:9"


async def test_a_forums_post_goes_on_after_the_parts_that_are_there(town: Town) -> None:
    discord = town.discord
    forum = discord.world.channel(discord.guild, "forum", FORUM)
    await town.restart()
    place = f"discord:{discord.guild}/{forum['id']}"
    root = post("d1:root", Shape.ROOT, title="PR 7", body="because " * 1_200)
    ref = await town.app.chat.send(place, None, root)
    assert len(ref.ids) == 3
    for count in (3, 2, 1):
        again = await town.app.chat.send(place, None, root, ref.ids[:count])
        assert again == ref
        assert len(discord.messages(ref.thread)) == 3
