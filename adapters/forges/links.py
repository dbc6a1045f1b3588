"""A pasted link is read strictly, before anything is sent: otherwise anyone who can paste could
choose the receiver of our token.

Only ``https``, a host on the allow list, no user part, no port, and a path of exactly one shape are
accepted; everything after it (``/files``, a query, a fragment) is cut off and never used.
Everything sent afterwards is built only from the parsed parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.application.commands.named import change_url
from core.debate.errors import BadInput
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cut

Ours = Literal["github", "gitlab"]
_TITLES: Mapping[Ours, str] = {"github": "GitHub", "gitlab": "GitLab"}

_LONGEST = 500  # characters; no real link to a change is longer
_WRAPPED = re.compile(r"<([^<>|]*)(?:\|[^<>]*)?>")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_PARTS = re.compile(
    r"https://([a-z0-9.-]+(?::\d{1,5})?)(/[^?#]*)?(?:[?#].*)?", re.ASCII | re.DOTALL
)
_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})"
"""With "_" in the names of accounts that a company manages on GitHub."""
_REPO = r"[A-Za-z0-9._-]{1,100}"
_GITHUB = re.compile(
    rf"/({_OWNER})/({_REPO})/pull/([1-9][0-9]{{0,8}})(?:/(?:files|changes|commits|checks)(?:/[A-Za-z0-9./_-]*)?)?/?",
    re.ASCII,
)
_GITHUB_REPO = rf"{_OWNER}/{_REPO}"
_GITLAB_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"
_GITLAB_REPO = rf"(?:{_GITLAB_NAME}/){{1,20}}{_GITLAB_NAME}"
_GITLAB = re.compile(
    rf"/({_GITLAB_REPO})/-/merge_requests/([1-9][0-9]{{0,8}})(?:/(?:diffs|commits|pipelines)(?:/[A-Za-z0-9./_-]*)?)?/?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class ForgeLinks:
    """The name of a plugin's forge, and the form of its change pages: ``page`` is a path with
    ``{repo}`` (``owner/name``) and ``{number}``.
    """

    name: str
    title: str
    page: str = "/{repo}/pulls/{number}"

    def path(self, repo: str, number: int) -> str:
        """Returns the path of a change's page."""
        return self.page.replace("{repo}", repo).replace("{number}", str(number))

    def parse(self, path: str) -> tuple[str, int] | None:
        """Returns (repository, number) of a page's path; None for any other."""
        pattern = re.escape(self.page)
        for part, shape in (("{repo}", rf"({_OWNER}/{_REPO})"), ("{number}", "([1-9][0-9]{0,8})")):
            pattern = pattern.replace(re.escape(part), shape)
        match = re.fullmatch(rf"{pattern}(?:/.*)?", path, re.ASCII)
        if match is None or ".." in path or "." in match.group(1).split("/"):
            return None
        return match.group(1), int(match.group(2))


ForgeKind = Ours | ForgeLinks


def title_of(forge: ForgeKind) -> str:
    """Returns a forge's name for people."""
    return forge.title if isinstance(forge, ForgeLinks) else _TITLES[forge]


def name_of(forge: ForgeKind) -> str:
    """Returns a forge's name for programs."""
    return forge.name if isinstance(forge, ForgeLinks) else forge


@dataclass(frozen=True, slots=True)
class ChangeLink:
    """A pull or merge request, by the parts of its link.

    ``repo`` is ``owner/name`` (GitLab: the whole group path).
    """

    forge: ForgeKind
    host: str
    repo: str
    number: int

    @property
    def short(self) -> str:
        """``owner/name#412``, as people write it."""
        return f"{self.repo}{'!' if self.forge == 'gitlab' else '#'}{self.number}"

    @property
    def url(self) -> str:
        if isinstance(self.forge, ForgeLinks):
            return f"https://{self.host}{self.forge.path(self.repo, self.number)}"
        page = {"github": "pull", "gitlab": "-/merge_requests"}[self.forge]
        return f"https://{self.host}/{self.repo}/{page}/{self.number}"


def unwrapped(text: str) -> str:
    """Returns the bare link inside a chat's ``<url>`` or ``<url|label>``, whose label is never
    used, and the full link for ``owner/name#7``.
    """
    stripped = text.strip(" \t\r\n")
    wrapped = _WRAPPED.fullmatch(stripped)
    if wrapped:
        return wrapped.group(1)
    return change_url(stripped) or stripped


def looks_like_link(text: str) -> bool:
    return bool(_SCHEME.match(unwrapped(text)))


def parse_change(text: str, hosts: Mapping[str, ForgeKind]) -> ChangeLink:
    """Returns the pull request behind a link and asks no host. Raises ``BadInput`` with one clear
    line for every other shape.
    """
    link = unwrapped(text)
    if (
        len(link) > _LONGEST
        or not link.isascii()
        or not link.isprintable()
        or any(char in link for char in " \\%")
    ):
        raise _not_supported(link)
    match = _PARTS.fullmatch(link)
    if not match:
        raise _not_supported(link)
    host, path = match.group(1), match.group(2) or ""
    forge = hosts.get(host)
    if forge is None:
        raise _unknown_host(host, hosts)
    if isinstance(forge, ForgeLinks):
        page = forge.parse(path)
        if page is not None:
            return ChangeLink(forge, host, *page)
    elif forge == "github":
        change = _GITHUB.fullmatch(path)
        if change and not {change.group(1), change.group(2)} & {".", ".."} and ".." not in path:
            return ChangeLink(
                "github", host, f"{change.group(1)}/{change.group(2)}", int(change.group(3))
            )
    elif (change := _GITLAB.fullmatch(path)) and ".." not in path:
        return ChangeLink("gitlab", host, change.group(1), int(change.group(2)))
    raise _not_supported(link)


def is_repo(forge: Ours, name: str) -> bool:
    """True if a repository of the forge can be called ``name``: ``owner/name``, on GitLab the whole
    path.
    """
    shape = {"github": _GITHUB_REPO, "gitlab": _GITLAB_REPO}[forge]
    return bool(re.fullmatch(shape, name, re.ASCII)) and ".." not in name and name[-2:] != "/."


def parse_repo(text: str) -> str:
    """Returns ``owner/name`` of GitHub, checked as strictly as a link. Raises ``BadInput`` for any
    other text.
    """
    name = text.strip()
    if not is_repo("github", name):
        raise BadInput("“{name}” is not a repository. Write it as owner/name.", name=_shown(name))
    return name


def _shown(text: str) -> str:
    return cut(show_hidden(text).replace("\n", "\\n"), 120)


def _not_supported(link: str) -> BadInput:
    return BadInput(
        "“{link}” is not a supported link. I read pull requests "
        "(https://github.com/owner/repo/pull/1) and merge requests "
        "(https://gitlab.com/group/project/-/merge_requests/1); a .diff or .patch file works as "
        "well.",
        link=_shown(link),
    )


def _unknown_host(host: str, hosts: Iterable[str]) -> BadInput:
    known = " and ".join(sorted(hosts))
    return BadInput(
        "I read {known} links (and hosts your admin adds). {host} is not one. You can attach a "
        ".diff or .patch file.",
        known=known,
        host=_shown(host),
    )
