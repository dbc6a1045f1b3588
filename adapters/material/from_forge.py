"""Reads a pull request behind a pasted link: it parses the link, asks the forge, checks access, and
reads.

Until access to a private repository is granted, nothing of it is shown.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from adapters.forges import refusals
from adapters.forges.api import ARCHIVE, ForgeApi, github_headers, gitlab_headers
from adapters.forges.github.reading import GitHub
from adapters.forges.github.replies import named
from adapters.forges.gitlab.reading import GitLab
from adapters.forges.links import ChangeLink, parse_change, parse_repo, title_of
from adapters.forges.port import (
    Earlier,
    ForgeChange,
    ForgeClient,
    ListsFolders,
    PullFilter,
    Reading,
    Remark,
)
from adapters.forges.refusals import RateLimited
from adapters.forges.wire import BodyTooLarge, open_wire
from adapters.material.changes import Collected, fates_between
from adapters.material.settings import LibrarySettings
from adapters.processes.workers import ReaderFailed, TakesTooMuch, Work
from adapters.repository.decision_records import number_of
from adapters.repository.project_rules import ROOT_FILES, is_read_of_base
from adapters.repository.tree import rule_files
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.ledger import Demand, Fate
from core.debate.material import Material, MaterialKind
from core.debate.material.since import Since
from core.debate.stored import stored

_NEWER_RECORDS = 10
"""The most decision records that are read of the base although the change's branch lacks them."""
_NOT_AROUND = stored("The code around the change could not be read: {why}")
_NO_GUIDELINES = stored("The repository's guidelines could not be read: {why}")
_HEADED = re.compile(
    rb"^(?:--- a/|\+\+\+ b/|rename (?:from|to) |diff --git a/.+? b/)(.+?)\t?$", re.MULTILINE
)


async def collect(
    target: str,
    settings: LibrarySettings,
    place: str,
    since: Since | None,
    *,
    around: bool,
) -> Collected:
    """Returns the change behind a link, as ``place`` may see it; ``around`` with its repository.

    Raises ``BadInput`` and ``CouldNotFinish`` with a line for people.
    """
    async with _change_behind(target, settings, place) as (client, change):
        reading = await client.read(change, settings.work)
        collected = await _with_context(client, Collected(reading))
        if since is not None:
            earlier = await _earlier(client, reading.change, since)
            collected = replace(collected, earlier=earlier)
            if earlier.reading is None:
                again = stored(
                    "{head} is not to be had any more, so all is read again.", head=since.head[:7]
                )
                collected = _noted(collected, again)
        if around:
            collected = await _with_archive(client, collected, settings.work)
        return collected


@asynccontextmanager
async def _change_behind(
    target: str, settings: LibrarySettings, place: str
) -> AsyncIterator[tuple[ForgeClient, ForgeChange]]:
    """Returns a forge's client and the change behind a link as it is now, if ``place`` may see
    it.
    """
    link = parse_change(target, settings.kinds)
    async with _client_for(link.host, settings, link.repo, place) as client:
        change = await client.change(link)
        if change.private:
            await _admit(client, link, settings, place, change.repo_id)
        yield client, change


async def with_repository(collected: Collected, settings: LibrarySettings, place: str) -> Collected:
    """Returns a change that was read without its repository with it, if ``place`` may still see it.
    Raises ``BadInput``.
    """
    link = collected.reading.change.link
    try:
        async with _change_behind(link.url, settings, place) as (client, _):
            return await _with_archive(client, collected, settings.work)
    except CouldNotFinish as error:
        return _noted(collected, stored(_NOT_AROUND, why=error))


async def _with_archive(client: ForgeClient, collected: Collected, work: Work) -> Collected:
    """Adds the archive of the repository, and the rules and records below its root; a debate works
    without them.
    """
    try:
        archive = await client.archive(collected.reading.change)
    except CouldNotFinish as error:
        return _noted(collected, stored(_NOT_AROUND, why=error))
    if archive is None:
        most = ARCHIVE.max_bytes // 1_000_000
        return _noted(
            collected,
            stored(
                "The repository is not to be had, or larger than {most} MB: seats read only the "
                "diff.",
                most=most,
            ),
        )
    collected = replace(collected, archive=archive)
    try:
        guidelines = await _all_guidelines(client, collected, archive, work)
    except CouldNotFinish as error:
        return _noted(collected, stored(_NO_GUIDELINES, why=error))
    return replace(collected, guidelines=guidelines)


