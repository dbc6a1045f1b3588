"""Keeps the search texts of all debates in the background, of new ones and of those older than the
search.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.debate.finding import TEXTS
from core.debate.ports import Clock
from core.debate.state import Debate, replay
from core.words.outcome import without_report
from core.words.views.documents.headings import title_of
from storage.debates import Debates
from storage.search import Search

logger = logging.getLogger(__name__)
LOOK = 2.0
"""Seconds between two searches for debates that have changed."""
AT_ONCE = 20
_MARGIN = timedelta(minutes=5)
"""How far the clocks of replicas may differ."""
_REPOSITORY = re.compile(r"https://[^/\s]+/([^\s?#]+?)/(?:-/)?(?:pull|merge_requests)/\d+")


@dataclass(slots=True)
class SearchTextKeeper:
    debates: Debates
    search: Search
    clock: Clock
    _unreadable: set[str] = field(default_factory=set)
    _since: datetime | None = None

    async def look(self) -> None:
        """Updates the texts of all debates that have changed since the last look."""
        began = self.clock.now()
        while await self.keep(self._since):
            pass
        self._since = began - _MARGIN

    async def keep(self, since: datetime | None = None) -> int:
        """Writes the search texts of a few debates that changed ``since`` and returns how many
        there were.
        """
        candidates = await self.search.find_stale(since, AT_ONCE + len(self._unreadable))
        stale = [id for id in candidates if id not in self._unreadable]
        for id in stale:
            await self._keep(id)
        return len(stale)

    async def _keep(self, id: str) -> None:
        try:
            debate = replay(await self.debates.load(id))
            words = await asyncio.to_thread(_words_of, debate)
        except Exception:  # one that can't be read keeps no other from being found
            logger.exception("a debate can't be read", extra={"action": "words", "debate": id})
            self._unreadable.add(id)
            return
        await self.search.save(id, words, repository_of(debate), debate.count)


def _words_of(debate: Debate) -> str:
    return "\n".join(filter(None, _statements(debate)))


def repository_of(debate: Debate) -> str:
    """Returns ``owner/name`` for a change on a forge, otherwise ""."""
    match = _REPOSITORY.match(_source(debate))
    if match:
        return match[1]
    return ""


def _source(debate: Debate) -> str:
    return (debate.opened and debate.opened.material.source) or debate.request.target


def _statements(debate: Debate) -> Iterator[str]:
    yield title_of(debate)
    yield _source(debate)
    yield from debate.request.labels.values()
    if not debate.over:
        return  # it is read again at its end
    document = without_report(debate)
    verdict = document["verdict"]
    yield from (verdict["summary"] or "", *verdict["action_items"])
    for finding in document["findings"]:
        yield from _finding(finding)
    for challenge in document["challenges"]:
        yield challenge["text"]
    for each in document["rounds"]:
        for turn in each["turns"]:
            yield turn["text"] or ""


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    for name in ("title", *TEXTS, "quote", "path"):
        yield str(finding[name] or "")
