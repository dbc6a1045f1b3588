"""What stored events looked like before, and how each becomes what today's code reads.

An upgrade takes the payload of one version and gives that of the next; it never changes what it was
given.
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
"""What a turn of each task was about when that was mere text; any other task was about a role."""


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


UPGRADES: dict[str, dict[int, Upgrade]] = {
    "debate_opened": {1: _typed_script},
    "turns_added": {1: _typed_turns},
}
"""kind -> {version: upgrade from that version to the next}.

Versions start at 1 and have no holes.
"""
