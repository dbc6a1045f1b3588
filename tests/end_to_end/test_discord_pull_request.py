"""The loop of a pull request as people in Discord see it, by its buttons: the exact text, a review,
an issue that somebody ticked, the new commits after a push.
"""

from __future__ import annotations

from pathlib import Path

from tests.bot.debates.provider import Provider
from tests.bot.forges.town import NUMBER, REPO, diff, reply
from tests.end_to_end.discord_city import City, city, page, read
from tests.end_to_end.slack_review import following, tell
from tests.end_to_end.world import comes
from tests.standins.discord_world import JSON, MANAGE_GUILD, Interaction, render, until
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai

AT = (REPO, NUMBER)
FIRST = {"a": ["x = 1 # BUG one"], "b": ["y = 2 # BUG two"]}


async def begun(town: City) -> str:
    """Waits for the newest debate and returns its id."""

    async def there() -> object:
        return await town.parts.stores.debates.find_recent() or None

    await comes(there)
    return (await town.parts.stores.debates.find_recent())[0].id


async def with_button(town: City, thread: str, label: str) -> JSON:
    """Returns the message of a thread that has this button."""
    post: JSON = await until(
        lambda: next((m for m in town.discord.messages(thread) if f"[{label}]" in render(m)), None),
        what=f"a message with [{label}]",
    )
    return post


def answered(interaction: Interaction) -> JSON:
    """Returns the message that an interaction was answered with."""
    message = interaction.followups[-1] if interaction.followups else interaction.original
    assert message is not None
    return message


async def test_every_button_of_a_pull_request(tmp_path: Path, github: GitHubStandIn) -> None:
    github.pulls[AT] = Pull(diff=diff(**FIRST), title="Count what is sold")
    provider = Provider(reply)
    async with (
        openai(provider),
        city(tmp_path, github, **following(provider)) as town,
    ):
        discord = town.discord
        boss = discord.person("boss", permissions=MANAGE_GUILD)
        bound = await town.ask("setup", boss, repository="o/r", labels="debate", budget=2.0)
        assert "can now debate pull requests of o/r" in bound
        assert "o/r: Starts a debate: the label debate" in await town.ask("setup", boss)

        assert await tell(town, "labeled", label={"name": "debate"}) == 202
        debate = await begun(town)
        thread = (await town.root(debate))["id"]
        await town.closed(debate)

        verdict = await with_button(town, thread, "Post the review")
        look = await discord.press(thread, verdict, "Post the review", user=discord.bob)
        exact = read(await discord.answer(look))
        assert "This is what would be posted to" in exact
        assert "<!--" not in exact, "its readers never see our marks"
        assert look.ephemeral
        assert all(f"Defect {one}" in exact for one in ("one", "two"))
        assert github.written.reviews[AT] == []
        preview = answered(look)
        agreed = await discord.press(thread, preview, "Post exactly this", user=discord.bob)
        assert "Approved. The thread says when" in await discord.answer(agreed)
        await until(lambda: github.written.reviews[AT], what="the review")
        await until(lambda: "The review was posted" in page(discord, thread), what="the note")
        lines = [(c.path, c.line) for c in github.written.comments[AT]]
        assert lines == [("src/a.py", 11), ("src/b.py", 11)]
        again = await discord.press(thread, verdict, "Post the review", user=discord.bob)
        assert "The review was posted: " in await discord.answer(again)

        listed = await discord.press(thread, verdict, "Create issues", user=discord.bob)
        assert "Which of these becomes an issue?" in await discord.answer(listed)
        items = answered(listed)
        for sentence in ("Noted. The thread says when", "was opened already"):
            tick = await discord.press(thread, items, "Open 1", user=discord.bob)
            assert sentence in await discord.answer(tick)
        await until(lambda: github.written.issues[REPO], what="the issue")
        await until(lambda: "An issue was opened" in page(discord, thread), what="its note")
        assert len(github.written.issues[REPO]) == 1

        github.pulls[AT].push("c" * 40, diff(a=["x = 1 # fine now"], b=FIRST["b"]))
        assert await tell(town, "synchronize") == 202

        async def second() -> object:
            return (await begun(town)) != debate or None

        await comes(second)
        rerun = await begun(town)
        await town.closed(rerun)
        assert len(discord.threads(discord.general)) == 1, "one thread a pull request"
        assert "2, what is new since" in page(discord, discord.general) + page(discord, thread)

        stale = [m for m in discord.messages(thread) if "[Post the review]" in render(m)][-1]
        look = await discord.press(thread, stale, "Post the review", user=discord.bob)
        await discord.answer(look)
        preview = answered(look)
        github.pulls[AT].push("e" * 40, diff(a=["x = 1 # BUG three"], b=FIRST["b"]))
        await discord.answer(
            await discord.press(thread, preview, "Post exactly this", user=discord.bob)
        )
        moved = await with_button(town, thread, "Check the new commits")
        assert len(github.written.reviews[AT]) == 1
        assert "it starts as soon as" in await town.pressed(
            moved, "Check the new commits", discord.bob
        )

        async def third() -> object:
            return (await begun(town)) != rerun or None

        await comes(third)
