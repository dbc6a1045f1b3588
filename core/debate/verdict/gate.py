"""What is done on the forge with a verdict that blocks: it blocks there, or it advises. The verdict
itself never depends on this.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.earned import CategoryRecord, Gate
from core.debate.state import Debate
from core.debate.verdict import blocks, verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.learned.judged import category_of


@dataclass(frozen=True, slots=True)
class Gated:
    """``blocks`` is true if the forge is to block; ``advises`` if the verdict blocks and the forge
    is not to. ``records`` are the records of the categories whose findings must be fixed.
    """

    blocks: bool = False
    advises: bool = False
    gate: Gate = Gate.ALWAYS
    records: tuple[CategoryRecord, ...] = ()


def gated(debate: Debate) -> Gated:
    """Returns whether the debate's verdict blocks on the forge. By a gate that must be earned, one
    category with the right is enough; a verdict without any finding has none.
    """
    if debate.opened is None or not blocks(debate, verdict(debate).decision):
        return Gated()
    terms = debate.open.terms.gate
    if terms is None:
        return Gated(blocks=True)
    demanded = dict.fromkeys(category_of(m) for m in merge_findings(debate) if m.blocking)
    records = tuple(terms.record(category, demanded=True) for category in demanded)
    earned = terms.gate is Gate.EARNED and any(one.standing.earned for one in records)
    may = terms.gate is Gate.ALWAYS or earned
    return Gated(may, not may, terms.gate, records)
