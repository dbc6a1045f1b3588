"""The subcommands of Discord's command that differ from a request's own fields: a start, which can
have an attachment, and a schedule, which holds a start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import discord

from core.application.commands import requests as r
from core.application.commands.options import Entered, enter
from core.application.commands.requests.starting import TARGET, start_on
from core.application.commands.row import Request, Word, words_of
from core.languages import msgid

Make = Callable[[Mapping[str, Entered]], Request]

START_WORDS = (
    *words_of(r.Start),
    Word(
        msgid("A .diff, .patch, .md or .txt file to debate"),
        name="material",
        type=discord.Attachment,
        default=None,
        required=False,
    ),
)


def make_start(entered: Mapping[str, Entered]) -> r.Start:
    start = start_on(str(entered["template"]), str(entered["target"] or ""))
    return enter(start, entered)


def _add_schedule(entered: Mapping[str, Entered]) -> Request:
    added = r.ScheduleAdd(str(entered["when"]), make_start(entered), enter(r.Filters(), entered))
    return enter(added, entered)


def _do(verb: str) -> Make:
    return lambda entered: r.ScheduleDo.chosen(verb, entered)


_TEMPLATE, _TARGET = words_of(r.Start)
_WHICH = tuple(replace(each, required=True) for each in words_of(r.ScheduleDo))
SCHEDULE_COMMANDS: Mapping[str, tuple[str, tuple[Word, ...], Make]] = {
    "add": (
        msgid("Start a debate again and again"),
        (
            Word(msgid("Cron or words: 0 9 * * mon, or every monday at 9"), name="when"),
            _TEMPLATE,
            replace(_TARGET, hint=TARGET, required=True),
        ),
        _add_schedule,
    ),
    "list": (msgid("All schedules here"), (), _do("list")),
    "run": (msgid("Start one now"), _WHICH, _do("run")),
    "pause": (msgid("Pause one"), _WHICH, _do("pause")),
    "resume": (msgid("Resume one"), _WHICH, _do("resume")),
    "remove": (msgid("End one for good"), _WHICH, _do("remove")),
}
