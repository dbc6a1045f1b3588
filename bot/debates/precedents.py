"""The decisions of a place's earlier debates about the same files or question, for a new debate
about them.

The full-text search proposes debates; the stored outcome of each decides whether it counts: a
finding in one of the files, or a question of nearly the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from core.application.listing import Filter
from core.debate.material import NAMELESS, Material, MaterialKind, Precedent
from core.debate.verdict.findings.merging import overlap, words
from core.words.views.verdict.labels import was_decided
from storage.debates.outcomes import Outcome
from storage.stores import Stores

_FILES = 8
"""The most changed files that are looked up: those that are read first."""
_LOOKED_AT = 20
"""The most debates that are read for one file or question, the newest first."""
_ALIKE = 0.6
"""The share of meaningful words that two questions must have in common to count as one."""
_POINTS = 3
_MOST = 3


async def find_precedents(
    stores: Stores, place: str, material: Material, *, demo: bool
) -> tuple[Precedent, ...]:
    """Returns at most three precedents: first those whose verdict someone has judged since, then
    the newest; equal decisions under one title count once. None comes from another place, none is
    about private material if the new debate is not, and none is a demonstration's unless the new
    debate is one.
    """
    earlier: dict[str, tuple[datetime, Precedent]] = {}
    for query in _asked(material):
        page = await stores.search.find_page(Filter(words=query), _LOOKED_AT, within=(place,))
        for id in (one.line.id for one in page if one.line.place == place and one.decision):
            outcome = await stores.outcomes.get(id) if id not in earlier else None
            if outcome is None or (outcome.private and not material.private):
                continue  # nothing that may go on elsewhere mentions sealed material
            if outcome.document.get("demo") and not demo:
                continue
            if (one := _precedent(outcome, material)) is not None:
                earlier[id] = (outcome.concluded_at, one)
    newest = [one for _, one in sorted(earlier.values(), key=itemgetter(0), reverse=True)]
    alike: dict[tuple[str, str], Precedent] = {}
    for one in sorted(newest, key=lambda one: one.held is None):
        alike.setdefault((one.title, one.decision), one)
    return tuple(alike.values())[:_MOST]


def _asked(material: Material) -> Sequence[str]:
    """Returns the search queries: each changed file's path, or a question's two longest words."""
    if files := _files(material):
        return files[:_FILES]
    telling = sorted(words(material.title), key=lambda word: (-len(word), word))
    if len(telling) > 1:
        return [" ".join(telling[:2])]
    return []


def _files(material: Material) -> list[str]:
    """Returns the paths of a change or a document; none for a text that came without a name."""
    return list(dict.fromkeys(hunk.path for hunk in material.hunks if hunk.path != NAMELESS))


def _precedent(outcome: Outcome, material: Material) -> Precedent | None:
    """Returns a debate as a precedent, or None if it is about something else or decided nothing."""
    document = outcome.document
    about = document.get("material") or {}
    title = str(about.get("title") or "")
    stored = document.get("verdict") or {}
    if not outcome.decision or not was_decided(
        outcome.decision, str(stored.get("mechanism", "")), reached=bool(stored.get("reached"))
    ):
        return None
    files, points = _files(material), list(_points(document, material))
    if files and not points:
        return None
    if not files and not _same_question(title, about, material):
        return None
    return Precedent(
        outcome.debate,
        f"{outcome.concluded_at:%Y-%m-%d}",
        title[:120],
        outcome.decision,
        outcome.held,
        tuple(points[:_POINTS]),
    )


def _same_question(title: str, about: Mapping[str, Any], material: Material) -> bool:
    same_kind = about.get("kind") in (
        MaterialKind.QUESTION,
        MaterialKind.DOCUMENT,
        MaterialKind.INCIDENT,
    )
    return same_kind and overlap(words(title), words(material.title)) >= _ALIKE


def _points(document: Mapping[str, Any], material: Material) -> Iterator[str]:
    """Returns, for a change, the findings in the same files that were open at the end, and for a
    question its answer.
    """
    here = _files(material)
    if not here:
        if summary := (document.get("verdict") or {}).get("summary"):
            yield str(summary)[:200]
        return
    for finding in document.get("findings") or ():
        if finding["path"] in here and finding["state"] == "open":
            must = "must be fixed: " if finding.get("blocking") else ""
            yield f"{must}{finding['path']}:{finding['line']} {finding['title']}"[:160]
