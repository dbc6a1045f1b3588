"""A process of its own that does things at the same moment as another: ``python -m
tests.trust.presser shell|bot|priced FOLDER``, with the settings in the environment. In a ``priced``
one the scripted models cost money.

It says ``ready``, takes one line of JSON (who presses what, or which debates it plays), waits until
the moment that the line names, and answers with one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from bot.settings import read
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.application.place import Person
from tests.bot.debates.test_money import parts_at
from tests.standins.chat import RecordingChat


def opened(kind: str, folder: Path) -> AbstractAsyncContextManager[Parts]:
    settings = read({**os.environ}, folder)
    if kind == "priced":
        return parts_at(
            folder,
            url=settings.database_url,
            daily_budget=settings.daily_budget,
            person_budget=settings.person_budget,
        )
    chats = {"slack": RecordingChat(folder / "chat.jsonl")}
    return open_parts(settings, shell=kind == "shell", chats=chats)


async def run(kind: str, folder: Path) -> None:
    async with opened(kind, folder) as parts:
        print("ready", flush=True)
        order = json.loads(await asyncio.to_thread(sys.stdin.readline))
        await asyncio.sleep(max(0.0, order["at"] - time.time()))
        done = await asyncio.gather(*(_done(parts, one) for one in order["acts"]))
        print(json.dumps(done), flush=True)


async def _done(parts: Parts, act: dict[str, Any]) -> dict[str, Any]:
    if "play" in act:
        debate = await parts.advancer.advance(act["play"])
        return {"debate": debate.id, "spent": debate.spent, "status": debate.status}
    person, place = act["person"], act.get("place", "slack:T1/C1")
    caller = Caller(person, place, act["source"], confirms_price=True, admin=True)
    if Person.parse(person).platform == "shell":
        caller = shell_caller(person)
    if "press" in act:
        answer = await parts.desk.press(act["press"], act["value"], caller)
    else:
        names = [choice.id for choice in parts.desk.templates()]
        answer = await parts.desk.take(parse(act["text"], templates=names), caller)
    return _shown(answer)


def _shown(answer: DeskAnswer) -> dict[str, Any]:
    return {"ok": answer.ok, "text": answer.text, "debate": answer.debate}


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], Path(sys.argv[2])))
