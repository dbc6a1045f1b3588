"""The signed record of how a debate ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters.processes.threads import make_in_thread
from bot.debates.service import DebateService, parent_outcome
from core.debate.errors import BadInput, Refused
from core.debate.events import Event
from core.debate.state import Debate
from core.languages import say
from core.words.outcome import outcome
from core.words.receipt import receipt
from core.words.receipt.canonical import head
from core.words.receipt.signing import sign
from core.words.receipt.verdicts import verdict_entries
from core.words.views.course.progress import STATUS


async def issue_receipt(service: DebateService, signing_key: str, debate: Debate) -> dict[str, Any]:
    """Signs the record of a debate that is over. Raises ``Refused`` while it is not over,
    ``BadInput`` without a key.
    """
    if not debate.final:
        raise Refused(
            "Debate {id}: {status}; a receipt is made of its end.",
            id=debate.id,
            status=say(STATUS[debate.status]),
        )
    if not signing_key:
        raise BadInput(
            "Receipts are signed: set DEBATE_SIGNING_KEY to 32 random bytes in hex "
            "(openssl rand -hex 32)."
        )
    if debate.deleted is not None:
        raise Refused(
            "{nothing} A receipt that was issued before can still be checked: debate verify "
            "FILE --stored",
            nothing=debate.nothing_because,
        )
    events = await service.debates.load(debate.id)
    hashes = await service.debates.load_hashes(debate.id, len(events))
    parent = await parent_outcome(service.debates, debate)
    now = service.preparer.clock.now().isoformat()
    return await make_in_thread(_signed, debate, parent, events, hashes, signing_key, now)


def _signed(
    debate: Debate,
    parent: dict[str, Any] | None,
    events: Sequence[Event],
    hashes: Sequence[str],
    key: str,
    now: str,
) -> dict[str, Any]:
    document = receipt(
        outcome(debate, parent),
        issued_at=now,
        chain=head(hashes),
        verdicts=verdict_entries(events, hashes),
    )
    return sign(document, key, signed_at=now)
