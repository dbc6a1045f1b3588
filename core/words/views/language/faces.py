"""Gives each seat a picture: an emoji that shows its role and that no other seat of the debate
has.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.debate.state import Debate
from core.words.views.language.seats import seat_name

_OF_ROLES = {
    "security": "lock",
    "performance": "zap",
    "maintainability": "wrench",
    "scalability": "chart_with_upwards_trend",
    "reliability": "umbrella",
    "operations": "construction",
    "privacy": "key",
    "compliance": "straight_ruler",
    "auditor": "straight_ruler",
    "threat": "eyes",
    "vulnerability": "bug",
    "breach": "unlock",
    "red": "crossed_swords",
    "blue": "shield",
    "author": "pencil2",
    "drafter": "pencil2",
    "proposer": "bulb",
    "proponent": "bulb",
    "builder": "hammer",
    "implementer": "hammer",
    "architect": "triangular_ruler",
    "advocate": "speech_balloon",
    "opponent": "raised_hand",
    "adversary": "crossed_swords",
    "breaker": "boom",
    "abuser": "ghost",
    "doubter": "thinking_face",
    "skeptic": "thinking_face",
    "challenger": "point_up",
    "critic": "mag",
    "refiner": "seedling",
    "guardian": "shield",
    "defender": "shield",
    "explorer": "mag_right",
    "stakeholder": "handshake",
    "affected": "handshake",
    "enforcer": "clipboard",
    "counsel": "books",
    "loophole": "mag_right",
    "strategist": "checkered_flag",
    "delivery": "package",
    "quant": "heavy_division_sign",
    "risk": "warning",
    "analyst": "chart_with_upwards_trend",
    "officer": "clipboard",
    "clinical": "heart",
    "investigator": "mag",
    "responder": "fire",
    "prevention": "umbrella",
    "extractor": "scissors",
    "validator": "test_tube",
    "moderator": "bell",
    "judge": "scales",
    "synthesizer": "memo",
    "clerk": "memo",
}
"""Emoji by a word of the role; of a role with several such words the first counts."""
_CIRCLES = (
    "large_blue_circle",
    "large_orange_circle",
    "large_green_circle",
    "large_purple_circle",
    "large_yellow_circle",
    "red_circle",
    "white_circle",
    "black_circle",
)
"""Emoji for roles without a fixed one, and while roles are secret."""
FACES = frozenset((*_OF_ROLES.values(), *_CIRCLES))
"""Every emoji that a seat can have."""


def faces(debate: Debate) -> Mapping[str, str]:
    """Returns the short name of every seat's emoji. A seat with a label gets a circle that follows
    only from the label, so that it reveals nothing of the role.
    """
    script = debate.open.script
    made: dict[str, str] = {}
    labels = sorted(script.alias(seat.id) for seat in script.seats)
    for seat in script.seats:
        label = script.alias(seat.id)
        made[seat.id] = _CIRCLES[labels.index(label) % len(_CIRCLES)]
        face = next((_OF_ROLES[word] for word in seat.role.split("_") if word in _OF_ROLES), "")
        secret = seat_name(debate, seat.id) == label
        if face and not secret and face not in made.values():
            made[seat.id] = face
    return made
