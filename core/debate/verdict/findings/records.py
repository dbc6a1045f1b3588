"""Recognises findings that say that the change breaks a decision record."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.debate.finding import Finding
from core.debate.material import DecisionRecord

_NAMED = r"(?:decision\s+record|record|decision|MADR|ADR)[\s#-]*"
_SOURCE = re.compile(rf"\W*(?:{_NAMED})?#?(?P<number>\d{{1,6}})\b", re.IGNORECASE)
_BREAKS = re.compile(
    r"\b(?:contradict|break|violat|breach|conflict|against|depart|ignor|overrid|reverse|undo)\w*"
    rf"[^.;\n]{{0,80}}?\b{_NAMED}(?P<number>\d{{1,6}})\b"
    rf"|\b{_NAMED}(?P<first>\d{{1,6}})\b[^.;\n]{{0,80}}?\b(?:contradict|broken|violated|breached)",
    re.IGNORECASE,
)


def broken_record(finding: Finding, records: Iterable[DecisionRecord]) -> DecisionRecord | None:
    """Returns the record that a finding names as its source, or in its title as broken; None if
    seats did not read such a record.
    """
    by_number = {int(record.number): record for record in records}
    if not by_number:
        return None
    stated = _SOURCE.match(finding.source) or _BREAKS.search(finding.title)
    if stated is None:
        return None
    numbers = (number for number in stated.groups() if number)
    return by_number.get(int(next(numbers)))
