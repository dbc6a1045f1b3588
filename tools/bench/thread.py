"""``python -m tools.bench.thread``: how much a person has to read of one four-seat review, on both
platforms: before the threads were rewritten and now, by statements, by rounds and quiet.

"Before" is the same recorded review (the same model answers) as 0.1.0 posted it at commit d577b50,
the last commit before the rewrite: its threads, taken there off the stand-ins' wire, are stored
next to this file. "Now" is rendered from the recorded events. Only words that a person reads count:
no addresses, quoted code or buttons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.adapters.posts.threads import PLATFORMS, page, thread, words

BEFORE = Path(__file__).with_name("threads")
COMMIT = "d577b50"
_BETWEEN = re.compile(r"^----$|^==== .*$", re.MULTILINE)
_ID = re.compile(r"\b[tux]\d+\.[fc]\d+\b|\(P\d\)|\bm79epxbc\b|\bID\b")
_LEGEND = re.compile(r"vote by reaction|^-# vote:", re.IGNORECASE | re.MULTILINE)
_DECISION = re.compile(r"request changes|changes requested", re.IGNORECASE)
_VERDICT = re.compile(r"^(# |### )?(VERDICT|Changes requested)", re.MULTILINE)
_UNSEEN = re.compile(r" <https?://[^>]*>|\(<https?://[^)]*>\)|^\[.*\]$", re.MULTILINE)
_SEEDS = re.compile(r"^\{.*\}$|^:\w+: \d.*$|^[✅❌⏫⏬💬👀 ]+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Read:
    """``longest`` is in characters; ``root`` and ``verdict`` are the words up to the decision from
    the top of the thread and within the verdict's message.
    """

    messages: int
    words: int
    longest: int
    ids: int
    legends: int
    root: int
    verdict: int


def read(text: str) -> Read:
    """Counts what a reader meets in a thread; a file is no message."""
    parts = [_SEEDS.sub("", part).strip() for part in _BETWEEN.split(text)]
    messages = [p for p in parts if p and not p.endswith(".md>") and not p.startswith("[debate-")]
    verdict = next(p for p in reversed(messages) if _VERDICT.search(p))
    whole = "\n".join(messages)
    return Read(
        messages=len(messages),
        words=len(words(whole)),
        longest=max(map(_length, messages)),
        ids=len(_ID.findall(whole)),
        legends=len(_LEGEND.findall(whole)),
        root=_until(whole),
        verdict=_until(verdict),
    )


def before(platform: str) -> Read:
    return read((BEFORE / f"{platform}_before.txt").read_text("utf-8"))


def now(platform: str, form: str = "statements", *, quiet: bool = False) -> Read:
    return read(page(platform, thread(form, quiet=quiet)))


def _until(text: str) -> int:
    """Returns words up to the end of the decision's name."""
    match = _DECISION.search(text)
    assert match is not None, text
    return len(words(text[: match.end()]))


def _length(message: str) -> int:
    """Counts the characters that are seen: of a link its text."""
    return len(_UNSEEN.sub("", message))


def rows() -> Sequence[tuple[str, Read]]:
    made = []
    for platform in PLATFORMS:
        made += [
            (f"{platform}, before ({COMMIT})", before(platform)),
            (f"{platform}, by statements", now(platform)),
            (f"{platform}, by rounds", now(platform, "rounds")),
            (f"{platform}, quiet", now(platform, quiet=True)),
        ]
    return made


def main() -> None:
    names = [each.name for each in fields(Read)]
    print(f"{'one review by four seats':<28}" + "".join(f"{name:>10}" for name in names))
    for what, counted in rows():
        print(f"{what:<28}" + "".join(f"{figure:>10}" for figure in astuple(counted)))


if __name__ == "__main__":
    main()
