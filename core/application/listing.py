"""Lists of debates: how a caller narrows one, and what it shows of each debate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from core.debate.template import Template
from core.words.views.documents.pill import Pill, pill
from core.words.views.verdict.labels import was_decided

_NUMBER = re.compile(r"/(?:pull|merge_requests)/(\d+)")


@dataclass(frozen=True, slots=True)
class DebateLine:
    """One debate as lists show it. ``events`` counts its events, ``cost`` is USD; ``mirrors`` are
    the other places in which it was posted.
    """

    id: str
    status: str
    title: str
    template: str
    place: str
    asker: str
    private: bool
    epoch: int
    events: int
    owner: str
    beat_at: datetime | None
    wake_at: datetime | None
    cost: float
    reserve: float
    origin_key: str | None
    parent: str
    created_at: datetime
    updated_at: datetime
    mirrors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter of a list; empty members narrow nothing.

    All ``words`` must occur; ``person`` is a part of the asker's name, ``repository`` of
    ``owner/name``. ``since`` and ``until`` are days (UTC), both included, or moments. ``mine``
    keeps debates that the caller asked for, ``blocked`` debates whose verdict blocks a change.
    ``before`` is the time and id of the previous page's last entry; nothing is looked up for it, so
    that it reveals to nobody whether that debate exists.
    """

    words: str = ""
    status: str = ""
    template: str = ""
    mine: bool = False
    blocked: bool = False
    person: str = ""
    repository: str = ""
    decision: str = ""
    since: date | None = None
    until: date | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    before: tuple[datetime, str] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One debate of a list. ``decision`` is "" while there is none; ``reached`` and ``mechanism``
    are whether anything was decided, and how. ``source`` is the address of the debated change,
    ``repository`` its ``owner/name``; both may be "". ``excerpt`` holds the searched words with
    their surroundings, piece by piece, each with whether it was searched for. ``ago`` is the time
    since it was asked for.
    """

    line: DebateLine
    decision: str
    reached: bool
    mechanism: str
    excerpt: tuple[tuple[str, bool], ...] = ()
    source: str = ""
    repository: str = ""
    ago: str = ""

    @property
    def text(self) -> str:
        """The excerpt as plain text."""
        return " ".join("".join(text for text, _ in self.excerpt).split())

    @property
    def change(self) -> str:
        """The repository with the number of the pull request, if it is about one."""
        number = _NUMBER.search(self.source)
        if not number or not self.repository:
            return self.repository
        if "/-/" in self.source:
            return f"{self.repository}!{number[1]}"
        return f"{self.repository}#{number[1]}"

    @property
    def decided(self) -> bool:
        """True if its verdict decides anything; a what-if never does."""
        return was_decided(self.decision, self.mechanism, reached=self.reached)

    def pill(self, template: Template | None) -> Pill:
        """Returns the mark of its state or decision; ``template`` gives the decision's colour."""
        return pill(
            *(self.line.status, self.decision, self.mechanism),
            reached=self.reached,
            template=template,
        )
