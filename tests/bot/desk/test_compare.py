"""Two debates side by side, from their outcome documents alone."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.posts.compare import comparison
from core.words.views.verdict.labels import document_label


def outcome(id: str, **changed: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": id,
        "template": "panel",
        "complexity": {"form": "standard"},
        "seats": [{}] * 5,
        "verdict": {"decision": "for_with_conditions", "reached": True, "agreement": 0.5},
        "votes": {"final": {"for": 0, "for_with_conditions": 1, "against": 1, "none": 0}},
        "scores": {"evidence": 0.5, "diversity": 0.7},
        "metrics": {"rounds": [{"said": 4, "new": 4}, {"said": 3, "new": 1}]},
        "rounds": [
            {"turns": [{"seat": "a", "confidence": 0.2}, {"seat": "b", "confidence": None}]},
            {"turns": [{"seat": "a", "confidence": 0.8}]},
        ],
        "cost": {"usd": 0.0123, "calls": 8, "unpriced": 0},
    }
    return made | changed


def test_two_outcomes_side_by_side() -> None:
    other = outcome(
        "d2",
        complexity={"form": "extended"},
        verdict={"decision": "tie", "reached": False, "agreement": 0.0},
        scores={},
        rounds=[],
        cost={"usd": None, "calls": 2, "unpriced": 2},
    )
    assert comparison(outcome("d1"), other) == (
        "| | d1 (panel, standard, 5 seats) | d2 (panel, extended, 5 seats) |\n"
        "| --- | --- | --- |\n"
        "| decision | For with conditions | No decision |\n"
        "| agreement | 50% of 2 voting seats | 0% of 2 voting seats |\n"
        "| quality | 0.60 | not scored |\n"
        "| diversity | 5 new of 7 points | 5 new of 7 points |\n"
        "| confidence | 0.80, unchecked | none stated |\n"
        "| cost | $0.01, 8 calls | price unknown, 2 calls |"
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ({"decision": "request_changes", "reached": False, "mechanism": "findings"},
         "Changes requested"),
        ({"decision": "for", "reached": False, "mechanism": "majority"},
         "No decision: 2 of 5 are for"),
        ({"decision": "tie", "reached": False, "mechanism": "majority"}, "No decision"),
        ({"decision": "no_quorum", "reached": False, "mechanism": "quorum"}, "No verdict"),
        ({"decision": "against", "reached": True, "mechanism": "majority"}, "Against"),
    ],
)  # fmt: skip
def test_a_decision_in_words(verdict: dict[str, Any], words: str) -> None:
    votes = {"final": {"for": 2, "against": 1, "none": 2}}
    assert document_label({"verdict": verdict, "votes": votes}) == words
