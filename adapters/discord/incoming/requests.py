"""How each subcommand's words become a request. The parameters of a function are the words that
people see; ``**entered`` are the options of the one table (``adapters.commands.options``).

Each raises ``BadInput`` for what cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import discord
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
    PostReview,
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
from adapters.commands.grammar import compare_debates, compare_forms
from adapters.commands.named import debate_id, place_name, repository_name
from adapters.commands.options import enter
from adapters.commands.requests import Filters

Make = Callable[..., Request]


def make_start(
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
    if second:
        return compare_debates(first, second)
    return compare_forms(Start("panel", first))


def _add_schedule(
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


def _setup(
    repository: str = "",
    off: bool = False,
    forge: Literal["github", "gitlab"] = "github",
    **entered: Any,
) -> Setup:
    name = repository_name(repository, forge) if repository else ""
    return enter(Setup(name, off, forge=forge), entered)


def _post(debate: str, **entered: Any) -> PostReview:
    return enter(PostReview(debate_id(debate)), entered)


def _held(debate: str, held: bool, why: str = "") -> Held:
    return Held(debate_id(debate), held, why)


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
    "post": _post,
    "setup": _setup,
}
SCHEDULE_MAKERS: Mapping[str, tuple[str, Make]] = {
    "add": ("Start a debate again and again", _add_schedule),
    "list": ("All schedules here", lambda: ScheduleDo("list")),
    "run": ("Start one now", _schedule_do("run")),
    "pause": ("Pause one", _schedule_do("pause")),
    "resume": ("Go on with one", _schedule_do("resume")),
    "remove": ("End one for good", _schedule_do("remove")),
}
