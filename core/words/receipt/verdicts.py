"""Lists every verdict that a debate has had, for its receipt: its place in the chain of events and
the decision. So a message about any of them can be compared with the receipt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.debate.events import DebateConcluded, Event, VotesClosed
from core.words.receipt.canonical import chained

Doc = dict[str, Any]


def verdict_entries(events: Sequence[Event], hashes: Sequence[str]) -> list[Doc]:
    """Returns an entry for each event with a verdict: the number of events up to it, the chain's
    hash over these, and the decision. ``hashes`` are the events' hashes.
    """
    chain = chained(hashes)
    return [
        {"events": n, "chain_head": chain[n - 1]["entry_hash"], "decision": event.decision}
        for n, event in enumerate(events, 1)
        if isinstance(event, DebateConcluded | VotesClosed)
    ]


def broken_entries(document: Mapping[str, Any]) -> str:
    """Describes contradictions among the verdicts that a receipt names; "" if there are none, or it
    names none.
    """
    entries = _entries(document)
    mechanism = document["attestation"].get("mechanism") or {}
    if not entries:
        return ""
    counts = [entry["events"] for entry in entries]
    if counts != sorted(set(counts)) or counts[-1] > mechanism["events"]:
        return "the verdicts are not in the order of their events"
    if entries[-1]["decision"] != document["claim"]["verdict"]:
        return f"the last verdict is {entries[-1]['decision']!r}, not the claimed one"
    heads = {entry["events"]: entry["chain_head"] for entry in entries}
    if heads.get(mechanism["events"], mechanism["chain_head"]) != mechanism["chain_head"]:
        return "the last verdict has another chain of events"
    return ""


def find_verdict(document: Mapping[str, Any], message: Mapping[str, Any]) -> tuple[bool, str]:
    """Returns whether a receipt names the verdict of a webhook's message, and a description of what
    was found. Anyone may have written either.
    """
    data = message.get("data")
    if message.get("type") != "debate.verdict" or not isinstance(data, Mapping):
        return False, "it tells no verdict: only debate.verdict does"
    if data.get("debate") != document.get("receipt_id"):
        return False, "it is about another debate"
    entries = _entries(document)
    place = (data.get("events"), data.get("chain_head"))
    for number, entry in enumerate(entries, 1):
        if (entry["events"], entry["chain_head"]) != place:
            continue
        if entry["decision"] != data.get("decision"):
            return False, f"the verdict there is {entry['decision']!r}"
        if any(later["decision"] != entry["decision"] for later in entries[number:]):
            return True, f"it is in the receipt; {entries[-1]['decision']!r} took its place"
        return True, "it is in the receipt"
    return False, "the receipt names no such verdict"


def _entries(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    mechanism = document["attestation"].get("mechanism") or {}
    entries: list[Mapping[str, Any]] = mechanism.get("verdicts") or []
    return entries
