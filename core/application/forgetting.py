"""Removes a person's words and name from events when they are to be forgotten, and reduces an
outcome to what remains of a debate whose texts are deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from typing import Any

from core.debate.events import (
    DebateOpened,
    DebateRequest,
    DebateRequested,
    Event,
    EventRemoved,
    Holder,
    TurnFinished,
    UnknownEvent,
)
from core.debate.material.rendering import without_quotation
from core.debate.replies import Claim, Statement
from core.debate.script import TurnId

DELETED = "(deleted)"
_WHO = frozenset({"author", "voter", "by"})
_SAID = frozenset({"text", "reason", "detail", "because"})

_WHOLE = ("votes", "scores", "cost", "useful", "events")
_VERDICT = (
    "decision", "reached", "mechanism", "agreement", "quorum", "contested", "status", "mode",
    "threshold", "changed",
)  # fmt: skip
_SEAT = ("seat", "role", "alias", "model", "duty", "stance", "family")
_HEAD = ("template", "format", "ended_because", "demo", "concluded_at")
_NO_TEXT: Mapping[str, Any] = {"because": "", "would_resolve_if": "(deleted)"}


def without_debate(event: Event, debate: str) -> Event:
    """Returns the event without its material's quotations of another debate; the same event if
    it quotes nothing.
    """
    if not isinstance(event, DebateOpened):
        return event
    material = without_quotation(event.material, debate)
    if material is event.material:
        return event
    return replace(event, material=material)


def without_person(
    event: Event, is_them: Callable[[str], bool], alias: str, turns: Collection[TurnId] = ()
) -> Event:
    """Returns the event with ``alias`` in place of a person's name and without their words; the
    same event if they are not in it. ``turns`` are those of a seat that they hold.

    The other seats' answers to them stay: these are not theirs. An event of a newer release is
    removed as a whole, because nobody here knows which parts are theirs.
    """
    if isinstance(event, DebateRequested):
        request = _without_asker(event.request, is_them, alias)
        if request == event.request:
            return event
        return replace(event, request=request)
    if isinstance(event, DebateOpened):
        held = event.terms.held
        theirs = {seat: Holder(alias) for seat, holder in held.items() if is_them(holder.id)}
        if not theirs:
            return event
        return replace(event, terms=replace(event.terms, held={**held, **theirs}))
    if isinstance(event, TurnFinished) and event.turn in turns:
        return replace(event, statement=_unworded(event.statement))
    if isinstance(event, UnknownEvent):
        if _is_named(event.payload, is_them):
            return EventRemoved()
        return event
    members = {each.name: getattr(event, each.name) for each in fields(event)}
    names = {name for name in _WHO & members.keys() if is_them(str(members[name]))}
    if not names:
        return event
    changes: dict[str, Any] = dict.fromkeys(names, alias)
    for name in _SAID & members.keys():
        if type(members[name]) is str and members[name]:  # an enumeration is no word of theirs
            changes[name] = DELETED
    if members.get("source"):
        changes["source"] = ""
    return replace(event, **changes)


def _without_asker(
    request: DebateRequest, is_them: Callable[[str], bool], alias: str
) -> DebateRequest:
    """Returns the request with ``alias`` for the person. A seat that they were given is left out,
    because nobody can hold it in a copy.
    """
    changes: dict[str, Any] = {
        name: alias for name in ("asker", "owner") if is_them(getattr(request, name))
    }
    workspace, _, _ = request.asker.rpartition("/")
    changes["seats"] = tuple(
        seat
        for seat in request.seats
        if not is_them(f"{workspace}/{seat.rpartition('person:')[2].strip('<@!> ')}")
    )
    return replace(request, **changes)


def _unworded(statement: Statement) -> Statement:
    """Returns the choices, places and numbers of a statement, by which a verdict is computed,
    without its words. A quotation that code found in the material is none of them.
    """
    stance, argument = statement.stance, statement.argument
    if stance is not None:
        stance = replace(stance, because=DELETED, would_resolve_if="")
    if argument is not None:
        argument = replace(argument, evidence=(), impact_areas=())
    bare: Mapping[str, Any] = {"title": DELETED, "trigger": "", "fix": "", "source": ""}
    return Statement(
        DELETED,
        stance,
        tuple(Claim(each.id, DELETED, supports=each.supports) for each in statement.claims),
        tuple(replace(f, **bare, quote=f.quote if f.anchored else "") for f in statement.findings),
        tuple(
            replace(a, because=DELETED, input="", quote=a.quote if a.checked else "")
            for a in statement.answers
        ),
        argument,
        statement.metrics,
        statement.scores,
        ruling=statement.ruling,
        grades=statement.grades,
        estimate=statement.estimate,
    )


def _is_named(value: object, is_them: Callable[[str], bool]) -> bool:
    if isinstance(value, str):
        return is_them(value)
    if isinstance(value, Mapping):
        return any(_is_named(one, is_them) for one in value.values())
    return isinstance(value, list) and any(_is_named(one, is_them) for one in value)


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