def _noted(collected: Collected, note: str) -> Collected:
    reading = collected.reading
    return replace(collected, reading=replace(reading, notes=(*reading.notes, note)))


async def fates_of(
    target: str, settings: LibrarySettings, place: str, since: Since
) -> Sequence[Demand]:
    """Returns the demands of earlier reviews with what became of their lines since, as the change
    is now. Raises as ``collect`` does.
    """
    async with _change_behind(target, settings, place) as (client, change):
        if change.head == since.head:
            return [replace(one, fate=Fate.SAME) for one in since.demands]
        reading = await client.read(change, settings.work)
        earlier = await _earlier(client, reading.change, since)
    return await settings.work(fates_between, reading, earlier)


async def change_of(material: Material, settings: LibrarySettings, place: str) -> ForgeChange:
    """Returns a pull request as it is now, with the commit from which its branch began as its base,
    if ``place`` may see it. Raises ``BadInput`` and ``CouldNotFinish``.
    """
    async with _change_behind(material.source, settings, place) as (client, change):
        if isinstance(client, GitHub):  # which names the newest commit of the base branch
            debated = replace(change, head=material.revision)
            return replace(change, base=await client.merge_base(debated))
        return change


async def archive_of(
    material: Material, settings: LibrarySettings, place: str, commit: str = ""
) -> bytes:
    """Returns the repository of a pull request at the commit that was read, or another one, as
    ``place`` may see it.

    Raises ``BadInput`` and ``CouldNotFinish``.
    """
    async with _change_behind(material.source, settings, place) as (client, change):
        archive = await client.archive(replace(change, head=commit or material.revision))
    if archive is None:
        raise CouldNotFinish("the repository is not to be had, or too large.")
    return archive


async def _earlier(client: ForgeClient, change: ForgeChange, since: Since) -> Earlier:
    return Earlier(since, *(await client.reading_at(change, since) or ()))


async def scans_of(material: Material, settings: LibrarySettings) -> tuple[bytes, ...]:
    """Returns the results of GitHub's code scanning on a pull request, as SARIF files, for a person
    at the shell with their own token.
    """
    facts = material.facts
    if facts.get("forge") != "github":
        raise BadInput(
            "--evidence github is for pull requests on GitHub. Otherwise give a SARIF file."
        )
    async with _client_for(facts["host"], settings, facts["repo"], "") as client:
        if not isinstance(client, GitHub):
            raise BadInput("{host} is not read as GitHub here.", host=facts["host"])
        try:
            return await client.scans(facts["repo"], int(facts["number"]))
        except RateLimited:
            raise
        except BodyTooLarge as error:
            raise BadInput(
                "Code scanning's results of {repo} are too large.", repo=facts["repo"]
            ) from error
        except CouldNotFinish as error:
            raise CouldNotFinish(
                "Code scanning of {repo} could not be read: {error} A token needs the right to "
                "read code scanning alerts (security_events).",
                repo=facts["repo"],
                error=error,
            ) from error


async def remarks_of(material: Material, settings: LibrarySettings, place: str) -> Sequence[Remark]:
    """Returns other reviewers' remarks on a pull request, as ``place`` may see it.

    Raises ``BadInput`` and ``CouldNotFinish``.
    """
    if material.kind is not MaterialKind.PULL_REQUEST:
        raise BadInput("--with-remarks is for pull requests: nothing else has remarks.")
    link = parse_change(material.source, settings.kinds)
    async with _client_for(link.host, settings, link.repo, place) as client:
        if not isinstance(client, GitHub | GitLab):
            raise BadInput("Remarks on {host} are not read here.", host=link.host)
        if material.private:
            await _admit(client, link, settings, place)
        return await client.remarks(link)


async def open_pull_requests(
    repo: str, wanted: PullFilter, settings: LibrarySettings, *, place: str, host: str
) -> Mapping[str, str]:
    """Returns the heads of the open pull requests of ``owner/name`` that ``place`` may see, by
    their links, last updated first.
    """
    name = parse_repo(repo)
    async with _client_for(host, settings, name, place) as client:
        if not isinstance(client, GitHub):
            raise BadInput("Only repositories on GitHub can be watched.")
        repository = await client.repository(name)
        id = named(repository)[1]
        if repository.closed and not await _is_bound(host, name, settings, place, id):
            raise refusals.cannot_see(name, "github", linked=client.linked)
        return await client.open_pulls(host, name, wanted)


