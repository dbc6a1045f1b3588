"""The commands that only the shell has: they run the bot, look after the installation, and check a
receipt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.processes.files import read_regular
from adapters.processes.unread import no_file, unread
from adapters.terminal.printing import put, put_line
from bot.debates.owners import abandoned, this_process
from bot.settings import Settings
from core.application.commands.help import example
from core.application.place import SHELL
from core.debate.errors import BadInput
from core.languages import say
from core.words.receipt.reading import read_receipt

if TYPE_CHECKING:
    from core.words.receipt.signing import ReceiptCheck
    from storage.database.running import RunningBots

_RAW_KEY = 32  # bytes
_LARGEST_RECEIPT = 20_000_000  # bytes


def doctor(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``doctor [--live [--to PERSON]...] [--json]``."""
    from bot.shell.setup.doctor import examine

    return examine(typed, settings)


def verify(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``verify FILE [--key PUBLIC] [--message BODY] [--stored]``: the key is a file or the
    text itself; without it the installation's own key counts.
    """
    from core.words.receipt.signing import ReceiptCheck, public_key
    from core.words.receipt.signing import verify as checks
    from core.words.receipt.verdicts import find_verdict

    stored = "--stored" in typed
    typed = [word for word in typed if word != "--stored"]
    options = dict(zip(typed[1::2], typed[2::2], strict=False))
    if len(typed) != 1 + 2 * len(options) or options.keys() - {"--key", "--message"}:
        raise BadInput(
            say(
                "verify takes one receipt and perhaps --key PUBLIC and --message BODY. Like this: "
                "{form}",
                form=example("verify", prefix="debate"),
            )
        )
    receipt = _json_file(Path(typed[0]), "receipt")
    if "--key" in options:
        key: bytes | str = _key(options["--key"])
    elif settings.signing_key:
        key = public_key(settings.signing_key)
    else:
        raise BadInput(
            say(
                "Whose signature? Give the public key of who issued it: debate verify FILE --key "
                "PUBLIC"
            )
        )
    results = [*checks(receipt, key, now=datetime.now(UTC))]
    if stored:
        results.append(asyncio.run(_check_stored(receipt, settings)))
    genuine = all(one.ok for one in results)
    if "--message" in options and genuine:
        message = _json_file(Path(options["--message"]), "message of a webhook")
        results.append(ReceiptCheck("message", *find_verdict(receipt, message)))
    for one in results:
        mark = say("ok    ") if one.ok else say("FAILED")
        put_line(": ".join(filter(None, (f"{mark}  {one.name}", one.detail))))
    if not genuine:
        put(say("Do not rely on this receipt."))
        return 1
    if not results[-1].ok:
        put(say("The receipt is genuine. Do not rely on this message."))
        return 1
    put(say("The receipt is genuine."))
    return 0


def db(typed: Sequence[str], settings: Settings) -> int:
    from secrets import token_urlsafe

    from core.debate.issued import new_secret
    from storage.database import database_url, sqlite_file
    from storage.database.servers import libpq
    from storage.schema import backup, direct_url, restore, upgrade

    match list(typed):
        case ["upgrade"]:
            url = database_url(settings.database_url)
            direct = direct_url(url, settings.database_direct_url)
            changed = upgrade(url, direct)
            if sqlite_file(url) is None:
                from bot.serve.runtime.tables import make_queue_tables

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
            with _acting():
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
    from bot.wire.base import SystemClock
    from storage.database.running import RunningBots
    from storage.places import Installations
    from storage.schema import open_database
    from storage.sealing import Seal

    seal = Seal(settings.secret_keys, settings.older_secrets)
    database = await open_database(
        settings.database_url,
        SystemClock().now,
        settings.database_direct_url,
        migrates=settings.migrates,
    )
    try:
        if settings.secret_keys and not sure:
            await _require_key(RunningBots(database, this_process()), settings.secret_keys[0])
        return await Installations(database, seal).rotate()
    finally:
        await database.close()


async def _require_key(bots: RunningBots, key: str) -> None:
    """Raises ``BadInput`` if a bot is running that could not open secrets sealed with the
    new key.
    """
    mine = this_process()
    without = [each.owner for each in await bots.without(key) if not abandoned(each.owner, mine)]
    if without:
        raise BadInput(
            f"A bot runs that does not say that it has the first key of DEBATE_SECRET_KEY: "
            f"{', '.join(without)}. It would open nothing of what is sealed with it. Start it "
            "anew with both keys, then type this again; --yes if it is there no more."
        )


async def _check_stored(receipt: Mapping[str, Any], settings: Settings) -> ReceiptCheck:
    """True if the events in the database lead to the hash in the receipt, also where their texts
    were deleted since.
    """
    from bot.wire.base import SystemClock
    from core.words.receipt.canonical import chained
    from core.words.receipt.signing import ReceiptCheck
    from storage.debates import Debates
    from storage.schema import open_database

    mechanism = (receipt.get("attestation") or {}).get("mechanism") or {}
    name, count = "stored events", mechanism.get("events")
    if not isinstance(count, int) or not mechanism.get("chain_head"):
        return ReceiptCheck(name, False, "the receipt names none")
    database = await open_database(
        settings.database_url,
        SystemClock().now,
        settings.database_direct_url,
        migrates=settings.migrates,
    )
    try:
        hashes = await Debates(database).load_hashes(str(receipt.get("receipt_id")), count)
    finally:
        await database.close()
    if not hashes:
        return ReceiptCheck(name, False, "this database does not hold the debate")
    heads = {n: link["entry_hash"] for n, link in enumerate(chained(hashes), 1)}
    named = {count: mechanism["chain_head"]}
    named |= {one["events"]: one["chain_head"] for one in mechanism.get("verdicts", ())}
    same = all(heads.get(n) == chain_head for n, chain_head in named.items())
    return ReceiptCheck(name, same, f"{len(hashes)} of {count}" if same else "they were changed")


def forget(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``forget ID|PERSON [--copies] [--yes]``: a person is written as ``slack:T1/U1``."""
    words = [word for word in typed if word not in ("--yes", "--copies")]
    if len(words) != 1 or words[0].startswith("-"):
        raise BadInput(
            say(
                "forget takes a debate's id or a person, and perhaps --copies and --yes. Like "
                "this: {form}",
                form=example("forget", prefix="debate"),
            )
        )
    from bot.shell.forget import forget as delete

    with _acting():
        return asyncio.run(
            delete(words[0], settings, sure="--yes" in typed, copies="--copies" in typed)
        )


def _acting() -> AbstractContextManager[None]:
    """Records every change inside the block as the act of the person at this shell."""
    from bot.shell.person import person
    from storage.audit import acting

    return acting(person(), SHELL, person())


def audit(typed: Sequence[str], settings: Settings) -> int:
    from bot.shell.audit import audit as show

    return asyncio.run(show(typed, settings))


def serve(typed: Sequence[str], settings: Settings) -> int:
    _only(typed, (), "serve")
    from bot.shell.serve import serve as run_bot

    return asyncio.run(run_bot(settings))


def enter(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``open [ID]``: it opens the page of a debate, else the first page."""
    if len(typed) > 1 or any(word.startswith("-") for word in typed):
        raise BadInput(
            say(
                "open takes a debate's id or nothing. Like this: {form}",
                form=example("open", prefix="debate"),
            )
        )
    from bot.shell.links import print_link
    from bot.shell.person import person
    from bot.wire.base import SystemClock

    return asyncio.run(print_link(settings, SystemClock(), person(), "".join(typed)))


def tokens(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``tokens add NAME [--scopes …] [--purse USD] [--days N] [--in WORKSPACE] | list |
    remove``.
    """
    from bot.shell.person import person
    from bot.shell.tokens import tokens as change
    from bot.wire.base import SystemClock

    return asyncio.run(change(typed, settings, SystemClock(), person()))


def mcp(typed: Sequence[str], settings: Settings) -> int:
    """Serves the tools for a coding assistant on standard input and output."""
    from bot.shell.mcp import mcp as serve_tools

    _only(typed, (), "mcp")
    return asyncio.run(serve_tools(settings))


def evaluate(typed: Sequence[str], settings: Settings) -> int:
    from bot.shell.evaluate import evaluate as measure

    return measure(typed, settings)


def calibrate(typed: Sequence[str], settings: Settings) -> int:
    from bot.shell.evaluate.calibrate import calibrate as try_thresholds

    _only(typed, ("--json",), "calibrate")
    return asyncio.run(try_thresholds(settings, json=bool(typed)))


def init(typed: Sequence[str], settings: Settings) -> int:
    from bot.shell.setup.init import init as set_up

    return set_up(typed, settings)


def complete(typed: Sequence[str], settings: Settings) -> int:
    """Prints the script for a shell's completion."""
    from adapters.templates.catalogue import read_catalogue
    from core.application.commands.completion import completion

    shell = typed[0].lower() if len(typed) == 1 else ""
    known = read_catalogue(settings.templates).templates
    put(completion(shell, {template.id: template.description for template in known}))
    return 0


def plugins(typed: Sequence[str], settings: Settings) -> int:
    """Prints the additions of installed packages; the exit code is 2 if a named plugin does not
    run.
    """
    from bot.plugins import find_plugins, load_plugins

    _only(typed, (), "plugins")
    there = load_plugins(settings.plugins) if settings.plugins else find_plugins()
    none = "No plugins are installed. How one is made: debate docs plugins"
    put("\n".join(plugin.sentence for plugin in there.all) or none)
    return 2 if there.failures else 0


def docs(typed: Sequence[str], _settings: Settings) -> int:
    """Prints a page, or the list of pages."""
    from bot.shell.docs import contents, show

    _only(typed[1:], (), "docs")
    if typed:
        show(typed[0])
    else:
        put(contents())
    return 0


COMMANDS: Mapping[str, Callable[[Sequence[str], Settings], int]] = {
    "init": init,
    "serve": serve,
    "open": enter,
    "tokens": tokens,
    "mcp": mcp,
    "doctor": doctor,
    "verify": verify,
    "forget": forget,
    "audit": audit,
    "db": db,
    "completion": complete,
    "eval": evaluate,
    "calibrate": calibrate,
    "plugins": plugins,
    "docs": docs,
}


def _only(typed: Sequence[str], allowed: Sequence[str], command: str) -> None:
    if odd := [t for t in typed if t not in allowed]:
        raise BadInput(
            say(
                "{command} does not take {word}. Like this: {form}",
                command=command,
                word=repr(odd[0][:40]),
                form=example(command, prefix="debate"),
            )
        )


def _key(named: str) -> bytes | str:
    """Returns the public key in a file of that name, or the text itself."""
    if not Path(named).is_file():
        return named
    try:
        key = read_regular(Path(named), _LARGEST_RECEIPT)
    except OSError as error:
        raise unread(Path(named), error, "key") from error
    written = key.isascii() and len(key) != _RAW_KEY  # as PEM, in base64 or in hex
    return key.decode("ascii").strip() if written else key


def _json_file(path: Path, kind: str) -> dict[str, Any]:
    try:
        return read_receipt(read_regular(path, _LARGEST_RECEIPT), str(path), kind)
    except OSError as error:
        raise unread(path, error) from error
