"""Reads people's reactions to the comments of a posted review: a 👍 or 👎 of somebody who may write
to the repository judges the finding.

GitHub sends no event for a reaction, so the bot reads them when it looks at the change again:
before the next review, after the merge, and when it asks people whether the verdict held.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import timedelta

from adapters.forges.links import name_of
from adapters.forges.writing import FindingReaction, PostedReviews, ReviewPoster
from bot.forges.context import ForgeContext
from bot.forges.names import person_on
from core.debate import events as e
from core.debate.errors import DebateError
from core.debate.events import Became
from core.debate.verdict.findings import merge_findings
from storage.forges.followed import Followed

logger = logging.getLogger(__name__)
SETTLING = timedelta(seconds=5)
"""The time in which the debate takes new judgements, before something that reads them."""


async def try_reactions(context: ForgeContext, row: Followed) -> int:
    """Does as ``read_reactions``; a forge that does not answer keeps nothing waiting."""
    try:
        return await read_reactions(context, row)
    except DebateError as error:
        facts = {"action": "reactions", "change": row.link, "reason": str(error)}
        logger.warning("reactions can't be read", extra=facts)
        return 0


async def read_reactions(context: ForgeContext, row: Followed) -> int:
    """Stores what the reactions on a change say of its findings, and returns the number of
    judgements that are new. Raises ``DebateError`` if the forge does not answer.
    """
    debate = await context.last_opened(row)
    if debate is None or debate.concluded is None or debate.deleted is not None:
        return 0
    async with context.connections.change(row.link, row.key.place) as (poster, link):
        if not isinstance(poster, PostedReviews):
            return 0
        rows = await poster.reactions(link)
        judges = await _judges(poster, link.repo, debate.open.material.author, rows)
    here = person_on(name_of(link.forge), link.host, "")
    majorities = _majorities(one for one in rows if one.login in judges)
    count = 0
    for mark in {m.mark for m in merge_findings(debate)}:
        known = debate.judged.get(mark)
        before, by = "", ""
        if known is not None:
            before, by = known.became, known.by
        became, login = majorities.get(mark, ("", ""))
        taken_back = bool(before) and not became and by.startswith(here)
        if not taken_back and (not became or (by and before == became)):
            continue
        command = e.FindingJudged(mark, became, context.clock.now(), f"{here}{login}")
        source = f"reaction:{debate.id}:{debate.count}:{mark}:{became}"
        count += await context.queue.enqueue(debate.id, command, source)
    return count


async def _judges(
    poster: ReviewPoster, repo: str, author: str, rows: Iterable[FindingReaction]
) -> set[str]:
    """Returns the people whose reactions count: those who may write, except the change's author."""
    logins = {one.login for one in rows if one.login.casefold() != author.casefold()}
    return {login for login in sorted(logins) if await poster.may_write(repo, login)}


def _majorities(rows: Iterable[FindingReaction]) -> Mapping[str, tuple[Became, str]]:
    """Returns the judgement of most reactions on each finding, with one of the people who gave it.
    A person's contradictory reactions do not count, and a tie gives no judgement.
    """
    people: dict[str, dict[str, set[bool]]] = {}
    for one in rows:
        people.setdefault(one.mark, {}).setdefault(one.login, set()).add(one.real)
    majorities = {}
    for mark, votes in people.items():
        real = [login for login, words in votes.items() if words == {True}]
        unreal = [login for login, words in votes.items() if words == {False}]
        if len(real) > len(unreal):
            majorities[mark] = (Became.REAL, min(real))
        elif len(unreal) > len(real):
            majorities[mark] = (Became.NOT_REAL, min(unreal))
    return majorities
