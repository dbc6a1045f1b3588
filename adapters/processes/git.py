"""Runs git, which is the same for every user and in every folder, and runs no program that the
configuration of a repository names (diff and text conversion programs, filters, hooks, monitors,
signature checks, fetches), and reads nothing outside it: the repository may be anyone's. Nothing
else in the project starts git.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from adapters.network.programs import PinnedRoute
from adapters.processes.environment import child_environment
from adapters.processes.git_places import find_repository
from adapters.processes.starting import PIPE, read_upto, send, start
from core.debate.errors import BadInput
from core.debate.material.escaping import show_path

LARGEST = 20_000_000  # bytes
LONGEST = 120.0
"""Seconds after which git is ended: a file of the folder may be a pipe that nobody writes to."""
_FIXED = {
    "color.ui": "never",
    "core.attributesFile": os.devnull,
    "core.quotePath": "true",
    "diff.algorithm": "default",
    "diff.colorMoved": "no",
    "diff.context": "3",
    "diff.ignoreSubmodules": "dirty",  # else git runs inside each, by its own settings
    "diff.indentHeuristic": "true",
    "diff.interHunkContext": "0",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "diff.orderFile": os.devnull,
    "diff.relative": "false",
    "diff.renameLimit": "1000",
    "diff.submodule": "short",
    "diff.suppressBlankEmpty": "false",
    "diff.wsErrorHighlight": "none",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
}
"""Settings that do not depend on the user's or the repository's configuration, for every call."""
_GIT = ("git", *(part for name, text in _FIXED.items() for part in ("-c", f"{name}={text}")))
DIFF = (
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--word-diff=none",
    "--unified=3",
    "--find-renames",
    "--full-index",
)
"""The command that makes a diff, as ``adapters.diffs`` reads it best."""
_GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "",  # nothing is fetched, so no remote names a program to fetch with
    "GIT_NO_LAZY_FETCH": "1",
}
_RUNS = re.compile(r"filter\..*\.(?:clean|smudge|process)")  # names of settings that name programs


class GitFailed(Exception):
    """The error of a git command that failed; the text is git's own."""


class GitTooLarge(GitFailed):
    """The error for output beyond the limit."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on this machine, with the settings that keep git harmless in it. Every method
    raises as ``git`` does.
    """

    folder: Path
    settings: Mapping[str, str]

    @classmethod
    async def of(cls, folder: Path) -> Self:
        """Returns the repository of a folder. Raises as ``harmless``."""
        return cls(folder, await harmless(folder))

    async def run(self, *arguments: str, most: int = LARGEST, sent: bytes = b"") -> bytes:
        return await git(self.folder, self.settings, *arguments, most=most, sent=sent)

    async def line(self, *arguments: str) -> str:
        """Returns the output of a command that prints one line."""
        return (await self.run(*arguments)).decode("utf-8", "surrogateescape").strip()

    async def top(self) -> Path:
        """Returns the folder of the work tree."""
        output = await self.run("rev-parse", "--show-toplevel")
        return Path(os.fsdecode(output).rstrip("\n"))

    async def entries(self, commit: str) -> Sequence[tuple[str, str, bytes]]:
        """Returns (mode, name, path) of each entry in the tree of a commit."""
        listed = await self.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit)
        rows = []
        for entry in listed.split(b"\0")[:-1]:
            about, _, path = entry.partition(b"\t")
            mode, _, name = about.decode("ascii").split(" ")
            rows.append((mode, name, path))
        return rows

    async def blobs(self, names: Sequence[str], most: int) -> Iterator[bytes | None]:
        """Returns the contents of the blobs of these names; None for a blob that is not here."""
        sent = "".join(f"{name}\n" for name in names).encode()
        return _contents(await self.run("cat-file", "--batch", most=most, sent=sent))


def _contents(batch: bytes) -> Iterator[bytes | None]:
    """Yields the blobs in the output of ``cat-file --batch``, in the order of the request."""
    at = 0
    while at < len(batch):
        end = batch.find(b"\n", at)
        size = batch[at:end].rpartition(b" ")[2]
        at = end + 1
        if not size.isdigit():
            yield None
            continue
        yield batch[at : at + int(size)]
        at += int(size) + 1


