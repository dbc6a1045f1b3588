"""``debate verify``: checks a receipt, the message of a webhook, and the stored events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adapters.processes.files import read_regular
from adapters.processes.unread import unread
from adapters.terminal.printing import put, put_line
from bot.settings import Settings
from core.application.commands.help import example
from core.debate.errors import BadInput
from core.languages import say
from core.words.receipt.canonical import chained
from core.words.receipt.reading import read_receipt
from core.words.receipt.signing import ReceiptCheck, public_key
from core.words.receipt.signing import verify as checks
from core.words.receipt.verdicts import find_verdict
from storage.debates import Debates

_RAW_KEY = 32  # bytes
_LARGEST_RECEIPT = 20_000_000  # bytes


async def verify(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``verify FILE [--key PUBLIC] [--message BODY] [--stored]``: the key is a file or the
    text itself; without it the installation's own key counts.
    """
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
        results.append(await _check_stored(receipt, settings))
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


async def _check_stored(receipt: Mapping[str, Any], settings: Settings) -> ReceiptCheck:
    """True if the events in the database lead to the hash in the receipt, even if their texts
    were deleted since.
    """
    mechanism = (receipt.get("attestation") or {}).get("mechanism") or {}
    name, count = "stored events", mechanism.get("events")
    if not isinstance(count, int) or not mechanism.get("chain_head"):
        return ReceiptCheck(name, False, "the receipt names none")
    async with settings.opened_database() as database:
        hashes = await Debates(database).load_hashes(str(receipt.get("receipt_id")), count)
    if not hashes:
        return ReceiptCheck(name, False, "this database does not hold the debate")
    heads = {n: link["entry_hash"] for n, link in enumerate(chained(hashes), 1)}
    named = {count: mechanism["chain_head"]}
    named |= {one["events"]: one["chain_head"] for one in mechanism.get("verdicts", ())}
    same = all(heads.get(n) == chain_head for n, chain_head in named.items())
    return ReceiptCheck(name, same, f"{len(hashes)} of {count}" if same else "they were changed")


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
