"""The same rules through the surfaces themselves: a Slack of several workspaces over HTTP, Discord
over its gateway, a forge's webhook, a shell. Everything is refused in the platform's own
answer, and nothing is stored.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest

from core.debate.errors import BadInput
from storage.database.clock import utc_now
from storage.database.running import RunningBots
from storage.messages import MessageStore
from storage.places import Installations
from storage.schema import open_database
from storage.sealing import Seal
from tests.bot.forges.town import NUMBER, REPO, town
from tests.end_to_end.discord_city import city
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.test_slack_places import OAUTH, installed
from tests.standins.discord_world import until
from tests.standins.github import GitHubStandIn
from tests.trust.conftest import Command

SECRET = "kumquat"
WROTE = "\n\nYou wrote:\n> why?"
"""The end of a refused challenge: what was typed is not lost."""
NOT_THERE = "There is no debate '{id}' here: `{prefix} list` shows those there are."


async def stored(place: Office) -> tuple[int, int]:
    """Counts the stored debates and schedules."""
    schedules = await place.parts.stores.schedules.find_all()
    return len(await place.parts.stores.debates.find_recent()), len(schedules)


@pytest.mark.filterwarnings(
    "ignore:BasicAuth is deprecated:DeprecationWarning"
)  # Slack's SDK still hands it to aiohttp
async def test_slack_refuses_what_the_operator_gave_no_leave_for(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """An admin of another workspace binds nothing; a chat names no model, reads no file and takes
    no more than its limits.
    """
    env = {
        **OAUTH,
        "DEBATE_PRIVATE_WORKSPACES": "slack:T7",
        "DEBATE_LIMITS": "person-challenges=1,schedule-every=1h",
    }
    github.load_case("py-static-prefix")
    github.pulls["o/r", 412].private = True
    async with office(tmp_path, github, http=True, env=env) as place:
        for team in ("T7", "T8"):
            await installed(place, team)
            place.slack.worlds[team].user("U1", is_admin=True)
        assert "can now debate" not in await place.typed("setup github o/r", team="T8")
        assert await place.parts.stores.places.repositories("slack:T8/C1") == []
        before = await stored(place)
        for model in ("bedrock/agentcore/arn:aws:x", "openai/gpt-5", "ollama/x"):
            reply = await place.typed(f"panel Which? --models {model}", team="T8")
            assert "may not be named here" in reply, reply
        refused = await place.typed('schedule add "*/5 * * * *" panel Which?', team="T8")
        assert "limit schedule-every in DEBATE_LIMITS" in refused
        checked = await place.typed("templates check /dev/ptmx", team="T8")
        assert checked.startswith("Only in a shell on my machine")
        assert await stored(place) == before


async def test_slack_hides_a_private_channel_and_counts_challenges(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    env = {"DEBATE_LIMITS": "person-challenges=1"}
    async with office(tmp_path, github, env=env) as place:
        place.time.let(0)
        room = place.slack.world.channel("G1")
        room.private, room.people = True, ("U1", "U3")
        place.slack.world.channel("C2")
        id = await place.debate(f"panel Which {SECRET}?", channel="G1")
        for text in (
            "show {id}", "export {id}", "vote {id} 1", "fork {id}", "challenge {id} why?",
            "stop {id}", "receipt {id}", "mirror {id} slack:C2", "held {id} yes",
        ):  # fmt: skip
            reply = await place.typed(text.format(id=id), channel="C2", user="U2")
            refusal = NOT_THERE.format(id=id, prefix="/debate")
            assert reply == refusal + (WROTE if "why?" in text else ""), text
        for beginning in (id[:3], id[:6]):
            reply = await place.typed(f"show {beginning}", channel="C2", user="U2")
            assert reply == NOT_THERE.format(id=beginning, prefix="/debate")
        listed = await place.typed("list", channel="C2", user="U2")
        assert (id in listed, SECRET in listed) == (False, False)
        assert id in await place.typed("list", channel="G1", user="U3")
        reply = await place.typed(f"mirror {id} slack:C9", channel="G1")
        assert "will be told" not in reply
        await place.reaches(id, lambda debate: bool(debate.started))
        first = await place.typed(f"challenge {id} why?", channel="G1")
        second = await place.typed(f"challenge {id} why not?", channel="G1")
        assert "limit person-challenges" not in first
        assert "limit person-challenges in DEBATE_LIMITS" in second
        other = await place.typed(f"challenge {id} and so?", channel="G1", user="U3")
        assert "limit person-challenges" not in other


async def test_discord_hides_a_private_channel_and_names_its_limits(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    limits = "person-challenges=1,person-debates=1,schedule-every=1h"
    async with city(tmp_path, github, DEBATE_LIMITS=limits) as town:
        discord = town.discord
        closed = await town.closed_channel()
        town.time.let(0)
        id = await town.started(channel=closed, template="panel", target=f"Which {SECRET}?")
        for name, more in (
            ("show", {}), ("export", {}), ("vote", {"option": "1"}), ("stop", {}), ("fork", {}),
            ("challenge", {"text": "why?"}), ("receipt", {}), ("held", {"held": "yes"}),
        ):  # fmt: skip
            reply = await town.ask(name, discord.bob, debate=id, **more)
            refusal = NOT_THERE.format(id=id, prefix="@Debatebot")
            assert reply == refusal + (WROTE if "text" in more else ""), name
        offered = json.dumps(await discord.autocomplete("show", "debate", "", user=discord.bob))
        assert (id in offered, SECRET in offered) == (False, False)
        assert id not in await town.ask("list", discord.bob)
        second = await town.ask("start", channel=closed, template="panel", target="And then?")
        assert "limit person-debates in DEBATE_LIMITS" in second
        named = await town.ask("start", template="panel", target="x?", models="bedrock/x")
        assert "may not be named here" in named
        often = await town.ask("schedule add", when="*/5 * * * *", template="panel", target="x?")
        assert "limit schedule-every in DEBATE_LIMITS" in often
        await until(lambda: town.time.waiting, what="the seats are asked")
        challenges = [
            await town.ask("challenge", channel=closed, debate=id, text=text)
            for text in ("why?", "why not?")
        ]
        assert ["limit person-challenges" in reply for reply in challenges] == [False, True], (
            challenges
        )


async def test_a_login_is_who_the_operator_says_and_a_stranger_on_a_forge_has_limits(
    tmp_path: Path,
) -> None:
    """A person who starts a debate by a comment has the budget of the person that they are; one who
    can comment on a public pull request can object, but not without end.
    """
    env = {"DEBATE_SAME_PERSON": "github:ann=slack:T1/U1", "DEBATE_LIMITS": "person-challenges=2"}
    async with town(tmp_path, env=env) as t:
        await t.bind()
        t.github.written.permissions[REPO, "ann"] = "write"
        await t.tell("issue_comment", "created", comment={"id": 5, "body": "/debate"})
        debate = await t.latest()
        assert debate.request.asker == "slack:T1/U1"
        await t.settle()
        await t.approve()
        (comment,) = t.github.written.comments[REPO, NUMBER]
        for number in range(4):
            reply = {"id": 9001 + number, "in_reply_to_id": comment.id, "body": f"No, {number}."}
            await t.tell("pull_request_review_comment", "created", comment=reply, sender="mallory")
        (row,) = await t.parts.context.followed.of("github.com", "o/r", 412)
        assert [one["text"][-2:] for one in row.objections] == ["0.", "1."]
        assert debate.id == row.debate


STALLING = (
    "[a](" * 20_000, 'password="' * 20_000, "&#" + "9" * 50_000, "<a " * 20_000, "*_`" * 20_000,
    "> " * 10_000 + "x",
)  # fmt: skip


def test_a_shell_reads_text_that_was_made_to_stall_it(debate: Command, tmp_path: Path) -> None:
    """It ends, and says how: a debate of what could be read, or one sentence."""
    (tmp_path / "plan.md").write_text("\n\n".join(("# Plan", *STALLING)), "utf-8")
    ran = debate("design_doc", "plan.md", "--rounds", "1", "--json")
    assert ran.code in (0, 2), ran.err
    assert "Unexpected" not in ran.err
    if ran.code == 0:
        assert debate("export", ran.document["id"], "html").code == 0


def test_a_shell_seals_what_is_stored_with_another_key(
    debate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "the key of last year", "the key of this year"
    monkeypatch.setenv("DEBATE_DATABASE_URL", "debate.db")

    async def read(key: str, *, keep: str = "") -> str | None:
        database = await open_database(str(tmp_path / "debate.db"), utc_now)
        try:
            vault = Installations(database, Seal([key]))
            if keep:
                await vault.keep("slack:T1", keep)
            return await vault.token("slack:T1")
        finally:
            await database.close()

    assert asyncio.run(read(old, keep="xoxb-token")) == "xoxb-token"
    monkeypatch.setenv("DEBATE_SECRET_KEY", new)
    refused = debate("db", "rotate")
    assert (refused.code, "sealed under another key" in refused.err) == (2, True)
    monkeypatch.setenv("DEBATE_SECRET_KEY", f"{new},{old}")
    assert debate("db", "rotate").code == 0
    assert asyncio.run(read(new)) == "xoxb-token"
    with pytest.raises(BadInput, match="sealed under another key"):
        asyncio.run(read(old))
    assert "rotate keys" in debate("audit").out
    files = [path for path in tmp_path.iterdir() if path.name.startswith("debate.db")]
    assert not any(b"xoxb-token" in path.read_bytes() for path in files)


def test_a_shell_seals_nothing_anew_while_a_bot_has_not_the_new_key(
    debate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "the key of last year", "the key of this year"
    monkeypatch.setenv("DEBATE_DATABASE_URL", "debate.db")
    owner = f"{socket.gethostname()}:{os.getpid()}"

    async def begin(*keys: str) -> None:
        database = await open_database(str(tmp_path / "debate.db"), utc_now)
        try:
            await RunningBots(database, owner, keys).begin("http://127.0.0.1:8765")
            await Installations(database, Seal([old])).keep("slack:T1", "xoxb-token")
        finally:
            await database.close()

    monkeypatch.setenv("DEBATE_SECRET_KEY", f"{new},{old}")
    for keys in ((), (old,)):
        asyncio.run(begin(*keys))
        refused = debate("db", "rotate")
        text = f"A running bot does not report the first key of DEBATE_SECRET_KEY: {owner}."
        assert (refused.code, text in refused.err) == (2, True), refused.err
    assert debate("db", "rotate", "--yes").code == 0
    asyncio.run(begin(new, old))
    assert debate("db", "rotate").code == 0

    async def weeks_pass() -> None:
        """Rotates as the running bot does every hour."""
        database = await open_database(str(tmp_path / "debate.db"), utc_now)
        await MessageStore(database).forget_events(utc_now() + timedelta(days=30))
        await database.close()

    asyncio.run(weeks_pass())
    assert debate("db", "rotate").code == 0, "a bot that runs for weeks is not refused"
    asyncio.run(begin(old))
    assert debate("db", "rotate").code == 2, "what another process of that name had counts no more"
