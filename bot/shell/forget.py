"""``debate forget``: deletes a debate's texts, or a person's texts and name, after asking. It names
everything else that holds the texts, and also deletes the debates among it where told to.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from adapters.terminal.printing import ask, put
from bot.debates.retention import Forgotten
from bot.debates.retention.copies import Copies
from bot.forges.remove import ON_FORGES
from bot.settings import Settings
from bot.wire.parts import Parts, open_parts
from core.debate.errors import BadInput
from core.debate.state import Debate

_STAYS = (
    "Its outcome stays (decision, votes, figures, cost, and hashes for receipts); backups are not "
    "touched."
)
_ALONE = "Texts in chats and on a forge are not touched either."
_TOO = (
    "Debates that were made of it are deleted as well, what others quote of it, and what we wrote "
    "in chats and on forges."
)
_ASKED = "somebody asked for it"


async def forget(what: str, settings: Settings, *, sure: bool, copies: bool = False) -> int:
    """Deletes what ``what`` names. Raises ``BadInput`` if the person does not confirm it,
    ``Refused`` for a debate that runs.
    """
    async with open_parts(settings) as parts:
        if ":" in what:
            return await _person(what, parts, sure=sure, copies=copies)
        return await _debate(await parts.service.load(what), parts, sure=sure, copies=copies)


async def _debate(debate: Debate, parts: Parts, *, sure: bool, copies: bool) -> int:
    held = await parts.retention.finder.find([debate.id])
    question = f"Delete all texts of debate {debate.id}? {_how_far(copies)}"
    _confirm("\n".join([question, *_elsewhere(held)]), sure=sure)
    gone = debate.deleted is not None
    if not (gone and copies):
        if not await parts.retention.delete(debate, _ASKED):
            raise BadInput(f"Debate {debate.id} is being worked on. Try it again in a moment.")
        await parts.retention.store.clean_words()
        put(f"The texts of debate {debate.id} are deleted.")
    await _copies([debate.id], held, parts, copies=copies)
    return 0


async def _person(person: str, parts: Parts, *, sure: bool, copies: bool) -> int:
    names = ", ".join(parts.retention.policy.accounts(person))
    _confirm(
        f"Delete the texts of every debate that {names} started, and in all others their name, "
        f"votes' names, challenges and reasons? {_how_far(copies)}",
        sure=sure,
    )
    done = await parts.retention.forget_person(person)
    for line in describe_forgotten(done):
        put(line)
    await _copies(done.deleted, done.copies, parts, copies=copies)
    return 0


def _how_far(copies: bool) -> str:
    return f"{_TOO} {_STAYS}" if copies else f"{_STAYS} {_ALONE}"


async def _copies(of: Sequence[str], held: Copies, parts: Parts, *, copies: bool) -> None:
    """Deletes the copies if that was requested, and prints the rest. This process deletes on forges
    itself; messages in chats are left to the running bot.
    """
    retention = parts.retention
    if copies:
        done = await retention.delete_copies(of, held, _ASKED)
        if done.deleted:
            put(f"Deleted with it: {', '.join(done.deleted)}.")
        if done.changed:
            put(f"What they quoted of it was taken out of {', '.join(done.changed)}.")
        if done.running:
            put(f"Still running, and untouched: {', '.join(done.running)}.")
        while await parts.worker.do_due(*ON_FORGES):
            pass
        held = await retention.finder.find(of)
    for line in _elsewhere(held):
        put(line)
    if not copies and held.removable:
        what = of[0] if len(of) == 1 else "ID"
        put(f"Delete all this, too: debate forget {what} --copies")


def _elsewhere(held: Copies) -> list[str]:
    return ["What else holds its words:", *held.lines] if held.lines else []


def describe_forgotten(done: Forgotten) -> list[str]:
    """Returns lines about what was deleted and what is left to do."""
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


def _confirm(question: str, *, sure: bool) -> None:
    if sure:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} Confirm with --yes.")
    put(question)
    try:
        answer = ask("Type yes to continue:")
    except KeyboardInterrupt:
        answer = ""
    if (answer or "").lower() != "yes":
        raise BadInput("Nothing was deleted.")
