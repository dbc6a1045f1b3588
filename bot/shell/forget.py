"""``debate forget``: deletes a debate's texts, or a person's texts and name, after asking. It names
everything else that holds the texts, and also deletes the debates among it on request.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from adapters.terminal.printing import ask, put
from bot.debates.retention import Forgotten
from bot.debates.retention.copies import Copies
from bot.forges.remove import ON_FORGES
from bot.settings import Settings
from bot.shell.person import person
from bot.wire.parts import Parts, open_parts
from core.application.commands.help import example
from core.application.place import SHELL
from core.debate.errors import BadInput
from core.debate.state import Debate
from core.languages import msgid, say
from storage.audit import acting

_STAYS = msgid(
    "Its outcome stays (decision, votes, figures, cost, and hashes for receipts); backups are not "
    "touched."
)
_ALONE = msgid("Texts in chats and on a forge are not touched either.")
_TOO = msgid(
    "Debates that were made of it are deleted as well, what others quote of it, and what we wrote "
    "in chats and on forges."
)
_ASKED = "somebody asked for it"


async def forget(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``forget ID|PERSON [--copies] [--yes]``: a person is written as ``slack:T1/U1``. Raises
    ``BadInput`` if the person does not confirm it, ``Refused`` for a debate that runs.
    """
    sure, copies = "--yes" in typed, "--copies" in typed
    words = [word for word in typed if word not in ("--yes", "--copies")]
    if len(words) != 1 or words[0].startswith("-"):
        raise BadInput(
            say(
                "forget takes a debate's id or a person, and perhaps --copies and --yes. Like "
                "this: {form}",
                form=example("forget", prefix="debate"),
            )
        )
    (what,) = words
    with acting(person(), SHELL, person()):
        async with open_parts(settings) as parts:
            if ":" in what:
                return await _person(what, parts, sure=sure, copies=copies)
            debate = await parts.service.load(what)
            return await _debate(debate, parts, sure=sure, copies=copies)


async def _debate(debate: Debate, parts: Parts, *, sure: bool, copies: bool) -> int:
    held = await parts.retention.find_copies([debate.id])
    question = say("Delete all texts of debate {id}?", id=debate.id)
    _confirm("\n".join([f"{question} {_how_far(copies)}", *_elsewhere(held)]), sure=sure)
    gone = debate.deleted is not None
    if not (gone and copies):
        if not await parts.retention.delete(debate, _ASKED):
            raise BadInput(
                say("Debate {id} is being worked on. Try it again in a moment.", id=debate.id)
            )
        await parts.retention.store.clean_words()
        put(say("The texts of debate {id} are deleted.", id=debate.id))
    await _copies([debate.id], held, parts, copies=copies)
    return 0


async def _person(who: str, parts: Parts, *, sure: bool, copies: bool) -> int:
    names = ", ".join(parts.retention.policy.accounts(who))
    question = say(
        "Delete the texts of every debate that {names} started, and in all others their name, "
        "votes' names, challenges and reasons?",
        names=names,
    )
    _confirm(f"{question} {_how_far(copies)}", sure=sure)
    done = await parts.retention.forget_person(who)
    for line in describe_forgotten(who, done):
        put(line)
    await _copies(done.deleted, done.copies, parts, copies=copies)
    return 0


def _how_far(copies: bool) -> str:
    return f"{say(_TOO)} {say(_STAYS)}" if copies else f"{say(_STAYS)} {say(_ALONE)}"


async def _copies(of: Sequence[str], held: Copies, parts: Parts, *, copies: bool) -> None:
    """Deletes the copies if that was requested, and prints the rest. This process deletes on forges
    itself; messages in chats are left to the running bot.
    """
    retention = parts.retention
    if copies:
        done = await retention.delete_copies(of, held, _ASKED)
        if done.deleted:
            put(say("Deleted with it: {debates}.", debates=", ".join(done.deleted)))
        if done.changed:
            changed = ", ".join(done.changed)
            put(say("What they quoted of it was taken out of {debates}.", debates=changed))
        if done.running:
            running = ", ".join(done.running)
            put(say("Still running, and untouched: {debates}.", debates=running))
        while await parts.worker.do_due(*ON_FORGES):
            pass
        held = await retention.find_copies(of)
    for line in _elsewhere(held):
        put(line)
    if not copies and held.removable:
        what = of[0] if len(of) == 1 else "ID"
        put(say("Delete all this, too: debate forget {what} --copies", what=what))


def _elsewhere(held: Copies) -> list[str]:
    return [say("What else holds its words:"), *held.lines] if held.lines else []


def describe_forgotten(who: str, done: Forgotten) -> list[str]:
    """Returns lines about what was deleted and what is left to do."""
    if not done.known:
        return [
            say(
                "Nothing that is stored names {person}. A person is written like slack:T1/U1, "
                "discord:SERVER/USER, github:LOGIN or shell:NAME.",
                person=who,
            )
        ]
    lines = [
        say("Debates whose texts are deleted: {count}.", count=len(done.deleted)),
        say(
            "Debates in which the name and the words were taken out: {count}.",
            count=len(done.changed),
        ),
    ]
    if done.running:
        lines.append(
            say(
                "Still running, and untouched: {debates}. Say it again when they are over.",
                debates=", ".join(done.running),
            )
        )
    return lines


def _confirm(question: str, *, sure: bool) -> None:
    if sure:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} {say('Confirm with --yes.')}")
    put(question)
    try:
        answer = ask(say("Type yes to continue:"))
    except KeyboardInterrupt:
        answer = ""
    if (answer or "").lower() != "yes":
        raise BadInput(say("Nothing was deleted."))
