"""``python -m tests.bench.reviewers.derive CLONE``: writes ``facts.json`` from a clone of
withmartian/code-review-benchmark.

A comment of a tool that a judge matched to a known defect is that defect's number; any other is a
number from -1 down, the same for comments of one change that are alike in words (an overlap of .5,
three words at least), so that it is known which of them two tools raised. Of pairs of comments
their overlap is kept, as counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

from core.verdict.findings.likeness import overlap, words

FACTS = Path(__file__).with_name("facts.json")
JUDGES = ("anthropic_claude-opus-4-5-20251101", "anthropic_claude-sonnet-4-5-20250929",
          "openai_gpt-5.2")  # fmt: skip
ALIKE, SHARED = 0.5, 3
BINS = 50


def derived(clone: str) -> dict[str, Any]:
    """Returns the facts, as they are written."""
    judged = {judge: _evaluations(clone, judge) for judge in JUDGES}
    first = judged[JUDGES[0]]
    tools = sorted({tool for one in first.values() for tool in one})
    changes = sorted(first)
    known = [_known(first[change]) for change in changes]
    same: Counter[int] = Counter()
    different: Counter[int] = Counter()
    raised = {}
    for judge, evaluations in judged.items():
        rows = []
        for change, defects in zip(changes, known, strict=True):
            comments = [
                (tool, *one)
                for tool in tools
                for one in _comments(evaluations[change].get(tool, {}), [d for d, _ in defects])
            ]
            _count_pairs(comments, same, different)
            rows.append(_numbered(tools, comments))
        raised[judge] = rows
    return {
        "source": "withmartian/code-review-benchmark, MIT",
        "commit": _git(clone, "rev-parse", "HEAD").strip(),
        "tools": tools,
        "changes": [change.removeprefix("https://github.com/") for change in changes],
        "severities": [[severity.lower() for _, severity in defects] for defects in known],
        "raised": raised,
        "overlaps": {
            "bins": BINS,
            "same": [same[n] for n in range(BINS + 1)],
            "different": [different[n] for n in range(BINS + 1)],
        },
    }


def _git(clone: str, *words: str) -> str:
    return subprocess.run(
        ("git", "-C", clone, *words), check=True, capture_output=True, text=True
    ).stdout


def _evaluations(clone: str, judge: str) -> dict[str, Any]:
    text = _git(clone, "show", f"HEAD:offline/results/{judge}/evaluations.json")
    read: dict[str, Any] = json.loads(text)
    return read


def _known(by_tool: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the known defects of a change with their severities."""
    one = next(iter(by_tool.values()))
    rows = [*one["true_positives"], *one["false_negatives"]]
    return sorted({(row["golden_comment"], row["severity"]) for row in rows})


def _comments(row_of: dict[str, Any], defects: list[str]) -> list[tuple[str, frozenset[int]]]:
    """Returns a tool's comments, each with the defects that it was matched to."""
    matched: dict[str, set[int]] = {}
    for row in row_of.get("true_positives", ()):
        text = row["matched_candidate"]
        matched.setdefault(text, set()).add(defects.index(row["golden_comment"]))
    matching = [(text, frozenset(numbers)) for text, numbers in matched.items()]
    off = (row["candidate"] for row in row_of.get("false_positives", ()))
    return [*matching, *((text, frozenset[int]()) for text in off)]


def _count_pairs(
    comments: list[tuple[str, str, frozenset[int]]], same: Counter[int], different: Counter[int]
) -> None:
    """Counts pairs of two tools' comments, one at least about a known defect: whether both are
    about it, by their overlap.
    """
    for (tool, text, numbers), (other, more, others) in combinations(comments, 2):
        if tool == other or not (numbers or others):
            continue
        at = int(overlap(words(text), words(more)) * BINS)
        if numbers & others:
            same[at] += 1
        else:
            different[at] += 1


def _numbered(tools: list[str], comments: list[tuple[str, str, frozenset[int]]]) -> list[list[int]]:
    """Returns for each tool the numbers of the known defects that it raised, and those of other
    things, from -1 down.
    """
    rows: dict[str, list[int]] = {tool: [] for tool in tools}
    off = [(tool, words(text)) for tool, text, numbers in comments if not numbers]
    for tool, _, numbers in comments:
        rows[tool] += sorted(numbers)
    groups: list[set[int]] = []
    for n, (_, mine) in enumerate(off):
        near = [
            g
            for g in groups
            if any(overlap(mine, off[i][1]) >= ALIKE and len(mine & off[i][1]) >= SHARED for i in g)
        ]
        groups = [g for g in groups if g not in near] + [{n}.union(*near)]
    for number, group in enumerate(sorted(groups, key=min), 1):
        for tool in sorted({off[i][0] for i in group}):
            rows[tool].append(-number)
    return [sorted(set(rows[tool]), reverse=True) for tool in tools]


def main() -> None:
    text = json.dumps(derived(sys.argv[1]), separators=(",", ":"))
    FACTS.write_text(text.replace('],"', '],\n"') + "\n", "utf-8")
    print(f"{FACTS}: {len(text):,} characters")


if __name__ == "__main__":
    main()
