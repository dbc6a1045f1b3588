"""Starts the command ``debate``; asking for help imports nothing but the help's own texts."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence

from adapters.processes.environment import search_path
from bot.shell.piped import is_piped

HELP = ("help", "-h", "--help")
GARBAGE_AFTER = 50_000
"""Allocations between two runs of the garbage collector. Modules stay loaded for good, and Python's
usual 700 would spend an eighth of a command's start on looking through them.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command in the language of the machine's locale and returns its exit code. A request
    for help imports only the help's texts.
    """
    gc.set_threshold(GARBAGE_AFTER)
    os.environ["PATH"] = search_path()
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # a character that the terminal lacks is spelled out, never an error
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:  # while modules were still loaded: nothing had begun
        from core.languages import language_of, say, speaking

        with speaking(language_of(os.environ)):
            print(f"debate: {say('Interrupted, and nothing was started.')}", file=sys.stderr)
        return 3
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        from core.languages import language_of, say, speaking

        with speaking(language_of(os.environ)):
            full = say(
                "The disk is full, so the output was not written. Write it somewhere else; a "
                "debate that had begun is stored: `debate list` shows it."
            )
        print(f"debate: {full}", file=sys.stderr)
        return 3
    return code


def _run(typed: list[str]) -> int:
    if not typed and is_piped():
        typed = ["-"]
    if typed and typed[0] in ("--version", "version"):
        from importlib.metadata import version

        print(f"debatebot {version('debatebot')}")
        return 0
    from core.languages import language_of, speaking

    with speaking(language_of(os.environ)):
        return _answer(typed)


def _answer(typed: list[str]) -> int:
    if not typed or typed[0] in HELP or (len(typed) == 2 and typed[1] in HELP[1:]):
        from adapters.terminal.printing import folded
        from core.application.commands.help import TOPICS, usage

        topic = " ".join(typed[1:])
        if len(typed) == 2 and typed[1] in HELP[1:]:
            topic = typed[0]
        if not topic or topic in TOPICS:  # a template's help reads the template
            print(folded(usage(topic, prefix="debate")))
            return 0
        typed = ["help", topic]
    from bot.shell.cli import run

    return run(typed)


if __name__ == "__main__":
    sys.exit(main())
