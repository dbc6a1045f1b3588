"""The desk's part for many debates at once: lists and a person's home page.

Debates about private material are listed in their own places and in the shell; elsewhere not even
their title is shown. Debates in a direct message are listed only for that person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bot.debates.owners import needs_resuming
from bot.desk.handlers import handles
from bot.desk.parts import DeskParts
from bot.desk.schedule import glances
from core.application.commands import Listing, Status
from core.application.commands.options import written
from core.application.desk import Caller, DeskAnswer, Glance, Home, json_file
from core.application.listing import DebateLine
from core.application.place import Place
from core.debate.events import LABELS
from core.debate.material.plaintext import neutral
from core.debate.state import Debate
from core.debate.status import LIVE, UNDECIDED, DebateStatus
from core.languages import ENGLISH, msgid, say, speaking, spoken
from core.words.views.course.progress import STATUS, result_line
from core.words.views.documents.headings import labels_line, title_of
from core.words.views.language.grammar import option_words, uncapital
from core.words.views.verdict.labels import stored_label
from storage.debates.outcomes import Decided

_LONGEST_LIST = 20
"""The most lines of a list in a chat."""
_MOST_RUNNING, _MOST_RECENT = 12, 10
"""The most debates of a home page whose state is shown."""


_NONE_RUNNING = msgid("No debate is running here. Start one: {command}")
_NONE = msgid("No debate is stored here. Start one: {command}")


@handles(Status)
async def list_live(desk: DeskParts, request: Status, caller: Caller) -> DeskAnswer:
    """Lists the debates of the caller's place that are not over; in a shell, all of them."""
    return await _list(desk, "running", LIVE, caller)


@handles(Listing)
async def list_all(desk: DeskParts, listing: Listing, caller: Caller) -> DeskAnswer:
    """Lists the debates of the caller's place that have all requested labels, the
    latest first; in a shell, all of them.
    """
    given = written(listing)
    labels = {name: given[field] for name in LABELS if (field := name.replace("-", "_")) in given}
    return await _list(desk, "debates", (), caller, labels)


async def home(desk: DeskParts, caller: Caller) -> Home:
    """Returns one person's home page: the visible debates and schedules of the workspace."""
    workspace = Place.parse(caller.place).workspace_key
    lines: Sequence[DebateLine] = ()
    if workspace:
        lines = await desk.stores.debates.find_recent(workspace=workspace, limit=30)
    near = await desk.permissions.visible(caller, lines)
    live = [_glance(line) for line in near if line.status in LIVE]
    over = [_glance(line) for line in near if line.status not in LIVE]
    running = [await _with_state(desk, x) for x in live[:_MOST_RUNNING]]
    recent = [await _with_state(desk, x) for x in over[:_MOST_RECENT]]
    schedules = await glances(desk, caller, workspace)
    return Home((*running, *live[_MOST_RUNNING:]), schedules, tuple(recent))


