"""``/debate`` with Discord's real options: every subcommand becomes a ``Request`` and goes to the
counter.

The callbacks' parameters are the options that people see, so there are many; the text that
describes them is all the help that Discord shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import Choice, Range

from adapters.commands import (
    Challenge,
    Compare,
    Control,
    Export,
    ForkRequest,
    Held,
    Help,
    Leaderboard,
    Listing,
    Mirror,
    ReceiptRequest,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Vote,
)
from adapters.discord.incoming import forms
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.options import command, extras, offer, panel
from adapters.discord.incoming.suggestions import Suggestions
from adapters.discord.settings import DiscordSettings
from adapters.ports.desk import TemplateChoice

Interaction = discord.Interaction[discord.Client]


def build(
    client: discord.Client,
    counter: Listener,
    templates: Sequence[TemplateChoice],
    settings: DiscordSettings,
) -> app_commands.CommandTree[Any]:
    """The tree of all commands on ``client``, ready to be synchronised."""
    tree = app_commands.CommandTree(
        client,
        allowed_contexts=app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=False
        ),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    suggest = Suggestions(counter.desk, settings, templates)
    debate = app_commands.Group(
        name="debate", description="Several models argue, people vote, a verdict comes out"
    )
    schedule = app_commands.Group(
        name="schedule", description="Debates that come round", parent=debate
    )
    for each in (
        _start(counter, templates, suggest),
        *_reading(counter, suggest),
        *_taking_part(counter, suggest),
        *_afterwards(counter, suggest),
    ):
        debate.add_command(each)
    for each in (_schedule_add(counter, templates, suggest), *_schedule_rest(counter, suggest)):
        schedule.add_command(each)
    tree.add_command(debate)
    tree.add_command(_menu(counter, templates))
    return tree


def _start(
    counter: Listener, templates: Sequence[TemplateChoice], suggest: Suggestions
) -> app_commands.Command[Any, ..., None]:
    async def start(  # noqa: PLR0913, PLR0917 - the parameters are the command's options
        interaction: Interaction,
        template: str,
        target: Range[str, 1, 4000] | None = None,
        material: discord.Attachment | None = None,
        rounds: Range[int, 1, 9] | None = None,
        models: str = "",
        consensus: str = "",
        threshold: Range[float, 0.01, 1.0] | None = None,
        budget: Range[float, 0.0, 1000.0] | None = None,
        format: str = "",
        vote_window: str = "",
        form: str = "",
        importance: str = "",
        debate_anyway: bool = False,
        quiet: bool = False,
        search: bool = False,
        yes: bool = False,
    ) -> None:
        def asked() -> Start:
            window = forms.seconds(vote_window)
            base = Start(
                template,
                target or "",
                rounds,
                forms.models(models),
                consensus,
                threshold,
                budget,
                format,
                window,
                quiet,
                search,
            )
            return replace(base, yes=yes, extras=panel(form, importance, debate_anyway))

        if target is None and material is None:
            await counter.open_start_form(interaction, templates, asked)
        else:
            await counter.start(interaction, asked, [material] if material else [])

    more = offer(start, templates, suggest)
    return command("start", "Start a debate here", start, {"models": suggest.models, **more})


def _reading(counter: Listener, suggest: Suggestions) -> list[app_commands.Command[Any, ..., None]]:
    async def status(interaction: Interaction) -> None:
        await counter.take(interaction, Status())

    async def listing(interaction: Interaction) -> None:
        await counter.take(interaction, Listing())

    async def show(interaction: Interaction, debate: str) -> None:
        await counter.take(interaction, Show(debate))

    async def templates(interaction: Interaction, name: str = "") -> None:
        await counter.take(interaction, Templates(name))

    async def leaderboard(interaction: Interaction) -> None:
        await counter.take(interaction, Leaderboard())

    async def help_(interaction: Interaction, topic: str = "") -> None:
        await counter.take(interaction, Help(topic))

    app_commands.describe(name="One template in detail")(templates)
    app_commands.describe(topic="A command's name")(help_)
    return [
        command("status", "What is running here", status),
        command("list", "Recent debates", listing),
        command("show", "A debate's result", show, {"debate": suggest.debate}),
        command(
            "templates", "The kinds of debate there are", templates, {"name": suggest.template}
        ),
        command("leaderboard", "How models have done", leaderboard),
        command("help", "How this works", help_, {"topic": suggest.topic}),
    ]


def _taking_part(
    counter: Listener, suggest: Suggestions
) -> list[app_commands.Command[Any, ..., None]]:
    async def challenge(
        interaction: Interaction, text: Range[str, 1, 4000], debate: str = ""
    ) -> None:
        await counter.take(interaction, Challenge(text, debate))

    async def vote(
        interaction: Interaction, option: str, debate: str = "", finding: str = ""
    ) -> None:
        await counter.take(interaction, Vote(option, debate, finding))

    async def pause(interaction: Interaction, debate: str = "") -> None:
        await counter.take(interaction, Control("pause", debate))

    async def resume(interaction: Interaction, debate: str = "") -> None:
        await counter.take(interaction, Control("resume", debate))

    async def stop(interaction: Interaction, debate: str = "") -> None:
        await counter.take(interaction, Control("stop", debate))

    app_commands.describe(text="What the seats must answer")(challenge)
    app_commands.describe(
        option="Your choice", finding="Vote on this finding instead of the verdict"
    )(vote)
    return [
        command(
            "challenge", "Object: the seats owe an answer", challenge, {"debate": suggest.debate}
        ),
        command(
            "vote",
            "Vote on the verdict or a finding",
            vote,
            {"debate": suggest.debate, "option": suggest.option},
        ),
        command("pause", "Let a debate rest", pause, {"debate": suggest.debate}),
        command("resume", "Go on with a debate", resume, {"debate": suggest.debate}),
        command("stop", "End a debate now, with a report", stop, {"debate": suggest.debate}),
    ]


def _afterwards(
    counter: Listener, suggest: Suggestions
) -> list[app_commands.Command[Any, ..., None]]:
    async def fork(
        interaction: Interaction,
        debate: str,
        at: Range[int, 1] | None = None,
        without: str = "",
        assume: str = "",
        models: str = "",
        yes: bool = False,
    ) -> None:
        await counter.take(
            interaction, ForkRequest(debate, at, without, assume, forms.models(models), yes=yes)
        )

    async def export(interaction: Interaction, debate: str, form: str = "md") -> None:
        await counter.take(interaction, Export(debate, form))

    async def receipt(interaction: Interaction, debate: str) -> None:
        await counter.take(interaction, ReceiptRequest(debate))

    async def mirror(interaction: Interaction, debate: str, place: str) -> None:
        await counter.take(interaction, Mirror(debate, place))

    async def compare(interaction: Interaction, first: str, second: str = "") -> None:
        await counter.take(
            interaction, Compare(first, second) if second else Compare("", question=first)
        )

    async def held(interaction: Interaction, debate: str, held: bool) -> None:
        await counter.take(interaction, Held(debate, held))

    async def setup(interaction: Interaction, repository: str, off: bool = False) -> None:
        await counter.take(interaction, Setup(repository, off))

    app_commands.describe(form="The file's form")(export)
    app_commands.describe(
        at="From this event on", without="Leave this seat out", assume="Take this as given"
    )(fork)
    app_commands.choices(form=[Choice(name=each, value=each) for each in ("md", "json", "html")])(
        export
    )
    app_commands.describe(place="#channel, discord:CHANNEL or slack:CHANNEL")(mirror)
    app_commands.describe(
        first="A debate, or a question to debate both ways", second="The other debate"
    )(compare)
    app_commands.describe(held="Did the verdict hold?")(held)
    app_commands.describe(
        repository="GitHub OWNER/REPO that this channel may see", off="Take it back"
    )(setup)
    return [
        command(
            "fork",
            "What if: the same debate, something changed",
            fork,
            {"debate": suggest.debate, "models": suggest.models},
        ),
        command("export", "A debate as a file", export, {"debate": suggest.debate}),
        command("receipt", "The signed record of an outcome", receipt, {"debate": suggest.debate}),
        command(
            "mirror",
            "The same debate in a second channel",
            mirror,
            {"debate": suggest.debate, "place": suggest.place},
        ),
        command(
            "compare",
            "Two debates side by side",
            compare,
            {"first": suggest.debate, "second": suggest.debate},
        ),
        command("held", "Say whether a verdict held", held, {"debate": suggest.debate}),
        command("setup", "Let this channel see a private repository", setup),
    ]


def _schedule_add(
    counter: Listener, templates: Sequence[TemplateChoice], suggest: Suggestions
) -> app_commands.Command[Any, ..., None]:
    async def add(  # noqa: PLR0913, PLR0917 - the parameters are the command's options
        interaction: Interaction,
        when: str,
        template: str,
        target: Range[str, 1, 4000],
        tz: str = "",
        rounds: Range[int, 1, 9] | None = None,
        models: str = "",
        consensus: str = "",
        threshold: Range[float, 0.01, 1.0] | None = None,
        budget: Range[float, 0.0, 1000.0] | None = None,
        format: str = "",
        vote_window: str = "",
        form: str = "",
        importance: str = "",
        debate_anyway: bool = False,
        quiet: bool = False,
        search: bool = False,
        label: str = "",
        base: str = "",
        author: str = "",
        since: str = "",
        at_most: Range[int, 1, 50] | None = None,
        yes: bool = False,
    ) -> None:
        def asked() -> ScheduleAdd:
            window = forms.seconds(vote_window)
            start = Start(
                template,
                target,
                rounds,
                forms.models(models),
                consensus,
                threshold,
                budget,
                format,
                window,
                quiet,
                search,
            )
            filters = extras(
                label=label,
                base=base,
                author=author,
                since=since,
                **{"at-most": str(at_most or "")},
            )
            start = replace(start, yes=yes, extras=panel(form, importance, debate_anyway))
            return ScheduleAdd(when, start, tz, filters)

        await counter.take(interaction, asked)

    more = offer(add, templates, suggest)
    return command(
        "add",
        "Start a debate again and again",
        add,
        {"tz": suggest.zone, "models": suggest.models, **more},
    )


def _schedule_rest(
    counter: Listener, suggest: Suggestions
) -> list[app_commands.Command[Any, ..., None]]:
    async def listing(interaction: Interaction) -> None:
        await counter.take(interaction, ScheduleDo("list"))

    made = [command("list", "All schedules here", listing)]
    for verb, text in (
        ("run", "Start one now"),
        ("pause", "Let one rest"),
        ("resume", "Go on with one"),
        ("remove", "End one for good"),
    ):
        made.append(_schedule_one(counter, suggest, verb, text))
    return made


def _schedule_one(
    counter: Listener, suggest: Suggestions, verb: str, text: str
) -> app_commands.Command[Any, ..., None]:
    async def act(interaction: Interaction, schedule: str) -> None:
        await counter.take(interaction, ScheduleDo(verb, schedule))

    app_commands.describe(schedule="Which schedule")(act)
    return command(verb, text, act, {"schedule": suggest.schedule})


def _menu(counter: Listener, templates: Sequence[TemplateChoice]) -> app_commands.ContextMenu:
    async def debate_this(interaction: Interaction, message: discord.Message) -> None:
        await counter.open_message_form(interaction, templates, message)

    return app_commands.ContextMenu(name="Debate this", callback=debate_this)