async def harmless(cwd: Path) -> dict[str, str]:
    """Returns settings, as git's environment, that switch off every program of the repository's own
    configuration, and keep git in the repository that is found here. Raises ``BadInput`` if
    anything of it leads elsewhere.
    """
    place = await asyncio.to_thread(find_repository, cwd)
    fixed = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
    where: dict[str, str] = {}
    if place is not None:
        where = {"GIT_CEILING_DIRECTORIES": str(place.folder.parent)}
        if place.bare:
            fixed["core.bare"] = "true"
        else:
            where["GIT_WORK_TREE"] = str(place.folder)
    settings = {**where, **_settings(fixed)}
    there = await git(cwd, settings, "rev-parse", "--absolute-git-dir")
    if place is None or os.fsdecode(there).rstrip("\n") != str(place.git_dir):
        raise GitFailed("not a git repository that can be read")
    if not place.bare:
        await _require_inside(cwd, settings)
    names = (await git(cwd, settings, "config", "--null", "--name-only", "--list")).decode(
        "utf-8", "surrogateescape"
    )
    programs = {name: "" for name in names.split("\0") if _RUNS.fullmatch(name)}
    needed = {f"{name.rpartition('.')[0]}.required": "false" for name in programs}
    return {**where, **_settings({**fixed, **programs, **needed})}


async def _require_inside(cwd: Path, settings: Mapping[str, str]) -> None:
    """Raises ``BadInput`` if the index names a file outside the work tree, which git would read: it
    writes no such index, but reads one.
    """
    listed = await git(cwd, settings, "ls-files", "-z", "--full-name", "--", ":/")
    for name in listed.decode("utf-8", "surrogateescape").split("\0") if listed else ():
        if name.startswith("/") or not {"..", ".", ".git"}.isdisjoint(name.split("/")):
            raise BadInput(
                "The index of this repository names a file outside of it ({file}), so nothing of "
                "it is read.",
                file=show_path(name),
            )


def fetching(route: PinnedRoute) -> dict[str, str]:
    """Returns the environment of a git that may fetch by this way, and by no other: without
    redirects, without passwords, and never waiting for ever.
    """
    values = {
        "core.hooksPath": os.devnull,
        "credential.helper": "",
        "http.followRedirects": "false",
        "http.lowSpeedLimit": "1000",  # bytes a second
        "http.lowSpeedTime": "60",  # seconds
        "http.proxy": route.proxy,
        "gc.auto": "0",
    }
    if route.pinned:
        values["http.curloptResolve"] = route.pinned
    trusted = os.environ.get("SSL_CERT_FILE", "")
    return {
        **_settings(values),
        "GIT_ALLOW_PROTOCOL": route.scheme,
        "GIT_NO_LAZY_FETCH": "0",
        "GIT_ASKPASS": "",
        **({"GIT_SSL_CAINFO": trusted} if trusted else {}),
    }


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    numbered = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, pair in enumerate(values.items())
        for part, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return {"GIT_CONFIG_COUNT": str(len(values)), **numbered}


async def git(
    cwd: Path,
    settings: Mapping[str, str],
    *arguments: str,
    most: int = LARGEST,
    sent: bytes = b"",
    seconds: float | None = LONGEST,
) -> bytes:
    """Return the output of a git command, given ``sent`` on its input.

    Raises ``GitFailed`` with git's own words or after ``seconds`` (None: however long it takes),
    and ``GitTooLarge`` beyond ``most`` bytes.
    """
    try:
        process = await start(
            *_GIT,
            *arguments,
            cwd=cwd,
            env=child_environment({**_GIT_ENVIRONMENT, **settings}),
            stderr=PIPE,
        )
    except OSError as error:
        raise BadInput("git: needs the program git, which was not found.") from error
    try:
        async with asyncio.timeout(seconds):
            out, err, _ = await asyncio.gather(
                _read_within(process.stdout, most),
                read_upto(process.stderr, LARGEST),
                send(process.stdin, sent),
            )
            failed = await process.wait() != 0
    except TimeoutError as error:
        raise GitFailed(f"git gave no answer within {seconds:.0f} seconds") from error
    finally:
        await process.end()
    if failed:
        raise GitFailed(err.decode("utf-8", "replace").removeprefix("fatal: "))
    return out


async def _read_within(stream: asyncio.StreamReader, most: int) -> bytes:
    """Returns the bytes until the end. Raises ``GitTooLarge`` at once beyond ``most``: git waits
    until the rest is read, and its errors end only with it.
    """
    data = await read_upto(stream, most + 1)
    if len(data) > most:
        raise GitTooLarge("it is too large")
    return data
