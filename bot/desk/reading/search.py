"""The desk's part for searching debates by their texts, their subjects and their endings, anywhere
in the caller's workspace, as far as the caller may see them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from adapters.commands import SearchRequest
from adapters.ports.chat import File
from adapters.ports.desk import Answer, Caller
from bot.debates.words import WordKeeper
from bot.permissions import Permissions
from bot.platforms import shared_with
from core.material.plaintext import neutral
from core.ports import Clock
from core.views.verdict.decision import stored_label
from storage.search import Found, Search, Wanted
from storage.words import BEGINS, ENDS

_MOST = 20
"""The most debates in one answer; a JSON document holds five times as many."""


@dataclass(frozen=True, slots=True)
class SearchDesk:
    search: Search
    keeper: WordKeeper
    permissions: Permissions
    clock: Clock

    async def answer(self, request: SearchRequest, caller: Caller) -> Answer:
        """Answers a search, the newest debate first. Where no process keeps the search texts up to
        date, it updates them first.
        """
        while caller.shell and await self.keeper.keep():
            pass
        most = _MOST * 5 if caller.shell else _MOST
        found = await self.found(self._wanted(request, caller), caller, most + 1)
        rows = [_row(one) for one in found[:most]]
        file = File("found.json", json.dumps(rows, ensure_ascii=False, indent=2))
        lines = [_line(one) for one in found[:_MOST]]
        if len(found) > _MOST:
            lines.append("... and more: narrow it with --since 30d, --repository or --decision")
        if not lines:
            told = neutral(" ".join(request.words.split())[:80])
            lines = [
                (
                    f"No debate that you may see says “{told}”. All words must be there, each at "
                    "least with its beginning; what was debated itself is not searched."
                )
            ]
        return Answer("\n".join(lines), files=(file,))

    async def found(self, wanted: Wanted, caller: Caller, most: int) -> Sequence[Found]:
        """Returns matching debates of the caller's workspace and their own; debates that they may
        not see are passed over.
        """
        within = None if caller.shell else shared_with(caller.place)
        own = self.permissions.person(caller.person)
        wanted, found = replace(wanted, within=within, own=own), list[Found]()
        while len(found) < most:
            page = await self.search.find_page(wanted, most)
            seen = await self.permissions.visible(caller, [one.line for one in page])
            shown = {line.id for line in seen}
            found += [one for one in page if one.line.id in shown]
            if len(page) < most:
                break
            last = page[-1].line
            wanted = replace(wanted, before=(last.created_at, last.id))
        return found[:most]

    def _wanted(self, request: SearchRequest, caller: Caller) -> Wanted:
        since: datetime | None = None
        if request.since is not None:
            since = self.clock.now() - timedelta(seconds=request.since)
        return Wanted(
            words=request.words,
            template=request.template.replace("-", "_"),
            asker=self.permissions.person(caller.person) if request.mine else "",
            person=request.by,
            repository=request.repository,
            decision=request.decision.replace(" ", "_").replace("-", "_"),
            since=since,
        )


def _line(found: Found) -> str:
    line = found.line
    kind = line.template.replace("_", " ")
    ended = line.status
    if found.decision:
        ended = stored_label(found.decision, found.mechanism, reached=found.reached).lower()
    day = f"{line.created_at:%Y-%m-%d}"
    title = neutral(line.title or kind)
    said = neutral(_plain(found.excerpt))
    excerpt = f"\n  {said}" if said and said not in title else ""
    return f"- `{line.id}` {day}, {kind}, {ended}: {title}{excerpt}"


def _row(found: Found) -> dict[str, object]:
    """Returns one item of ``search --json``."""
    line = found.line
    return {
        "id": line.id,
        "status": line.status,
        "template": line.template,
        "title": line.title,
        "decision": found.decision,
        "place": line.place,
        "excerpt": _plain(found.excerpt),
        "created_at": line.created_at.isoformat(),
    }


def _plain(excerpt: str) -> str:
    return " ".join(excerpt.replace(BEGINS, "").replace(ENDS, "").split())
