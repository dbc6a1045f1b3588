"""A debate's page as parts: elements with an id, each replaced whole when what it shows changes.

The page that is loaded and the page that is kept up to date are made of the same parts. What is
different between two states of a debate is the difference between two lists of parts, so that a
reader who comes back after any time is sent exactly what they have not got.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.room.outgoing.layout import piece
from adapters.room.outgoing.view import DebateView

PARTS = "parts.html"
FIXED = (
    ("p-head", "head"),
    ("p-bar", "bar"),
    ("p-controls", "controls"),
    ("p-now", "now"),
    ("p-verdict", "verdict"),
    ("p-votes", "votes"),
    ("p-ballot", "ballot"),
    ("p-held", "held"),
    ("p-findings-count", "findings_count"),
    ("p-stances", "stances"),
    ("p-cruxes", "cruxes"),
    ("p-dissent", "dissent"),
    ("p-report", "report"),
    ("p-seats", "table_seats"),
    ("p-material", "material"),
    ("p-cost", "costs"),
    ("p-take", "take"),
    ("p-say", "say_something"),
    ("p-fork", "fork"),
)
"""Parts that every page has, and the macros that make them."""
FINDINGS, ROUNDS = "findings", "rounds"


@dataclass(frozen=True, slots=True)
class PagePart:
    """``html`` is the element called ``id``. An item of a list is held by ``element``, which is in
    ``parent`` after ``after`` (empty: first); ``whole`` is that element with its forms.
    """

    id: str
    html: str
    parent: str = ""
    element: str = ""
    after: str = ""
    whole: str = ""

    @property
    def visible(self) -> tuple[str, str, str]:
        """A part's text and position: two parts that are equal in these look the same."""
        return self.html, self.parent, self.after


def parts(view: DebateView) -> dict[str, PagePart]:
    """Returns every part by its id, in the order of the page."""
    return around_transcript(view) | {part.id: part for part in _rounds(view)}


def around_transcript(view: DebateView) -> dict[str, PagePart]:
    """Returns the parts above the transcript and at its side."""
    made = [PagePart(id, str(piece(PARTS, macro, view))) for id, macro in FIXED]
    return {part.id: part for part in (*made, *_findings(view))}


def changed(before: Mapping[str, PagePart], now: Mapping[str, PagePart]) -> list[PagePart]:
    """Returns the parts that turn a page that shows ``before`` into one that shows ``now``; a
    removed part comes without ``html``.
    """
    fresh = [
        part for id, part in now.items() if id not in before or before[id].visible != part.visible
    ]
    return [
        *fresh,
        *(PagePart(id, "", element=part.element) for id, part in before.items() if id not in now),
    ]


def findings(made: Mapping[str, PagePart]) -> str:
    """Returns all findings of a page that is loaded."""
    return "".join(part.whole for part in made.values() if part.parent == FINDINGS)


def transcript(view: DebateView) -> Iterator[str]:
    """Yields all rounds with their turns in them, element by element as they are made."""
    end = ""
    for part in _rounds(view):
        if part.parent != ROUNDS:
            yield part.whole
            continue
        begin, tag, rest = part.whole.partition("</div></section>")
        yield end + begin
        end = tag + rest
    yield end


def _findings(view: DebateView) -> Iterator[PagePart]:
    after = ""
    for finding in view.document["findings"]:
        element = f"finding-{finding['id']}"
        body = piece(PARTS, "finding_body", view, finding)
        whole = str(piece(PARTS, "finding", view, finding, body))
        yield PagePart(f"p-finding-{finding['id']}", str(body), FINDINGS, element, after, whole)
        after = element


def _rounds(view: DebateView) -> Iterator[PagePart]:
    """Rounds in which a turn has begun, with those turns. A person's challenge comes before the
    first turn that answers it, else at the end.
    """
    after = ""
    waiting = {one["id"]: one for one in view.document["challenges"]}
    last = _last_begun(view)
    for number, at in enumerate(view.document["rounds"], 1):
        begun = [t for t in at["turns"] if view.begun(t["id"])]
        if not begun or not view.played(number):
            continue
        whole = str(piece(PARTS, "round", view, number, at))
        yield PagePart(f"p-round-{number}", "", ROUNDS, f"round-{number}", after, whole)
        after = f"round-{number}"
        spoken = _spoken(view, begun, waiting, end=number == last)
        yield from _listed(spoken, f"turns-{number}")
    if view.unplayed:
        body = piece(PARTS, "unplayed", view)
        whole = str(piece(PARTS, "unplayed_rounds", body))
        yield PagePart("p-unplayed", str(body), ROUNDS, "unplayed", after, whole)


def _last_begun(view: DebateView) -> int:
    numbers = [
        n
        for n, at in enumerate(view.document["rounds"], 1)
        if view.played(n) and any(view.begun(t["id"]) for t in at["turns"])
    ]
    return max(numbers, default=0)


Said = tuple[str, str, str]
"""An element's own id, the part in it, and its macro's result."""


def _spoken(
    view: DebateView,
    turns: Sequence[Mapping[str, Any]],
    waiting: dict[str, Any],
    *,
    end: bool,
) -> Iterator[tuple[str, str, str]]:
    for turn in turns:
        answered = waiting.keys() & {turn["about"], *(one["to"] for one in turn["answers"])}
        for id in sorted(answered, key=[*waiting].index):
            yield _element(view, "challenge", waiting.pop(id))
        yield _element(view, "turn", turn)
    if end:
        for challenge in waiting.values():
            yield _element(view, "challenge", challenge)


def _element(view: DebateView, macro: str, of: Mapping[str, Any]) -> Said:
    body = piece(PARTS, f"{macro}_body", view, of)
    return f"{macro}-{of['id']}", str(body), str(piece(PARTS, macro, view, of, body))


def _listed(spoken: Iterable[Said], parent: str) -> Iterator[PagePart]:
    after = ""
    for element, body, whole in spoken:
        yield PagePart(f"p-{element}", body, parent, element, after, whole)
        after = element
