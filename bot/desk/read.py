"""Everything that only reads: help, templates, lists, one debate in all its forms, receipts and
ratings.

What is about private material is shown in the places of that debate and in the shell, and nowhere
else is even its title named. What was held in a direct message stays between that person and the
bot.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from adapters.commands import (
    Compare,
    Export,
    Help,
    Leaderboard,
    Listing,
    ReceiptRequest,
    Request,
    Show,
    Status,
    Templates,
    usage,
)
from adapters.ports.chat import File
from adapters.ports.desk import Answer, Caller, Glance, Home
from adapters.ports.place import Person, Place
from adapters.posts.words import state_line
from adapters.templates.catalogue import describe, find, read_catalogue
from adapters.templates.loading import check
from bot.desk.compare import comparison
from bot.desk.export import export
from bot.desk.permissions import as_known
from bot.desk.schedule import Timetable
from bot.platforms import is_direct, workspace_of
from bot.serve.runtime.local import abandoned
from bot.wire import House
from core.debate import Debate
from core.errors import BadInput, Refused
from core.material.plaintext import neutral
from core.verdict.ratings import Standing
from storage.debates import DebateLine

LIVE = ("queued", "running", "waiting", "paused")
MOST = 20
"""Lines of a list in a chat."""


@dataclass(slots=True)
class Reading:
    house: House
    timetable: Timetable

    async def answer(self, ask: Request, caller: Caller) -> Answer:
        match ask:
            case Help(topic):
                return Answer(usage(topic, prefix=caller.prefix))
            case Templates():
                return self.templates(ask, caller)
            case Status():
                return await self.listing("running", LIVE, caller)
            case Listing():
                return await self.listing("debates", (), caller)
            case Show(debate):
                return await self.show(debate, caller)
            case Export(debate, form):
                found = await self.seen(debate, caller)
                file = File(
                    f"debate-{found.id}.{form}",
                    export(found, form, await self.house.parent_of(found)),
                )
                return Answer(f"Debate `{found.id}` as {form}.", files=(file,), debate=found.id)
            case ReceiptRequest(debate):
                return await self.receipt(debate, caller)
            case Leaderboard():
                return await self.leaderboard()
            case Compare():
                return await self.compare(ask, caller)
            case _:
                raise BadInput("I can't do that here. `help` shows what I can.")

    async def meant(self, id: str, caller: Caller) -> Debate:
        """The debate of that id, of the thread, or the newest of the place.

        Raises ``BadInput`` or ``Refused``.
        """
        if id:
            return await self.seen(id, caller)
        in_thread = (
            await self.house.messages.find_debate(caller.place, caller.thread)
            if caller.thread
            else None
        )
        if in_thread is not None:
            return await self.house.load(in_thread)
        for line in await self.house.debates.find_recent(
            place=caller.place, statuses=LIVE, limit=1
        ):
            return await self.house.load(line.id)
        raise BadInput("Which debate? None is running here. Give its id: `list` shows them.")

    async def seen(self, id: str, caller: Caller) -> Debate:
        """The debate of that id (or its unique beginning) if the caller may see it; those of other
        workspaces are not there.
        """
        debate = await self.house.load((await self.house.debates.find(id)).id)
        if caller.shell or caller.place in debate.places:
            return debate
        own = self.house.person(as_known(caller, debate).person) == debate.request.asker
        if not own and not any(
            workspace_of(place) == workspace_of(caller.place) for place in debate.places
        ):
            raise BadInput(f"There is no debate {id[:40]!r} here: `list` shows those there are.")
        private, alone = (
            debate.opened is not None and debate.opened.material.private,
            is_direct(debate.request.place),
        )
        if private or (alone and not own):
            what = "was held in a direct message" if alone else "is about private material"
            raise Refused(f"Debate {debate.id} {what} and is shown only where it was held.")
        return debate

    def templates(self, ask: Templates, caller: Caller) -> Answer:
        if ask.check:
            if not caller.shell:
                raise BadInput(
                    "A file is checked where it lies: debate templates check FILE, in a shell."
                )
            found = check(Path(ask.check))
            lines = [f"error: {e}" for e in found.errors] + [
                f"warning: {w}" for w in found.warnings
            ]
            ok = found.template is not None
            return Answer("\n".join(lines) or f"{ask.check} is a good template.", ok=ok)
        shelf = read_catalogue(self.house.settings.templates_dir)
        if ask.name:
            return Answer(
                template_page(describe(find(ask.name, self.house.settings.templates_dir)))
            )
        lines = [f"- `{t.id}`: {t.description}" for t in shelf.templates]
        lines += [f"- broken: {problem}" for problem in shelf.broken]
        everything = json.dumps(
            [describe(t) for t in shelf.templates], ensure_ascii=False, indent=2
        )
        return Answer("\n".join(lines), files=(File("templates.json", everything),))

    async def listing(self, what: str, statuses: Sequence[str], caller: Caller) -> Answer:
        place = "" if caller.shell else caller.place
        lines = await self.house.debates.find_recent(place=place, statuses=statuses, limit=50)
        shown = [self._line(x, caller) for x in lines[:MOST]]
        rest = [f"... and {len(lines) - MOST} more"] if len(lines) > MOST else []
        start = caller.prefix
        empty = (
            f"No debate is {'running' if statuses else 'stored'} here. Start one: {start} "
            "code_review <PR link>"
        )
        file = File(
            f"{what}.json",
            json.dumps(
                [row(x, self._title(x, caller)) for x in lines], ensure_ascii=False, indent=2
            ),
        )
        return Answer("\n".join([*shown, *rest]) or empty, files=(file,))

    def _title(self, line: DebateLine, caller: Caller) -> str:
        hidden = line.private and not caller.shell and line.place != caller.place
        return "private material" if hidden else line.title

    def _line(self, line: DebateLine, caller: Caller) -> str:
        stopped = line.status == "paused" or (
            line.status in ("queued", "running") and abandoned(line.owner, self.house.owner)
        )
        hint = f" (go on: debate resume {line.id})" if stopped and caller.shell else ""
        return (
            f"- `{line.id}` {line.status} {line.template}: "
            f"{neutral(self._title(line, caller) or line.template)}{hint}"
        )

    async def show(self, id: str, caller: Caller) -> Answer:
        debate = await self.seen(id, caller)
        parent = await self.house.parent_of(debate)
        text = export(debate, "md", parent)
        return Answer(
            text,
            files=(File(f"debate-{debate.id}.json", export(debate, "json", parent)),),
            debate=debate.id,
        )

    async def receipt(self, id: str, caller: Caller) -> Answer:
        debate = await self.seen(id, caller)
        if not debate.final:
            raise Refused(f"Debate {debate.id} is {debate.status}; a receipt is made of its end.")
        document = await self.house.receipt(debate)
        file = File(f"receipt-{debate.id}.json", json.dumps(document, ensure_ascii=False, indent=2))
        said = (
            f"Receipt of debate `{debate.id}`. Check it with: debate verify "
            f"receipt-{debate.id}.json"
        )
        return Answer(said, files=(file,), debate=debate.id)

    async def leaderboard(self) -> Answer:
        found = await self.house.standings()
        lines = [standing_line(s) for s in found] or [
            "No verdict was resolved yet. Say later whether one held: held ID yes|no"
        ]
        document = json.dumps(msgspec.to_builtins(found), ensure_ascii=False, indent=2)
        return Answer("\n".join(lines), files=(File("leaderboard.json", document),))

    async def compare(self, ask: Compare, caller: Caller) -> Answer:
        if ask.start is not None:
            raise BadInput(
                "A comparison of two forms runs in the shell: debate compare QUESTION. In a "
                "chat, compare two debates by id."
            )
        first, second = await self.seen(ask.first, caller), await self.seen(ask.second, caller)
        return Answer(comparison(self.house.outcome(first), self.house.outcome(second)))

    async def home(self, person: str) -> Home:
        """What one person's home shows.

        A channel's private debates are not named here: a home has no channel.
        """
        lines = await self.house.debates.find_recent(limit=30)
        mine, self_ = Person.parse(person).workspace_key, self.house.person(person)
        near = [
            x
            for x in lines
            if mine == Place.parse(x.place).workspace_key != ""
            and (not is_direct(x.place) or x.asker == self_)
        ]
        glances = [
            Glance(
                x.id,
                "private material" if x.private else x.title or x.template,
                x.status,
                x.template,
                x.place,
                x.template,
            )
            for x in near
        ]
        live = [x for x in glances if x.status in LIVE]
        running = [*[await self._state(x) for x in live[:12]], *live[12:]]
        recent = [await self._state(x) for x in glances if x.status not in LIVE][:10]
        schedules = [x for x in await self.timetable.glances(mine) if not is_direct(x.place)]
        return Home(tuple(running), tuple(schedules), tuple(recent))

    async def _state(self, glance: Glance) -> Glance:
        debate = await self.house.load(glance.id)
        told = state_line(debate).removeprefix(f"{glance.status}: ")
        return replace(glance, detail=f"{glance.detail}, {told}")


def row(line: DebateLine, title: str) -> dict[str, Any]:
    """One item of ``list --json`` and ``status --json``."""
    return {
        "id": line.id,
        "status": line.status,
        "template": line.template,
        "title": title,
        "place": line.place,
        "events": line.events,
        "cost": line.cost,
        "created_at": line.created_at.isoformat(),
        "updated_at": line.updated_at.isoformat(),
    }


def template_page(t: dict[str, Any]) -> str:
    """One template as a person reads it."""
    phases = [
        f"- {p['name']}: {p['rounds']} round(s), {', '.join(p['roles'])}" for p in t["phases"]
    ]
    head = f"**{t['name']}** ({t['format']}, {t['domain']}): {t['description']}"
    tail = f"Ballot: {', '.join(t['ballot'])}. Needs {t['threshold']:.0%} of all entitled seats."
    return "\n".join((head, f"Roles: {', '.join(t['roles'])}", *phases, tail))


def standing_line(s: Standing) -> str:
    """One model's record.

    No rank where intervals overlap, no score without enough resolved outcomes.
    """
    rank = f"{s.rank}. " if s.rank is not None else "- "
    brier = f", Brier {s.brier:.3f}" if s.brier is not None else ""
    return (
        f"{rank}{s.model}: right in {s.right} of {s.n} ({s.held.low:.0%} to "
        f"{s.held.high:.0%}){brier}, moved {s.moved} times"
    )
