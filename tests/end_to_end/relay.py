"""Has a nursery run a Python program with this process's folder, environment and standard streams,
for scripts that start one: ``python -IS relay.py ADDRESS -m bot …``. Signals are not passed on.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Mapping, Sequence

NUMBER = struct.Struct("!i")


def ask(
    address: str, typed: Sequence[str], folder: str, env: Mapping[str, str], streams: Sequence[int]
) -> tuple[int, socket.socket]:
    """Returns the process that runs what is ``typed`` behind ``python``, and where its end is told;
    ``streams`` are the files of its input, its output and its errors.
    """
    text = json.dumps({"typed": list(typed), "folder": folder, "env": dict(env)}).encode()
    news = socket.socket(socket.AF_UNIX)
    try:
        news.connect(address)
        socket.send_fds(news, [NUMBER.pack(len(text))], streams)
        news.sendall(text)
        return number_from(news), news
    except BaseException:
        news.close()
        raise


def number_from(news: socket.socket) -> int:
    """Reads a process's id, then how it ended. Raises ``BlockingIOError`` where it has not."""
    (number,) = NUMBER.unpack(news.recv(NUMBER.size, socket.MSG_WAITALL))
    return int(number)


if __name__ == "__main__":
    _, program = ask(sys.argv[1], sys.argv[2:], os.getcwd(), os.environ, (0, 1, 2))  # noqa: PTH109  few imports
    sys.exit(os.waitstatus_to_exitcode(number_from(program)) % 256)
