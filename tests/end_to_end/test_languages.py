"""A thread, a review and each reader's forms have their own language, at once."""

from __future__ import annotations

from pathlib import Path

from tests.bot.debates.provider import Provider
from tests.bot.forges.town import NUMBER, REPO, diff, reply
from tests.end_to_end.discord_city import city, page
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import REVIEWS
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.slack_review import following, tell
from tests.end_to_end.test_discord_pull_request import answered, begun, with_button
from tests.end_to_end.world import comes
from tests.standins.discord_world import MANAGE_GUILD, Interaction, until
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai
from tests.standins.slack import Fault, render

AT = (REPO, NUMBER)


def pulled(github: GitHubStandIn) -> Provider:
    github.pulls[AT] = Pull(diff=diff(a=["x = 1 # BUG one"]), title="Count what is sold")
    return Provider(reply)


async def form_title(place: Office, user: str) -> str:
    """Closes the open form and returns its title."""
    [id] = await place.until(lambda: list(place.slack.world.views))
    return str(place.slack.world.views.pop(id)["title"]["text"])


async def test_a_czech_thread_has_an_english_review_and_forms_in_each_persons_language(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    provider = pulled(github)
    async with (
        openai(provider),
        office(tmp_path, github, env=following(provider)) as place,
    ):
        place.slack.world.user("U1", is_admin=True)
        place.slack.world.user("U3", locale="cs-CZ")
        await place.typed("language cs")
        await place.typed("setup github o/r --labels debate")
        assert "Deutsch" in await place.typed("language de --me", user="U4")
        assert await tell(place, "labeled", label={"name": "debate"}) == 202
        [(debate, root)] = await place.until(place.roots)
        await place.closed(debate)
        thread = place.page(root)
        assert "Vyžádány změny" in thread
        assert "Changes requested" not in thread

        verdict = place.message(":verdict")["ts"]
        for user, objection, start in (
            ("U3", "Námitka", "Zahájit debatu"),
            ("U4", "Einwand", "Eine Debatte beginnen"),
            ("U2", "Challenge", "Start a debate"),
        ):
            await place.slack.press(verdict, "Námitka", user=user)
            assert await form_title(place, user) == objection
            await place.slack.shortcut("debate_new", user=user)
            assert await form_title(place, user) == start

        await place.pressed(verdict, "Zveřejnit recenzi", user="U2")
        await place.slack.press_private(place.slack.responses[-1], "Post exactly this", user="U2")
        await place.until(lambda: github.written.reviews[AT])
        (review,) = github.written.reviews[AT]
        assert "Changes requested" in review.body
        assert "Vyžádány" not in review.body
        await place.wait_for_posts(debate)


async def test_a_german_review_has_no_english_words_of_code(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, models=REVIEWS["code"].models) as place:
        debate = await place.finished(f"code_review {LINK} --language de")
        thread = place.page(place.root(debate))
    title = "„A sibling directory passes the containment check“"
    assert f"räumt ein: {title} (Sicherheit) ist echt und muss behoben werden: " in thread
    assert f"Verteidigung: {title} (Sicherheit) ist echt und muss behoben werden: " in thread
    assert "Wartbarkeitskritiker, Reviewer\n" in thread
    assert "“A sibling" not in thread


async def test_an_english_thread_has_a_czech_review(tmp_path: Path, github: GitHubStandIn) -> None:
    provider = pulled(github)
    async with (
        openai(provider),
        city(tmp_path, github, **following(provider)) as town,
    ):
        discord = town.discord
        boss = discord.person("boss", permissions=MANAGE_GUILD)
        await town.ask("setup", boss, repository="o/r", labels="debate", language="cs")
        assert await tell(town, "labeled", label={"name": "debate"}) == 202
        debate = await begun(town)
        thread = (await town.root(debate))["id"]
        await town.closed(debate)
        assert "Changes requested" in page(discord, thread)
        assert "Vyžádány" not in page(discord, thread)

        verdict = await with_button(town, thread, "Post the review")
        discord.locales[discord.ada] = "cs"
        await discord.reply(discord.general, f"<@{discord.world.bot['id']}> language de --me", boss)

        async def titles(user: str) -> tuple[str, str]:
            """Returns the titles of the objection form and of the start form."""
            pressed = await discord.press(thread, verdict, "Challenge", user=user)
            started = await discord.command("start", {"template": "panel"}, user=user)
            return await title(pressed), await title(started)

        async def title(opened: Interaction) -> str:
            await discord.answer(opened)
            assert opened.form is not None
            return str(opened.form["title"])

        assert await titles(discord.ada) == ("Námitka", "Zahájit debatu")
        own = f"discord:{discord.guild}/{boss}"

        async def chosen() -> str | None:
            return await town.parts.stores.places.language(own, person=True) or None

        await comes(chosen)
        assert await titles(boss) == ("Einwand", "Eine Debatte beginnen")
        assert await titles(discord.bob) == ("Challenge", "Start a debate")

        look = await discord.press(thread, verdict, "Post the review", user=discord.bob)
        await discord.answer(look)
        await discord.press(thread, answered(look), "Post exactly this", user=discord.bob)
        await until(lambda: github.written.reviews[AT], what="the review")
        (review,) = github.written.reviews[AT]
        assert "Vyžádány změny" in review.body
        assert "Changes requested" not in review.body
        await town.wait_for_posts(debate)


async def test_states_and_news_are_in_the_readers_words_everywhere(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """News that people did not ask for are in their language too."""
    async with office(tmp_path, github) as place:
        world = place.slack.world
        world.user("U1", locale="de-DE")
        debate = await place.finished('incident_response "Was the queue really empty?"')
        answers = {
            "list": f"`{debate}` Vorfall, Stimmen zählen noch, ",
            f"receipt {debate}": f"Debatte {debate}: Stimmen zählen noch; ein Beleg",
            f"pause {debate}": "Die Debatte ist vorbei; es gibt nichts anzuhalten.",
            f"stop {debate}": "Die Debatte ist schon vorbei.",
        }
        for line, expected in answers.items():
            assert expected in await place.typed(line), line
        added = await place.typed('schedule add "every monday 09:00" panel "Was ist zu tun?"')
        assert "Zuerst: " in added
        assert " Ihre Zeit. " in added
        await place.slack.open_home()
        await place.until(lambda: world.homes)
        home = render(world.homes["U1"])
        assert f"{debate} · Stimmen zählen noch · Vorfall, " in home
        assert "nächstes Mal Mo 20" in home
        assert "incident_response" not in home
        assert "(Stimmen zählen noch)" not in home

        slack = place.slack
        world.user("U2", locale="de-DE")
        await place.typed("language cs --me", user="U2")
        question, every = "Sollen wir die Warteschlange verschieben?", '"every day 09:00"'

        async def hears(user: str, text: str) -> None:
            direct = f"D{user[1:]}"
            await place.until(
                lambda: any(
                    text in each
                    for each in (*place.whispers(user), *map(render, slack.messages(direct)))
                )
            )

        for user, unopened in (("U1", "konnte nicht beginnen"), ("U2", "nemohla začít")):
            await place.typed("code_review https://github.com/o/r/pull/999", user=user)
            await hears(user, unopened)

        schedule = await place.typed(f"schedule add {every} panel {question}", user="U2")
        slack.faults.append(Fault("chat.postMessage", "restricted_action", channel="C1"))
        await place.typed(f"panel {question}")
        await hears("U1", "denn ich kann sie nicht schreiben: In diesem Kanal darf ich nicht")
        await hears("U2", f"Plán {schedule.split('`')[1]} (panel")
        await hears("U2", "je teď pozastaven: do jeho kanálu nelze psát. Do tohoto kanálu nesmím")
