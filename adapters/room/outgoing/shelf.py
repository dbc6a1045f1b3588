"""Templates as people choose among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.templates.catalogue import read_catalogue
from adapters.templates.sources import TemplateSources
from core.debate.template import Template
from core.languages import msgid, say

_FIRST = {"code_review": 0, "panel": 1, "triad": 2}
"""Templates that come before the others."""
_DOMAINS = {
    "software_engineering": msgid("Software"),
    "architecture": msgid("Architecture"),
    "security": msgid("Security"),
    "operations": msgid("Operations"),
    "finance": msgid("Finance"),
    "healthcare": msgid("Health"),
    "governance": msgid("Policy"),
    "product": msgid("Product"),
    "research": msgid("Research"),
    "general": msgid("Any question"),
}


@dataclass(frozen=True, slots=True)
class Card:
    """One template in the list: its purpose, its seats, and what it decides."""

    id: str
    name: str
    about: str
    domain: str
    roles: tuple[str, ...]
    ballot: tuple[str, ...]


def cards(sources: TemplateSources) -> Sequence[Card]:
    """Returns all templates, the most popular first."""
    all_cards = [card(t) for t in read_catalogue(sources).templates]
    return sorted(all_cards, key=lambda c: (_FIRST.get(c.id, len(_FIRST)), c.name))


def card(template: Template) -> Card:
    return Card(
        template.id,
        template.name,
        template.description,
        say(_DOMAINS.get(template.domain) or template.domain.replace("_", " ").capitalize()),
        tuple(r.name.replace("_", " ") for r in template.roles),
        tuple(o.option.replace("_", " ") for o in template.ballot),
    )
