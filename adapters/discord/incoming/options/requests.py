"""Turns the words of each subcommand into a request. The parameters of a function are the words
that people see; ``**entered`` are the options of the one table (``adapters.commands.options``).

Each function raises ``BadInput`` for values that cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import discord
from discord.app_commands import Range

from adapters.commands import requests as r
from adapters.commands.grammar import checked_hook, compare_debates, compare_forms, start_on
from adapters.commands.named import debate_id, place_name, repository_name
from adapters.commands.options import enter

Make = Callable[..., r.Request]


def make_start(
    template: str,
    target: Range[str, 1, 4000] | None = None,
    material: discord.Attachment | None = None,
    **entered: Any,
) -> r.Start:
    return enter(start_on(template, target or ""), entered)


def _challenge(text: Range[str, 1, 4000], debate: str = "") -> r.Challenge:
    return r.Challenge(text, _id(debate))


def _vote(option: str, debate: str = "", finding: str = "") -> r.Vote:
    return r.Vote(option, _id(debate), finding)


def _control(verb: str) -> Make:
    def make(debate: str = "") -> r.Control:
        return r.Control(verb, _id(debate))

    return make


def _fork(debate: str, **entered: Any) -> r.ForkRequest:
    return enter(r.ForkRequest(debate_id(debate)), entered)


def _export(debate: str, form: Literal["md", "json", "html", "play"] = "md") -> r.Export:
    return r.Export(debate_id(debate), form)


def _compare(first: str, second: str = "") -> r.Compare:
    if second:
        return compare_debates(first, second)
    return compare_forms(r.Start("panel", first))


def _add_schedule(
    when: str, template: str, target: Range[str, 1, 4000], **entered: Any
) -> r.ScheduleAdd:
    start = enter(start_on(template, target), entered)
    return enter(r.ScheduleAdd(when, start, enter(r.Filters(), entered)), entered)


def _schedule_do(verb: str) -> Make:
    def make(schedule: str) -> r.ScheduleDo:
        return r.ScheduleDo(verb, schedule)

    return make


def _status() -> r.Status:
    return r.Status()


def _list(**entered: Any) -> r.Listing:
    return enter(r.Listing(), entered)


def _search(words: Range[str, 1, 200], **entered: Any) -> r.SearchRequest:
    return enter(r.SearchRequest(words), entered)


def _leaderboard() -> r.Leaderboard:
    return r.Leaderboard()


def _show(debate: str) -> r.Show:
    return r.Show(debate_id(debate))


def _templates(name: str = "") -> r.Templates:
    return r.Templates(name)


def _help(topic: str = "") -> r.Help:
    return r.Help(topic)


def _receipt(debate: str) -> r.ReceiptRequest:
    return r.ReceiptRequest(debate_id(debate))


def _replay(debate: str) -> r.ReplayRequest:
    return r.ReplayRequest(debate_id(debate))


def _mirror(debate: str, place: str) -> r.Mirror:
    return r.Mirror(debate_id(debate), place_name(place))


def _setup(
    repository: str = "",
    off: bool = False,
    forge: Literal["github", "gitlab"] = "github",
    **entered: Any,
) -> r.Setup:
    name = ""
    if repository:
        name = repository_name(repository, forge)
    return enter(r.Setup(name, off, forge=forge), entered)


def _hooks(
    action: Literal["add", "list", "test", "deliveries", "replay", "rotate", "disable"] = "list",
    webhook: str = "",
    debate: str = "",
    **entered: Any,
) -> r.HookRequest:
    request = enter(r.HookRequest(action, webhook, debate), entered)
    return checked_hook(request, bool(webhook) + bool(debate))


def _post(debate: str, **entered: Any) -> r.PostReview:
    return enter(r.PostReview(debate_id(debate)), entered)


def _held(debate: str, held: bool, why: str = "") -> r.Held:
    return r.Held(debate_id(debate), held, why)


def _useful(useful: bool, debate: str = "") -> r.Useful:
    return r.Useful(useful, _id(debate))


def _id(debate: str) -> str:
    """Returns the debate's id; an empty one means the debate of the thread."""
    if debate:
        return debate_id(debate)
    return ""


# Discord has room for twenty-five: the hot seat is asked for by reaction or by mentioning the bot
MAKERS: Mapping[str, Make] = {
    "status": _status,
    "list": _list,
    "search": _search,
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
    "replay": _replay,
    "mirror": _mirror,
    "compare": _compare,
    "held": _held,
    "useful": _useful,
    "post": _post,
    "setup": _setup,
    "hooks": _hooks,
}
SCHEDULE_MAKERS: Mapping[str, tuple[str, Make]] = {
    "add": ("Start a debate again and again", _add_schedule),
    "list": ("All schedules here", lambda: r.ScheduleDo("list")),
    "run": ("Start one now", _schedule_do("run")),
    "pause": ("Pause one", _schedule_do("pause")),
    "resume": ("Go on with one", _schedule_do("resume")),
    "remove": ("End one for good", _schedule_do("remove")),
}
