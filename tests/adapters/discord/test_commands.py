"""``/debate`` is registered with Discord only when it changed, and every subcommand becomes its
``Request``; forms, files and suggestions work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.application.commands import (
    Challenge,
    Compare,
    Control,
    Export,
    ForkRequest,
    Held,
    Help,
    HookRequest,
    Leaderboard,
    Listing,
    Mirror,
    PostReview,
    ReceiptRequest,
    ReplayRequest,
    Request,
    ScheduleAdd,
    ScheduleDo,
    SearchRequest,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Useful,
    Vote,
)
from core.application.commands.requests import Filters
from core.application.desk import DeskAnswer, Home, TemplateChoice
from tests.adapters.desk import TEMPLATES, glance
from tests.adapters.discord.conftest import Town, settled
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import until

EVERY: list[tuple[str, dict[str, Any], Request]] = [
    ("help", {"topic": "vote"}, Help("vote")),
    ("templates", {"name": "code_review"}, Templates("code_review")),
    ("status", {}, Status()),
    ("list", {}, Listing()),
    ("search", {"words": "queue jobs", "decision": "accept"},
     SearchRequest("queue jobs", decision="accept")),
    ("show", {"debate": "d1"}, Show("d1")),
    ("challenge", {"text": "Prove it"}, Challenge("Prove it")),
    ("vote", {"option": "approve", "finding": "f1", "debate": "d1"}, Vote("approve", "d1", "f1")),
    ("pause", {}, Control("pause")),
    ("resume", {"debate": "d1"}, Control("resume", "d1")),
    ("stop", {"debate": "d1"}, Control("stop", "d1")),
    ("fork", {"debate": "d1", "at": 12, "without": "skeptic", "models": "a, b"},
     ForkRequest("d1", at=12, without="skeptic", models=("a", "b"))),
    ("export", {"debate": "d1", "form": "html"}, Export("d1", "html")),
    ("receipt", {"debate": "d1"}, ReceiptRequest("d1")),
    ("replay", {"debate": "d1"}, ReplayRequest("d1")),
    ("leaderboard", {}, Leaderboard()),
    ("mirror", {"debate": "d1", "place": "slack:C1"}, Mirror("d1", "slack:C1")),
    ("mirror", {"debate": "d1", "place": "<#123>"}, Mirror("d1", "discord:123")),
    ("compare", {"first": "d4k7q2xy", "second": "d9m3x1ab"}, Compare("d4k7q2xy", "d9m3x1ab")),
    ("compare", {"first": "Are tabs better than spaces?"}, Compare(start=Start("panel",
    "Are tabs better than spaces?"))),
    ("held", {"debate": "d1", "held": False}, Held("d1", False)),
    ("list", {"priority": "urgent"}, Listing(priority="urgent")),
    ("useful", {"useful": True}, Useful(True)),
    ("useful", {"useful": False, "debate": "d1"}, Useful(False, "d1")),
    ("held", {"debate": "d1", "held": False, "why": "it broke"}, Held("d1", False, "it broke")),
    ("post", {"debate": "d1k7q2xy"}, PostReview("d1k7q2xy")),
    ("setup", {"repository": "o/r", "off": True}, Setup("o/r", True)),
    ("hooks", {}, HookRequest()),
    (
        "hooks",
        {"action": "add", "webhook": "https://a.b/c", "kinds": "debate.verdict", "full": True},
        HookRequest("add", "https://a.b/c", kinds=("debate.verdict",), full=True),
    ),
    ("hooks", {"action": "replay", "webhook": "3f", "debate": "d1k7q2xy"},
    HookRequest("replay", "3f", "d1k7q2xy")),
    (
        "start",
        {
            "template": "design_doc", "target": "text", "rounds": 3, "models": "a,b",
            "consensus": "judge", "threshold": 0.75,
            "budget": 1.5, "format": "panel", "vote_window": "10m", "quiet": True, "search": True,
            "form": "extended", "importance": "high",
            "debate_anyway": True, "yes": True, "department": "payments", "priority": "high",
            "target_date": "2027-01-31",
        },
        Start(
            "design_doc", "text", rounds=3, models=("a", "b"), consensus="judge", threshold=0.75,
            budget=1.5, format="panel", vote_window=600.0, quiet=True, search=True, yes=True,
            form="extended", importance="high", debate_anyway=True, department="payments",
            priority="high", target_date="2027-01-31",
        ),
    ),
    ("start", {"template": "design_doc", "target": "text --seats skeptic=person:<@7>,person:me "
     "--convergence 0.2", "rounds": 3},
     Start("design_doc", "text", seats=("skeptic=person:<@7>", "person:me"), convergence=0.2,
     rounds=3)),
    ("start", {"template": "panel", "target": "Is --search worth its price?"},
     Start("panel", "Is --search worth its price?")),
    (
        "schedule add",
        {"when": "0 9 * * mon", "template": "code_review", "target": "o/r", "tz": "Europe/Berlin",
        "rounds": 1, "label": "x", "at_most": 3,
         "vote_window": "1h", "search": True, "debate_anyway": True},
        ScheduleAdd(
            "0 9 * * mon", Start("code_review", "o/r", rounds=1, vote_window=3600.0, search=True,
            debate_anyway=True),
            Filters(label=("x",), at_most=3), "Europe/Berlin",
        ),
    ),
    ("schedule list", {}, ScheduleDo("list")),
    ("schedule run", {"schedule": "s1"}, ScheduleDo("run", "s1")),
    ("schedule pause", {"schedule": "s1"}, ScheduleDo("pause", "s1")),
    ("schedule resume", {"schedule": "s1"}, ScheduleDo("resume", "s1")),
    ("schedule remove", {"schedule": "s1"}, ScheduleDo("remove", "s1")),
]  # fmt: skip


async def test_every_subcommand_becomes_its_ask(town: Town) -> None:
    for name, options, _ in EVERY:
        command = await town.discord.command(name, options)
        assert await town.discord.answer(command) == "Taken.", name
    assert [ask for ask, _ in town.desk.taken] == [ask for _, _, ask in EVERY]
    (registered,) = (
        command for command in town.discord.world.commands if command["name"] == "debate"
    )
    leaves = {option["name"] for option in registered["options"] if option["type"] == 1}
    leaves |= {
        f"schedule {option['name']}"
        for group in registered["options"]
        if group["type"] == 2
        for option in group["options"]
    }
    assert leaves == {name for name, _, _ in EVERY}


async def test_commands_are_registered_once_and_again_only_when_they_changed() -> None:
    async with DiscordStandIn() as discord:
        async with settled(discord) as town:
            await town.restart()
            assert discord.world.syncs == 1
        async with settled(discord) as town:
            assert discord.world.syncs == 1
            discord.world.commands[0]["description_localizations"]["cs"] = "Jinak"
            await town.restart()
            assert discord.world.syncs == 2


async def offered(
    discord: DiscordStandIn, command: str, option: str, typed: str, **more: Any
) -> list[object]:
    offers = await discord.autocomplete(command, option, typed, **more)
    return [each["value"] for each in offers]


async def test_templates_and_models_are_suggested() -> None:
    """Templates are found by name and description; a list of models is completed one at a time."""
    many = tuple(TemplateChoice(f"t{n:02}", f"T{n}", f"kind {n}") for n in range(40))
    models = ("openai/gpt-5", "anthropic/claude", "openai/mini")
    async with DiscordStandIn() as discord, settled(discord, models=models) as town:
        town.desk.offered = many
        await town.restart()
        assert await offered(discord, "start", "template", "kind 3") == [
            "t03",
            *(f"t{n}" for n in range(30, 40)),
        ]
        await discord.answer(await discord.command("start", {"template": "t39", "target": "x"}))
        assert town.desk.taken[0][0] == Start("t39", "x")
        command = await discord.command("start", {"template": "t39"})  # a form shows 25 of them
        await discord.answer(await discord.submit_modal(command, {"What is debated": "y"}))
        assert town.desk.taken[1][0] == Start("t39", "y")
        first = await offered(discord, "start", "models", "open")
        assert first == ["openai/gpt-5", "openai/mini"]
        later = await offered(discord, "start", "models", "openai/mini,open")
        assert later == ["openai/mini,openai/gpt-5"]


async def test_what_there_is_is_suggested(town: Town) -> None:
    town.desk.home_content = Home(
        (glance("d1", "Leak"),),
        (glance("s1", "nightly"),),
        (glance("d2", "Tabs", "finished"), glance("x" * 101, "long")),
    )
    discord = town.discord
    assert await discord.autocomplete("show", "debate", "") == [
        {"name": "d1 running: Leak", "value": "d1"},
        {"name": "d2 finished: Tabs", "value": "d2"},
    ]
    assert await offered(discord, "show", "debate", "tabs") == ["d2"]
    assert await offered(discord, "schedule run", "schedule", "") == ["s1"]
    assert await offered(discord, "schedule add", "tz", "new york") == ["America/New_York"]
    assert len(await offered(discord, "schedule add", "tz", "")) == 25
    assert await offered(discord, "help", "topic", "sche") == ["schedule"]


async def test_the_ballot_is_offered_of_the_debate_that_is_named_or_runs_here(town: Town) -> None:
    discord = town.discord
    approve = replace(TEMPLATES[0], ballot=("approve", "request_changes"))
    adopt = replace(TEMPLATES[1], ballot=("adopt",))
    town.desk.offered = (approve, adopt)
    await town.restart()
    here = replace(glance("d1", "Leak"), place=town.place, template="code_review")
    elsewhere = replace(glance("d2", "Plan"), template="design_doc")
    town.desk.home_content = Home((here, elsewhere), (), ())
    assert await discord.autocomplete("vote", "option", "") == [
        {"name": "approve", "value": "approve"},
        {"name": "request changes", "value": "request_changes"},
    ]
    assert await offered(discord, "vote", "option", "request_c") == ["request_changes"]
    root = await town.debate()
    assert len(await offered(discord, "vote", "option", "", channel=root.thread)) == 2
    named = await offered(discord, "vote", "option", "", beside={"debate": "d2"})
    assert named == ["adopt"]
    on_finding = await offered(discord, "vote", "option", "", beside={"finding": "t1.f1"})
    assert on_finding == ["real", "not_real", "worse", "milder"]


async def test_without_a_target_a_form_takes_a_long_text(town: Town) -> None:
    discord = town.discord
    command = await discord.command(
        "start",
        {
            "template": "design_doc",
            "rounds": 2,
            "consensus": "supermajority",
            "threshold": 0.8,
            "vote_window": "1h",
            "quiet": True,
            "format": "adversarial",
        },
    )
    await until(lambda: command.form, what="a form")
    await town.restart()
    text = "A design.\n" * 390
    sent = await discord.submit_modal(command, {"What is debated": text, "Budget in USD": "$2.50"})
    assert await discord.answer(sent) == "Taken."
    start = Start(
        "design_doc",
        text.strip(),
        rounds=2,
        consensus="supermajority",
        threshold=0.8,
        budget=2.5,
        format="adversarial",
        vote_window=3600.0,
        quiet=True,
    )
    assert [ask for ask, _ in town.desk.taken] == [start]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("setup", {"repository": "nonsense"}, "'nonsense' is no repository: write OWNER/REPO."),
    ("mirror", {"debate": "d1", "place": "irc:x"},
     "'irc:x' is no place: write slack:CHANNEL or discord:CHANNEL."),
    ("schedule add",
     {"when": "daily", "template": "code_review", "target": "o/r", "since": "ever"},
     "since takes a time up to 366d"),
    *(("start", {"template": "code_review", "vote_window": "soon", **options},
       "vote-window takes a time up to 7d, like 90s, 10m, 2h or off, not 'soon'.")
      for options in ({"target": "x"}, {})),
]  # fmt: skip
WRONG_FIELDS = (
    ({"Rounds": "many"}, "rounds takes a whole number from 1 to 9, not 'many'."),
    (
        {"Budget in USD": "nan"},
        "budget takes US dollars above 0, at most 10,000, like 2.50, not 'nan'.",
    ),
)
WRONG_FILES = (
    (
        "virus.exe",
        b"MZ",
        "I can read .diff, .patch, .md, .markdown, .txt files; attached was virus.exe",
    ),
    (
        "big.txt",
        b"x" * 3000,
        "big.txt has 3,000 bytes; at most 2,000 can be debated. Attach the part that matters",
    ),
)


async def test_wrong_input_is_told_in_a_sentence_and_nothing_starts() -> None:
    async with DiscordStandIn() as discord, settled(discord, material_bytes=2000) as town:
        for name, options, sentence in WRONG:
            command = await discord.command(name, options)
            assert (await discord.answer(command)).startswith(sentence)
            assert command.ephemeral
        start = {"template": "code_review"}
        for fields, sentence in WRONG_FIELDS:
            form = await discord.command("start", start)
            sent = await discord.submit_modal(form, {"What is debated": "x", **fields})
            assert await discord.answer(sent) == sentence
        for filename, content, sentence in WRONG_FILES:
            files = {"material": (filename, content)}
            assert (
                await discord.answer(await discord.command("start", start, files=files)) == sentence
            )
        discord.world.commands[0]["options"].append({"name": "sing", "type": 1, "options": []})
        text = await discord.answer(await discord.command("sing"))
        assert text.startswith("This command has changed since Discord loaded it.")
        assert town.desk.taken == []


async def test_debate_this_takes_a_messages_text_and_its_files_or_says_that_they_are_gone(
    town: Town,
) -> None:
    discord = town.discord
    message = await discord.reply(
        discord.general,
        "Should we <@1> ship it?",
        discord.bob,
        files={"pic.png": b"p", "fix.diff": b"--- a"},
    )
    menu = await discord.context_menu("Debate this", discord.general, message["id"])
    await until(lambda: menu.form, what="a form")
    await town.restart()
    sent = await discord.submit_modal(menu, {"Template": "design_doc"})
    assert await discord.answer(sent) == "Taken."
    plain = await discord.reply(discord.general, "Tabs or spaces?", discord.bob)
    sent = await discord.submit_modal(
        await discord.context_menu("Debate this", discord.general, plain["id"]), {}
    )
    await discord.answer(sent)
    assert [ask for ask, _ in town.desk.taken] == [
        Start("design_doc", "Should we @1 ship it?\n[a file, not read: pic.png]", text="--- a"),
        Start("code_review", "Tabs or spaces?"),
    ]
    menu = await discord.context_menu("Debate this", discord.general, message["id"])
    await until(lambda: menu.form, what="a form")
    del discord.world.messages[discord.general][message["id"]]
    answer = await discord.answer(await discord.submit_modal(menu, {}))
    assert answer == (
        "The message with the file is gone, or I cannot see it. Attach the file to /debate start."
    )


async def test_a_command_in_a_thread_says_which_thread(town: Town) -> None:
    root = await town.debate()
    town.desk.answer = lambda ask, caller: DeskAnswer(f"{caller.place} {caller.thread}")
    command = await town.discord.command("pause", channel=root.thread)
    assert await town.discord.answer(command) == f"{town.place} {root.thread}"
