"""People object to a verdict: the seats concerned answer in the same thread, and the verdict's own
message says what came of it.
"""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path

import pytest

from adapters.terminal.terminal import Style, Terminal
from bot.shell import cli
from bot.shell.playing.run import Shell
from core.application.commands import Challenge
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.end_to_end.discord_city import city, read
from tests.end_to_end.played import LINK, PERSON, Review, opened
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.slack_office import Office, office
from tests.standins.discord_world import JSON
from tests.standins.discord_world import render as shown_in_discord
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

SAID = {
    "held": "the server in front cleans the path, so no request with dots arrives",
    "changed": "the directory is resolved before it is compared, and no sibling of it is mounted",
}
GOLDEN = {name: Path(__file__).with_name(f"slack_objection_{name}.txt") for name in SAID}
"""What follows the verdict in the threads below, word for word.

A wanted change is taken over with ``python -m tests.end_to_end.slack_golden``.
"""


async def finished(place: Office) -> tuple[str, str]:
    """Returns a review that has its verdict, and its thread."""
    await place.slack.slash(f"code_review {LINK}")
    [(debate, root)] = await place.until(place.roots)
    await place.wait_for_posts(debate)
    return debate, root


async def answered(place: Office, debate: str) -> Debate:
    """Waits until an objection was answered and the debate is over again."""
    state = await place.reaches(debate, lambda d: bool(d.endings) and d.over)
    await place.wait_for_posts(debate)
    return state


async def object_in_thread(place: Office, name: str) -> tuple[str, str]:
    """Has ann object in the thread; returns the debate and what its thread holds from the
    objection on, the verdict's own message first.
    """
    debate, root = await finished(place)
    before = len(place.slack.thread(root))
    await place.slack.reply(root, f"challenge: {SAID[name]}", user="U2")
    await answered(place, debate)
    whole = place.page(root).split("\n----\n")
    verdict = next(part for part in whole if "*Objection: *" in part)
    page = "\n----\n".join((verdict, *whole[before:])) + "\n"
    return debate, re.sub(
        r"/p\d+\?thread_ts=[\d.]+", "/pTS?thread_ts=TS", page.replace(debate, "ID")
    )


@pytest.mark.parametrize("name", SAID)
async def test_an_objection_word_for_word(tmp_path: Path, github: GitHubStandIn, name: str) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection=name)
    async with office(tmp_path, github, models=models) as place:
        debate, page = await object_in_thread(place, name)
        assert page == GOLDEN[name].read_text("utf-8")
        assert place.whispers("U2") == []
        assert len(place.roots()) == 1
        assert [key for key, _ in place.ours() if ":verdict" in key] == [f"{debate}:verdict#0"]
        end = await place.closed(debate)
        decided = "approve" if name == "changed" else "request_changes"
        assert end["verdict"]["decision"] == decided


async def test_every_way_to_object_in_slack(tmp_path: Path, github: GitHubStandIn) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="held")
    async with office(tmp_path, github, models=models) as place:
        debate, root = await finished(place)
        finding = next(m["ts"] for key, m in place.ours() if ":finding:" in key)
        verdict = place.message(":verdict")
        assert "[Challenge]" in render(verdict)
        await place.slack.press(verdict["ts"], "Challenge")
        form = list(await place.until(lambda: place.slack.world.views))[-1]
        await place.slack.submit(form, {"line": "the button of the verdict"})
        await place.reaches(debate, lambda d: len(d.endings) == 1 and d.over)
        await place.slack.mention("and in my own words?", thread=root)
        await place.reaches(debate, lambda d: len(d.endings) == 2 and d.over)
        await place.typed(f"challenge {debate} typed as a command")
        await place.reaches(debate, lambda d: len(d.endings) == 3 and d.over)
        await place.slack.press(finding, "Challenge", user="U3")
        form = list(await place.until(lambda: place.slack.world.views))[-1]
        await place.slack.submit(form, {"line": "this one is no fault"}, user="U3")
        state = await place.reaches(debate, lambda d: len(d.endings) == 4 and d.over)
        assert state.challenges[-1].findings
        assert len(place.roots()) == 1, "no objection opens another debate"
        assert len(outcome(state)["challenges"]) == 4


async def test_a_refused_objection_comes_back_with_its_reason(place: Office) -> None:
    debate = await place.finished()
    root = place.root(debate)
    await place.slack.reply(root, "challenge: too late for this?", user="U4")
    [late] = await place.until(lambda: place.whispers("U4"))
    assert "was a demonstration" in late
    assert "too late for this?" in late
    await place.slack.reply(root, "say: I hold no seat here", user="U4")
    [_, unheard] = await place.until(lambda: len(place.whispers("U4")) > 1 and place.whispers("U4"))
    assert "I hold no seat here" in unheard
    forked = await place.typed("fork no-such-debate --assume 'the cache is always warm'")
    assert "the cache is always warm" in forked


async def test_every_way_to_object_in_discord(tmp_path: Path, github: GitHubStandIn) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="changed")
    async with city(tmp_path, github, models=models) as town:
        discord, id = town.discord, await town.started(debate_anyway=False)
        await town.settled(id, "waiting")
        thread = (await town.root(id))["id"]

        async def objected(times: int) -> Debate:
            state = await town.reaches(id, lambda d: len(d.endings) == times and d.over)
            await town.wait_for_posts()
            return state

        def message(part: str) -> JSON:
            return next(m for m in discord.messages(thread) if part in shown_in_discord(m))

        await discord.reply(thread, f"challenge: {SAID['changed']}", discord.bob)
        state = await objected(1)
        assert state.concluded is not None
        assert state.concluded.decision == "approve"
        line = "Changed by bob's objection: was Changes requested, is Approved."
        verdict = read(shown_in_discord(message("The objection and its answers")))
        assert line in verdict
        assert f"https://discord.com/channels/{discord.guild}/{thread}/" in verdict
        await discord.reply(thread, f"<@{discord.world.bot['id']}> is that so?", discord.ada)
        await objected(2)
        reply = await town.pressed(message("is attached"), "Challenge", discord.bob, "by button")
        assert reply.startswith("Taken. ")
        await objected(3)
        finding = message("[Not real]")
        reply = await town.pressed(finding, "Challenge", discord.ada, "on this finding")
        assert (await objected(4)).challenges[-1].findings
        assert reply.startswith("Taken. ")
        assert (await town.ask("challenge", discord.ada, text="typed", debate=id)).startswith(
            "Taken. "
        )
        await objected(5)
        await town.ask("challenge", discord.bob, text="third", debate=id)
        await objected(6)
        refused = await town.ask("challenge", discord.bob, text="a fourth one", debate=id)
        assert "objected 3 times" in refused
        assert "a fourth one" in refused


async def test_an_objection_in_a_terminal_is_played_to_its_end(
    tmp_path: Path, github: GitHubStandIn, review: Review
) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="changed")
    first = await review(make_models=models)
    id = first.outcome["id"]
    out = io.StringIO()
    async with opened(tmp_path, github, make_models=models) as parts:
        shell = Shell(parts, Terminal(out, style=Style.PLAIN, width=100), PERSON)
        assert await cli.take(Challenge(SAID["changed"], id), shell, ()) == 0
        state = await parts.service.load(id)
        assert state.status == "finished"
    printed = out.getvalue()
    assert "Stored. The debate is busy" not in printed
    assert "You are right: the directory is resolved in the line above" in printed
    assert "Changed by ann's objection: was Changes requested, is Approved." in printed
