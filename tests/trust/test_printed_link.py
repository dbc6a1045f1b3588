"""The link that lets one in is printed where only its reader sees it: ``debate serve`` and ``debate
open`` in processes of their own.
"""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yarl
from aiohttp import ClientSession, CookieJar

from tests.bot.serve.test_serving import environment, serve, shell
from tests.end_to_end import nursery
from tests.patience import PATIENCE

LINK = re.compile(r"http://127\.0\.0\.1:\d+/open/[\w-]{43}")


@contextmanager
def serve_on_terminal(folder: Path) -> Iterator[Iterator[str]]:
    """Runs ``debate serve`` in a terminal and yields the lines that it shows there."""
    ours, its = pty.openpty()
    with (
        nursery.Popen(
            [sys.executable, "-m", "bot", "serve"],
            cwd=folder,
            env=environment(folder),
            stdout=its,
            stderr=subprocess.DEVNULL,
        ) as process,
        os.fdopen(ours, encoding="utf-8", errors="replace") as terminal,
    ):
        os.close(its)
        try:
            yield iter(terminal.readline, "")
        finally:
            process.kill()


@contextmanager
def journal(folder: Path, **env: str) -> Iterator[Iterator[Mapping[str, Any]]]:
    """Runs ``debate serve`` without a terminal and yields the entries of its log."""
    with nursery.Popen(
        [sys.executable, "-m", "bot", "serve"],
        cwd=folder,
        env=environment(folder, **env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield (json.loads(line) for line in process.stdout)
        finally:
            process.kill()


async def opens(link: str) -> tuple[int, str]:
    """Opens a link as a browser does; returns the last status and the path it ends at."""
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as web, web.get(link) as answer:
        return answer.status, answer.url.path


async def test_on_a_terminal_one_link_is_printed_and_lets_one_in(tmp_path: Path) -> None:
    with serve_on_terminal(tmp_path) as lines:
        link = next(match[0] for line in lines if (match := LINK.search(line)))
        assert await opens(link) == (200, "/")
        assert await opens(link) == (403, yarl.URL(link).path)
        again = shell(tmp_path, "open", "")  # as a script types it without an id
        assert again.returncode == 0
        assert LINK.fullmatch(again.stdout.strip()), "nothing else, so that it can be piped"
        assert "works once" in again.stderr
        assert await opens(again.stdout.strip()) == (200, "/")


async def test_without_a_terminal_the_log_holds_a_link_only_where_that_was_asked_for(
    tmp_path: Path,
) -> None:
    with journal(tmp_path) as entries:
        logged = next(entry for entry in entries if entry.get("action") == "link")
        assert "debate open" in logged["event"]
        assert not LINK.search(json.dumps(logged))
    with journal(tmp_path, DEBATE_PRINT_LINK="1") as entries:
        logged = next(entry for entry in entries if entry.get("action") == "link")
        assert await opens(logged["link"]) == (200, "/")


async def test_the_shell_prints_a_link_to_a_debate_s_page(tmp_path: Path) -> None:
    with serve(tmp_path) as (_, _address):
        played = shell(tmp_path, "triad", "Should we rewrite it?", "--json")
        id = json.loads(played.stdout)["id"]
        printed = shell(tmp_path, "open", id)
        assert await opens(printed.stdout.strip()) == (200, f"/d/{id}")
        unknown = shell(tmp_path, "open", "nosuchid")
        assert (unknown.returncode, unknown.stdout) == (2, "")
        assert "There is no debate 'nosuchid'" in unknown.stderr
        assert shell(tmp_path, "open", "a", "b").returncode == 2


def test_a_debate_can_be_read_where_no_bot_runs(tmp_path: Path) -> None:
    id = json.loads(shell(tmp_path, "triad", "Should we rewrite it?", "--json").stdout)["id"]
    ran = shell(tmp_path, "open", id)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (3, "", 1)
    for step in ("debate serve", f"debate open {id}", f"debate show {id}", f"debate export {id}"):
        assert step in ran.stderr
    assert "There is no debate" in shell(tmp_path, "open", "nosuchid").stderr


def test_where_no_bot_runs_the_shell_says_so(tmp_path: Path) -> None:
    def nothing() -> None:
        ran = shell(tmp_path, "open")
        assert (ran.returncode, ran.stdout) == (3, "")
        assert "No bot runs here. Start one: debate serve" in ran.stderr

    nothing()
    assert not (tmp_path / "debate.db").exists()
    with serve(tmp_path) as (bot, _):
        bot.send_signal(signal.SIGTERM)
        assert bot.wait(PATIENCE) == 0
    nothing()
    with serve(tmp_path) as (bot, _):
        bot.kill()
        bot.wait(PATIENCE)
        nothing()


def test_a_public_address_is_the_one_that_is_printed(tmp_path: Path) -> None:
    env = {"DEBATE_PUBLIC_URL": "https://debates.example"}
    with journal(tmp_path, DEBATE_PRINT_LINK="1", **env) as entries:
        logged = next(entry for entry in entries if entry.get("action") == "link")
        assert logged["link"].startswith("https://debates.example/open/")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may act as another account")
def test_another_account_of_the_machine_gets_no_link(tmp_path: Path) -> None:
    """The folder may be looked into, the database may not."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    program = (
        "import os, sys; from bot.shell.cli import run; run(['open'])\n"  # all it needs is loaded
        "os.setgroups([]); os.setgid(65534); os.setuid(65534); sys.exit(run(['open']))"
    )
    with serve(tmp_path):
        assert (tmp_path / "debate.db").stat().st_mode & 0o777 == 0o600
        both = nursery.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment(tmp_path),
            text=True,
            timeout=PATIENCE,
        )
    assert both.returncode == 2
    assert LINK.fullmatch(both.stdout.strip()), "the bot's own account gets one, the other none"
    assert "debate.db belongs to another account" in both.stderr
