"""Turns a debate's events into outbox rows for the webhooks that receive them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from adapters.hooks import Announcement, HookKind, announced, may_tell, message
from bot.forges.bound import is_shown
from core.debate.log import Append, Outgoing, PostOp
from core.debate.ports import Clock
from core.debate.state import Debate
from core.words.receipt.canonical import head
from storage.codec import event_hash
from storage.debates import Debates
from storage.stores import Stores


async def webhook_rows(stores: Stores, clock: Clock, append: Append) -> list[Outgoing]:
    """Returns the rows for the commit of these events, numbered on from the last row of each
    webhook for this debate. Only the debate's one writer calls it.
    """
    steps = [
        (before, event, after)
        for event, (before, after) in zip(append.events, pairwise(append.states), strict=True)
        if may_tell(before, event, after)
    ]
    if not steps:
        return []
    last = append.states[-1]
    listening = await stores.hooks.listening(last.id, tuple(last.places))
    if not listening:
        return []
    announcements = [(step[2], one) for step in steps for one in announced(*step)]
    if any(one.kind is HookKind.VERDICT for _, one in announcements):
        announcements = await _with_chain(stores.debates, append, announcements)
    rows: list[Outgoing] = []
    for hook, given in listening:
        full = hook.full and await is_shown(stores.places, hook.place, last)
        wanted = [(debate, one) for debate, one in announcements if one.kind in hook.kinds]
        for number, (debate, one) in enumerate(wanted, given + 1):
            body = message(hook.id, number, debate, one, clock.now(), full=full)
            rows.append(Outgoing(f"{debate.id}:{number}", hook.outbox, PostOp.WEBHOOK, body))
    return rows


async def _with_chain(
    debates: Debates, append: Append, announcements: Sequence[tuple[Debate, Announcement]]
) -> list[tuple[Debate, Announcement]]:
    """Adds to each verdict the hash over the events that led to it, as receipts name it."""
    hashes = await debates.load_hashes(append.debate, append.position)
    hashes += map(event_hash, append.events)
    return [
        (debate, replace(one, facts={**one.facts, "chain_head": head(hashes[: debate.count])}))
        if one.kind is HookKind.VERDICT
        else (debate, one)
        for debate, one in announcements
    ]
