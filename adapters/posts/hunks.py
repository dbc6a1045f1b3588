"""The quoted lines of a finding in the change, with removed lines around them."""

from __future__ import annotations

from collections.abc import Sequence

from core.debate.finding import Finding
from core.debate.material.escaping import show_path
from core.debate.material.plaintext import cut
from core.debate.state import Debate
from core.debate.verdict.findings.evidence import quoted_lines

_BESIDE = 2
"""Lines shown before the quoted ones."""
_MOST = 9
_WIDTH = 110


def hunk(debate: Debate, finding: Finding) -> str:
    """Returns the lines of the change around a finding's quote, each with its mark; only the quote
    if the change does not hold it.
    """
    cited = quoted_lines(debate, finding)
    if cited is None:
        return narrowed(finding.quote.strip().split("\n"))
    paths = {finding.path, show_path(finding.path)}
    for each in debate.open.material.hunks:
        numbers = [line.number_on(finding.side) or 0 for line in each.lines]
        if each.path in paths and cited[0] in numbers:
            first = numbers.index(cited[0])
            last = max(n for n, number in enumerate(numbers) if number <= cited[1] and number)
            around = each.lines[max(0, first - _BESIDE) : max(first, last) + 1]
            return narrowed([f"{line.mark}{line.text}" for line in around])
    return narrowed(finding.quote.strip().split("\n"))


def narrowed(lines: Sequence[str]) -> str:
    """Returns the first of these lines of code, none too wide for a message."""
    kept_lines = [cut(line, _WIDTH) for line in lines[:_MOST]]
    if len(lines) > _MOST:
        kept_lines.append("…")
    return "\n".join(kept_lines)
