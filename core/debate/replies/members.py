"""Reads the members of a reply that have another type than requested.

One object instead of a list, a list that is numbered like an object, or JSON in a string can mean
only one thing and is converted. Everything else is unreadable, with the true reason: findings in a
form that nobody can read are not "no findings".
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from core.debate.finding import Severity
from core.debate.replies.objects import FIELDS, FINDING, Unreadable, named
from core.debate.stored import stored

ITEMS: Mapping[str, frozenset[str]] = {
    "findings": FINDING,
    "claims": frozenset({"text", "claim", "quote"}),
    "answers": frozenset({"position", "because"}),
}
"""The members that are lists of objects, each with names by which one of its objects is known."""

_RATED = frozenset({"severity", "level", "priority"})
_DETAILS = frozenset(
    {"title", "description", "message", "path", "file", "line", "quote", "trigger", "fix"}
)
_NAMES = re.compile(r"issue|finding|problem|defect|bug|vulnerab|concern")
"""Matches a name under which a reply may hold findings in words."""
_IN_WORDS = re.compile(r"\bseverity\W{1,6}(?:low|medium|high|critical)\b", re.IGNORECASE)
_OF_IDS = "answers"
"""The list whose objects name an id; an object of them, by id, is the same."""
_SEVERITIES = frozenset(Severity)
_FILE = re.compile(r"[^\n]*[./][^\n]*")
_NUMBERED = re.compile(r"[a-z]*[\s_#.-]*\d+", re.IGNORECASE)
_NONE = re.compile(
    r"[\s.()-]*(?:none|nothing|n/?a|null|no\s+(?:findings?|claims?|issues?|answers?|repairs?|problems?)"
    r"(?:\s+found)?)?[\s.()-]*",
    re.IGNORECASE,
)


def require_known(raw: Mapping[str, Any], members: Collection[str], prose: str) -> None:
    """Raises ``Unreadable`` if a reply holds findings elsewhere than in ``findings``: under another
    name, inside another member, or in the ``prose`` around an object without any. One that has no
    such member holds some if another name holds an object of any kind.
    """
    for name, value in raw.items():
        if name == "findings" or (name == _OF_IDS and name in members):
            continue
        objects = list(_objects(value))
        own = name in members or name in FIELDS - ITEMS.keys()
        if any(map(_is_finding, objects)) or (
            not own and (_in_words(name, value) or (objects and "findings" not in raw))
        ):
            raise Unreadable(
                stored(
                    "the reply holds findings in {name} instead of findings", name=repr(name[:40])
                )
            )
    if not raw.get("findings") and _IN_WORDS.search(prose):
        raise Unreadable(stored("the reply holds findings in the words around its JSON object"))


def _in_words(name: str, value: object) -> bool:
    if not _NAMES.search(name) or not isinstance(value, str | list | dict):
        return False
    return bool(value) and not (isinstance(value, str) and _NONE.fullmatch(value))


def _objects(value: object, depth: int = 4) -> Iterator[dict[str, Any]]:
    value = decoded(value)
    if isinstance(value, dict):
        yield named(value)
    children = value.values() if isinstance(value, dict) else value
    if isinstance(children, Iterable) and not isinstance(children, str) and depth:
        for child in children:
            yield from _objects(child, depth - 1)


def _is_finding(value: Mapping[str, Any]) -> bool:
    return not (_RATED.isdisjoint(value) or _DETAILS.isdisjoint(value))


def as_object(name: str, value: object, *, own_names: bool = False) -> dict[str, Any]:
    """Returns an object of a reply; a missing one is empty. ``own_names`` keeps the names of its
    members, which are data. Raises ``Unreadable`` for another type.
    """
    value = decoded(value)
    if value is None or value in ("", []):
        return {}
    if not isinstance(value, dict):
        raise Unreadable(stored("the member {name} is not an object", name=name))
    return value if own_names else named(value)


def items_of(name: str, value: object) -> list[dict[str, Any]]:
    """Returns the objects of a member that is a list, claims in words as well; a missing one is
    empty. Raises ``Unreadable`` for a form that can mean more than one thing.
    """
    value = decoded(value)
    if value is None or value == {}:
        return []
    if isinstance(value, str):
        if _NONE.fullmatch(value):
            return []
        value = [value]
    if isinstance(value, dict):
        value = _listed(name, value)
    if not isinstance(value, list):
        raise Unreadable(
            stored(
                "the member {name} is a list of objects, not {why_kind}",
                name=name,
                why_kind=_kind(value),
            )
        )
    return [_item(name, each) for each in value]


def _item(name: str, value: object) -> dict[str, Any]:
    value = decoded(value)
    if isinstance(value, dict):
        if any(_is_finding(inner) for part in value.values() for inner in _objects(part)):
            raise Unreadable(
                stored(
                    "the member {name} is a list of objects, not of objects that hold more of them",
                    name=name,
                )
            )
        item = named(value)
        if name == _OF_IDS and item.keys() >= FINDING and "to" not in item:
            raise Unreadable(stored("the member {name} holds a finding", name=name))
        return item
    if not isinstance(value, str):
        raise Unreadable(
            stored(
                "the member {name} is a list of objects, not of {why_kind}",
                name=name,
                why_kind=_kind(value),
            )
        )
    if name != "claims":
        members = ", ".join(sorted(ITEMS[name]))
        raise Unreadable(
            stored(
                "the member {name} is a list of objects ({members} …)", name=name, members=members
            )
        )
    return {"text": value}


def _listed(name: str, value: dict[str, Any]) -> list[Any]:
    if not ITEMS[name].isdisjoint(named(value)):
        return [value]
    if all(isinstance(each, dict) for each in value.values()):
        if all(_NUMBERED.fullmatch(key) for key in value) and name != _OF_IDS:
            return list(value.values())
        if name == _OF_IDS:
            return [{"to": key, **named(each)} for key, each in value.items()]
    if name == "findings" and (keyed := list(_keyed(value))):
        return keyed
    raise Unreadable(
        stored("the member {name} is a list of objects, not one object with other names", name=name)
    )


def _keyed(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the findings of an object whose names are files or severities, each with what its name
    says of it; nothing if one of them contradicts its name or is no finding.
    """
    findings: list[dict[str, Any]] = []
    for key, members in value.items():
        member = "severity" if key.lower() in _SEVERITIES else "path"
        for each in members if isinstance(members, list) else [members]:
            finding = named(each) if isinstance(each, dict) else {}
            given = finding.get(member) or (finding.get("file") if member == "path" else None)
            known = member == "severity" or _FILE.fullmatch(key)
            if not known or FINDING.isdisjoint(finding) or given not in (None, key):
                return
            findings.append({**finding, member: key})
    yield from findings


def decoded(value: object) -> Any:
    """Returns the value of JSON that is written in a string, and any other value as it is."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
    return value


def _kind(value: object) -> str:
    if isinstance(value, list):
        return stored("lists")
    if isinstance(value, bool | int | float):
        return stored("a number or truth value")
    return stored("words")
