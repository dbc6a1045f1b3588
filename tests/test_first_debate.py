"""docs/first-debate.md is played from its first line to its last, and says what then appears."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.end_to_end import nursery
from tests.end_to_end.shell import environment
from tests.patience import PATIENCE
from tests.project import DOCS

FENCE = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def typed(folder: Path, line: str) -> str:
    """Runs a line in a shell in which ``debate`` is installed and the script was chosen, and
    returns what it prints.
    """
    done = subprocess.run(
        ["sh", "-ec", f"debate() {{ {nursery.command()}; }}\n{line}"],
        cwd=folder,
        env=environment(COLUMNS="200"),
        capture_output=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def like(output: str, expected: str) -> bool:
    """Says whether an output is what the page shows, where … stands for anything."""
    lines = [re.escape(line).replace("…", ".*") for line in expected.strip().splitlines()]
    pattern = "\n".join(lines).replace("\n.*\n", "\n(?:.*\n)*?")
    return re.search(rf"(?:^|\n){pattern.removeprefix('.*' + chr(10))}(?:\n|$)", output) is not None


def test_every_step_shows_what_the_page_says(tmp_path: Path) -> None:
    fences = FENCE.findall((DOCS / "first-debate.md").read_text("utf-8"))
    assert sum(kind == "text" for kind, _ in fences) == 4
    output, id = "", ""
    for kind, text in fences:
        if kind == "text":
            assert like(output, text), f"{text}\nis not in\n{output}"
            continue
        output = typed(tmp_path, text.replace(" ID", f" {id}"))
        if not id and (match := re.search(r"^debate (\w{8})$", output, re.MULTILINE)):
            id = match[1]
    assert id
    left = {path.name for path in tmp_path.iterdir()}
    assert {name for name in left if not name.startswith("debate.db")} == {"retry.diff"}


def test_an_output_that_is_not_the_page_s_is_seen() -> None:
    rendered = "one\ntwo\nthree and four\nfive\n"
    assert like(rendered, "one\n…\nthree …\nfive\n")
    assert like(rendered, "…\nthree and four\n")
    assert not like(rendered, "one\nthree …\n")
    assert not like(rendered, "two\n…\nsix\n")
