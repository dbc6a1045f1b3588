"""``debate open``: prints a link that lets one browser into the room of the running bot, once."""

from __future__ import annotations

import asyncio
import html
import os
import sys
import webbrowser
from collections.abc import Sequence

from adapters.processes.files import write_temporary
from adapters.terminal.printing import put, put_line
from bot.debates.owners import abandoned, this_process
from bot.room.invitations import make_link
from bot.settings import Settings
from bot.shell.person import person
from core.application.commands.help import example
from core.debate.errors import BadInput, CouldNotFinish
from core.languages import msgid, say
from storage.database import Database, database_url, sqlite_file
from storage.database.running import RunningBots
from storage.debates import Debates

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
_PAGE = (
    '<!doctype html><meta http-equiv="refresh" content="0;url={link}"><a href="{link}">Continue</a>'
)


def has_screen() -> bool:
    """True if a person is at this terminal, with a screen for a browser."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in _SCREENS)


def open_page(link: str) -> bool:
    """Opens a link; False if there is no browser.

    Every account of a machine sees the arguments of its programs. The link admits anyone who has
    it, so the browser gets a file that only this account can read.
    """
    page = write_temporary(_PAGE.format(link=html.escape(link)), ".html")
    try:
        opened = webbrowser.open(page.as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        page.unlink()
    return opened


ONCE = msgid("It works once, for half an hour; `debate open` prints another one.")
OPENED = msgid("It is open in your browser, which is in now; the link works once.")
_NONE = msgid("No bot runs here. Start one: debate serve")
_WITHOUT = msgid(
    "No bot runs here. Start one: debate serve and then `debate open {id}` in another terminal. "
    "Without one: `debate show {id}`, or as a page: `debate export {id} html`"
)


async def print_link(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``open [ID]``: prints the link to the page of a debate, else to the first page, and
    nothing else on standard output. Raises ``BadInput`` for an unknown debate, ``CouldNotFinish``
    if no bot runs.
    """
    if len(typed) > 1 or any(word.startswith("-") for word in typed):
        raise BadInput(
            say(
                "open takes a debate's id or nothing. Like this: {form}",
                form=example("open", prefix="debate"),
            )
        )
    file = sqlite_file(database_url(settings.database_url))
    if file is not None and not file.exists():
        raise CouldNotFinish(say(_NONE))
    async with settings.opened_database() as database:
        page = ""
        if id := "".join(typed):
            page = (await Debates(database).find(id)).id
        address = await _address(database, settings, page)
        link = await make_link(database, settings, address, person(), page)
    put(link)
    if has_screen() and await asyncio.to_thread(open_page, link):
        put_line(say(OPENED), error=True)
        return 0
    put_line(say(ONCE), error=True)
    return 0


async def _address(database: Database, settings: Settings, page: str) -> str:
    """Returns the address at which a bot on this database answers. Raises ``CouldNotFinish`` with
    ways to read the debate ``page`` without a bot.
    """
    mine = this_process()
    running = await RunningBots(database, mine).load()
    bots = [owner for owner, at in running.items() if at and not abandoned(owner, mine)]
    here = [owner for owner in bots if owner.rpartition(":")[0] == mine.rpartition(":")[0]]
    if here or (bots and settings.public_url):
        return running[(here or bots)[0]]
    if bots:
        raise CouldNotFinish(
            say(
                "The bot runs on another machine, {machine}: type `debate open` there, or set "
                "DEBATE_PUBLIC_URL.",
                machine=bots[0].rpartition(":")[0],
            )
        )
    raise CouldNotFinish(say(_WITHOUT, id=page) if page else say(_NONE))
