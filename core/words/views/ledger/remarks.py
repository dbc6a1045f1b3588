"""Counts what the seats made of other reviewers' remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.debate.state import Debate
from core.debate.verdict.findings import REMARK, MergedFinding, holds_as_remark
from core.languages import say, say_many
from core.words.views.language.grammar import plural, shortened


def remark_lines(debate: Debate, findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Yields one sentence for each reviewer: "3 of 11 remarks of coderabbitai hold"."""
    for author in dict.fromkeys(s.author for s in debate.open.material.scanned if s.author):
        ids = {s.id for s in debate.open.material.scanned if s.author == author}
        some = [m for m in findings for r in m.raised if r.finding.id in ids]
        held = sum(map(holds_as_remark, some))
        silent = sum(not m.reasons and set(m.by) <= {REMARK} for m in some)
        rest = say(", {silent} nobody answered", silent=silent) if silent else ""
        yield say_many(
            held,
            "{n} of {remarks} of {author} holds{rest}.",
            "{n} of {remarks} of {author} hold{rest}.",
            remarks=plural(len(some), "remark"),
            author=shortened(author, 60),
            rest=rest,
        )
