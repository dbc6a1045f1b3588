"""``debate forget``: deletes a debate's texts, or a person's words and name, after asking."""

from __future__ import annotations

import asyncio
import sys

from adapters.terminal.printing import put
from bot.debates.retention import Forgotten
from bot.settings import Settings
from bot.wire.parts import Parts, open_parts
from core.errors import BadInput

_STAYS = (
    "Its outcome stays (decision, votes, figures, cost, and hashes for receipts); what stands in "
    "chats, on a forge and in backups is not touched."
)


async def forget(what: str, settings: Settings, *, sure: bool) -> int:
    """Raises ``BadInput`` without a word that it is meant, ``Refused`` for a debate that runs."""
    async with open_parts(settings) as parts:
        if ":" in what:
            return await _person(what, parts, sure=sure)
        debate = await parts.service.load(what)
        await _confirm(f"Delete all texts of debate {debate.id}? {_STAYS}", sure=sure)
        if not await parts.retention.delete(debate, "somebody asked for it"):
            raise BadInput(f"Debate {debate.id} is being worked on. Try it again in a moment.")
        put(f"The texts of debate {debate.id} are deleted.")
        return 0


async def _person(person: str, parts: Parts, *, sure: bool) -> int:
    names = ", ".join(parts.retention.policy.accounts(person))
    await _confirm(
        f"Delete the texts of every debate that {names} started, and in all others their name, "
        f"votes' names, challenges and reasons? {_STAYS}",
        sure=sure,
    )
    for line in told(await parts.retention.forget_person(person)):
        put(line)
    return 0


def told(done: Forgotten) -> list[str]:
    """What was done, and what is left to do."""
    lines = [
        f"Debates whose texts are deleted: {len(done.deleted)}.",
        f"Debates in which the name and the words were taken out: {len(done.changed)}.",
    ]
    if done.running:
        lines.append(
            f"Still running, and untouched: {', '.join(done.running)}. Say it again when they are "
            "over."
        )
    return lines


async def _confirm(question: str, *, sure: bool) -> None:
    if sure:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} Say that it is meant with --yes.")
    put(question)
    put("Type yes to go on:")
    answer = await asyncio.to_thread(sys.stdin.readline)
    if answer.strip().lower() != "yes":
        raise BadInput("Nothing was deleted.")
