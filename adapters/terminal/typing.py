"""Reads the line that a person types while a debate runs, key by key without stopping the loop, and
shows it in the status.

The terminal is put into a mode without echo and without waiting for Enter, and back again however
the debate ends. Ctrl-C still interrupts.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LONGEST = 4000
"""Characters of one line; more is not taken."""
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")


class Keys:
    """Turns bytes of a keyboard into lines.

    ``text`` is the unfinished line. Arrows and other keys that edit are ignored.
    """

    def __init__(self) -> None:
        self.text = ""
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> list[str]:
        """Returns the lines that are complete now."""
        typed = _SEQUENCE.sub("", self._rest + self._decoder.decode(data))
        complete = typed
        if unfinished := _UNFINISHED.search(typed):
            complete = typed[: unfinished.start()]
        self._rest = typed[len(complete) :]
        done: list[str] = []
        for key in complete:
            if key in "\r\n":
                done.append(self.text.strip())
                self.text = ""
            elif key in "\x7f\b":
                self.text = self.text[:-1]
            elif key == "\x15":  # Ctrl-U
                self.text = ""
            elif key == "\x17":  # Ctrl-W
                self.text = self.text.rstrip().rpartition(" ")[0]
            elif key.isprintable() and len(self.text) < _LONGEST:
                self.text += key
        return [line for line in done if line]


def can_type(fd: int) -> bool:
    """True if a person at ``fd`` types to this process."""
    try:
        return os.isatty(fd) and os.tcgetpgrp(fd) == os.getpgrp()
    except (OSError, AttributeError):  # no terminal after all, or Windows
        return False


@contextmanager
def typing(
    fd: int, on_line: Callable[[str], None], on_change: Callable[[str], None]
) -> Iterator[None]:
    """Calls ``on_line`` with each line and ``on_change`` with the unfinished one, from the running
    event loop.
    """
    import termios
    import tty

    loop, keys = asyncio.get_running_loop(), Keys()

    def read() -> None:
        try:
            data = os.read(fd, 4096)
        except OSError:  # the terminal went away
            data = b""
        if not data:
            loop.remove_reader(fd)
            return
        for line in keys.feed(data):
            on_line(line)
        on_change(keys.text)

    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSADRAIN)
    loop.add_reader(fd, read)
    try:
        yield
    finally:
        loop.remove_reader(fd)
        try:
            termios.tcsetattr(fd, termios.TCSADRAIN, before)
        except termios.error:  # the terminal went away: nothing is left to restore
            on_change("")
