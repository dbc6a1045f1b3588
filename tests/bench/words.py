"""``python -m tests.bench.words``: how many words somebody reads until they know what was decided,
and until they know why, on every surface that shows one recorded review by four seats.

The decision is its name ("Changes requested"); the reason is the title of the finding that decides.
Words are those that a person reads from the top: no addresses, quoted code or buttons.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from adapters.posts.export import export
from adapters.review.text import compose
from adapters.room.outgoing.parts import parts
from adapters.room.outgoing.view import DebateView
from adapters.terminal.terminal import Style, Terminal
from core.debate import Debate, replay
from core.outcome import outcome
from core.views.verdict.decision import deciding, decision
from tests.adapters.posts.threads import PLATFORMS, shown_review, words
from tests.adapters.posts.told import posted, standing

_MARKS = re.compile(r"[*_`#>\\]")
_TAG = re.compile(r"<(script|style|title).*?</\1>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Until:
    """Words up to the end of the decision, and of the reason; all of them."""

    decision: int
    reason: int
    all: int


def surfaces(debate: Debate) -> Mapping[str, str]:
    """What each surface shows of a finished debate, from its top."""
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
        "review": compose(debate).shown(),
        "report": export(debate, "md"),
        "report as a page": _read(export(debate, "html")),
    }


def until(text: str, debate: Debate) -> Until:
    """What a reader of ``text`` meets first."""
    told = _MARKS.sub("", text)
    reason = deciding(debate)[0].shown.title
    return Until(_to(told, decision(debate).label), _to(told, reason), len(words(told)))


def _to(text: str, wanted: str) -> int:
    """Words up to the end of ``wanted``, however its lines are broken."""
    found = re.search(r"\s+".join(map(re.escape, wanted.rstrip(".").split())), text)
    assert found is not None, f"{wanted!r} is not in {text[:300]!r}"
    return len(words(text[: found.end()]))


def _read(html: str) -> str:
    return unescape(_TAG.sub(" ", html))


def rows() -> Mapping[str, Until]:
    debate = replay(shown_review())
    return {name: until(text, debate) for name, text in surfaces(debate).items()}


def main() -> None:
    print(f"{'one review by four seats':<28}{'decision':>10}{'reason':>10}{'all':>10}")
    for name, read in rows().items():
        print(f"{name:<28}{read.decision:>10}{read.reason:>10}{read.all:>10}")


if __name__ == "__main__":
    main()