@asynccontextmanager
async def _client_for(
    host: str, settings: LibrarySettings, repo: str, place: str
) -> AsyncIterator[ForgeClient]:
    """Returns a client with the asker's credential."""
    known = settings.hosts.get(host)
    if known is None:
        raise BadInput("{name} is not a host that I read.", name=refusals.quote(host, 80))
    if host in settings.forges:
        bound = await _is_bound(host, repo, settings, place)
        async with settings.forges[host].read(bound) as client:
            yield client
        return
    async with open_wire(
        settings.resolver, known.api, title_of(known.forge), settings.limits, settings.now()
    ) as wire:
        token = known.token
        if settings.token is not None:
            token = await settings.token(host, repo, place)
        if known.forge == "github":
            yield GitHub(ForgeApi(wire, github_headers(token), linked=bool(token)))
            return
        # GitLab lets everybody read enough; what our own account may read is for who is let
        bound = await _is_bound(host, repo, settings, place)
        sent = ""
        if bound:
            sent = token
        yield GitLab(ForgeApi(wire, gitlab_headers(sent), linked=bool(token)), anonymous=not sent)


async def _admit(
    client: ForgeClient, link: ChangeLink, settings: LibrarySettings, place: str, id: str = ""
) -> None:
    """Lets the shell and bound places pass; to all others a private repository looks as if it were
    not there.
    """
    if not await _is_bound(link.host, link.repo, settings, place, id):
        raise refusals.cannot_see(link.short, link.forge, linked=client.linked)


async def _is_bound(
    host: str, repo: str, settings: LibrarySettings, place: str, id: str = ""
) -> bool:
    """True if a place may see a private repository. Bindings name it with its host, because one of
    the same name on another host is another one.
    """
    if not place:
        return True
    if settings.bound is None:
        return False
    if host == "github.com":
        return await settings.bound(place, repo, id)
    return await settings.bound(place, f"{host}/{repo}", id)


async def _with_context(client: ForgeClient, collected: Collected) -> Collected:
    """Adds the rule files of the root and the linked issues.

    A debate works without them: if they can't be read, it continues with a note about that.
    """
    change = collected.reading.change
    try:
        collected = replace(collected, guidelines=await client.guidelines(change))
    except CouldNotFinish as error:
        collected = _noted(collected, stored(_NO_GUIDELINES, why=error))
    try:
        return replace(collected, issues=await client.linked_issues(change))
    except CouldNotFinish as error:
        return _noted(collected, stored("The linked issues could not be read: {why}", why=error))


async def _all_guidelines(
    client: ForgeClient, collected: Collected, archive: bytes, work: Work
) -> Sequence[tuple[str, str]]:
    """Returns (path, text) of the project's rule files on the base commit: besides those of the
    root, from the forge those that the change touches, the others from the archive of the head.
    Decision records are read in the same way.
    """
    rules, reading = dict(collected.guidelines), collected.reading
    try:
        files = await work(rule_files, archive)
    except (BadInput, TakesTooMuch, ReaderFailed):  # the code around the change says why
        return collected.guidelines
    touched = _touched(reading)
    nested = [(path, text) for path, text in files if path not in ROOT_FILES]
    rules |= {path: text for path, text in nested if path not in touched}
    newer = await _newer_records(client, reading.change, [path for path, _ in files])
    for path in sorted(touched.difference(ROOT_FILES).union(newer)):
        if text := await client.base_text(reading.change, path):
            rules[path] = text
    return [*rules.items()]


async def _newer_records(
    client: ForgeClient, change: ForgeChange, known: Sequence[str]
) -> Sequence[str]:
    """Returns the paths of decision records that the base branch got after the change's branch
    began, the newest first.
    """
    if not isinstance(client, ListsFolders):
        return ()
    folders = dict.fromkeys(path.rpartition("/")[0] for path in known if number_of(path))
    paths = [
        f"{folder}/{name}"
        for folder in folders
        for name in await client.names_in(change.link.repo, change.base, folder)
    ]
    newer = [path for path in paths if number_of(path) and path not in known]
    return sorted(newer, key=lambda path: -int(number_of(path)))[:_NEWER_RECORDS]


def _touched(reading: Reading) -> set[str]:
    """Returns the paths of rule files and records that the change adds, edits, moves or deletes."""
    if reading.diff is None:
        paths = [path for file, _ in reading.patches for path in (file.path, file.old_path)]
    else:
        paths = [name.decode("utf-8", "replace") for name in _HEADED.findall(reading.diff)]
    return {path for path in paths if path and is_read_of_base(path)}
