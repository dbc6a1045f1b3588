"""The library's settings: what it may reach, and how much; nothing here reads the environment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from adapters.forges.links import ForgeKind
from adapters.forges.plugged import Forge
from adapters.forges.port import Host
from adapters.forges.wire import WireLimits
from adapters.material.scanners import Scan
from adapters.material.web import WebRules
from adapters.processes.memory import ByteBudget
from adapters.processes.workers import Work, in_thread

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

_GITHUB_API = "https://api.github.com"
_GITLAB_API = "https://gitlab.com/api/v4"

Bound = Callable[[str, str, str], Awaitable[bool]]
"""(place, repository, its id or "") -> whether an admin lets this place see it if it is private."""


TokenOf = Callable[[str, str, str], Awaitable[str]]
"""(host, repository, place) -> the credential with which that place reads it."""


def standard_hosts(
    *,
    github_token: str = "",
    github_api: str = "",
    gitlab_token: str = "",
    gitlab_api: str = "",
    more: Mapping[str, Host] | None = None,
) -> dict[str, Host]:
    """Returns the hosts whose links are read: github.com, gitlab.com and those that an admin adds
    (GitHub Enterprise, own GitLab).
    """
    return {
        **(more or {}),
        "github.com": Host("github", github_api or _GITHUB_API, github_token),
        "gitlab.com": Host("gitlab", gitlab_api or _GITLAB_API, gitlab_token),
    }


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """``allow_files`` is True only in the shell's process, and even there a file, standard input or
    a repository of this machine is read only for requests of the shell.

    ``bound`` decides about private repositories for a place; without it no place but the shell
    (``place=""``) sees them. ``token`` gives the credential for a repository and a place; by
    default it is the host's. ``work`` reads foreign text, ``memory`` is the limit of all archives
    together. ``resolver`` replaces the system's name resolution, for forges and for free links.
    ``scanners`` are plugins', by name, and so are ``forges``, by their host. ``not_reviewed`` are
    the operator's patterns of files to leave out.
    """

    hosts: Mapping[str, Host] = field(default_factory=standard_hosts)
    allow_files: bool = False
    stdin: BinaryIO | None = None
    cwd: Path = field(default_factory=Path)
    bound: Bound | None = None
    token: TokenOf | None = None
    limits: WireLimits = field(default_factory=WireLimits)
    work: Work = in_thread
    memory: ByteBudget = field(default_factory=ByteBudget)
    web: WebRules = field(default_factory=WebRules)
    resolver: AbstractResolver | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    scanners: Mapping[str, Scan] = field(default_factory=dict)
    forges: Mapping[str, Forge] = field(default_factory=dict)
    not_reviewed: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, ForgeKind]:
        """The kind of forge behind each host, as links are read by."""
        return {name: host.forge for name, host in self.hosts.items()}
