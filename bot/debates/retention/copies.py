"""Finds other places that hold a debate's texts: the person who has it forgotten sees them and may
include the debates among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.debates.service import DebateService
from core.debate.state import Debate
from storage.forgetting.removals import Removals
from storage.forgetting.traces import Traces
from storage.work import WorkRow


@dataclass(frozen=True, slots=True)
class Copies:
    """Everything that holds the texts of some debates.

    ``forks``, ``again`` (started once more) and ``later`` (about a later head of the same change)
    were made from these debates or from such a copy; ``quoting`` are other debates whose material
    quotes their verdict. ``messages`` (in chats) and ``written`` (on forges) belong to all of them;
    ``remainders`` are deletions that wait or that a platform refused.
    """

    forks: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    quoting: tuple[str, ...] = ()
    messages: tuple[tuple[str, int], ...] = ()
    written: tuple[str, ...] = ()
    remainders: tuple[WorkRow, ...] = ()

    @property
    def debates(self) -> tuple[str, ...]:
        """Returns the debates that are deleted when copies are."""
        return (*self.forks, *self.again, *self.later)

    @property
    def removable(self) -> bool:
        """True if there is any copy that can be deleted."""
        return bool(self.debates or self.quoting or self.messages or self.written)

    @property
    def lines(self) -> list[str]:
        """Describes the copies in lines for a person."""
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for what, ids in (
            ("Forks of it", self.forks),
            ("Debates that asked it once more", self.again),
            ("Later debates of the same change, with its findings", self.later),
            ("Debates whose material quotes its verdict", self.quoting),
        ):
            if ids:
                yield f"{what}: {', '.join(ids)}."
        for place, count in self.messages:
            yield f"Messages in {place}: {count}.{self._state_of(place)}"
        for link in dict.fromkeys((*self.written, *self._kept_on)):
            yield f"Written to {link}.{self._state_of(link)}"

    @property
    def _kept_on(self) -> Iterator[str]:
        places = {place for place, _ in self.messages}
        return (one.work.target for one in self.remainders if one.work.target not in places)

    def _state_of(self, target: str) -> str:
        """True if a copy is being deleted, with a space before it, or "" if nobody requested
        that.
        """
        about = [one for one in self.remainders if one.work.target == target]
        waiting = [one for one in about if one.waiting]
        reasons = dict.fromkeys(one.reason for one in about if one.reason)
        if waiting:
            reasons = dict.fromkeys(("The bot deletes it while it runs.", *reasons))
        return "".join(f" {line}" for line in reasons)


async def find_copies(
    traces: Traces, service: DebateService, removals: Removals, debates: Iterable[str]
) -> Copies:
    """Returns everything else that holds the texts of these debates."""
    known = dict.fromkeys(debates)
    by_kind: dict[str, list[str]] = {"forks": [], "again": [], "later": []}
    quoting: dict[str, None] = {}
    waiting = list(known)
    while waiting:
        naming = await traces.find_naming(waiting)
        waiting = []
        for origin, id in ((origin, id) for origin, ids in naming.items() for id in ids):
            debate = await service.load(id)
            kind = _kind(debate, origin)
            if kind == "quoting":
                quoting[id] = None
            elif kind and id not in known:
                known[id] = None
                waiting.append(id)
                if debate.deleted is None:
                    by_kind[kind].append(id)
    messages: dict[str, int] = {}
    written: dict[str, None] = {}
    for id in known:
        for place, count in await traces.count_messages(id):
            messages[place] = messages.get(place, 0) + count
        written |= dict.fromkeys(await traces.find_written(id))
    return Copies(
        tuple(by_kind["forks"]),
        tuple(by_kind["again"]),
        tuple(by_kind["later"]),
        tuple(id for id in quoting if id not in known),
        tuple(sorted(messages.items())),
        tuple(written),
        tuple(await removals.remainders(list(known))),
    )


def _kind(debate: Debate, of: str) -> str:
    """Returns the relation of a debate to one that it names, or "" if it holds none of its
    texts.
    """
    request = debate.request
    if debate.fork is not None and debate.fork.parent == of:
        return "forks"
    if request.again == of:
        return "again"
    if of in (request.after, request.story):
        return "later"
    opened = debate.opened
    if opened is not None and any(one.debate == of for one in opened.material.precedents):
        return "quoting"
    return ""
