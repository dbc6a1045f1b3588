"""The team's history of findings: stored as debates continue, and read when one opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.platforms import shared_with
from core.application.place import PROGRAM, SHELL, platform_of
from core.debate.earned import Gate, GateTerms, Threshold
from core.debate.material import Material
from core.debate.state import Debate
from core.debate.verdict.learned.forecasts import FindingRatings, rate_findings, records_of
from core.debate.verdict.learned.judged import outcomes_of
from storage.debates.judged import JudgedFindings
from storage.places import Places


@dataclass(frozen=True, slots=True)
class FindingHistory:
    judged: JudgedFindings
    places: Places
    gate: Gate
    threshold: Threshold

    async def keep(self, debate: Debate) -> None:
        """Stores what became of the findings of a finished debate. A debate whose texts were
        deleted keeps what was known of it.
        """
        if debate.opened is None or debate.deleted is not None:
            return
        if outcomes := outcomes_of(debate):
            template = debate.open.template.id
            repository, change = await self._change(debate.request.place, debate.open.material)
            await self.judged.save(debate.id, template, repository, change or debate.id, outcomes)

    async def ratings(self, place: str) -> FindingRatings:
        """Returns how good the forecasts of the team's findings were, and what may block; of
        private repositories to their own place only.
        """
        team = history_places(place)
        known = await self.judged.of(team)
        visible = [one for one in known if team is None or not one.private or one.place == place]
        return rate_findings(visible, self.threshold)

    async def terms(self, place: str, template: str, material: Material) -> GateTerms:
        """Returns the gate for a debate that opens now, with the team's records so far."""
        repository, _ = await self._change(place, material)
        team = history_places(place)
        known = await self.judged.of(team, repository=repository, template=template)
        return GateTerms(
            self.gate, self.threshold, records_of(known, self.threshold, repository, template)
        )

    async def _change(self, place: str, material: Material) -> tuple[str, str]:
        """Returns the repository of a change on a forge, with its host, and the change's link, both
        by the repository's present name; "" for any other material.
        """
        host, repo = material.facts.get("host", ""), material.facts.get("repo", "")
        if not (host and repo):
            return "", ""
        now = await self.places.present_name(place, host, repo)
        return f"{host}/{now}".lower(), material.source.replace(f"/{repo}/", f"/{now}/", 1)


def held_of(debate: Debate) -> bool | None:
    """Returns a person's later word on the verdict, None if nobody has said one."""
    if debate.resolved is None:
        return None
    return debate.resolved.held


def history_places(place: str) -> Sequence[str] | None:
    """Returns the prefixes of the places whose history a place shares; None for all, at a shell."""
    if platform_of(place) in (SHELL, PROGRAM):
        return None
    return shared_with(place)
