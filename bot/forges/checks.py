"""Keeps the forge's check of a change equal to its latest debate, and answers merge queues and
people's replies to the posted review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adapters.forges.links import ChangeLink
from adapters.forges.writing import Written
from adapters.review import ThreadAnswer
from adapters.review.amendment import objectors
from adapters.review.check import CommitCheck, ended, queued, running
from adapters.review.text import not_now, objection_answer, reply_answer
from bot.debates.changes import head_of
from bot.forges.context import ForgeContext
from bot.forges.rules import rules_of
from bot.forges.write import check_post, reply_post
from core.debate.material.since import UNCHANGED
from core.debate.state import Debate
from core.debate.verdict.condition import is_for_show
from core.languages import speaking
from storage.forges.followed import Followed
from storage.places import repository_key


async def tell_checks(context: ForgeContext) -> int:
    """Stores new results for the forge's checks if the debates have changed since."""
    count = 0
    for row, digest in await context.followed.untold():
        debate = await context.service.load(row.debate)
        if await _checked(context, row):
            check = await _check(context, debate, row.head, context.page_of(row.debate))
            place = row.key.place
            head, text = check.head or row.head, digest
            if debate.endings:
                text = f"{digest}:{len(debate.endings)}"
            if head and not is_for_show(debate):
                post = check_post(replace(check, head=head), row.link, place, text)
                count += await context.work.add(post)
        await context.followed.tell(row, digest)
    return count


async def answer_objections(context: ForgeContext) -> int:
    """Stores the answers to people's replies that the seats have answered, for the comments
    under which they were written.
    """
    count = 0
    for row in await context.followed.objected_to():
        mine = [one for one in row.objections if one.get("debate") == row.debate]
        if not mine:
            continue
        debate = await context.service.load(row.debate)
        taken = {challenge.source: challenge.id for challenge in debate.challenges}
        for one in mine:
            id = taken.get(one["source"], "")
            if id:
                answer = objection_answer(debate, id, one["mark"])
            else:
                id = one["source"].rpartition(":")[2]
                answer = await _put_off(context, row, one, id)
            if answer is not None:
                post = reply_post(row.debate, id, row.link, row.key.place, answer)
                count += await context.work.add(post)
    return count


async def _put_off(
    context: ForgeContext, row: Followed, objection: Mapping[str, str], about: str
) -> ThreadAnswer | None:
    """Leaves an objection to the next run that the debate refused when it came to it, since
    others had come first. Returns the reason as an answer; None while it waits.
    """
    try:
        refusal = await context.queue.find_answer(f"{objection['source']}:{row.debate}")
    except KeyError:
        return None
    if not refusal:
        return None
    await context.followed.put_off(row, objection["source"])
    return reply_answer(row.debate, about, objection["mark"], not_now(refusal))


async def _check(context: ForgeContext, debate: Debate, head: str, link: str) -> CommitCheck:
    """Returns a debate's check, in the language of the repository's reviews. If a run had
    nothing new to read, the last run's result holds for the new head.
    """
    with speaking((await context.rules(debate)).language):
        if not debate.over:
            return running(debate.id, head, link)
        held = debate
        while held.opened is None and held.failure.endswith(UNCHANGED) and held.request.after:
            held = await context.service.load(held.request.after)
        check = ended(held, link, await context.names_of(objectors(held)))
        if held is debate:
            return check
        return replace(check, mark=debate.id, head=head)


async def _checked(context: ForgeContext, row: Followed) -> bool:
    binding = await context.binding(row)
    return binding is not None and rules_of(binding.rules).checks


async def answer_queue(context: ForgeContext, link: ChangeLink, head: str) -> str:
    """Puts the verdict on a change, or a neutral check, on the commit ``head`` that a merge
    queue tests. Raises ``CouldNotFinish``.
    """
    key = repository_key(link.host, link.repo)
    bindings = await context.places.bindings(repository=key)
    bound = [one for one in bindings if rules_of(one.rules).checks]
    if not bound:
        return "no place puts checks there"
    rows = await context.followed.of(link.host, link.repo, link.number)
    async with context.connections.poster(link.host, link.repo, bound[0].place) as poster:
        now = (await poster.change(link)).head
        check = queued(await _verdict(context, rows, now), head)
        known = await poster.find_check(link, check) or Written("")
        await poster.put_check(link, check, known.id)
    return f"{check.conclusion.value} for the merge queue"


async def _verdict(
    context: ForgeContext, rows: Sequence[Followed], head: str
) -> CommitCheck | None:
    for row in rows:
        if not (row.debate and await _checked(context, row)):
            continue
        debate = await context.service.load_ended(row.debate)
        if head_of(row, debate) == head and debate.over:
            return await _check(context, debate, head, context.page_of(row.debate))
    return None
