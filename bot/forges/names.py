"""Names under which pull requests, repositories and people of forges are kept."""

from __future__ import annotations

from adapters.forges.links import ChangeLink, ForgeKind
from bot.debates.origins import Maker, Origin

GITHUB = "github.com"
SITES = (GITHUB, "gitlab.com")
"""Whose repositories are named without their host."""


def repository_key(host: str, repo: str) -> str:
    """A repository as bindings name it: ``owner/name`` on github.com, else with its host before.

    A repository of the same name elsewhere is another one.
    """
    return (repo if host == GITHUB else f"{host}/{repo}").lower()


def host_and_repo(key: str, hosts: dict[str, ForgeKind]) -> tuple[str, str]:
    """(host, repository) of a key."""
    first, _, rest = key.partition("/")
    if first in hosts and "/" in rest:
        return (first, rest)
    return (GITHUB, key)


def person_on(forge: str, host: str, login: str) -> str:
    """Somebody on a forge, as debates name people."""
    return f"{forge}:{host}/{login}"


def link_of(forge: ForgeKind, host: str, repo: str, number: int) -> ChangeLink:
    return ChangeLink(forge, host, repo, number)


def origin(place: str, link: ChangeLink, head: str, again: str = "") -> Origin:
    """The origin of a run: one head is debated once in one place, whoever asks for it, and once
    more for each ``again``.
    """
    key = f"{link.host}/{link.short.lower()}@{head}:{place}"
    return Origin(Maker.CHANGE, f"{key}:{again}" if again else key)
