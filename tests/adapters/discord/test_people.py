"""People's reactions, replies, buttons and forms reach the desk once, with their person and place,
and are answered politely.
"""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from adapters.ports.chat import ReactionOption, Shape
from core.application.desk import Button, Caller, ChatFile, DeskAnswer
from core.application.presence import DeliveryError
from core.debate.errors import Refused
from tests.adapters.discord.conftest import Town, settled
from tests.adapters.discord.posts import CHALLENGE, PAUSE, SEEDS, STOP, post
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import MANAGE_THREADS, render, until


async def test_an_interaction_is_acknowledged_while_the_desk_stalls(
    town: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands, presses and forms: the desk's database may hang, Discord's three seconds are
    kept.
    """
    root = await town.debate(buttons=(PAUSE, CHALLENGE))
    (starter,) = town.discord.messages(town.discord.general)
    assert root.thread == starter["id"]
    town.desk.released.clear()
    press = partial(town.discord.press, town.discord.general, starter)
    begins = (
        partial(town.discord.command, "status"),
        partial(press, "Pause"),
        partial(press, "Challenge"),
    )
    for begin in begins * 3:
        interaction = await begin()
        await until(lambda interaction=interaction: interaction.acknowledged, what="acknowledged")
    assert not town.desk.released.is_set()
    town.desk.released.set()


async def test_an_answer_is_private_unless_the_desk_says_otherwise(town: Town) -> None:
    """A long answer is a file; a refusal is one sentence without mentions."""
    discord, desk = town.discord, town.desk
    command = await discord.command("status")
    assert await discord.answer(command) == "Taken."
    assert command.ephemeral
    assert discord.messages(discord.general) == []
    desk.answer = DeskAnswer("For **all**: <@1> https://github.com/a/b", private=False)
    command = await discord.command("leaderboard")
    await until(lambda: command.followups, what="a public answer")
    line = "For **all**: \\<@1\\> <https://github.com/a/b>"
    assert command.text() == f"Answered below, for everybody.\n{line}"
    assert discord.texts(discord.general) == [line]

    files, buttons = (ChatFile("d1.md", "transcript"),), (Button("rerun", "Re-run", "d1"),)
    desk.answer = DeskAnswer("word " * 3000, files=files, buttons=buttons)
    long = await discord.command("show", {"debate": "d1"})
    await until(lambda: long.followups, what="an answer")
    (last,) = long.followups
    assert [attachment["filename"] for attachment in last["attachments"]] == ["d1.md", "answer.md"]
    assert discord.buttons(last) == {"Re-run": "d1||rerun|d1"}
    assert discord.world.uploads[last["attachments"][1]["id"]][1] == b"word " * 3000

    def fail(ask: object, caller: Caller) -> DeskAnswer:
        raise Refused("Only <@1>, who started it, may stop it.")

    desk.answer = fail
    command = await discord.command("stop")
    assert await discord.answer(command) == "Only \\<@1\\>, who started it, may stop it."
    assert command.ephemeral


async def test_buttons_confirm_ask_and_survive_a_restart(town: Town) -> None:
    await town.debate(buttons=(STOP, PAUSE, CHALLENGE))
    (starter,) = town.discord.messages(town.discord.general)
    await town.restart()
    pressed = await town.discord.press(town.discord.general, starter, "Pause")
    assert await town.discord.answer(pressed) == "Taken."

    question = await town.discord.press(town.discord.general, starter, "Stop")
    assert await town.discord.answer(question) == "Stop: are you sure?\n[Yes: Stop]"
    assert question.original is not None
    sure = await town.discord.press(town.discord.general, question.original, "Yes: Stop")
    assert await town.discord.answer(sure) == "Taken."

    form = await town.discord.press(
        town.discord.general, starter, "Challenge", user=town.discord.bob
    )
    await town.restart()
    sent = await town.discord.submit_modal(
        form, {"Your challenge to the seats": " Prove it. "}, user=town.discord.bob
    )
    assert await town.discord.answer(sent) == "Taken."
    source = town.desk.presses[0][2].source
    assert source == f"discord:{pressed.id}", "a redelivered press is the same one"
    presses = [
        (action, value, caller.person.rpartition("/")[2], text)
        for action, value, caller, text in town.desk.presses
    ]
    assert presses == [
        ("pause", "d1", town.discord.ada, ""),
        ("stop", "d1", town.discord.ada, ""),
        ("challenge", "d1", town.discord.bob, "Prove it."),
    ]


async def test_who_manages_threads_or_holds_a_configured_role_may_steer() -> None:
    """A channel's own settings count for a mention in it and in its threads."""
    async with DiscordStandIn() as discord:
        keeper = discord.person("keeper", permissions=MANAGE_THREADS)
        lead = discord.person("lead", roles=("Leads",))
        mention = f"<@{discord.world.bot['id']}> stop"
        async with settled(discord, admin_roles=("Leads",)) as town:
            desk = town.desk
            for user in (keeper, lead, discord.ada):
                await discord.answer(await discord.command("stop", user=user))
                await discord.reply(discord.general, mention, user)
            await until(lambda: len(desk.sayings) == 3)
            assert [caller.moderates for _, caller in desk.taken] == [True, True, False]
            assert {caller.name: caller.moderates for caller, *_ in desk.sayings} == {
                "keeper": True,
                "lead": True,
                "ada": False,
            }

            desk.sayings.clear()
            root = await town.debate()
            owner = {"id": discord.ada, "type": 1, "allow": str(MANAGE_THREADS), "deny": "0"}
            other = {"id": keeper, "type": 1, "allow": "0", "deny": str(MANAGE_THREADS)}
            discord.world.channels[discord.general]["permission_overwrites"] = [owner, other]
            await town.restart()
            for user in (discord.ada, keeper):
                for channel in (discord.general, root.thread):
                    await discord.reply(channel, mention, user)
            await until(lambda: len(desk.sayings) == 4)
            assert {
                (caller.name, caller.thread): caller.moderates for caller, *_ in desk.sayings
            } == {
                ("ada", ""): True,
                ("ada", root.thread): True,
                ("keeper", ""): False,
                ("keeper", root.thread): False,
            }


async def test_reactions_reach_the_desk_with_bare_names(town: Town) -> None:
    """Tones and variants are folded; the bot's own, other bots' and those on other people's
    messages stay out.
    """
    discord = town.discord
    root = await town.debate(reaction_options=SEEDS)
    finding = await town.app.chat.send(
        town.place, root.thread, post("d1:f1", Shape.FINDING, title="HIGH", reaction_options=SEEDS)
    )
    number = finding.ids[0].split("/")[1]
    other_bot = discord.world.person("other-bot", bot=True)["id"]
    foreign = await discord.reply(discord.general, "hello")
    await discord.react(root.thread, number, "👍🏽")
    await discord.react(root.thread, number, "✅", discord.bob)
    await discord.unreact(root.thread, number, "✅", discord.bob)
    await discord.react(root.thread, number, "❌", other_bot)
    await discord.react(discord.general, foreign["id"], "✅")
    await discord.react(discord.general, root.thread, "partyparrot:123")
    await discord.react(discord.general, root.thread, "⏫")
    await until(lambda: len(town.desk.reactions) >= 5, what="five reactions")
    ada, bob = (f"discord:{discord.guild}/{user}" for user in (discord.ada, discord.bob))
    on_finding, on_root = finding.ids[0], f"{discord.general}/{root.thread}"
    assert town.desk.reactions == [
        (town.place, on_finding, ada, "+1", True),
        (town.place, on_finding, bob, "white_check_mark", True),
        (town.place, on_finding, bob, "white_check_mark", False),
        (town.place, on_root, ada, "partyparrot", True),
        (town.place, on_root, ada, "arrow_double_up", True),
    ]


async def test_reactions_are_read_from_the_message_for_a_recount(town: Town) -> None:
    """All pages of people, never a bot, tones merged."""
    discord = town.discord
    root = await town.debate(reaction_options=SEEDS)
    voters = [discord.person(f"p{n}") for n in range(130)]
    for voter in voters:
        discord.world.react(discord.general, root.thread, voter, "✅")
    discord.world.react(discord.general, root.thread, discord.ada, "👍🏿")
    discord.world.react(discord.general, root.thread, discord.bob, "👍")
    ada, bob, *people = (
        f"discord:{discord.guild}/{user}" for user in (discord.ada, discord.bob, *voters)
    )
    assert {
        reaction.emoji: sorted(reaction.people)
        for reaction in await town.app.chat.read_reactions(town.place, root.ids[0])
    } == {"white_check_mark": sorted(people), "+1": sorted((ada, bob))}


async def test_replies_in_threads_mentions_and_direct_messages_are_offered_to_the_desk(
    town: Town,
) -> None:
    discord = town.discord
    root = await town.debate()
    mention = f"<@{discord.world.bot['id']}>"
    other_bot = discord.world.person("other-bot", bot=True)["id"]
    dm = discord.world.dm(discord.ada)["id"]
    in_thread = await discord.reply(root.thread, "challenge: prove it")
    await discord.reply(discord.general, "just talking")
    await discord.reply(root.thread, "I am a bot", other_bot)
    await discord.reply(root.thread, "", kind=6)
    reply = await discord.reply(
        discord.general, f"{mention} code_review https://github.com/o/r/pull/7", discord.bob
    )
    private = await discord.reply(dm, "status")
    await until(lambda: len(town.desk.sayings) >= 3, what="three sayings")
    await asyncio.sleep(0.02)
    offered = [
        (caller.place, caller.thread, caller.private, text, mentioned, message)
        for caller, text, mentioned, message in town.desk.sayings
    ]
    assert offered == [
        (
            town.place,
            root.thread,
            False,
            "challenge: prove it",
            False,
            f"{root.thread}/{in_thread['id']}",
        ),
        (
            town.place,
            "",
            False,
            "code_review https://github.com/o/r/pull/7",
            True,
            f"{discord.general}/{reply['id']}",
        ),
        (f"discord:@me/{dm}", "", True, "status", False, f"{dm}/{private['id']}"),
    ]


async def test_a_challenge_is_receipted_on_its_message_and_a_refusal_goes_to_its_author(
    town: Town,
) -> None:
    discord = town.discord
    root = await town.debate()
    message = await discord.reply(root.thread, "challenge: prove it")
    await town.app.chat.acknowledge(town.place, f"{root.thread}/{message['id']}", "eyes")
    await town.app.chat.acknowledge(town.place, f"{root.thread}/{message['id']}", "eyes")
    assert discord.world.reactions[root.thread, message["id"]] == [("👀", discord.world.bot["id"])]

    town.desk.answers_said = {
        "no": DeskAnswer("That debate is over.", ok=False),
        "public": DeskAnswer("Here it is.", private=False),
    }
    await discord.reply(root.thread, "no")
    dm = discord.world.dm(discord.ada)["id"]
    await until(lambda: discord.messages(dm), what="a direct message")
    assert discord.texts(dm) == ["That debate is over."]
    discord.world.closed_dms.add(discord.ada)
    closed = await discord.reply(root.thread, "no")
    await until(
        lambda: discord.world.reactions.get((root.thread, closed["id"])),
        what="a sign on the message",
    )
    await discord.reply(root.thread, "public")
    await until(lambda: "Here it is." in discord.texts(root.thread), what="a public answer")
    assert "That debate is over." not in discord.texts(root.thread)


async def test_who_writes_to_the_bot_gets_files_long_answers_and_failures_in_private(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    """Others in a channel do not see the failure."""
    discord, root = town.discord, await town.debate()
    dm, mention = discord.world.dm(discord.ada)["id"], f"<@{discord.world.bot['id']}>"
    town.desk.answers_said = {
        "export d1": DeskAnswer("Debate d1 as md.", files=(ChatFile("d1.md", "the debate"),)),
        "show d1": DeskAnswer("word " * 3000),
        "list": RuntimeError("secret in here"),
        "mirror": DeliveryError("retry", "Discord is not connected"),
    }
    await discord.reply(discord.general, f"{mention} export d1")
    await until(lambda: discord.messages(dm), what="the export")
    await discord.reply(dm, "show d1")
    first, _, _, last = await until(
        lambda: len(messages := discord.messages(dm)) == 4 and messages, what="the debate"
    )
    for message, name, content in (
        (first, "d1.md", b"the debate"),
        (last, "answer.md", b"word " * 3000),
    ):
        (attachment,) = message["attachments"]
        assert attachment["filename"] == name
        assert discord.world.uploads[attachment["id"]][1] == content

    await discord.reply(root.thread, "list")
    await discord.reply(root.thread, f"{mention} list")
    await until(lambda: len(discord.messages(dm)) == 5, what="an answer")
    await discord.reply(dm, "mirror")
    await until(lambda: len(discord.messages(dm)) == 7, what="another answer")
    failed, _, refused = discord.texts(dm)[4:]
    (number,) = (
        record.__dict__["error_id"] for record in caplog.records if hasattr(record, "error_id")
    )
    assert failed.startswith("Something went wrong here, and it is not your doing.")
    assert failed.endswith(f"the number {number}.")
    assert refused == "Discord is not connected"


async def test_a_private_line_stands_beside_the_last_command_and_later_in_direct_messages(
    town: Town,
) -> None:
    discord = town.discord
    command = await discord.command("status")
    await discord.answer(command)
    ada = f"discord:{discord.guild}/{discord.ada}"
    await town.app.chat.send_private(town.place, ada, "The budget is used up.")
    assert command.followups[-1]["content"] == "The budget is used up."
    assert command.followups[-1]["flags"] & 64
    await town.restart()
    await town.app.chat.send_private(town.place, ada, "It is *over*.")
    assert discord.texts(discord.world.dm(discord.ada)["id"]) == ["It is *over*."]
    discord.world.closed_dms.add(discord.bob)
    with pytest.raises(Exception, match="this person takes no direct messages from me"):
        await town.app.chat.send_private(town.place, f"discord:{discord.guild}/{discord.bob}", "x")


async def test_a_poll_is_seeded_by_its_answers_and_read_at_its_end(town: Town) -> None:
    discord = town.discord
    root = await town.debate()
    poll = post(
        "d1:vote",
        Shape.NOTICE,
        title="Adopt it?",
        poll=("adopt", "reject"),
        reaction_options=(
            ReactionOption("white_check_mark", "adopt"),
            ReactionOption("x", "reject"),
        ),
    )
    ref = await town.app.chat.send(town.place, root.thread, poll)
    assert ref.ids[1].endswith("/poll")
    assert discord.texts(root.thread) == ["Adopt it?", "Adopt it?\n(adopt)\n(reject)"]
    number = ref.ids[1].split("/")[1]
    discord.poll_vote(number, 1, discord.ada)
    discord.poll_vote(number, 2, discord.bob)
    ada, bob = (f"discord:{discord.guild}/{user}" for user in (discord.ada, discord.bob))
    assert {
        r.emoji: r.people for r in await town.app.chat.read_reactions(town.place, ref.ids[1])
    } == {"white_check_mark": (ada,), "x": (bob,)}
    await discord.end_poll(root.thread, number)
    await until(lambda: len(town.desk.reactions) == 2, what="the poll's votes")
    assert town.desk.reactions == [
        (town.place, ref.ids[1], ada, "white_check_mark", True),
        (town.place, ref.ids[1], bob, "x", True),
    ]
    another = await town.app.chat.send(
        town.place, root.thread, post("d1:vote2", Shape.NOTICE, title="Again?", poll=("a", "b"))
    )
    discord.poll_vote(another.ids[1].split("/")[1], 2, discord.bob)
    assert [
        (r.emoji, r.people) for r in await town.app.chat.read_reactions(town.place, another.ids[1])
    ] == [("two", (bob,))]
    await town.app.chat.edit(another, post("d1:5", Shape.NOTICE, title="Over.", edits="d1:vote2"))
    assert discord.world.messages[root.thread][another.ids[1].split("/")[1]]["poll"]["results"][
        "is_finalized"
    ]


async def test_in_direct_messages_a_debate_lives_in_replies_to_its_root(town: Town) -> None:
    discord = town.discord
    dm = discord.world.dm(discord.ada)["id"]
    place = f"discord:@me/{dm}"
    command = await discord.command("start", {"template": "code_review", "target": "x"}, channel=dm)
    await discord.answer(command)
    ((_, caller),) = town.desk.taken
    assert (caller.place, caller.person, caller.private) == (
        place,
        f"discord:@me/{discord.ada}",
        True,
    )
    root = await town.app.chat.send(
        place, None, post("d1:root", Shape.ROOT, title="PR 7", reaction_options=SEEDS)
    )
    ref = await town.app.chat.send(
        place, root.thread, post("d1:4", who="skeptic", body="It leaks.")
    )
    starter, statement = discord.messages(dm)
    assert statement["message_reference"]["message_id"] == int(starter["id"])
    await discord.reply(dm, "prove it", to=statement["id"])
    await until(lambda: town.desk.sayings, what="the reply")
    assert town.desk.sayings[0][0].thread == root.thread == starter["id"]
    await discord.react(dm, starter["id"], "✅")
    await until(lambda: town.desk.reactions, what="the reaction")
    assert town.desk.reactions == [
        (place, f"{dm}/{starter['id']}", f"discord:@me/{discord.ada}", "white_check_mark", True)
    ]
    assert ref.ids == (f"{dm}/{statement['id']}",)
    assert render(statement) == "**skeptic**\nIt leaks."
