"""Allows one runner per SQLite file, because two would run the same debates. The operating system
drops the lock when its holder dies, however it dies.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from core.debate.errors import BadInput, StoreAway
from storage.database.files import open_private


class RunnerLock:
    """An exclusive lock on a file next to the database, held while it is open (``with``). Readers
    and senders of commands need none.

    ``allows`` names the runner's own permissions for its debates, so that a shell next to it
    announces these and not its own.
    """

    def __init__(self, database: Path, allows: Iterable[str] = ()) -> None:
        self.path = database.with_name(f"{database.name}.lock")
        self._allows = " ".join(sorted(allows))
        self._fd: int | None = None

    def allowed(self) -> frozenset[str] | None:
        """Returns the permissions of the runner that holds the lock; None if there is none. It asks
        for a shared lock, so that two processes that look do not take each other for a runner.
        """
        try:
            fd = open_private(self.path)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            if _locked(fd, fcntl.LOCK_SH):
                return None
            lines = self.path.read_text("ascii", "replace").split("\n")
            return frozenset("".join(lines[1:2]).split())
        finally:
            os.close(fd)

    def acquire(self) -> None:
        """Takes the lock. Raises ``BadInput``, naming the holder and the file, when another runner
        holds it, ``StoreAway`` if the file cannot be written.
        """
        try:
            self._acquire()
        except OSError as error:
            raise self._unwritable(error) from error

    def _acquire(self) -> None:
        fd = open_private(self.path)
        while not _locked(fd, fcntl.LOCK_EX):
            if not _locked(fd, fcntl.LOCK_SH):  # else others only look, which takes no time
                holder = os.read(fd, 32).decode("ascii", "replace").partition("\n")[0] or "unknown"
                os.close(fd)
                database = self.path.with_suffix("")
                raise BadInput(
                    f"Another debatebot (process {holder}) is running on {database}. "
                    "Stop it first, or use another database; commands and reading work meanwhile. "
                    f"Lock: {self.path}"
                )
            fcntl.flock(fd, fcntl.LOCK_UN)
        os.ftruncate(fd, 0)
        lines = [str(os.getpid())]
        if self._allows:
            lines.append(self._allows)
        os.pwrite(fd, "".join(f"{line}\n" for line in lines).encode(), 0)
        self._fd = fd

    def _unwritable(self, error: OSError) -> StoreAway:
        return StoreAway(
            f"{self.path} cannot be written: {error.strerror}. Make room there, or name "
            "another place: DEBATE_DATABASE_URL=FILE."
        )

    def release(self) -> None:
        """Releases the lock but leaves the file: removing it could let two runners lock two files
        of the same name.
        """
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> RunnerLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _locked(fd: int, kind: int) -> bool:
    """Takes a lock of this kind if no other open file holds one against it."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
