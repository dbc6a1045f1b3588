"""Words made to be more than words, in everything that people, models, diffs and names can put
before others: the stand-ins refuse every call in which they would be (``tests/standins/inert.py``).
"""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.diffs import adding
from tests.end_to_end.discord_city import city
from tests.end_to_end.slack_office import office
from tests.end_to_end.world import CRITICS
from tests.standins.discord_world import render, until
from tests.standins.github import GitHubStandIn
from tests.standins.inert import live_in_discord, live_in_slack

EVIL = (
    "<!channel> <@U2> <!here|x> <#C1> @everyone @here <@&1> <@1> <t:1:R> </a:1> <:x:1> ||s|| "
    "<https://evil.example|click> [x](javascript:alert(1)) [github.com](https://evil.example/a) "
    "https://evil.example/?q=1 slack://open `*_~ `` ``` ~~~ \u202etxt\u200b\x1b[31m\x9b1m\x07 \\"
)
LONG = "😀" * 150
"""Of 300 characters, as Discord counts."""
WORDS = EVIL.replace('"', "")


def hostile(github: GitHubStandIn) -> None:
    pull = github.load_case("py-static-prefix")
    pull.title = f"{LONG} {EVIL}"
    pull.body = f"# {EVIL}\n\n> ```\n> {EVIL}\n\n| {EVIL} | x |\n| - | - |\n| {EVIL} | {EVIL} |\n"
    pull.diff = adding("app/a.py", f"# {EVIL}") + adding("b\u202e@everyone.py", EVIL)


def test_a_rule_for_slack_finds_what_is_live() -> None:
    cases: list[dict[str, object]] = [
        {"text": "<!channel>"},
        {"text": "a \u202e"},
        {"text": "a", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x"}}]},
        {"text": "a", "blocks": [{"type": "user", "user_id": "U1"}]},
        {"text": "a", "blocks": [{"type": "link", "url": "javascript:x"}]},
        {"text": "a", "parse": "full"},
        {"blocks": [{"type": "link", "url": "https://github.com/e", "text": "good.example"}]},
    ]
    for live in cases:
        body = {"parse": "none", "link_names": False, "text": "a"}
        assert list(live_in_slack("chat.update", body)) == []
        assert list(live_in_slack("chat.update", {**body, **live}))


def test_a_rule_for_discord_finds_what_is_live() -> None:
    for live in (
        "@everyone",
        "<@1>",
        "<@&1>",
        "<#1>",
        "<t:1:R>",
        "</a:1>",
        "<:x:1>",
        "||x||",
        "https://x.example",
        "[a](https://x.example)",
        "[a](<javascript:x>)",
        "a\u202eb",
        "\x1b[1m",
        "```\nx\n``` @here",
        "`a` <@1>",
        "`a```b`@here``",
        "```\n\n```\n```\n@here\n```",
        "[good.example](<https://github.com/e>)",
        "[x\\_y.example](<https://github.com/e>)",
    ):
        inert = "\\<@1> `@everyone` [a](<https://x.example/b>) ```\n<@1>\n``` <https://x.example>"
        assert list(live_in_discord({"content": inert})) == []
        assert list(live_in_discord({"components": [{"content": f"{inert} {live}"}]}))


ASKED = (
    f"show {WORDS}",
    f"export {WORDS}",
    f"templates {WORDS}",
    f"help {WORDS}",
    WORDS,
    f"search {WORDS}",
    f"panel x --models {WORDS}",
    f"panel x --consensus {WORDS}",
    f"panel x --{WORDS}",
    f"code_review {WORDS}",
    f"schedule add {WORDS}",
    f'schedule add "{WORDS}" panel x',
    f'schedule add "0 9 * * *" panel {WORDS}',
    f"schedule remove {WORDS}",
    f"setup github {WORDS}",
    "setup github",
    f"mirror {WORDS} slack:C1",
    "list",
    "status",
    "schedule list",
    "leaderboard",
    f"replay {WORDS}",
    f"compare {WORDS} {WORDS}",
)


async def test_words_are_words_everywhere_in_slack(tmp_path: Path, github: GitHubStandIn) -> None:
    hostile(github)
    env = {"DEBATE_MODELS": "scripted:obey,scripted:stance=request_changes"}
    async with office(tmp_path, github, env=env) as place:
        world = place.slack.world
        world.user("U1", is_admin=True, profile={"display_name": f"Ann {EVIL}"})
        world.channel("C1").name = f"c{EVIL}"
        place.time.let(CRITICS)
        debate = await place.debate()
        await place.reaches(debate, lambda d: len(d.finished) == CRITICS)
        await place.slack.reply(place.root(debate), f"challenge: {EVIL}", user="U1")
        await place.reaches(debate, lambda d: len(d.challenges) == 1)
        place.time.let()
        await place.wait_for_posts(debate)
        for text in (
            *ASKED, f"show {debate}", f"vote {debate} {WORDS}", f"fork {debate} --assume '{WORDS}'",
            f"fork {debate} --without '{WORDS}'", f"challenge {debate} {WORDS}", f"export {debate}",
            f"mirror {debate} '{WORDS}'", f"receipt {debate}", f"post {debate} --approve '{WORDS}'",
        ):  # fmt: skip
            await place.typed(text)
        await place.slack.write(f"panel {LONG} {WORDS}?", channel="D1")
        await place.slack.until(lambda: world.sessions)
        await place.slack.shortcut(
            "debate_message", channel="C1", message=world.say("C1", "U2", EVIL)
        )
        await place.slack.until(lambda: world.views)
        await place.slack.open_home("U1")
        await place.slack.until(lambda: "U1" in world.homes)
        await place.wait_for_posts()
        assert sorted({c[:400] for c in place.slack.complaints}) == []


async def test_words_are_words_everywhere_in_discord(tmp_path: Path, github: GitHubStandIn) -> None:
    hostile(github)
    async with city(tmp_path, github, DEBATE_MODELS="scripted:obey") as town:
        id = await town.started(vote_window="0s")
        await town.reaches(id, "finished")
        await town.wait_for_posts()
        root = await town.root(id)
        await until(
            lambda: (
                "evil.example" in town.discord.world.channels[root["id"]]["name"]
                or LONG[:20] in town.discord.world.channels[root["id"]]["name"]
            ),
            what="the thread has its title",
        )
        for name in ("show", "export", "receipt"):
            await town.ask(name, debate=WORDS)
            await town.ask(name, debate=id)
        topic = await town.discord.command("templates", {"name": WORDS})
        assert await town.discord.answer(topic)
        await town.ask("start", template=WORDS[:90], target=WORDS)
        await town.ask("start", template="panel", target=f"{LONG} {WORDS}?")
        await town.ask("vote", debate=id, option=WORDS)
        await town.ask("challenge", debate=id, text=WORDS)
        await town.ask("list")
        offered = await town.discord.autocomplete("show", "debate", "")
        assert any(id == each["value"] for each in offered)
        assert render(root)
        assert town.discord.violations == []
