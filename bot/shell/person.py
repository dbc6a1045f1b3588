"""The name of the person at this shell."""

from __future__ import annotations

import getpass

from core.application.place import SHELL, Person


def person() -> str:
    """Returns the name of the person at this shell, as debates write it."""
    try:
        return str(Person(SHELL, "", getpass.getuser()))
    except (KeyError, OSError):  # a container's user without a name
        return str(Person(SHELL, "", "somebody"))
