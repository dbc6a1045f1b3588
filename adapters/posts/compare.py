"""Two debates side by side: what each decided, how good its judge found it, how much of it was new,
how sure it was, what it cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.budget import dollars

MEASURES = ("decision", "agreement", "quality", "diversity", "confidence", "cost")


def comparison(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """A Markdown table of two outcome documents."""
    columns = [measured(first), measured(second)]
    lines = [
        "| | " + " | ".join(f"{c['id']} ({c['form']})" for c in columns) + " |",
        "| --- | --- | --- |",
    ]
    return "\n".join((*lines, *(f"| {m} | {columns[0][m]} | {columns[1][m]} |" for m in MEASURES)))


def measured(outcome: Mapping[str, Any]) -> dict[str, str]:
    """The numbers of one debate, as they are shown.

    Quality is the mean of the judge's scores, in [0, 1]; diversity counts the claims, findings and
    pieces of evidence that nobody had brought before; confidence is the mean of what the seats
    stated last, which nothing calibrates.
    """
    verdict, cost = outcome["verdict"], outcome["cost"]
    scores = list(outcome["scores"].values())
    rounds = outcome["metrics"].get("rounds", ())
    said, new = sum(r["said"] for r in rounds), sum(r["new"] for r in rounds)
    last = {
        t["seat"]: t["confidence"]
        for r in outcome["rounds"]
        for t in r["turns"]
        if t["confidence"] is not None
    }
    unpriced = f", {cost['unpriced']} of them unpriced" if cost["unpriced"] else ""
    seats = sum(outcome["votes"]["final"].values())
    return {
        "id": str(outcome["id"]),
        "form": _form(outcome),
        "decision": str(verdict["decision"]).replace("_", " ")
        + ("" if verdict["reached"] else " (not reached)"),
        "agreement": f"{verdict['agreement']:.0%} of {seats} seats",
        "quality": f"{sum(scores) / len(scores):.2f}" if scores else "not scored",
        "diversity": f"{new} new of {said} points",
        "confidence": f"{sum(last.values()) / len(last):.2f}, not calibrated"
        if last
        else "none stated",
        "cost": f"{dollars(cost['usd'])}, {cost['calls']} calls{unpriced}",
    }


def _form(outcome: Mapping[str, Any]) -> str:
    size = f", {outcome['complexity']['form']}" if outcome["complexity"] else ""
    return f"{outcome['template']}{size}, {len(outcome['seats'])} seats"
