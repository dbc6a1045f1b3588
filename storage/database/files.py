"""The file of a SQLite database: its usual place, and the check that it is this account's own.

The working folder may be anyone's repository. So the usual place is the user's data folder, no link
is followed, and a file that another account owns or may change is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from core.debate.errors import BadInput

_BESIDE = ("-wal", "-shm", "-journal", ".lock")
"""The suffixes of the files that SQLite and the bot open next to the database."""
_OWN_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def data_folder() -> Path:
    """Returns the folder that holds this account's debates. A relative ``XDG_DATA_HOME`` does not
    count: it would be a folder of the repository in which the person works.
    """
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        base = Path(os.environ.get(name, ""))
        if base.is_absolute():
            return base / "debatebot"
    return Path.home() / ".local" / "share" / "debatebot"


def default_file() -> Path:
    """Returns the database that is used unless ``DEBATE_DATABASE_URL`` names one."""
    return data_folder() / "debate.db"


def make_folder(file: Path) -> None:
    """Creates the data folder, for this account only, if ``file`` is the usual database."""
    if file == default_file():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def open_private(file: Path) -> int:
    """Opens a file for reading and writing, created for this account only if it is not there, and
    returns its descriptor. Raises ``OSError``, and ``BadInput`` if it is a link, no regular file,
    or may be read or changed by another account.
    """
    try:
        opened = os.open(file, _OWN_FILE, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _no_link(file) from error
        raise
    try:
        _require_private(file, os.fstat(opened))
    except BaseException:
        os.close(opened)
        raise
    return opened


def create_private(file: Path) -> None:
    """Creates the file of a database, readable by this account only from its first byte on, because
    debates quote private code; checks it if it is there. Raises as ``open_private`` does.

    A file that is there is not opened: to close it would drop the locks of this process's SQLite
    connections, and the next process to close the database would delete their write-ahead log.
    """
    try:
        os.close(os.open(file, _OWN_FILE | os.O_EXCL, 0o600))
    except FileExistsError:
        if file.is_symlink():
            raise _no_link(file) from None
        _require_private(file, file.stat())
        if not os.access(file, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file)) from None
    for suffix in _BESIDE:
        beside = file.with_name(f"{file.name}{suffix}")
        if beside.is_symlink():
            raise BadInput(f"{beside} is a link, which debatebot never makes: remove it.")


def require_private(file: Path) -> None:
    """Raises ``BadInput`` if another account owns the file, or may read or change it."""
    try:
        _require_private(file, file.stat(follow_symlinks=False))
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from error


def _no_link(file: Path) -> BadInput:
    return BadInput(f"{file} is a link: name the file that it leads to.")


def _require_private(file: Path, status: os.stat_result) -> None:
    elsewhere = "else name another place: DEBATE_DATABASE_URL=FILE"
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{file} is no regular file. Name another place: DEBATE_DATABASE_URL=FILE.")
    if os.geteuid() not in (status.st_uid, 0):
        raise BadInput(
            f"{file} belongs to another account (number {status.st_uid}). If it is yours: "
            f"chown {os.geteuid()} {file}; {elsewhere}."
        )
    if status.st_mode & 0o077:
        raise BadInput(
            f"Other accounts of this machine may read or write to {file}, as no file of "
            f"debatebot's making. If it is yours: chmod 600 {file}; {elsewhere}."
        )
