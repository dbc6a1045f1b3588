"""Measures how hard a question is and whether a large panel is worth its price: pure, counted from
the text, shown before the run.

The weights, thresholds and rules of importance come from the decision record on extended debates.
The inputs that the record left to the caller (stakeholders, domains, horizon, impact) are counted
from the question by the word lists below, unless the caller gives them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.debate.errors import BadInput
from core.debate.formats.plan import PanelSize
from core.debate.stored import stored
from core.languages import ENGLISH, money, speaking

BASE, LONG_TEXT = 0.3, 200
STAKEHOLDERS_OVER, DOMAINS_OVER = 3, 2
EXTENDED_FROM, THIRD_ROUND_FROM = 0.7, 0.8
ESTIMATE_WEIGHT, HIGH_ESTIMATE = 0.2, 0.7
HIGHLY_COMPLEX = stored("estimated as highly complex")
_UNKNOWN_PRICE = stored("the price of the extended panel is unknown and the day has a budget")

_STAKEHOLDERS: Mapping[str, str] = {
    "customers": "customers?|clients?|buyers?",
    "users": "users?|end[- ]users?|members?|subscribers?",
    "staff": "employees?|staff|workers?|teams?|colleagues",
    "engineers": "engineers?|developers?|programmers?|engineering",
    "operations": "operators?|operations|on-?call|sre|sysadmins?",
    "support": "support|help ?desk|customer service",
    "management": "managers?|management|executives?|leadership|board",
    "owners": "investors?|shareholders?|owners?|founders?",
    "partners": "partners?|suppliers?|vendors?|contractors?",
    "legal": "legal|counsel|lawyers?",
    "finance": "finance|accounting|cfo|controllers?",
    "sales": "sales|marketing",
    "regulators": "regulators?|auditors?|authorit(?:y|ies)|government",
    "public": "public|citizens?|community|residents?",
    "patients": "patients?|students?|children|families",
}
_DOMAINS: Mapping[str, str] = {
    "security": "security|authentication|authorisation|authorization|encryption"
    "|vulnerabilit(?:y|ies)",
    "performance": "performance|latency|throughput|scalab(?:le|ility)|caching",
    "data": "databases?|schema|sql|data|storage|analytics|warehouse",
    "network": "network(?:ing)?|dns|tls|proxy|protocols?",
    "interface": "frontend|front-end|ui|ux|usability|accessibility|mobile",
    "services": "backend|back-end|apis?|microservices?|monolith|queues?",
    "infrastructure": "infrastructure|cloud|kubernetes|containers?|deployment|hosting",
    "machine learning": "machine learning|ml|ai|models?|llms?|training",
    "law": "compliance|privacy|gdpr|hipaa|licen[cs](?:e|ing)|contracts?|regulation",
    "money": "budget|costs?|pricing|revenue|tax(?:es)?",
    "people": "hiring|culture|organi[sz]ation|training plan|reorgani[sz]ation",
    "quality": "testing|tests?|reliability|observability|monitoring",
}
_LONG_TERM = (
    "long[- ]term|multi-?year|roadmap|strategy|strategic|decades?|irreversibl[ey]"
    "|permanent(?:ly)?|migrat(?:e|ion)|years"
)
_HIGH_IMPACT = (
    "high impact|company-?wide|organi[sz]ation-?wide|millions?|critical|safety|lay-?offs?|outage"
    "|all customers|irreversibl[ey]|bankruptcy"
)


class Importance(StrEnum):
    """The importance of a question, as a person sets it; with low, medium and normal only the
    complexity decides.
    """

    LOW = "low"
    MEDIUM = "medium"
    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Complexity:
    """``score`` lies in [0, 1]; ``factors`` are what raised it above the base; ``rounds`` is what
    the score recommends.
    """

    score: float
    factors: tuple[str, ...]
    reasoning: str
    rounds: int


def assess(
    topic: str, facts: Mapping[str, str] | None = None, estimate: float | None = None
) -> Complexity:
    """Returns the complexity of a question.

    ``facts`` are what a person stated instead of having it counted: ``stakeholders`` and
    ``domains`` (numbers), ``horizon`` (``long_term`` or another word), ``impact`` (``high`` or
    another word); other keys are ignored. ``estimate`` is a model's own in [0, 1], None if there is
    none. Raises ``BadInput`` for a text that is no number, ``ValueError`` for an estimate outside.
    """
    if estimate is not None and not 0.0 <= estimate <= 1.0:
        raise ValueError(f"{estimate} is not between 0 and 1")
    stated = facts or {}
    stakeholders = _number(stated, "stakeholders", topic, _STAKEHOLDERS)
    domains = _number(stated, "domains", topic, _DOMAINS)
    long_term, high_impact = _mentions(topic, _LONG_TERM), _mentions(topic, _HIGH_IMPACT)
    if "horizon" in stated:
        long_term = stated["horizon"] == "long_term"
    if "impact" in stated:
        high_impact = stated["impact"] == "high"
    signs = (
        (len(topic) > LONG_TEXT, 0.1, stored("detailed topic")),
        (
            stakeholders > STAKEHOLDERS_OVER,
            0.15,
            stored("{n} groups of stakeholders", n=stakeholders),
        ),
        (domains > DOMAINS_OVER, 0.15, stored("{n} domains", n=domains)),
        (long_term, 0.1, stored("long-term implications")),
        (high_impact, 0.1, stored("high impact")),
    )
    raw = (
        BASE
        + sum(weight for true, weight, _ in signs if true)
        + (estimate or 0.0) * ESTIMATE_WEIGHT
    )
    score = round(raw, 6)
    factors = [name for true, _, name in signs if true]
    if estimate is not None and estimate > HIGH_ESTIMATE:
        factors.append(HIGHLY_COMPLEX)
    capped = min(score, 1.0)
    return Complexity(
        capped,
        tuple(factors),
        stored(
            "complexity {score}: {why_factors}",
            score=f"{capped:.2f}",
            why_factors=", ".join(factors) or stored("nothing beyond an ordinary question"),
        ),
        rounds=3 if score >= THIRD_ROUND_FROM else 2,
    )


def choose(
    complexity: Complexity,
    importance: str,
    budget_left: float | None,
    price_large: float | None,
    above: float = THIRD_ROUND_FROM,
) -> tuple[PanelSize, int, str]:
    """Chooses a standard or an extended panel; returns it with its rounds and the reason.

    Price and budget are USD; a budget of None is no limit, a price of None is unknown.
    ``importance`` is an ``Importance`` or "" (normal); raises ``BadInput`` for another. The budget
    is checked first. Then critical questions get the large panel, others from a complexity
    ``above`` that, or a tenth less if important.
    """
    if importance not in ("", *Importance):
        raise BadInput(f"importance is one of {', '.join(Importance)}, not {importance!r}")
    important = round(above - (THIRD_ROUND_FROM - EXTENDED_FROM), 6)
    form, rounds = PanelSize.EXTENDED, complexity.rounds
    if budget_left is not None and price_large is None:
        form, why = PanelSize.STANDARD, _UNKNOWN_PRICE
    elif budget_left is not None and price_large is not None and price_large > budget_left:
        form = PanelSize.STANDARD
        with speaking(ENGLISH):  # it is stored
            price, left = money(price_large), money(max(0.0, budget_left))
        why = stored(
            "the extended panel costs {price}, {left} are left today", price=price, left=left
        )
    elif importance == Importance.CRITICAL:
        rounds, why = 3, stored("critical questions get the extended panel")
    elif complexity.score > above:
        why = stored("above {score}", score=f"{above:g}")
    elif complexity.score > important and importance == Importance.HIGH:
        why = stored("above {score} and important", score=f"{important:g}")
    else:
        form, why = PanelSize.STANDARD, _why_standard(complexity)
    if form is PanelSize.STANDARD:
        rounds = 2
    return form, rounds, f"{complexity.reasoning}; {why}"


def _why_standard(complexity: Complexity) -> str:
    """Explains why the panel is not extended, even if a model estimates the question as hard."""
    why = stored(
        "the standard panel is enough up to {score} ({important} if important)",
        score=THIRD_ROUND_FROM,
        important=EXTENDED_FROM,
    )
    if HIGHLY_COMPLEX in complexity.factors:
        return f"{why}, {stored('and an estimate adds {weight} at most', weight=ESTIMATE_WEIGHT)}"
    return why


def _number(stated: Mapping[str, str], key: str, topic: str, groups: Mapping[str, str]) -> int:
    """Returns the stated number, else the number of word groups that the topic mentions."""
    if key not in stated:
        return sum(_mentions(topic, pattern) for pattern in groups.values())
    try:
        return int(stated[key])
    except ValueError as error:
        raise BadInput(f"{key} is a number, not {stated[key]!r}") from error


def _mentions(topic: str, pattern: str) -> bool:
    return re.search(rf"\b(?:{pattern})\b", topic, re.IGNORECASE) is not None
