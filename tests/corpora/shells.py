"""What a shell prints, and with which code it ends, on the same store full of debates."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from unittest.mock import patch

from bot.__main__ import main
from bot.wire.base import SystemClock
from tests.corpora.desks import NOW, NUMBERS, debate_id, filled

_LINES = (
    "list", "list --json", "status", "list --department nobody", "leaderboard",
    "leaderboard --json", "search query", "search find --json",
    "search 'pool closed' --since 900d", "schedule list", "schedule list --json", "show {}",
    "show {} --json", "show {} --plain", "export {} md", "export {} json", "export {} sarif",
    "export {} html", "export {} odd", "receipt {}", "challenge {} 'It is not tested.'",
    "hotseat {} 1", "vote {} approve", "vote {} f1 real", "pause {}", "stop {}",
    "held {} yes because no bug came", "held {} no", "useful {} yes", "compare {} {}",
    "compare {} {} --json", "mirror {} slack:T1/C2", "post {}", "replay {}",
    "fork {} --without nobody", "fork {} --at 1", "templates", "templates panel",
    "templates nothing", "templates panel --json", "help vote", "help code_review", "hooks list",
    "setup github", "audit", "audit --json --since 2026-01-02", "audit --since never", "audit all",
    "forget {}", "forget {} --yes", "forget {} --copies --yes", "forget slack:T1/U7 --yes",
    "forget", "forget x y", "forget discord:9/U7 --copies --yes", "tokens list",
    "tokens remove t1", "tokens", "tokens add ci --days 400", "tokens add ci --purse x",
    "tokens add ci --in here", "tokens add ci -x", "completion bash", "completion fish",
    "completion tcsh", "docs", "docs nothing", "docs a b", "verify nothing.json", "verify",
    "db key x", "db", "db restore nowhere.db", "db backup copy.db", "db upgrade", "calibrate",
    "calibrate --json", "calibrate now", "eval", "eval --cases 0", "plugins x", "open a b",
    "serve now", "demo --odd", "nonsense", "'Shall we?' --models none", "challenge", "panel",
    "design_doc ''", "show", "vote {}", "fork {} --branch x", "--rounds 2",
)  # fmt: skip
_SHARE = 5


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """A process of its own, as far as a command sees: its folder, its variables, no person."""
    before, here, stdin = dict(os.environ), Path.cwd(), sys.stdin
    os.environ.clear()
    os.environ.update(
        {
            "PATH": before.get("PATH", ""), "HOME": str(folder), "LOGNAME": "ann", "TZ": "UTC",
            "DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", "DEBATE_SIGNING_KEY": "ab" * 32,
            "DEBATE_DATABASE_URL": str(folder / "debate.db"),
        }
    )  # fmt: skip
    os.chdir(folder)
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    try:
        with patch.object(SystemClock, "now", lambda _: NOW):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(here)
        sys.stdin = stdin


_HASHES = re.compile(r"\b[0-9a-f]{64}\b|[0-9a-f]{128}|[A-Za-z0-9+/_-]{80,}=*")


def _ran(line: str, folder: Path) -> str:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(shlex.split(line))
    printed = [each.buffer.getvalue().decode() for each in (out, err)]
    text = "\n".join((f"$ {line}", str(code), *printed)).replace(str(folder), "FOLDER")
    return _HASHES.sub("HASH", text)


def _shell(number: int) -> str:
    rng = Random(f"shell {number}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copy(filled(), folder / "debate.db")
        with _alone(folder):
            made = []
            for line in _LINES[number::_CASES]:
                ids = [debate_id(rng.choice(NUMBERS)) for _ in range(2)]
                made.append(_ran(line.format(*ids), folder))
    return "\n".join(made)


_CASES = len(_LINES) // _SHARE
CORPORA = {"shells": (_CASES, _shell)}
