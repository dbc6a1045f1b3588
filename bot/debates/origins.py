"""What led to a debate, as the key under which it is started once: whoever makes it stands before
it, so that nothing that a person says can be what a forge, a schedule or this program makes.

Only the functions that know who speaks make one; a text that came from outside is always behind
its maker.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Maker(StrEnum):
    """Who makes an origin. The words are stored."""

    PERSON = "asked"  # somebody pressed, typed or sent a form
    CHANGE = "change"  # a pull request that a place follows has moved
    SCHEDULE = "schedule"
    SHELL = "shell"
    EVALUATION = "eval"
    REFUSED = "refused"  # what was paid for before a debate could not be opened


@dataclass(frozen=True, slots=True)
class Origin:
    maker: Maker
    key: str

    def __str__(self) -> str:
        return f"{self.maker}:{self.key}"


def asked_by(person: str, source: str) -> Origin:
    """Somebody asked; ``source`` is the surface's own id of that event. The same source of somebody
    else is another origin.
    """
    return Origin(Maker.PERSON, f"{person} {source}")


def opened_here(id: str) -> Origin:
    """A debate that is opened where it was asked for, at a shell; ``id`` is its own, or the key
    under which a program there asked.
    """
    return Origin(Maker.SHELL, id)
