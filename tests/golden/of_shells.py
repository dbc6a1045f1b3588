"""What a shell prints, and with which code it ends."""

from __future__ import annotations

import io
import os
import re
import secrets
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from bot.__main__ import main
from bot.wire.base import SystemClock
from core.application.commands.help import TOPICS, usage
from core.debate.errors import BadInput
from tests.project import EXAMPLES

_NOW = datetime(2026, 12, 24, 12, 0, tzinfo=UTC)
_HASHES = re.compile(r"\b[0-9a-f]{64}\b|[0-9a-f]{128}|[A-Za-z0-9+/_-]{80,}=*")
_BEGINNING = (
    'panel "Shall we move the orders to PostgreSQL?"', "code_review change.diff",
    "design_doc orders.md",
    "vote {1} approve", "challenge {1} 'Only tests call it.'", "held {0} yes because no bug came",
    "useful {1} no", 'schedule add "every weekday 09:00" panel "What next?"',
    "fork {0} --assume 'we have a year'",
)  # fmt: skip
_READING = (
    "list", "list --json", "status", "list --department nobody", "show {1}", "show {0}",
    "search orders", "search orders --json", "leaderboard", "calibrate", "schedule list",
    "compare {0} {1}", "export {0} sarif", "audit", "forget {2}", "forget {2} --yes", "show {2}",
    "hooks list", "tokens list", "templates", "templates panel",
)  # fmt: skip
_REFUSED = (
    "nonsense", "lits", "list --roundz 2", "show", "show nothing", "show d1 d2", "export {0} odd",
    "vote {0}", "vote {0} perhaps", "vote {0} f9 real", "challenge", "challenge {0}", "panel",
    "panel ''", "code_review", "code_review nothing.diff",
    "code_review https://evil.example/o/r/pull/1", "code_review ssh://github.com/o/r",
    "panel 'Why?' --rounds 99", "panel 'Why?' --rounds two", "panel 'Why?' --budget x",
    "panel 'Why?' --models none", "panel 'Why?' --models openai/gpt-5",
    "panel 'Why?' --consensus odd", "panel 'Why?' --form huge", "panel 'Why?' --format odd",
    "panel 'Why?' --threshold 7", "panel 'Why?' --target-date 2026-13-01", "--rounds 2",
    "pause {0}", "resume {0}", "stop {0}", "hotseat {0} nobody", "fork {0} --without nobody",
    "fork {0} --at 999", "mirror {0} slack:T1/C2", "post {0}", "held {0} maybe", "useful {0}",
    "compare {0}", "replay nothing", "schedule add 'every blue moon' panel 'x'",
    "schedule add 'every day 25:00' panel 'x'", "schedule remove s9", "hooks add ftp://x",
    "search", "search x --since never", "audit all", "audit --since never", "forget", "forget x y",
    "tokens remove t1", "tokens add ci --days 400", "tokens add ci --budget x", "templates nothing",
    "completion tcsh", "docs nothing", "verify", "verify nothing.json", "db", "db key x",
    "db restore nowhere.db", "eval --cases 0", "plugins x", "serve now", "demo --odd",
    "help nothing", "setup github", "calibrate now", "open a b",
)  # fmt: skip
_SETTINGS = (
    "DEBATE_BUDGET=much", "DEBATE_BUDGET=-1", "DEBATE_DAILY_BUDGET=x",
    "DEBATE_DATABASE_URL=mysql://u:p@h/db", "DEBATE_PUBLIC_URL=room.example", "DEBATE_PORT=99999",
    "DEBATE_LOG_LEVEL=loud", "DEBATE_GITHUB_HOSTS=http://x",
)  # fmt: skip


@contextmanager
def _aside(**settings: str) -> Iterator[Path]:
    """A folder, variables, a day and draws that are the same each time, and no person."""
    before, here, stdin = dict(os.environ), Path.cwd(), sys.stdin
    draws = Random(7)

    def token(count: int | None = 32) -> str:
        return draws.randbytes(count or 32).hex()

    drawn: Mapping[str, Any] = {
        "randbits": draws.getrandbits, "choice": draws.choice, "randbelow": draws.randrange,
        "token_hex": token, "token_urlsafe": token,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "change.diff").write_bytes((EXAMPLES / "01-retry-payments.diff").read_bytes())
        (folder / "orders.md").write_text("# Orders\n\nOrders move to one database.\n", "utf-8")
        os.environ.clear()
        os.environ.update({
            "PATH": before.get("PATH", ""), "HOME": name, "LOGNAME": "ann", "TZ": "UTC",
            "DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", "DEBATE_SIGNING_KEY": "ab" * 32,
            "DEBATE_DATABASE_URL": str(folder / "debate.db"), "COLUMNS": "100", **settings,
        })  # fmt: skip
        os.chdir(folder)
        sys.stdin = io.TextIOWrapper(io.BytesIO())
        try:
            with patch.multiple(secrets, **drawn), patch.object(SystemClock, "now", lambda _: _NOW):
                yield folder
        finally:
            os.environ.clear()
            os.environ.update(before)
            os.chdir(here)
            sys.stdin = stdin


def _ran(line: str, folder: Path) -> str:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(shlex.split(line))
    printed = "".join(each.buffer.getvalue().decode() for each in (out, err))
    text = f"$ debate {line}\n{printed.rstrip()}\n[{code}]\n".replace(str(folder), "FOLDER")
    return _HASHES.sub("HASH", text)


def _begun(folder: Path) -> tuple[list[str], list[str]]:
    """Runs what fills the store. Returns what was printed, and the ids of the debates."""
    made, ids = list[str](), list[str]()
    for line in _BEGINNING:
        printed = _ran(line.format(*ids), folder)
        made.append(printed)
        ids += [x for x in _ids(printed) if x not in ids]
        assert ids, printed
    return made, ids


def _ids(printed: str) -> list[str]:
    return re.findall(r"^debate (\w{8})$", printed, re.MULTILINE)


def _session() -> str:
    """A person's afternoon: three debates, what they say of them, and all that can be read."""
    with _aside() as folder:
        made, ids = _begun(folder)
        made += [_ran(line.format(*ids), folder) for line in _READING]
    return "\n".join(made)


def _errors() -> str:
    with _aside() as folder:
        ids = _ids(printed := _ran(_BEGINNING[0], folder))
        assert ids, printed
        return "\n".join(_ran(line.format(*ids), folder) for line in _REFUSED)


def _settings() -> str:
    made = []
    for one in _SETTINGS:
        name, _, value = one.partition("=")
        with _aside(**{name: value}) as folder:
            made.append(f"{one}\n{_ran('list', folder)}")
    return "\n".join(made)


def _help(prefix: str) -> str:
    return "\n\n".join(_helped(topic, prefix) for topic in ("", *sorted(TOPICS)))


def _helped(topic: str, prefix: str) -> str:
    try:
        return f"[{topic}]\n{usage(topic, prefix=prefix)}"
    except BadInput as refused:
        return f"[{topic}] {refused}"


TEXTS: Mapping[str, Callable[[], str]] = {
    "shell.txt": _session,
    "shell-errors.txt": _errors,
    "shell-settings.txt": _settings,
    "help-shell.txt": lambda: _help("debate"),
    "help-chat.txt": lambda: _help("/debate"),
}
