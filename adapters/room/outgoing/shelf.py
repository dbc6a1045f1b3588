"""Templates as people choose among them."""

from __future__ import annotations

from collections.abc import Sequence

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


def cards(sources: TemplateSources) -> Sequence[Template]:
    """Returns all templates, the most popular first."""
    templates = read_catalogue(sources)
    return sorted(templates, key=lambda t: (_FIRST.get(t.id, len(_FIRST)), t.name))


def domain_words(template: Template) -> str:
    """Returns the domain of a template, as people read it."""
    return say(_DOMAINS.get(template.domain) or template.domain.replace("_", " ").capitalize())