async def _list(
    desk: DeskParts,
    what: str,
    statuses: Sequence[str],
    caller: Caller,
    wanted: Mapping[str, str] = MappingProxyType({}),
) -> DeskAnswer:
    place = "" if caller.shell else caller.place
    lines = await desk.stores.debates.find_recent(
        place=place, statuses=statuses, labels=wanted, limit=50
    )
    labels = await desk.stores.debates.find_labels([x.id for x in lines])
    day = desk.clock.now().date()
    due = await desk.stores.outcomes.find_asked([x.id for x in lines[:_LONGEST_LIST]], day)
    decided = await desk.stores.outcomes.decided([x.id for x in lines])
    demos = {x.id for x in lines if (one := decided.get(x.id)) is not None and one.demo}
    rendered = [
        _line(
            desk,
            x,
            await _state(desk, x, decided.get(x.id), caller),
            caller,
            x.id in due,
            labels_line(labels.get(x.id, {}), demo=x.id in demos),
        )
        for x in lines[:_LONGEST_LIST]
    ]
    if len(lines) > _LONGEST_LIST:
        rendered.append(say("... and {n} more", n=len(lines) - _LONGEST_LIST))
    with speaking(spoken() if caller.shell else ENGLISH):  # else programs read the rows
        rows = [
            _row(
                x,
                await _state(desk, x, decided.get(x.id), caller),
                _title(x, caller),
                labels.get(x.id, {}),
            )
            | {"next": _next(desk, x, caller, x.id in due), "demo": x.id in demos}
            for x in lines
        ]
    file = json_file(f"{what}.json", rows)
    if wanted and not lines:
        labels_wanted = neutral(labels_line(wanted))
        none = say("No debate here has these labels: {labels}.", labels=labels_wanted)
        return DeskAnswer(none, files=(file,))
    empty = say(_NONE_RUNNING if statuses else _NONE, command=f"{caller.prefix} code_review LINK")
    return DeskAnswer("\n".join(rendered) or empty, files=(file,))


def _line(
    desk: DeskParts, line: DebateLine, state: str, caller: Caller, due: bool, labels: str
) -> str:
    kind = option_words(line.template)
    title = neutral(_title(line, caller) or kind)
    text = f"- `{line.id}` {kind}, {state}: {title}"
    if labels:
        text += f" [{neutral(labels)}]"
    if hint := _next(desk, line, caller, due):
        text += f" ({hint})"
    return text


def _next(desk: DeskParts, line: DebateLine, caller: Caller, due: bool) -> str:
    """Returns the caller's next step for the debate, with the command to type; mostly empty."""
    if caller.shell and needs_resuming(line, desk.owner):
        return say("go on: {command}", command=f"debate resume {line.id}")
    if not due:
        return ""
    return say("did it hold? {command}", command=f"{caller.prefix} held {line.id} yes|no")


async def _with_state(desk: DeskParts, glance: Glance) -> Glance:
    debate = await desk.service.load(glance.id)
    return replace(glance, detail=f"{glance.detail}, {result_line(debate)}")


def _title(line: DebateLine, caller: Caller) -> str:
    if _is_hidden(line, caller):
        return say("private material")
    return line.title


def _is_hidden(line: DebateLine, caller: Caller) -> bool:
    return line.private and not caller.shell and line.place != caller.place


def _glance(line: DebateLine) -> Glance:
    kind = option_words(line.template)
    title = say("private material") if line.private else line.title or kind
    return Glance(line.id, title, say(STATUS[line.status]), kind, line.place, line.template)


def card_of(debate: Debate) -> Glance:
    """Returns a debate for readers who may read it."""
    request = debate.request
    status, result = say(STATUS[debate.status]), result_line(debate)
    title = title_of(debate) if debate.opened else option_words(request.template)
    return Glance(debate.id, title, status, result, request.place, request.template)


async def _state(desk: DeskParts, line: DebateLine, decided: Decided | None, caller: Caller) -> str:
    """Returns the verdict in two or three words, if the caller may read one; else the progress of
    the debate.
    """
    if decided is None or _is_hidden(line, caller):
        return say(STATUS[line.status])
    if line.status in UNDECIDED:  # its verdict is reopened
        return result_line(await desk.service.load(line.id))
    label = stored_label(decided.decision, decided.mechanism, reached=decided.reached)
    if line.status == DebateStatus.FINISHED:
        return uncapital(label)
    return f"{say(STATUS[line.status])}, {uncapital(label)}"


def _row(line: DebateLine, state: str, title: str, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": line.id,
        "status": line.status,
        "state": state,
        "template": line.template,
        "title": title,
        "place": line.place,
        "labels": {name.replace("-", "_"): value for name, value in labels.items()},
        "events": line.events,
        "cost": line.cost,
        "created_at": line.created_at.isoformat(),
        "updated_at": line.updated_at.isoformat(),
    }
