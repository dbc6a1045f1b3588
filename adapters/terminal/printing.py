"""The only way to print without a layout: the text may hold foreign words, and none of their
characters may colour, move, erase or hide anything.
"""

from __future__ import annotations

import json
import re
import select
import shutil
import signal
import sys
import textwrap
from typing import Any, TextIO

from core.debate.material.escaping import show_hidden, spelled

_COMMAND = "  debate "
_COLUMNS = re.compile(r"(?:\s*\S+(?: \S+)* {2,})+|\s*(?:-|->|•) |\s+")
"""Matches the part of a line before its last column."""
_LOOK = 0.2  # seconds


def put(text: str = "", *, error: bool = False) -> None:
    """Prints lines of text, on standard error if ``error`` is set."""
    print(show_hidden(text), file=sys.stderr if error else sys.stdout)


def put_folded(text: str) -> None:
    """Lines of text, folded for a terminal."""
    put(folded(text))


def put_line(text: str, *, error: bool = False) -> None:
    """One line, whatever the text holds."""
    put(one_line(text), error=error)


def put_document(value: Any) -> None:
    """Prints one JSON document, equal to ``value``, in visible characters."""
    put(document(value))


def document(value: Any) -> str:
    """Returns ``value`` as JSON whose unseen characters are JSON's own escapes."""
    return spelled(
        json.dumps(value, ensure_ascii=False, indent=2), lambda one: json.dumps(one)[1:-1]
    )


def one_line(text: str) -> str:
    return " ".join(show_hidden(text).split())


def ask(text: str) -> str | None:
    """Returns the line that a person types after ``text``; None at the end of the input.

    Raises ``KeyboardInterrupt`` at the first Ctrl-C, even if an event loop would wait for the line.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # the question is seen only once Ctrl-C ends it
        question = "\n".join(fold(one_line(text), _width(sys.stderr)))
        print(f"{question} ", end="", file=sys.stderr, flush=True)
        _await_line()
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if not line:
        print(file=sys.stderr)
        return None
    return line.strip()


def _await_line() -> None:
    """Waits until a terminal has a line to read. A Ctrl-C that comes just before a read begins does
    not end it, so no single wait is long.
    """
    while sys.stdin.isatty() and not select.select([sys.stdin], [], [], _LOOK)[0]:
        pass


def ask_hidden(text: str) -> str:
    """Asks for a secret as ``ask`` does; a terminal does not show it."""
    if not sys.stdin.isatty():
        return ask(text) or ""
    from getpass import getpass

    try:
        return getpass(f"{one_line(text)} ").strip()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise
    except EOFError:  # Ctrl-D says no more than Enter
        print(file=sys.stderr)
        return ""


def folded(text: str) -> str:
    """Returns the text for standard output: in lines of the terminal's width if it is a
    terminal.
    """
    width = _width(sys.stdout)
    return "\n".join(part for line in text.splitlines() for part in fold(line, width))


def _width(stream: TextIO) -> int:
    """Returns the columns of the terminal, 0 if the stream is none."""
    if stream.isatty():
        return shutil.get_terminal_size().columns
    return 0


def fold(line: str, width: int) -> list[str]:
    """Returns the line in pieces of at most ``width`` characters (0: any length); a command stays
    whole.
    """
    if not width or len(line) <= width or line.startswith(_COMMAND):
        return [line]
    begins = _COLUMNS.match(line)
    indent = len(begins[0]) if begins and len(begins[0]) <= width // 2 else 2
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
