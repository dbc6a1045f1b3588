"""``python -m tools.bench.words``: how many words a person reads until the decision, and until its
reason, on every surface that shows one recorded review by four seats: before one view served all
surfaces, and now.

The decision is its name ("Changes requested"); the reason is the title of the finding that decides.
Only words that a person reads from the top count: no addresses, quoted code or buttons. "Before" is
the same review as commit 3ae7965 showed it, from the top to its reason, stored next to this file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from adapters.posts.export import export
from adapters.review.text import compose
from adapters.room.outgoing.parts import parts
from adapters.room.outgoing.view import DebateView
from adapters.terminal.terminal import Style, Terminal
from core.debate.state import Debate, replay
from core.words.outcome import outcome
from core.words.views.verdict.decision import decision
from core.words.views.verdict.findings import deciding
from tests.adapters.posts.threads import PLATFORMS, shown_review, words
from tests.adapters.posts.told import posted, standing

BEFORE = Path(__file__).with_name("threads") / "surfaces_before.txt"
_MARKS = re.compile(r"[*_`#>\\]")
_TAG = re.compile(r"<(script|style|title).*?</\1>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Until:
    """Words up to the end of the decision, and of the reason, if that is there; all of them."""

    decision: int
    reason: int | None
    all: int


def surfaces(debate: Debate) -> Mapping[str, str]:
    """Returns the beginning of a finished debate on each surface."""
    root, *_ = thread = standing(posted(shown_review()))
    page = parts(DebateView(debate, outcome(debate)))
    seen = ("p-verdict", "p-head", "p-bar", "p-held", "p-findings-count")
    out = io.StringIO()
    Terminal(out, style=Style.LIVE, width=100).conclude(debate)
    return {
        **{f"{name}, first message": show(root) for name, show in PLATFORMS.items()},
        **{f"{name}, verdict": show(thread[-1]) for name, show in PLATFORMS.items()},
        "page": _read("\n".join(page[part].html for part in seen if part in page)),
        "terminal": out.getvalue(),
        "review": compose(debate).render(),
        "report": export(debate, "md"),
        "report as a page": _read(export(debate, "html")),
    }


def until(text: str, debate: Debate) -> Until:
    """Counts the words of ``text`` before the decision and before its reason."""
    bare = _MARKS.sub("", text)
    decided = _to(bare, decision(debate).label)
    assert decided is not None, text[:300]
    return Until(decided, _to(bare, deciding(debate)[0].wording.title), len(words(bare)))


def _to(text: str, wanted: str) -> int | None:
    """Returns the number of words up to the end of ``wanted``, however its lines are broken; None
    if the text lacks it.
    """
    place = re.search(r"\s+".join(map(re.escape, wanted.rstrip(".").split())), text)
    return None if place is None else len(words(text[: place.end()]))


def _read(html: str) -> str:
    return unescape(_TAG.sub(" ", html))


def rows() -> Mapping[str, Until]:
    debate = replay(shown_review())
    return {name: until(text, debate) for name, text in surfaces(debate).items()}


def rows_before() -> Mapping[str, Until]:
    debate = replay(shown_review())
    texts = re.split(r"^==== (.*)\n", BEFORE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {name: until(text, debate) for name, text in zip(texts[::2], texts[1::2], strict=True)}


def main() -> None:
    was = rows_before()
    print(f"{'words until':<24}{'decision':>16}{'reason':>16}{'all':>8}")
    for name, now in rows().items():
        decided = f"{was[name].decision} -> {now.decision}"
        reason = f"{was[name].reason or 'none'} -> {now.reason}"
        print(f"{name:<24}{decided:>16}{reason:>16}{now.all:>8}")


if __name__ == "__main__":
    main()
