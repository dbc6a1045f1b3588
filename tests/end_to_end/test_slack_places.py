"""The places in which a debate may be seen, and what recurs there: schedules, private material,
direct messages, several workspaces.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientSession

from bot.schedules.cron import Rule
from core.application.presence import DeliveryError
from core.application.schedules import Schedule
from tests.end_to_end.played import LINK, stored
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.world import CRITICS, comes
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

WROTE = "\n\nYou wrote:\n> why?"
"""The end of a refused challenge: what was typed is not lost."""
REVIEW = f"code_review {LINK} --format panel"
"""A review of few turns."""
TITLE = "staticfiles: use commonprefix for the containment check"


# Schedules


async def scheduled(place: Office, what: str) -> str:
    """Adds a schedule and gives its id."""
    when = '"every weekday 09:00" --tz Europe/Helsinki'
    reply = await place.typed(f"schedule add {when} {what}")
    assert reply.startswith("Schedule `s"), reply
    return reply.split("`")[1]


def at_nine(place: Office) -> None:
    """Moves the time to just after the next weekday's nine o'clock in Helsinki."""
    now = place.time.now()
    coming = Rule("0 9 * * mon-fri", "Europe/Helsinki").after(now)
    assert isinstance(coming, datetime)
    place.advance((coming - now + timedelta(seconds=2)).total_seconds())


async def test_a_schedule_is_added_listed_run_and_fires_once_per_change(place: Office) -> None:
    id = await scheduled(place, "code_review github:o/r --format panel --quiet")
    listed = await place.typed("schedule list")
    assert f"`{id}`" in listed
    assert "Europe/Helsinki" in listed
    assert "yours" in listed
    for user, refusal in (
        ("U2", "Only the person who started it"),
        ("U9", "Only people in its channel"),
    ):
        assert refusal in await place.typed(f"schedule run {id}", channel="C2", user=user)
    started = await place.typed(f"schedule run {id}")
    [(first, _)] = await place.until(place.roots)
    assert started == f"Schedule `{id}`: started `{first}`."
    await place.wait_for_posts(first)
    assert await place.typed(f"schedule run {id}") == f"Schedule `{id}`: nothing has changed."
    at_nine(place)
    place.github.pulls["o/r", 412].heads = ["2" * 40]
    await place.until(lambda: len(place.roots()) == 2)
    await place.wait_for_posts()
    at_nine(place)
    for _ in range(3):
        assert place.bot is not None
        await place.bot.ticker.tick()
    await place.until(lambda: not place.bot or not place.bot.ticker.running)
    assert len(place.roots()) == 2, "nothing changed, so nothing is said"
    assert "last: nothing has changed" in await place.typed("schedule list")
    when = "at 09:00 on Monday through Friday, Europe/Helsinki"
    home = await home_with(place, f"{id} · active · {when}, next ")
    [line] = [line for line in home.splitlines() if line.startswith(id)]
    assert line.endswith("; last: nothing has changed · #C1")


async def test_the_home_tab_tells_how_far_a_debate_is_and_how_it_ended(place: Office) -> None:
    place.time.let(0)
    debate = await place.debate(REVIEW)
    running = "running · code review, round 1 of 3: Positions"
    await home_with(place, f"# Running\n*o/r#412 {TITLE}*\n{debate} · {running} · #C1")
    place.time.let()
    await place.closed(debate)
    ended = "finished · code review, no decision"
    home = await home_with(place, f"# Recent verdicts\n*o/r#412 {TITLE}*\n{debate} · {ended} · #C1")
    assert "Nothing runs at the moment." in home


async def home_with(place: Office, text: str, user: str = "U2") -> str:
    """Opens a person's Home tab again and again until it shows ``text``, and returns it."""
    deadline = time.monotonic() + PATIENCE
    home = None
    while home is None or text not in home:
        assert time.monotonic() < deadline, home
        place.slack.world.homes.pop(user, None)
        await place.slack.open_home(user)
        await place.until(lambda: user in place.slack.world.homes)
        home = render(place.slack.world.homes[user])
    return home


async def test_a_schedule_rests_and_its_owner_is_told_when_its_channel_is_gone(
    place: Office,
) -> None:
    id = await scheduled(place, "panel Should the on-call handover be shorter?")
    place.slack.world.channel("C1").archived = True
    at_nine(place)
    [whisper] = await place.until(
        lambda: [render(m) for m in place.slack.messages("D1") if "is paused now" in render(m)]
    )
    assert whisper == (
        f"Schedule {id} (panel on Should the on-call handover be shorter?) is paused now: its "
        "channel can't be posted to. "
        f"This channel is archived. When that is fixed: /debate schedule resume {id}"
    )
    schedule_row = await place.parts.stores.schedules.get(id)
    assert schedule_row is not None
    assert not schedule_row.enabled
    place.slack.world.channel("C1").archived = False
    assert (
        await place.typed(f"schedule pause {id}", user="U2")
        == "Only the person who started it, or an admin, may pause this schedule."
    )
    assert (await place.typed(f"schedule resume {id}")).startswith(
        f"Schedule `{id}` is resumed. Next: "
    )
    assert await place.typed(f"schedule remove {id}") == f"Schedule `{id}` is gone."


