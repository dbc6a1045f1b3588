"""The origin of a debate: the key under which it is started only once.

The maker comes first in the key, so that no person's text can equal the origin of a forge, a
schedule or this program. Only the functions that know the maker build one, and a text from outside
always follows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Maker(StrEnum):
    """The maker of an origin. The values are stored."""

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
    """Returns the origin of a person's request; ``source`` is the surface's own id of that event.
    The same source of another person is another origin.
    """
    return Origin(Maker.PERSON, f"{person} {source}")


def opened_here(id: str) -> Origin:
    """Returns the origin of a debate that a shell opens at once; ``id`` is the debate's own, or the
    key that a program gave.
    """
    return Origin(Maker.SHELL, id)
