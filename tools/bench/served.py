"""The provider of the benchmarks and commands against it, each in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODEL = "openai/gpt-4.1"
KEPT = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "PYTHONPATH")
"""The variables that a command keeps of the environment: no keys, no settings of the user."""


@dataclass(frozen=True)
class Served:
    """The provider's address."""

    base: str

    @property
    def env(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": "sk-bench-0123456789", "OPENAI_API_BASE": f"{self.base}/v1"}

    def calls(self) -> list[dict[str, Any]]:
        """Returns the calls that came since the last time, the oldest first."""
        with urllib.request.urlopen(f"{self.base}/calls") as answer:  # noqa: S310  our own
            calls: list[dict[str, Any]] = json.load(answer)
        return calls


@contextmanager
def provider(seconds: float, *flags: str) -> Iterator[Served]:
    """Returns a provider whose answers take ``seconds`` each."""
    with subprocess.Popen(
        [sys.executable, "-m", "tools.bench.provider", str(seconds), *flags],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            port = (process.stdout or sys.stdin).readline().strip()
            yield Served(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def command(served: Served, folder: Path, *words: str) -> tuple[list[str], dict[str, str]]:
    """Returns a shell command against the provider, with its environment."""
    kept = {k: v for k, v in os.environ.items() if k in KEPT}
    env = kept | served.env | {"DEBATE_DATABASE_URL": str(folder / "debate.db")}
    env |= {"DEBATE_MODELS": MODEL, "DEBATE_ASK_ABOVE": "1000"}
    return [sys.executable, "-m", "bot", *words], env


def a_diff(characters: int) -> str:
    """Returns a change of about ``characters`` characters, as git writes it."""
    lines = [
        f"+    rows[{n}] = parse(line_{n}, strict=True)" for n in range(max(1, characters // 46))
    ]
    head = "diff --git a/app/parse.py b/app/parse.py\n--- a/app/parse.py\n+++ b/app/parse.py\n"
    return f"{head}@@ -1,0 +1,{len(lines)} @@\n" + "\n".join(lines) + "\n"
