"""Checks of this machine: Python, the embedded model, the database."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bot.settings import Settings
from bot.settings.choices import ProcessRole, needs_postgres
from core.application.check import PartCheck, broken, care, off, ok
from core.debate.errors import DebateError, StoreAway, brought_by

if TYPE_CHECKING:
    from core.application.webhooks import Hook
    from storage.database import Database


def machine() -> Iterator[PartCheck]:
    yield ok("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield ok("Tab key", 'completes after: eval "$(debate completion bash)"')
    if importlib.util.find_spec("tree_sitter") is None:
        yield off(
            "code around",
            "seats read a change without the functions that it touches",
            brought_by("grammars"),
        )


def embedded(settings: Settings) -> Iterator[PartCheck]:
    from adapters.models import weights

    if importlib.util.find_spec("xllamacpp") is None:
        yield off(
            "embedded model",
            "its runtime is not installed",
            f"{brought_by('embedded')}, or a provider's key, or a local server such as Ollama.",
        )
        return
    if not _has_avx2():
        yield care(
            "embedded model",
            "this processor has no AVX2, which the runtime needs",
            "Use a provider's key or another machine.",
        )
        return
    if given := settings.env.get("DEBATE_EMBEDDED_WEIGHTS"):
        yield ok("embedded model", f"from {given}")
        return
    there = [w.title for w in (weights.LARGE, weights.SMALL) if weights.present(w, settings.env)]
    folder = weights.cache_folder(settings.env)
    if there:
        yield ok("embedded model", f"{', '.join(there)} in {folder}")
    else:
        size = weights.LARGE.size / 1e9
        yield off(
            "embedded model",
            f"its weights are not here; the first use fetches {size:.1f} GB into {folder}",
            "Nothing to do if a provider's key is set: it speaks only without one.",
        )


def _has_avx2() -> bool:
    """True if an x86 Linux machine has the instructions that the embedded runtime needs; on other
    machines the build brings them.
    """
    cpuinfo = Path("/proc/cpuinfo")
    if platform.machine().lower() not in ("x86_64", "amd64") or not cpuinfo.exists():
        return True
    return "avx2" in cpuinfo.read_text(encoding="utf-8", errors="replace").split()


_ELSEWHERE = "Name another place: DEBATE_DATABASE_URL=FILE."


async def database(settings: Settings) -> list[PartCheck]:
    """Checks the database, and names the webhooks that have ended."""
    from storage.database import database_url, sqlite_file
    from storage.database.files import make_folder
    from storage.hooks import Hooks

    try:
        url = database_url(settings.database_url)
        location = url.render_as_string(hide_password=True)
        file = sqlite_file(url)
        if file is not None and not file.exists():
            what = f"SQLite in {file.absolute()}, made on first use"
            make_folder(file)
            if not os.access(file.absolute().parent, os.W_OK):
                where = f"{file.absolute().parent} cannot be written"
                return [broken("database", where, _ELSEWHERE)]
            return [ok("database", what)]
        async with settings.opened_database() as opened:
            await opened.require_writes()
            hooks = await Hooks(opened).load()
            sealed = await _sealed(opened, settings)
    except StoreAway as away:
        step = "Make room on its disk, or check where DEBATE_DATABASE_URL leads."
        return [broken("database", str(away), step)]
    except (DebateError, OSError) as error:
        step = "Set DEBATE_DATABASE_URL to a file or to postgresql+psycopg://USER@HOST/NAME."
        return [broken("database", str(error), step)]
    beside = [*sealed, *(_ended(hook) for hook in hooks if hook.ended)]
    if file is not None:
        location = f"SQLite in {file.absolute()}"
    return [ok("database", location), *beside]


async def _sealed(database: Database, settings: Settings) -> list[PartCheck]:
    """Names the stored secrets that no key opens any more."""
    from storage.places import Installations
    from storage.sealing import Seal

    try:
        seal = Seal(settings.secret_keys, settings.older_secrets)
    except DebateError as error:
        what, _, step = str(error).partition(": ")
        return [broken("stored secrets", what, step[:1].upper() + step[1:])]
    unopened = await Installations(database, seal).find_unopened()
    if not unopened:
        return []
    most = 5
    names = ", ".join(unopened[:most]) + f" and {len(unopened) - most} more" * (
        len(unopened) > most
    )
    again = "install the app there again, or link it again: debate setup github --app"
    if settings.secret_keys:
        what = f"sealed under another key, so no key opens what is kept of {names}"
        step = f"Put that key behind the first in DEBATE_SECRET_KEY, with a comma; else {again}"
    else:
        what = f"sealed, and no key is set to open what is kept of {names}"
        step = f"Set DEBATE_SECRET_KEY to the key that it was sealed with; else {again}"
    return [broken("stored secrets", what, step)]


def _ended(hook: Hook) -> PartCheck:
    what = f"{hook.address} is sent nothing any more: {hook.ended}"
    step = f"When it answers again: debate hooks test {hook.id}"
    return care("webhook", what, step)


def part(settings: Settings) -> Iterator[PartCheck]:
    """Names the part of the bot that runs here, if other processes do the rest."""
    from storage.database import database_url, sqlite_file

    if settings.part is ProcessRole.ALL:
        return
    try:
        shared = sqlite_file(database_url(settings.database_url)) is None
    except DebateError:  # reported next to the database
        return
    if not shared:
        yield broken("part", needs_postgres(settings.part), "Set DEBATE_DATABASE_URL.")
        return
    what = {
        ProcessRole.CHAT: "takes in and posts; a process with DEBATE_PART=worker plays the debates",
        ProcessRole.WORKER: "plays debates; a process with DEBATE_PART=chat takes in and posts",
    }
    yield ok("part", f"{settings.part}: {what[settings.part]}")
