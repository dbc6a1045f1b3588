"""The earlier review of a change in this shell: its findings are checked again, and only the new
part of the change is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters.forges.links import ChangeLink, ForgeKind, parse_change
from bot.debates.changes import was_held
from bot.forges.context import ForgeContext
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from core.debate.state import Debate
from core.languages import say

_MOST = 100
"""The most debates that are looked through, the newest first."""


async def earlier_review(
    context: ForgeContext, request: DebateRequest
) -> tuple[Debate, bool] | None:
    """Returns the newest debate of the same kind about the same change that began in this place,
    and whether the change has moved since; None if there is none. Raises ``BadInput`` for a target
    that is not a link to a change, ``CouldNotFinish`` if its forge can't be reached.
    """
    service, connections = context.service, context.connections
    hosts = connections.kinds
    link = _link(request, hosts)
    if link is None:
        raise BadInput(
            say(
                "--recheck looks at a pull request again: give its link, like {link}.",
                link="https://github.com/OWNER/REPO/pull/7",
            )
        )
    for line in await service.debates.find_recent(limit=_MOST):
        if (line.place, line.template) != (request.place, request.template):
            continue
        debate = await service.load(line.id)
        if debate.opened is None or not was_held(debate):
            continue
        there = _link(debate.request, hosts)
        if there is not None and _same(there, link):
            async with connections.poster(link.host, link.repo, request.place) as poster:
                change = await poster.change(link)
            return debate, change.head != debate.open.material.facts.get("head")
    return None


def _link(request: DebateRequest, hosts: Mapping[str, ForgeKind]) -> ChangeLink | None:
    if request.text:
        return None
    try:
        return parse_change(request.target, hosts)
    except BadInput:
        return None


def _same(one: ChangeLink, other: ChangeLink) -> bool:
    """Compares repositories without case, as forges do."""
    mine, theirs = (one.host, one.repo.lower()), (other.host, other.repo.lower())
    return mine == theirs and one.number == other.number
