"""The rule of audiences through the surfaces themselves: the room over HTTP, Slack, Discord."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from core.debate.events import DebateOpened, DebateRequested
from tests.bot.room.test_links import KEY
from tests.bot.room.test_signing_in import Signing, signing
from tests.browser.stage import finished_review, keep
from tests.end_to_end.discord_city import city
from tests.end_to_end.played import stored
from tests.end_to_end.slack_office import office
from tests.standins.github import GitHubStandIn
from tests.standins.gitlab import GitLabStandIn

SECRET = "kumquat"
CLOSED, OPEN = "slack:T1/G1", "slack:T1/C1"
ANN = "slack:T1/U1"
WIDER = "more people would read it"
LINKS = {"DEBATE_ROOM_LINKS": "1", "DEBATE_SIGNING_KEY": KEY}


async def reviewed(on: Signing, id: str, place: str, *, private: bool) -> str:
    """Keeps a finished review, of a private repository or of any, and returns its id."""
    parts = on.room.parts
    request, opened, *rest = await finished_review(parts, id, parts.clock.now())
    assert isinstance(request, DebateRequested)
    assert isinstance(opened, DebateOpened)
    request = replace(request, request=replace(request.request, place=place, asker=ANN))
    opened = replace(opened, material=replace(opened.material, private=private))
    return await keep(parts, [request, opened, *rest])


async def tried(on: Signing, id: str, what: str, token: str) -> str:
    """Asks the room for a copy and returns the text of the page to which it leads."""
    path, form = {
        "fork": ("/fork", {"debate": id, "assume": "x"}),
        "link": (f"/d/{id}/links", {"days": "7"}),
    }.get(what, ("/press", {"action": what, "value": id}))
    status, page, headers = await on.room.post(path, {}, token=token, **form)
    if status == 303:
        _, page, _ = await on.room.get(headers["Location"].partition("#")[0])
    return page


async def test_the_room_shows_nobody_a_private_channel_s_debate(tmp_path: Path) -> None:
    """Ann is in the private channel, and the room is read by every member of her workspace."""
    async with signing(tmp_path, LINKS) as on:
        on.slack.chat.outside.add((CLOSED, "slack:T1/U2"))
        held = await reviewed(on, "revw4k7q", CLOSED, private=False)
        direct = await reviewed(on, "revw4k7d", "slack:T1/D1", private=False)
        private = await reviewed(on, "revw4k7p", CLOSED, private=True)
        await on.sign_in()
        token = await on.room.token()
        count = len(await on.room.parts.stores.debates.find_recent())
        for what in ("fork", "rerun", "link"):
            assert WIDER in await tried(on, held, what, token)
            assert WIDER in await tried(on, direct, what, token)
            assert "about private material" in await tried(on, private, what, token)
            assert len(await on.room.parts.stores.debates.find_recent()) == count
        for id in (held, direct, private):
            _, page, _ = await on.room.get(f"/d/{id}")
            assert 'action="/d/' not in page, "no form for a link is offered"


async def test_the_room_copies_what_every_member_reads_while_they_do(tmp_path: Path) -> None:
    """A link that was given out is closed when the channel becomes private."""
    async with signing(tmp_path, LINKS) as on:
        held = await on.room.debate(place=OPEN, asker=ANN, rounds=1)
        await on.sign_in()
        token = await on.room.token()
        for what, copies in (("fork", 1), ("rerun", 2)):
            await tried(on, held.id, what, token)
            lines = await on.room.parts.stores.debates.find_recent()
            assert {line.place for line in lines} == {OPEN, "room:slack:T1/main"}
            assert len(lines) == 1 + copies
        page = await tried(on, held.id, "link", token)
        key = page.partition(f"/d/{held.id}/open/")[2].partition('"')[0].partition("<")[0]
        assert (await on.room.get(f"/d/{held.id}/open/{key}"))[0] == 303
        on.slack.chat.outside.add((OPEN, "slack:T1/U2"))
        assert (await on.room.get(f"/d/{held.id}/open/{key}"))[0] == 404


async def test_slack_takes_no_private_channel_s_debate_elsewhere(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    async with office(tmp_path, github) as place:
        world = place.slack.world
        room, shared = world.channel("G1"), world.channel("X1")
        room.private, room.people = True, ("U1", "U3")
        shared.private, shared.shared, shared.people = True, True, ("U1", "U9")
        world.channel("C2")
        place.time.let(0)
        id = await place.debate(f"panel Which {SECRET}?", channel="G1")
        for text, channel in (
            (f"mirror {id} slack:C2", "G1"),
            (f"mirror {id} slack:X1", "G1"),
            (f"fork {id}", "C2"),
            (f"fork {id}", "X1"),
        ):
            reply = await place.typed(text, channel=channel)
            assert WIDER in reply, (text, reply)
            assert SECRET not in reply
        assert len(await place.parts.stores.debates.find_recent()) == 1
        assert "continues `" in await place.typed(f"fork {id}", channel="G1")
        public = await place.debate("panel Which way?", channel="C1")
        assert WIDER in await place.typed(f"mirror {public} slack:X1", channel="C1"), (
            "people of another organisation read along there"
        )
        assert "will appear in" in await place.typed(f"mirror {public} slack:G1", channel="C1")


async def test_discord_takes_no_private_channel_s_or_thread_s_debate_elsewhere(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    async with city(tmp_path, github) as town:
        discord = town.discord
        closed = await town.closed_channel()
        town.time.let(0)
        id = await town.started(channel=closed, template="panel", target=f"Which {SECRET}?")
        for name, channel, more in (
            ("mirror", closed, {"place": f"<#{discord.general}>"}),
            ("fork", discord.general, {}),
        ):
            reply = await town.ask(name, channel=channel, debate=id, **more)
            assert WIDER in reply, (name, reply)
            assert SECRET not in reply
        assert len(await town.parts.stores.debates.find_recent()) == 1
        assert "continues `" in await town.ask("fork", channel=closed, debate=id)


async def test_a_chat_is_told_nothing_of_code_for_members_alone(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The project is public and its code is not; the operator's token could read it."""
    link = "https://gitlab.com/group/sub/project/-/merge_requests/7"
    diffs = [{"old_path": "a.py", "new_path": "a.py", "diff": f"@@ -0,0 +1 @@\n+{SECRET}\n"}]
    async with GitLabStandIn(diffs=diffs, title=f"The {SECRET} merger").running() as gitlab:
        env = {"GITLAB_API_URL": gitlab.url, "GITLAB_TOKEN": "glpat-made-up"}
        async with office(tmp_path, github, env=env) as place:
            world = place.slack.world
            for part in ("repository", "merge_requests"):
                gitlab.levels[part] = "private"
                await place.typed(f"code_review {link}")
                await place.until(place.whispers)
                assert "I can't see group/sub/project!7" in place.whispers().pop()
                world.ephemeral.clear()
                gitlab.levels[part] = "enabled"
            calls = json.dumps([call.arguments for call in place.slack.calls])
            assert SECRET not in calls + json.dumps(place.slack.responses)
            assert SECRET.encode() not in stored(tmp_path)
            assert set(gitlab.tokens) == {""}
            await place.finished(f"code_review {link} --rounds 1")
            assert set(gitlab.tokens) == {""}, "what everybody may read needs no token"
