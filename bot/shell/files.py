"""The file of an answer: on a terminal it is written, for a pipe it is printed."""

from __future__ import annotations

import sys
from pathlib import Path

from adapters.processes.files import write_file
from adapters.terminal.printing import put
from core.application.desk import ChatFile
from core.debate.errors import BadInput
from core.languages import say


def hand_over(file: ChatFile, folder: Path) -> str:
    """Returns the path of the written file, "" if it was printed.

    An existing file of the same name is replaced if it is an earlier one of the same debate; any
    other file is kept. Raises ``BadInput``.
    """
    if not sys.stdout.isatty():
        put(file.text)
        return ""
    path = folder / Path(file.name).name
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise BadInput(
                say(
                    "{path} cannot be written, because it is no file: move it away, or pipe the "
                    "output elsewhere.",
                    path=path,
                )
            )
        write_file(path, file.text)
    except OSError as error:
        raise BadInput(
            say(
                "{path} cannot be written ({reason}). Pipe it elsewhere, like: | cat > FILE",
                path=path,
                reason=error.strerror,
            )
        ) from error
    return file.name
