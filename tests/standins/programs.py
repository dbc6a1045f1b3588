"""Real programs that tests stand beside: found, or installed from the system's packages where that
is allowed.

``python -m tests.standins.programs`` prints where they are, or why they can't be had and what to
do; then the tests that need them are skipped.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from random import SystemRandom

from tests.patience import PATIENCE
from tests.standins import helm

_DRAW = SystemRandom()  # tests that fix ``secrets`` share ports with none beside them
PACKAGES = {
    "nginx": "nginx-light",
    "caddy": "caddy",
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
}
"""Debian's package of each."""


def find(program: str) -> str:
    """Returns the program's path, empty where there is none; root's own folders are looked into,
    too.
    """
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    return shutil.which(program, path=path) or ""


def install(package: str) -> str:
    """Installs a program and returns "", or the reason for which it can't be installed here. The
    system's own service stays off.
    """
    if shutil.which("apt-get") is None:
        return "this system has no apt-get"
    if os.geteuid() != 0:
        return "only root may install packages"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for words in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
    ):
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            return f"{' '.join(words[:2])} failed: {last[0]}"
    return ""


def free_port() -> int:
    """Returns a port that no connection is given by chance before the program listens there, as
    those above 32767 are.
    """
    while True:
        port = 12_000 + _DRAW.randrange(18_000)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


async def answers(process: asyncio.subprocess.Process, port: int, log: Path) -> None:
    """Waits until the program listens; fails with what it said where it ended."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if process.returncode is not None:
                thread = await asyncio.to_thread(log.read_text, "utf-8", "replace")
                raise AssertionError(thread)
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


def main() -> None:
    if why_not := helm.install():
        print(f"The tests of the chart are SKIPPED, Helm can't be had: {why_not}", file=sys.stderr)
    for program, package in PACKAGES.items():
        why_not = "" if find(program) else install(package)
        if path := find(program):
            print(path)
            continue
        print(
            f"The tests beside {program} are SKIPPED: it is not here, and "
            f"{why_not or 'its package brought none'}. Install it (Debian: apt-get install "
            f"{package}), then: make test",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
