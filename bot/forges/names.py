"""The names under which pull requests, repositories and people of forges are stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from adapters.forges.links import ChangeLink, ForgeKind
from adapters.ports.chat import Chat
from bot.debates.origins import Maker, Origin
from core.application.place import platform_of
from core.application.presence import DeliveryError, Directory
from core.debate.errors import BadInput
from storage.places import GITHUB

SITES = (GITHUB, "gitlab.com")
"""The public forges, whose repositories people see without their host."""


NamesOf = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]
"""Returns the display names of people, as far as their chats know them."""


def names_in(chats: Mapping[str, Chat]) -> NamesOf:
    async def names_of(people: Sequence[str]) -> Mapping[str, str]:
        names = {}
        for person in people:
            chat: object = chats.get(platform_of(person))
            if isinstance(chat, Directory):
                with suppress(DeliveryError):  # the line is worth more than the name
                    names[person] = await chat.name_of(person)
        return names

    return names_of


def other_repository(repo: str) -> BadInput:
    """Returns the reason, for the log, why a bound repository is not followed under its name."""
    return BadInput(
        "{repo} is another repository than the bound one now. An admin takes the binding back and "
        "binds it anew: setup.",
        repo=repo,
    )


def host_and_repo(key: str, hosts: Mapping[str, ForgeKind]) -> tuple[str, str]:
    """Splits a key into the host and the repository."""
    first, _, rest = key.partition("/")
    if first in hosts and "/" in rest:
        return (first, rest)
    return (GITHUB, key)


def person_on(forge: str, host: str, login: str) -> str:
    """Names a person on a forge as debates do."""
    return f"{forge}:{host}/{login}"


def origin(place: str, link: ChangeLink, head: str, again: str = "") -> Origin:
    """Returns the origin of a run. One head is debated once in one place, regardless of who
    requests it, and once more for each ``again``: a person's request, or the run before.
    """
    key = f"{link.host}/{link.short.lower()}@{head}:{place}"
    if again:
        key = f"{key}:{again}"
    return Origin(Maker.CHANGE, key)
