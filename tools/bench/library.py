"""``python -m tools.bench.library``: the time that a caller of the Python API waits for: the import
of the public names, and the README's script from the start of Python to its end.

A busy machine makes wall time long, so processor time is printed next to it, both of the quickest
of several runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from adapters.terminal.printing import put
from tests.project import ROOT

RUNS = 5
IMPORT = "from debatebot import Debate, Result, ScriptedSeats, debate"


def readme_script() -> str:
    """Returns the README's script without the lines that show its output."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    return "\n".join(line for line in code.splitlines() if line and not line.startswith("#"))


def quickest(run: Callable[[], None]) -> tuple[float, float]:
    """Returns the wall and processor seconds of the quickest of some runs."""
    times = []
    for _ in range(RUNS):
        before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
        run()
        wall, after = perf_counter() - began, getrusage(RUSAGE_CHILDREN)
        times.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(times)


def python(code: str, folder: Path) -> Callable[[], None]:
    """Runs a script in a new Python process."""

    def run() -> None:
        subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)

    return run


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        bare = quickest(python("pass", folder))
        imported = quickest(python(IMPORT, folder))
        script = quickest(python(readme_script(), folder))
    lines = len(readme_script().splitlines())
    more = (imported[0] - bare[0], imported[1] - bare[1])
    rows = (
        ("Python alone", bare, ""),
        ("importing the names, beside it", more, "aim: 0.15"),
        (f"the README's {lines} lines, whole", script, "aim: 2"),
    )
    for what, (wall, processor), aim in rows:
        put(f"{what:32}{wall:5.2f} s wall, {processor:5.2f} s processor   {aim}".rstrip())


if __name__ == "__main__":
    main()
