"""Count sentences of docstrings, messages and pages that are in a dialect of English.

Seven habits can be found by regular expressions. They also match some innocent sentences, about
one in seventy in other projects' documentation, so the share is compared with a limit that may only
fall. Run as ``python -m tools.words``: prints the shares, and with ``--list FILE...`` each sentence
that was marked. Ends with 1 if a share is above its limit.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PRODUCT = ("core/", "adapters/", "storage/", "bot/")
LIMITS = {"docstrings": 0.5, "messages": 1.0, "pages": 0.5}
"""Percent of marked sentences, those that are innocent included."""

HABITS = {
    "where": (
        r"(?:\bwhere (?:it|they|there|nobody|nothing|none?|somebody|an?|the|one|that|this|we)\b"
        r"(?! \w+ (?:is|are) (?:stored|kept|posted|written))"
        r"|[,(] (?:or|and|but)? ?where\b|^where\b)"
    ),
    "nobody acts": (
        r"\b(?:is|are|was|were|be|been|being) (?:told|asked(?! for)|said|heard|held to)\b"
        r"|\bis let\b"
    ),
    "says whether": r"\b(?:Says?|Tells?|say|tell|says|tells) (?:whether|that|how|what|which|who)\b",
    "the one that": (
        r"\b(?:the|for|of|by|as|only|is|are|no|any|another) (?:one|ones|those)"
        r" (?:that|who|which|of|there)\b"
    ),
    "of its own": r"\bof (?:its|their|our|one's|his|your|my) own\b|\bof (?:ours|theirs)\b",
    "stands": r"\b(?:stands?|lies|rests|goes on|go on|stood|lay)\b(?!-)",
    "alone, beside": r"(?<!let )(?<!leave )(?<!left )\balone\b|\bbeside\b",
    "so many": r"\bso (?:many|long|much|few|often)\b(?! (?:that|as))|\belse\s*[.;:)]",
    "old words": r"\b(?:mend(?:s|ed|ing)?|purse|dear|leave of|held to|whoever|thereby)\b",
}
_HABITS = {
    name: re.compile(rule, re.IGNORECASE if name != "says whether" else 0)
    for name, rule in HABITS.items()
}
_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*|] ")
_CODE = re.compile(r"``[^`]*``|`[^`]*`|\"[^\"\n]*\"")
_WORD = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence in which one or more habits were found."""

    path: str
    line: int
    sentence: str
    habits: tuple[str, ...]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of four words and more with the number of lines before it."""
    at = 0
    for part in _END.split(text):
        where = text.find(part, at)
        at = where + len(part)
        plain = " ".join(_CODE.sub("x", part).split())
        if len(_WORD.findall(plain)) >= 4:
            yield text.count("\n", 0, where), plain


def marked(path: str, line: int, text: str) -> Iterator[Marked | None]:
    """Yield a `Marked` for each sentence with a habit and None for every other sentence."""
    for offset, sentence in sentences(text):
        habits = tuple(name for name, rule in _HABITS.items() if rule.search(sentence))
        yield Marked(path, line + offset, sentence, habits) if habits else None


def texts_of(source: str) -> Iterator[tuple[str, int, str]]:
    """Yield the docstrings and messages of Python code as (kind, line, text)."""
    tree = ast.parse(source)
    documented = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documented.add(id(node.value))
            if isinstance(node.value.value, str):
                yield "docstrings", node.lineno, node.value.value
        elif isinstance(node, ast.JoinedStr):
            inner = [part.value for part in node.values if isinstance(part, ast.Constant)]
            documented.update(id(part) for part in node.values)
            yield "messages", node.lineno, "x".join(str(text) for text in inner)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documented
        ) and " " in node.value:
            yield "messages", node.lineno, node.value


def read(paths: Iterable[str]) -> Iterator[tuple[str, Marked | None]]:
    """Yield every sentence of the files with its kind."""
    for path in paths:
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".py"):
            for kind, line, words in texts_of(text):
                yield from ((kind, item) for item in marked(path, line, words))
        elif path.endswith(".md"):
            body = re.sub(
                r"```.*?```", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL
            )
            yield from (("pages", item) for item in marked(path, 1, body))


def main(arguments: list[str]) -> int:
    """Print the share of marked sentences by kind; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(prog="python -m tools.words", description=__doc__)
    parser.add_argument("--list", nargs="*", metavar="FILE", help="print the marked sentences")
    parser.add_argument("--by", action="store_true", help="print the share of each file")
    chosen = parser.parse_args(arguments)
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [
        path
        for path in listed.stdout.splitlines()
        if (path.endswith(".py") and path.startswith(PRODUCT))
        or (path.endswith(".md") and (path.startswith("docs/") or "/" not in path))
    ]
    if chosen.list is not None:
        wanted = tuple(chosen.list)
        for _, item in read(path for path in paths if not wanted or path.startswith(wanted)):
            if item:
                print(f"{item.path}:{item.line}: [{', '.join(item.habits)}] {item.sentence}")
        return 0
    counts: dict[str, list[int]] = {}
    by: dict[tuple[str, str], list[int]] = {}
    for path in paths:
        for kind, item in read([path]):
            for row in (counts.setdefault(kind, [0, 0]), by.setdefault((path, kind), [0, 0])):
                row[0] += 1
                row[1] += item is not None
    if chosen.by:
        for (path, kind), (all_, bad) in sorted(by.items(), key=lambda item: -item[1][1]):
            print(f"{bad:4} of {all_:4}  {kind:10}  {path}")
    wrong = 0
    for kind, (all_, bad) in sorted(counts.items()):
        share = 100 * bad / all_
        wrong += share > LIMITS[kind]
        print(
            f"{kind}: {bad} of {all_} sentences are marked, {share:.1f} % (limit {LIMITS[kind]} %)"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
