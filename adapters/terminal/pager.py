"""A long text goes through the person's pager; if none can be started it is printed as it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import IO, cast

from rich.pager import Pager

_USUAL = ("less", "more")
_LESS = "FRX"
"""Options for the usual pager, which show colours and end it if all fits on the screen."""
_PLAIN = re.compile(r"\s*[\w./+-]+(?:\s+[\w./+:,=-]+)*\s*")
"""A program with its options, in which a shell would replace nothing."""
_NOT_STARTED = (126, 127)
"""What a shell returns for a program that it may not start or does not find."""


class PersonPager(Pager):
    """The program that ``PAGER`` names, else the usual one."""

    def show(self, content: str) -> None:
        """Shows a text; nobody pages if nobody can press a key."""
        command = os.environ.get("PAGER") or next(filter(shutil.which, _USUAL), "")
        if not (command and sys.stdin.isatty() and _page(command, content)):
            sys.stdout.write(content)


def _page(command: str, content: str) -> bool:
    """True if the pager could be started; returns when the person has left it.

    Plain words, like "less -R", are looked up here: a shell would print an error if there is no
    such program.
    """
    program = command.split(maxsplit=1)[0] if _PLAIN.fullmatch(command) else ""
    if program and shutil.which(program) is None:
        return False
    try:
        pager = subprocess.Popen(  # noqa: S602  the person's own words, like "less -R"
            command,
            shell=True,
            env={"LESS": _LESS, **os.environ},
            stdin=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:  # no shell
        return False
    with suppress(BrokenPipeError, KeyboardInterrupt), cast("IO[str]", pager.stdin) as pipe:
        pipe.write(content)
    while pager.poll() is None:
        with suppress(KeyboardInterrupt):  # the pager's own key, as long as it runs
            pager.wait()
    return pager.returncode not in _NOT_STARTED
