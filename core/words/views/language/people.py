"""Names people."""

from __future__ import annotations

from core.languages import say


def person_name(person: str) -> str:
    """Returns the platform's own id of a person, without platform and workspace."""
    _, colon, rest = person.partition(":")
    name = rest.rpartition("/")[2] if colon else person
    return name or say("somebody")
