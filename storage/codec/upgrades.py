"""Upgrades events that earlier releases stored to the form that today's code reads.

An upgrade takes the payload of one version and returns that of the next; it never changes its
argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Payload = dict[str, Any]
Upgrade = Callable[[Payload], Payload]

_TOPICS = {
    "rebut": "challenge",
    "question": "seat",
    "attack": "category",
    "defend": "category",
    "press": "category",
    "argue": "argument",
    "propose": "lens",
    "criticise": "lens",
    "revise": "lens",
    "judge": "swapped",
}
"""The subject of each task's turns when subjects were mere text; any other task was about a role.
"""


def _typed(turn: Payload) -> Payload:
    if not (name := turn.get("about")):
        return {**turn, "about": None}
    topic = _TOPICS.get(turn["task"], "role")
    return {**turn, "about": {"topic": topic, "name": "" if topic == "swapped" else name}}


def _typed_script(old: Payload) -> Payload:
    script = old["script"]
    return {**old, "script": {**script, "turns": [_typed(t) for t in script["turns"]]}}


def _typed_turns(old: Payload) -> Payload:
    return {**old, "turns": [_typed(t) for t in old["turns"]]}


def _ledger(old: Payload) -> Payload:
    """Makes the findings of an earlier run the ledger of the change."""
    material = {**old["material"]}
    demands = [_demand(one) for one in material.pop("earlier", ())]
    return {**old, "material": {**material, "demands": demands}}


def _demand(old: Payload) -> Payload:
    demand = {**old}
    if demand.pop("disputed", False):
        demand |= {"state": "rejected", "settled_by": "people"}
    return demand


def _whole_findings(old: Payload) -> Payload:
    """Makes the copied fields of a demand the finding that it holds."""
    material = old["material"]
    demands = [_with_finding(one) for one in material.get("demands", ())]
    return {**old, "material": {**material, "demands": demands}}


def _with_finding(old: Payload) -> Payload:
    copied = ("id", "severity", "confidence", "title", "path", "line", "side", "quote")
    finding = {name: old[name] for name in copied}
    finding |= {name: old.get(name, "") for name in ("trigger", "fix")}
    line, extent = old["line"], old.get("extent", 0)
    finding |= {
        "anchored": line is not None,
        "end": line + extent - 1 if line is not None and extent else None,
        "category": old.get("category") or None,
        "must_fix": old.get("blocked"),
    }
    gone = {*finding, "extent", "blocked"}
    return {**{name: old[name] for name in old if name not in gone}, "finding": finding}


UPGRADES: dict[str, dict[int, Upgrade]] = {
    "debate_opened": {1: _typed_script, 2: _ledger, 3: _whole_findings},
    "turns_added": {1: _typed_turns},
}
"""kind -> {version: upgrade from that version to the next}. Versions start at 1 and have no holes.
"""
