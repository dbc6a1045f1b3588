"""The team's history of findings: stored as debates go on, and read when one opens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters.ports.place import PROGRAM, SHELL, platform_of
from bot.platforms import shared_with
from core.debate import Debate
from core.earned import (
    KNOWN_FROM,
    CategoryRecord,
    Frequency,
    Gate,
    GateTerms,
    Standing,
    Threshold,
    standing,
)
from core.material import Material
from core.verdict.learned.judged import is_right, outcomes_of
from storage.debates.judged import JudgedFinding, JudgedFindings


@dataclass(frozen=True, slots=True)
class FindingHistory:
    judged: JudgedFindings
    gate: Gate
    threshold: Threshold

    async def keep(self, debate: Debate) -> None:
        """Stores what became of the findings of a finished debate. A debate whose texts were
        deleted keeps what was known of it.
        """
        if debate.opened is None or debate.deleted is not None:
            return
        if outcomes := outcomes_of(debate):
            material, template = debate.open.material, debate.open.template.id
            repository = repository_of(material)
            change = material.source if repository else debate.id
            await self.judged.save(debate.id, template, repository, change, outcomes)

    async def terms(self, place: str, template: str, material: Material) -> GateTerms:
        """Returns the gate for a debate that opens now, with the team's records so far."""
        repository = repository_of(material)
        known = await self.judged.of(team_of(place), repository=repository, template=template)
        return GateTerms(
            self.gate, self.threshold, records_of(known, self.threshold, repository, template)
        )


def team_of(place: str) -> Sequence[str] | None:
    """Returns the prefixes of the places whose history a place shares; None for all, at a shell."""
    return None if platform_of(place) in (SHELL, PROGRAM) else shared_with(place)


def repository_of(material: Material) -> str:
    """Names the repository of a change on a forge with its host; "" for any other material."""
    host, repo = material.facts.get("host", ""), material.facts.get("repo", "")
    return f"{host}/{repo}".lower() if host and repo else ""


def records_of(
    known: Sequence[JudgedFinding], threshold: Threshold, repository: str, template: str
) -> tuple[CategoryRecord, ...]:
    """Returns the record of each category. Findings are alike if repository, category and demand
    are the same; if there are fewer than ``KNOWN_FROM`` of these, template, category and demand.
    """
    kinds = dict.fromkeys((one.category, one.demanded) for one in known)
    records = []
    for category, demanded in kinds:
        same = [one for one in known if (one.category, one.demanded) == (category, demanded)]
        here = [one for one in same if repository and one.repository == repository]
        all_of = [one for one in same if one.template == template]
        wider = len(here) < KNOWN_FROM <= len(all_of)
        stands = standing(_right(here), threshold) if demanded else Standing()
        alike = _frequency(all_of if wider else here)
        records.append(CategoryRecord(category, demanded, alike, wider, stands))
    return tuple(records)


def _right(findings: Iterable[JudgedFinding]) -> list[bool]:
    known = (is_right(one.became) for one in findings)
    return [right for right in known if right is not None]


def _frequency(findings: Iterable[JudgedFinding]) -> Frequency:
    right = _right(findings)
    return Frequency(len(right), sum(right))
