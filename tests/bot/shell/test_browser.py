"""The link that lets one in is opened, and no other account of the machine sees it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.end_to_end import nursery
from tests.project import ROOT

LINK = "http://127.0.0.1:8765/open/a-secret?x=1&y=2"
CODE = "import sys; from bot.shell.links import open_page; sys.exit(not open_page(sys.argv[1]))"


def opened(folder: Path, script: str) -> tuple[int, list[Path]]:
    browser = folder / "browser"
    browser.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    browser.chmod(0o700)
    env = {**os.environ, "BROWSER": f"{browser} %s", "TMPDIR": str(folder)}
    done = nursery.run([sys.executable, "-c", CODE, LINK], env=env, cwd=ROOT)
    return done.returncode, list(folder.glob("debate-*.html"))


def test_a_browser_gets_the_link_in_a_file_of_ones_own(tmp_path: Path) -> None:
    code, (file,) = opened(tmp_path, f'echo "$1" > {tmp_path}/seen')
    assert code == 0
    seen = (tmp_path / "seen").read_text("utf-8").strip()
    assert "a-secret" not in seen
    assert Path(unquote(urlsplit(seen).path)) == file
    assert "/open/a-secret?x=1&amp;y=2" in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
