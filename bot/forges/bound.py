"""True if a place may still hear of a pull request and write to it: for a private repository only
while an admin's binding exists and the operator permits it.
"""

from __future__ import annotations

from core.application.place import SHELL, platform_of
from core.debate.errors import Refused
from core.debate.state import Debate
from core.languages import say
from storage.forges.followed import Followed
from storage.places import Places, repository_key


async def hears(places: Places, row: Followed, debate: Debate) -> bool:
    """True if a place may hear of a change. What is public reaches every place that debated it,
    bound or not.
    """
    key = repository_key(row.key.host, row.key.repository)
    return not debate.private or await _is_bound(places, row.key.place, key)


async def require_bound(places: Places, debate: Debate, *, public: bool = False) -> None:
    """Raises ``Refused`` if nothing may be written to a debate's pull request any more; with
    ``public`` a public one has to be bound as well.
    """
    place = debate.request.place
    if not (debate.private or public) or debate.opened is None or platform_of(place) in (SHELL, ""):
        return
    facts = debate.open.material.facts
    key = repository_key(facts.get("host", ""), facts.get("repo", ""))
    if not await _is_bound(places, place, key):
        if not debate.private:
            raise Refused(
                "This channel is not bound to {repo}, so nothing is added to its branches. An "
                "admin binds it: setup.",
                repo=facts.get("repo") or say("that repository"),
            )
        raise Refused(
            "This channel no longer sees {repo}, so nothing is posted there. An admin binds it "
            "again: setup.",
            repo=facts.get("repo") or say("that repository"),
        )


async def is_shown(places: Places, place: str, debate: Debate) -> bool:
    """True if ``place`` may see a debate on a private repository: the repository has to be bound
    there, or anywhere when ``place`` is "". Material from outside forges needs no binding.
    """
    if not debate.private:
        return True
    facts = debate.open.material.facts if debate.opened is not None else {}
    if not facts.get("repo"):
        return False
    return await _is_bound(places, place, repository_key(facts.get("host", ""), facts["repo"]))


async def _is_bound(places: Places, place: str, key: str) -> bool:
    return bool(await places.bindings(place=place, repository=key))
