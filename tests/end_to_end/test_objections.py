"""People object to a verdict: the seats concerned answer in the same thread, and the verdict's own
message says what came of it.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from adapters.mcp.results import verdict_of
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
from tests.standins.slack_world import Json

SAID = {
    "held": "the server in front cleans the path, so no request with dots arrives",
    "changed": "the directory is resolved before it is compared, and no sibling of it is mounted",
}
CHANGED = "Changed by {}'s objection: was Changes requested, is Approved."
GOLDEN = {name: Path(__file__).with_name(f"slack_objection_{name}.txt") for name in SAID}
"""What follows the verdict in the threads below, word for word.

A wanted change is taken over with ``python -m tests.end_to_end.slack_golden``.
"""


async def object_in_thread(
    place: Office, name: str, meanwhile: Callable[[str], Awaitable[None]] | None = None
) -> tuple[str, str]:
    """Has Bea object in the thread of a review that has its verdict; returns the debate and what
    its thread holds from the objection on, the verdict's own message first. ``meanwhile`` is done
    with the debate before any seat answers.
    """
    place.slack.world.user("U2", profile={"display_name": "Bea"})
    debate = await place.finished(f"code_review {LINK}")
    root = place.root(debate)
    before = len(place.slack.thread(root))
    if meanwhile is not None:
        place.time.let(0)
    await place.slack.reply(root, f"challenge: {SAID[name]}", user="U2")
    if meanwhile is not None:
        await meanwhile(debate)
        place.time.let()
    await place.reaches(debate, lambda d: bool(d.endings) and d.over)
    await place.wait_for_posts(debate)
    whole = place.page(root).split("\n----\n")
    verdict = next(part for part in whole if "*Objection: *" in part)
    page = "\n----\n".join((verdict, *whole[before:])) + "\n"
    return debate, re.sub(
        r"/p\d+\?thread_ts=[\d.]+", "/pTS?thread_ts=TS", page.replace(debate, "ID")
    )


async def test_an_objection_changes_the_verdict_once_it_is_answered(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """While the seats answer, every surface names the verdict that counts. A person reads the same
    names in ``show`` and in the report as in the debate's thread.
    """
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, models=partial(Speakers, objection="changed")) as place:
        debate, page = await object_in_thread(place, "changed", partial(_counts, place))
        assert page == GOLDEN["changed"].read_text("utf-8")
        assert "[Post the review]" in page
        assert "Approved" in render(place.message(":root"))
        assert place.whispers("U2") == []
        assert len(place.roots()) == 1
        assert [key for key, _ in place.ours() if ":verdict" in key] == [f"{debate}:verdict#0"]

        assert CHANGED.format("Bea") in page
        *_, report = [f["content"].decode() for f in place.slack.world.files.values()]
        assert CHANGED.format("Bea") in report
        assert "> Bea challenges: " in report
        assert "U2" not in report
        assert CHANGED.format("Bea") in await place.typed(f"show {debate}")
        stored = await place.parts.stores.outcomes.get(debate)
        assert stored is not None
        assert "Bea" not in json.dumps(stored.document)
        events = str(await place.parts.stores.debates.load(debate))
        assert "slack:T1/U2" in events
        assert "Bea" not in events
        assert (await place.closed(debate))["verdict"]["decision"] == "approve"


async def _counts(place: Office, debate: str) -> None:
    """Checks that the posted verdict counts until the objection to it is answered."""
    counts = "hanges requested, an objection to it is being answered"
    await place.until(lambda: place.time.waiting)
    await place.until(lambda: f"C{counts}" in render(place.message(":root")))
    await place.until(lambda: "[Post the review]" not in render(place.message(":verdict")))
    verdict = render(place.message(":verdict"))
    assert "Changes requested: 1 finding must be fixed before merging." in verdict
    assert "Decision record" not in verdict
    for command in ("list", "status"):
        assert f", c{counts}: " in await place.typed(command)
    assert (
        "An objection or a proof that may change the verdict is being answered. The posted verdict "
        "counts until then: try again after it."
    ) in await place.typed(f"post {debate}")
    assert f"· c{counts} ·" in await place.typed(f"show {debate}")
    state = await place.parts.service.load(debate)
    document = json.loads(json.dumps(outcome(state)))
    assert document["status"] == "running"
    assert document["verdict"]["decision"] == "request_changes"
    assert document["verdict"]["headline"] == f"C{counts}"
    assert verdict_of(state, "").headline == f"C{counts}"
    assert verdict_of(state, "").blocks


async def test_every_way_to_object_in_slack(tmp_path: Path, github: GitHubStandIn) -> None:
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, models=partial(Speakers, objection="held")) as place:
        debate, page = await object_in_thread(place, "held")
        assert page == GOLDEN["held"].read_text("utf-8")

        async def answered(times: int) -> Debate:
            return await place.reaches(debate, lambda d: len(d.endings) == times and d.over)

        async def pressed(message: Json, text: str, user: str) -> None:
            await place.slack.press(message["ts"], "Challenge", user=user)
            form = list(await place.until(lambda: place.slack.world.views))[-1]
            await place.slack.submit(form, {"line": text}, user=user)

        await pressed(place.message(":verdict"), "the button of the verdict", "U1")
        await answered(2)
        await place.slack.mention("and in my own words?", thread=place.root(debate))
        await answered(3)
        await place.typed(f"challenge {debate} typed as a command")
        await answered(4)
        await pressed(place.finding(), "this one is no fault", "U3")
        state = await answered(5)
        assert state.challenges[-1].findings
        assert len(place.roots()) == 1, "no objection opens another debate"
        assert len(outcome(state)["challenges"]) == 5
        end = await place.closed(debate)
        assert end["verdict"]["decision"] == "request_changes"


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
        verdict = read(shown_in_discord(message("The objection and its answers")))
        report = [
            content.decode()
            for call in discord.rest.calls
            for name, content in call.files.items()
            if name == f"debate-{id}.md"
        ][-1]
        for text in (verdict, report, await town.ask("show", debate=id)):
            assert CHANGED.format("bob") in text
            assert discord.bob not in text
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
        reply = await town.ask("challenge", discord.bob, text="typed", debate=id)
        assert reply.startswith("Taken. ")
        await objected(5)
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
    assert CHANGED.format("ann") in printed
