"""``debate`` as a person runs it: in this process where that shows enough, else in a process of its
own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

from tests.end_to_end import nursery
from tests.patience import PATIENCE
from tests.project import ROOT

Command = Callable[..., "Ran"]
OUTCOME = json.loads(
    (ROOT / "core" / "words" / "outcome" / "outcome.schema.json").read_text("utf-8")
)
"""The schema of the document that ``--json`` prints."""
EXAMPLE = ROOT / "examples" / "01-retry-payments.diff"
DEBATE = (sys.executable, "-m", "bot")
T = TypeVar("T")


@dataclass(frozen=True)
class Ran:
    """The end of a command and its output."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """Returns this process's environment, with the scripted model, the checkout on the path and a
    database in the folder in which the command is typed.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted",
        "DEBATE_DATABASE_URL": "debate.db",
        **more,
    }


def process(folder: Path, *words: str, env: Mapping[str, str], stdin: str = "") -> Ran:
    """Runs one command in a process of its own, to its end."""
    with TemporaryFile() as typed:
        typed.write(stdin.encode())
        typed.seek(0)
        ran = nursery.run([*DEBATE, *words], cwd=folder, env=env, stdin=typed)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def debates(folder: Path) -> int:
    """Counts the stored debates."""
    if not (folder / "debate.db").exists():
        return 0
    with sqlite3.connect(f"file:{folder / 'debate.db'}?mode=ro", uri=True) as base:
        return int(base.execute("select count(*) from debate").fetchone()[0])


@contextmanager
def aside(running: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Runs a stand-in on an event loop of its own, beside a program that has one itself."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(running.__aenter__(), loop).result(PATIENCE)
        asyncio.run_coroutine_threadsafe(running.__aexit__(None, None, None), loop).result(PATIENCE)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
