"""``debate db``: brings the database up to date, copies and restores it, and changes its key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from secrets import token_urlsafe

from adapters.processes.unread import no_file
from adapters.terminal.printing import put
from bot.debates.owners import abandoned, this_process
from bot.settings import Settings
from bot.shell.person import person
from core.application.commands.help import example
from core.application.place import SHELL
from core.debate.errors import BadInput
from core.debate.issued import new_secret
from storage.audit import acting
from storage.database import database_url, sqlite_file
from storage.database.running import RunningBots
from storage.database.servers import libpq
from storage.places import Installations
from storage.schema import backup, direct_url, restore, upgrade
from storage.sealing import Seal


def db(typed: Sequence[str], settings: Settings) -> int:
    match list(typed):
        case ["upgrade"]:
            url = database_url(settings.database_url)
            direct = direct_url(url, settings.database_direct_url)
            changed = upgrade(url, direct)
            if sqlite_file(url) is None:
                from bot.serve.runtime.tables import make_queue_tables  # loads the job queue

                changed = make_queue_tables(libpq(direct or url)) or changed
            done = "up to date already"
            if changed:
                done = "brought up to date"
            put(f"{url.render_as_string(hide_password=True)}: {done}")
        case ["backup", to]:
            backup(settings.database_url, Path(to))
            put(f"Copied to {to}.")
        case ["restore", copy] if not Path(copy).is_file():
            raise no_file(Path(copy), "copy")
        case ["restore", copy]:
            kept = restore(settings.database_url, Path(copy))
            put(f"{copy} is the database now." + (f" What it was is {kept}." if kept else ""))
        case ["key"]:
            put(new_secret(token_urlsafe))
        case ["rotate"] | ["rotate", "--yes"]:
            with acting(person(), SHELL, person()):
                count = asyncio.run(_rotate(settings, sure="--yes" in typed))
            put(f"Sealed anew with the first key of DEBATE_SECRET_KEY: {count}.")
            put("The other keys can go once every bot was started with the first.")
        case _:
            how = example("db", prefix="debate")
            raise BadInput(
                f"db can upgrade, backup TO, restore FROM, rotate, or make a key. Like this: {how}"
            )
    return 0


async def _rotate(settings: Settings, *, sure: bool) -> int:
    seal = Seal(settings.secret_keys, settings.older_secrets)
    async with settings.opened_database() as database:
        if settings.secret_keys and not sure:
            await _require_key(RunningBots(database, this_process()), settings.secret_keys[0])
        return await Installations(database, seal).rotate()


async def _require_key(bots: RunningBots, key: str) -> None:
    """Raises ``BadInput`` if a bot is running that could not open secrets sealed with the
    new key.
    """
    mine = this_process()
    without = [owner for owner in await bots.without(key) if not abandoned(owner, mine)]
    if without:
        raise BadInput(
            f"A running bot does not report the first key of DEBATE_SECRET_KEY: "
            f"{', '.join(without)}. It could decrypt nothing that is encrypted with that key. "
            "Restart it with both keys, then run this again; use --yes if it no longer runs."
        )
