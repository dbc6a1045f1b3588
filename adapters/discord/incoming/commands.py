"""``/debate`` with Discord's real options: every subcommand makes a ``Request`` and hands it to the
listener.

The parameters of the functions that make the requests are the words that people see, the options
come from the one table (``adapters.commands.options``); what describes them is all the help that
Discord shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import discord
from discord import app_commands
from discord.app_commands import Range

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
    Request,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Vote,
)
from adapters.commands.grammar import COMMANDS, compare_debates, compare_forms
from adapters.commands.help import TOPICS
from adapters.commands.named import debate_id, place_name, repository_name
from adapters.commands.options import enter, options_of
from adapters.commands.requests import Filters
from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.options import Run, command
from adapters.discord.incoming.suggestions import Suggestions
from adapters.discord.settings import DiscordSettings

Interaction = discord.Interaction[discord.Client]
Make = Callable[..., Request]
Subcommand = app_commands.Command[Any, ..., None]


def build(
    client: discord.Client, listener: Listener, settings: DiscordSettings
) -> app_commands.CommandTree[Any]:
    """The tree of all commands on ``client``, ready to be synchronised."""
    tree = app_commands.CommandTree(
        client,
        allowed_contexts=app_commands.AppCommandContext(
            guild=True, dm_channel=True, private_channel=False
        ),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    debate = app_commands.Group(
        name="debate", description="Several models argue, people vote, a verdict comes out"
    )
    schedule = app_commands.Group(
        name="schedule", description="Debates that come round", parent=debate
    )
    suggest = Suggestions(listener.desk, settings)
    for each in _debate_commands(listener, suggest):
        debate.add_command(each)
    for each in _schedule_commands(listener, suggest):
        schedule.add_command(each)
    tree.add_command(debate)
    tree.add_command(_menu(listener))
    return tree


def _debate_commands(listener: Listener, suggest: Suggestions) -> Iterator[Subcommand]:
    async def start(interaction: Interaction, entered: dict[str, Any]) -> None:
        material = entered["material"]
        if entered["target"] is None and material is None:
            await listener.open_start_form(interaction, partial(_start, **entered))
        else:
            files = [material] if material is not None else []
            await listener.start(interaction, partial(_start, **entered), files)

    yield command(
        "start", "Start a debate here", start, suggest, words=_start, options=options_of(Start)
    )
    for name, make in MAKERS.items():
        does, options = TOPICS[name].does, COMMANDS[name].options
        description = f"{does[0].upper()}{does[1:]}"
        run = _taking(listener, make)
        yield command(name, description, run, suggest, words=make, options=options)


def _schedule_commands(listener: Listener, suggest: Suggestions) -> Iterator[Subcommand]:
    made: Mapping[str, tuple[str, Make]] = {
        "add": ("Start a debate again and again", _schedule_add),
        "list": ("All schedules here", lambda: ScheduleDo("list")),
        "run": ("Start one now", _schedule_do("run")),
        "pause": ("Pause one", _schedule_do("pause")),
        "resume": ("Go on with one", _schedule_do("resume")),
        "remove": ("End one for good", _schedule_do("remove")),
    }
    options = COMMANDS["schedule"].options
    for name, (description, make) in made.items():
        run = _taking(listener, make)
        yield command(name, description, run, suggest, words=make, options=options)


def _taking(listener: Listener, make: Make) -> Run:
    async def run(interaction: Interaction, entered: dict[str, Any]) -> None:
        await listener.take(interaction, partial(make, **entered))

    return run


def _menu(listener: Listener) -> app_commands.ContextMenu:
    async def debate_this(interaction: Interaction, message: discord.Message) -> None:
        await listener.open_message_form(interaction, message)

    return app_commands.ContextMenu(name="Debate this", callback=debate_this)


def _start(
    template: str,
    target: Range[str, 1, 4000] | None = None,
    material: discord.Attachment | None = None,
    **entered: Any,
) -> Start:
    return enter(Start(template, target or ""), entered)


def _challenge(text: Range[str, 1, 4000], debate: str = "") -> Challenge:
    return Challenge(text, _id(debate))


def _vote(option: str, debate: str = "", finding: str = "") -> Vote:
    return Vote(option, _id(debate), finding)


def _control(verb: str) -> Make:
    def make(debate: str = "") -> Control:
        return Control(verb, _id(debate))

    return make


def _fork(debate: str, **entered: Any) -> ForkRequest:
    return enter(ForkRequest(debate_id(debate)), entered)


def _export(debate: str, form: Literal["md", "json", "html"] = "md") -> Export:
    return Export(debate_id(debate), form)


def _compare(first: str, second: str = "") -> Compare:
    return compare_debates(first, second) if second else compare_forms(Start("panel", first))


def _schedule_add(
    when: str, template: str, target: Range[str, 1, 4000], **entered: Any
) -> ScheduleAdd:
    start = enter(Start(template, target), entered)
    return enter(ScheduleAdd(when, start, enter(Filters(), entered)), entered)


def _schedule_do(verb: str) -> Make:
    def make(schedule: str) -> ScheduleDo:
        return ScheduleDo(verb, schedule)

    return make


def _status() -> Status:
    return Status()


def _list() -> Listing:
    return Listing()


def _leaderboard() -> Leaderboard:
    return Leaderboard()


def _show(debate: str) -> Show:
    return Show(debate_id(debate))


def _templates(name: str = "") -> Templates:
    return Templates(name)


def _help(topic: str = "") -> Help:
    return Help(topic)


def _receipt(debate: str) -> ReceiptRequest:
    return ReceiptRequest(debate_id(debate))


def _mirror(debate: str, place: str) -> Mirror:
    return Mirror(debate_id(debate), place_name(place))


def _setup(repository: str, off: bool = False) -> Setup:
    return Setup(repository_name(repository), off)


def _held(debate: str, held: bool) -> Held:
    return Held(debate_id(debate), held)


def _id(debate: str) -> str:
    """Empty means the debate of the thread."""
    return debate_id(debate) if debate else ""


MAKERS: Mapping[str, Make] = {
    "status": _status,
    "list": _list,
    "show": _show,
    "templates": _templates,
    "leaderboard": _leaderboard,
    "help": _help,
    "challenge": _challenge,
    "vote": _vote,
    "pause": _control("pause"),
    "resume": _control("resume"),
    "stop": _control("stop"),
    "fork": _fork,
    "export": _export,
    "receipt": _receipt,
    "mirror": _mirror,
    "compare": _compare,
    "held": _held,
    "setup": _setup,
}
"""How each subcommand's words become a request. Raise ``BadInput`` for what cannot be."""
