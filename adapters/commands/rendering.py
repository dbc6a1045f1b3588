"""A ``Request`` written back as the line that would be parsed into it: for schedules that are kept
as text, and for "you asked for".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from adapters.commands import requests as a
from adapters.commands.options import duration
from adapters.commands.tokens import quote


def render(ask: a.Request) -> str:
    """The line without the command's own name.

    ``parse(render(ask))`` is ``ask``, except for an attachment's text, which nobody types.
    """
    return " ".join(_parts(ask))


def _parts(ask: a.Request) -> Iterator[str]:  # noqa: C901  one arm per command, exhaustive
    match ask:
        case a.Start():
            yield from _start(ask)
        case a.Help(topic):
            yield from ("help", *_some(topic))
        case a.Templates(name, check, json):
            yield from (
                "templates",
                *_some(name),
                *(("check", quote(check)) if check else ()),
                *_json(json),
            )
        case a.Status(json):
            yield from ("status", *_json(json))
        case a.Listing(json):
            yield from ("list", *_json(json))
        case a.Show(debate, json):
            yield from ("show", debate, *_json(json))
        case a.Challenge(text, debate):
            yield from ("challenge", *_some(debate), quote(text))
        case a.Vote(option, debate, finding):
            yield from ("vote", *_some(debate), *_some(finding), quote(option))
        case a.Control(verb, debate, json):
            yield from (verb, *_some(debate), *_json(json))
        case a.ForkRequest():
            yield from _fork(ask)
        case a.ScheduleAdd(when, start, tz, filters):
            yield from ("schedule", "add", quote(when), *_start(start), *_option("tz", tz))
            for name, value in filters:
                yield from _option(name, value)
        case a.ScheduleDo(verb, schedule, json):
            yield from ("schedule", verb, *_some(schedule), *_json(json))
        case a.Export(debate, form):
            yield from ("export", debate, form)
        case a.ReceiptRequest(debate):
            yield from ("receipt", debate)
        case a.Leaderboard(json):
            yield from ("leaderboard", *_json(json))
        case a.Mirror(debate, place):
            yield from ("mirror", debate, quote(place))
        case a.Setup(repository, off):
            yield from ("setup", "github", repository, *(("off",) if off else ()))
        case a.Compare(first, second, question, options, json):
            yield from ("compare", *_some(first), *_some(second), *_some(question))
            for name, value in options:
                yield from _option(name, value) if value else (f"--{name}",)
            yield from _json(json)
        case a.Held(debate, held):
            yield from ("held", debate, "yes" if held else "no")
        case _:
            assert_never(ask)


def _start(start: a.Start) -> Iterator[str]:
    yield from (quote(start.template), *_some(start.target))
    yield from _option("rounds", start.rounds)
    yield from _option("models", ",".join(start.models))
    yield from _option("consensus", start.consensus)
    yield from _option("threshold", _decimal(start.threshold))
    yield from _option("budget", _decimal(start.budget))
    yield from _option("format", start.format)
    yield from _option(
        "vote-window",
        "off"
        if start.vote_window == 0
        else duration(start.vote_window)
        if start.vote_window
        else "",
    )
    for name, value in start.extras:
        yield from (f"--{name}",) if value == "yes" else _option(name, value)
    for name in ("quiet", "search", "check", "json", "yes"):
        if getattr(start, name):
            yield f"--{name}"


def _fork(ask: a.ForkRequest) -> Iterator[str]:
    yield from ("fork", ask.debate)
    yield from _option("at", ask.at)
    yield from _option("without", ask.without)
    yield from _option("assume", ask.assume)
    yield from _option("models", ",".join(ask.models))
    yield from _json(ask.json)
    if ask.yes:
        yield "--yes"


def _option(name: str, value: str | int | None) -> tuple[str, ...]:
    return () if value in (None, "") else (f"--{name}", quote(str(value)))


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.9f}".rstrip("0").rstrip(".")


def _some(text: str) -> tuple[str, ...]:
    return (quote(text),) if text else ()


def _json(json: bool) -> tuple[str, ...]:
    return ("--json",) if json else ()