async def test_a_verdict_that_its_channel_no_longer_takes_reaches_the_starter(
    place: Office, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    place.time.let(1)
    debate = await place.debate()
    await place.until(lambda: place.time.waiting)
    place.slack.world.channel("C1").archived = True
    place.time.let()
    [line] = await place.until(
        lambda: [render(m) for m in place.slack.messages("D1") if "has its decision" in render(m)]
    )
    assert line.startswith(
        f"Debate {debate} has its decision, but I can't post it there: This channel is archived. "
        "Changes requested"
    )
    assert line.endswith(f"/debate show {debate}")


async def test_no_seat_is_asked_for_answers_that_a_channel_no_longer_takes(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """People ask from another channel; a debate that is shown in a second one is read there."""
    github.load_case("py-static-prefix")
    async with office(
        *(tmp_path, github),
        env={"DEBATE_PROVE": "sandbox"},
        models=partial(Speakers, objection="held"),
    ) as place:
        debate = await place.finished(f"code_review {LINK}")
        place.slack.world.channel("C2")
        place.slack.world.channel("C1").archived = True
        before = await place.parts.service.load(debate)
        refusal = "No seat was asked, because I can't post its answer: This channel is archived."
        for command in ("challenge {} why?", "hotseat {} 1", "prove {} 1"):
            answer = await place.typed(command.format(debate), channel="C2")
            assert answer == refusal + (WROTE if "why?" in command else "")
        assert (await place.parts.service.load(debate)).count == before.count
        await place.typed(f"mirror {debate} slack:C2")
        await place.until(lambda: place.roots("C2"))
        await place.wait_for_posts()
        assert refusal not in await place.typed(f"challenge {debate} why?", channel="C2")


async def test_a_debate_is_not_resumed_while_its_channel_takes_no_answers(place: Office) -> None:
    place.slack.world.channel("C2")
    place.time.let(1)
    debate = await place.debate()
    await place.until(lambda: place.time.waiting)
    assert "pausing" in await place.typed(f"pause {debate}")
    place.slack.world.channel("C1").archived = True
    refusal = "No seat was asked, because I can't post its answer: This channel is archived."
    assert await place.typed(f"resume {debate}", channel="C2") == refusal
    place.slack.world.channel("C1").archived = False
    place.time.let()
    assert "going on" in await place.typed(f"resume {debate}", channel="C2")
    await place.reaches(debate, "waiting", "finished")


# Private material


async def test_a_private_debate_is_named_in_its_own_channel_only(place: Office) -> None:
    place.github.pulls["o/r", 412].private = True
    place.slack.world.user("U1", is_admin=True)
    place.slack.world.channel("C2")
    assert "Only an admin" in await place.typed("setup github o/r", user="U2")
    assert "can now debate" in await place.typed("setup github o/r")
    debate = await place.finished(REVIEW)
    assert TITLE in render(place.slack.messages()[0])
    assert TITLE in await place.typed("list")
    seen = len(place.slack.calls), len(place.slack.responses)
    refusal = "It is about private material and is shown only in its own place."
    for command in ("show {}", "export {}", "fork {}", "challenge {} why?", "vote {} approve"):
        text = command.format(debate)
        answer = await place.typed(text, channel="C2", user="U2")
        assert answer == refusal + (WROTE if "why?" in text else "")
    assert debate not in await place.typed("list", channel="C2", user="U2")
    assert "private material and stays in its place" in await place.typed(
        f"mirror {debate} slack:C2"
    )
    await place.slack.open_home("U2")
    await place.until(lambda: place.slack.world.homes)
    assert "private material" in render(place.slack.world.homes["U2"])
    shown_since = json.dumps(
        [call.arguments for call in place.slack.calls[seen[0] :]] + place.slack.responses[seen[1] :]
    )
    assert TITLE not in shown_since
    assert "commonprefix" not in shown_since


async def test_what_was_said_in_private_is_on_the_home_of_those_who_were_there_only(
    place: Office,
) -> None:
    """A direct message is between one person and the bot, a private channel between its people."""
    place.slack.world.channel("D1")
    room = place.slack.world.channel("G1")
    room.private, room.people = True, ("U1", "U3", "U4")
    await place.slack.write("panel Should Bob get the keys?", channel="D1")
    [(direct, root)] = await place.until(lambda: place.roots("D1"))
    closed = await place.debate("panel Should the room be painted?", channel="G1")
    for id in (direct, closed):
        await place.wait_for_posts(id)
    for user, names in (("U1", {"Bob", "painted"}), ("U2", set()), ("U4", {"painted"})):
        home = await home_with(place, "", user)
        assert {name for name in ("Bob", "painted") if name in home} == names, user
    refusal = f"There is no debate {direct!r} here: `/debate list` shows those there are."
    assert await place.typed(f"show {direct}", user="U2") == refusal
    assert refusal not in await place.typed(f"show {direct}")
    assert "the report is attached" in place.page(root, "D1")


# Direct messages and the agent surface


async def test_a_direct_message_needs_no_mention_and_shows_slacks_own_stop(place: Office) -> None:
    place.slack.world.channel("D1")
    place.time.let(CRITICS)
    await place.slack.write(f"code_review {LINK}", channel="D1")
    [(debate, root)] = await place.until(lambda: place.roots("D1"))
    statuses = place.slack.world.sessions
    await place.until(lambda: statuses.get(("D1", root)) == ["processing"])
    await place.until(lambda: len(place.ours("D1")) >= 2)
    await place.slack.write("and on Windows?", channel="D1", thread=root)
    state = await place.reaches(debate, lambda d: len(d.challenges) == 1)
    assert state.challenges[0].text == "and on Windows?"
    await place.slack.native_stop(root)
    await place.reaches(debate, lambda d: d.stop is not None)
    place.time.let()
    await place.wait_for_posts(debate)
    assert (await place.closed(debate))["ended_because"] == "human"
    assert statuses["D1", root][-1] == "active"
    await place.slack.native_stop(root)
    await place.until(lambda: "The debate is over already" in place.page(root, "D1"))


# Several workspaces


OAUTH = {
    "SLACK_BOT_TOKEN": "",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "a client secret of our own",
    "DEBATE_SECRET_KEY": "a key that seals the store",
}


async def installed(place: Office, team: str) -> None:
    """Somebody of the workspace presses Add to Slack."""
    assert place.bot is not None
    async with ClientSession() as browser:
        page = await (await browser.get(f"{place.bot.address}/slack/install")).text()
        state = page.partition("state=")[2].partition("&")[0].partition('"')[0]
        back = f"{place.bot.address}/slack/oauth_redirect?code={team}&state={state}"
        done = await browser.get(back, headers={"Cookie": f"slack-app-oauth-state={state}"})
        assert done.status == 200


@pytest.mark.filterwarnings(
    "ignore:BasicAuth is deprecated:DeprecationWarning"
)  # Slack's SDK still hands it to aiohttp
async def test_two_workspaces_never_mix_and_uninstalling_purges_one(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, http=True, env=OAUTH) as place:
        for team in ("T7", "T8"):
            await installed(place, team)
            place.slack.worlds[team].user("U1", is_admin=True)
        await place.typed("setup github o/r", team="T7")
        debate = await place.finished(REVIEW, team="T7")
        verdict = next(m for key, m in place.ours(team="T7") if ":verdict" in key)
        assert place.slack.messages(team="T8") == []
        world = place.slack.worlds["T8"]
        world.channel("C1").messages[verdict["ts"]] = {**verdict, "reactions": []}
        await place.slack.react(verdict["ts"], "x", user="U1", team="T8")
        await place.slack.react(verdict["ts"], "white_check_mark", user="U2", team="T7")
        state = await place.reaches(debate, lambda d: len(d.votes) == 1)
        assert list(state.votes) == [("", "slack:T7/U2")]
        assert debate not in await place.typed("list", team="T8")
        await place.typed('schedule add "0 9 * * *" panel Is the handover too long?', team="T7")
        await place.typed('schedule add "0 9 * * *" panel Is the handover too long?', team="T8")
        assert b"xoxb-T7-installed" not in stored(tmp_path)
        await place.slack.event({"type": "app_uninstalled"}, team="T7")
        [left] = await purged(place, "slack:T7")
        assert left.place == "slack:T8/C1"
        assert await place.parts.stores.places.repositories("slack:T7/C1") == []
        chat = place.chat
        with pytest.raises(DeliveryError, match="not installed"):
            await chat.send_private("slack:T7/C1", "slack:T7/U1", "still there?")
        assert "No debate" in await place.typed("status", team="T8")


async def purged(place: Office, workspace: str) -> Sequence[Schedule]:
    """Returns the schedules that are left once those of the workspace are gone."""

    async def gone() -> bool:
        left = await place.parts.stores.schedules.find_all()
        return not any(s.place.startswith(workspace) for s in left)

    await comes(gone, lambda: "the schedules are still there")
    return await place.parts.stores.schedules.find_all()
