"""Reduces an outcome to what stays when a debate's texts are deleted: its end, its counts, its
cost. No text of a person, a model or a document is in it, not even a title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WHOLE = ("votes", "scores", "cost", "useful", "events")
_VERDICT = (
    "decision", "reached", "mechanism", "agreement", "quorum", "contested", "status", "mode",
    "threshold", "changed",
)  # fmt: skip
_SEAT = ("seat", "role", "alias", "model", "duty", "stance", "family")
_HEAD = ("template", "format", "ended_because", "demo", "concluded_at")
_NO_TEXT: Mapping[str, Any] = {"because": "", "would_resolve_if": "(deleted)"}


def retained_outcome(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members of an outcome document that outlive its texts. Of the material these are
    its address and its revision, which is a hash.
    """
    material, verdict = document["material"], document["verdict"]
    retained = {name: document[name] for name in (*_HEAD, *_WHOLE)}
    retained["verdict"] = {name: verdict[name] for name in _VERDICT if name in verdict} | {
        "headline": "", "summary": "", "condition": "", "action_items": [],
    }  # fmt: skip
    retained["seats"] = [
        {k: v for k, v in seat.items() if k in _SEAT} for seat in document["seats"]
    ]
    retained["dissent"] = [
        {"seat": one["seat"], "stance": one["stance"], **_NO_TEXT} for one in document["dissent"]
    ]
    if complexity := document["complexity"]:
        retained["complexity"] = complexity | {"factors": [], "why": "", "why_not": ""}
        retained["metrics"] = document["metrics"]
    if material is not None:
        retained["material"] = {
            "kind": material["kind"], "title": "", "source": _address(material["source"]),
            "revision": material["revision"], "coverage": [], "parts": [], "around": [],
            "redacted": 0, "notes": [],
        }  # fmt: skip
    return retained


def _address(source: str) -> str:
    """Returns a source that is a link; a question or a file's name is a text and is left out."""
    if source.startswith(("https://", "http://")):
        return source
    return ""
