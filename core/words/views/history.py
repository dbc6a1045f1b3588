"""Describes what became of findings alike and of verdicts, and whether a verdict blocks on the
forge or advises.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.debate.earned import CategoryRecord, Gate, Standing, Threshold
from core.debate.earned.betting import LEAST
from core.debate.events import Became
from core.debate.material import MaterialKind
from core.debate.state import Debate
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.gate import Gated, gated
from core.debate.verdict.learned.forecasts import FindingRatings
from core.debate.verdict.learned.judged import category_of, is_demand
from core.debate.verdict.learned.ratings import ENOUGH
from core.languages import decimal, msgid, percent, say, say_if
from core.words.views.language.grammar import capital, listed, plural

HOW_SURE, BECAME, ON_FORGE = msgid("How sure"), msgid("What became of it"), msgid("On the forge")
NOT_KNOWN = msgid("not known yet")
FINDINGS, BLOCKING = msgid("Findings, by what became of them"), msgid("What may block on the forge")
_BECAME = {
    Became.FIXED: msgid("fixed"),
    Became.REVERTED: msgid("the change was merged over it and taken back"),
    Became.REAL: msgid("people say it is real"),
    Became.NOT_REAL: msgid("people say it is not real"),
    Became.WITHDRAWN: msgid("withdrawn in a later review"),
    Became.MERGED: msgid("the change was merged over it"),
}

FEW = msgid("too few to tell")
RIGHT, DISAGREED = (
    msgid("Right, and its 95 % interval"),
    msgid("Who disagreed when a verdict did not hold"),
)
BY_KIND = msgid("By kind of decision")
LIGHTER = msgid("lighter: up to the highest value")


def record_of(debate: Debate, finding: MergedFinding) -> CategoryRecord | None:
    """Returns the record of findings alike; None for a debate that opened without any."""
    terms = debate.open.terms.gate
    if terms is None:
        return None
    return terms.record(category_of(finding), demanded=is_demand(finding))


def chance_words(debate: Debate, finding: MergedFinding) -> str:
    """Describes how sure the finding is: "of 34 such findings 27 were fixed or confirmed"; "" for a
    debate that opened without records.
    """
    record = record_of(debate, finding)
    if record is None:
        return ""
    judged, right = record.alike.judged, record.alike.right
    if record.alike.share is None:
        suchs = plural(judged, "such finding")
        return say(NOT_KNOWN) + say_if(judged, msgid(" ({suchs} judged)"), suchs=suchs)
    return say(
        "of {judged} such findings{where} {right} were fixed or confirmed",
        judged=judged,
        where=say_if(record.wider, msgid(" of all repositories")),
        right=right,
    )


def chance_sentence(debate: Debate, finding: MergedFinding) -> str:
    """Describes how sure the finding is in a sentence; "" while that is not known."""
    record = record_of(debate, finding)
    if record is None or record.alike.share is None:
        return ""
    return f"{capital(chance_words(debate, finding))}."


def became_words(debate: Debate, finding: MergedFinding) -> str:
    """Describes what became of the finding after the debate; "" if nothing did. What votes and
    later reviews say is its state.
    """
    judged = debate.judged.get(finding.mark)
    if judged is None:
        return ""
    return next((say(words) for word, words in _BECAME.items() if word == judged.became), "")


def category_words(category: str) -> str:
    """Names the findings of a category: "correctness findings"."""
    if category:
        return say("{category} findings", category=category)
    return say("findings without a category")


def meter(standing: Standing, threshold: Threshold) -> str:
    """Describes how far a category is from blocking: "advice: 12 of 30 judged findings so far, 9
    right".
    """
    right = say("{right} right", right=standing.right)
    if standing.judged < LEAST:
        return say(
            "advice: {judged} of {least} judged findings so far, {right}",
            judged=standing.judged,
            least=LEAST,
            right=right,
        )
    least = say(
        "surely {low} at least, {precision} are needed",
        low=percent(standing.low),
        precision=percent(threshold.precision),
    )
    may = msgid("advice: {judged} judged findings, {right} ({least})")
    if standing.earned:
        may = msgid("blocks: {judged} judged findings, {right} ({least})")
    return say(may, judged=standing.judged, right=right, least=least)


def forecast_lines(ratings: FindingRatings) -> tuple[str, ...]:
    """Describes how good the forecasts of findings were: their Brier score compared with that of
    the seats' own confidence, and how often each step of them was right.
    """
    if not ratings.n:
        return ()
    score = say("too few to tell (under {enough})", enough=ENOUGH)
    if ratings.brier is not None and ratings.stated is not None:
        score = say(
            "Brier {brier} (the seats' own confidence: {stated})",
            brier=decimal(ratings.brier, 3),
            stated=decimal(ratings.stated, 3),
        )
    steps = (
        say(
            "forecast {stated}: right in {right} of {n} ({low} to {high})",
            stated=percent(p.stated),
            right=percent(p.right),
            n=p.n,
            low=percent(p.interval.low),
            high=percent(p.interval.high),
        )
        for p in ratings.curve
    )
    return (
        say(
            "{findings} with a forecast: {score}",
            findings=plural(ratings.n, "finding"),
            score=score,
        ),
        *steps,
    )


def gate_words(gate: Gate, threshold: Threshold) -> str:
    """Describes whether reviews block on the forge."""
    match gate:
        case Gate.ADVISE:
            return say("reviews only advise on the forge (DEBATE_GATE=advise)")
        case Gate.ALWAYS:
            return say("reviews block on the forge (DEBATE_GATE=always)")
        case Gate.EARNED:
            return say(
                "reviews advise on the forge until they have earned to block: {needed}",
                needed=needed(threshold),
            )


def needed(threshold: Threshold) -> str:
    """Describes what a category of findings must reach before it may block."""
    return say(
        "right in {precision} at least, with a certainty of {certainty}, after {least} "
        "judged findings",
        precision=percent(threshold.precision),
        certainty=percent(threshold.certainty),
        least=LEAST,
    )


def category_lines(ratings: FindingRatings) -> tuple[tuple[str, str, str], ...]:
    """Returns repository, findings and meter of each category."""
    return tuple(
        (
            one.repository.removeprefix("github.com/"),
            category_words(one.category),
            meter(one.standing, ratings.threshold),
        )
        for one in ratings.categories
    )


def gate_sentence(debate: Debate) -> str:
    """Describes why a verdict that blocks does so on the forge or only advises there; "" for any
    other, and for a debate without a gate.
    """
    terms = debate.open.terms.gate
    if terms is None or debate.open.material.kind is not MaterialKind.PULL_REQUEST:
        return ""
    decided = gated(debate)
    if decided.advises:
        return _advice(decided)
    if decided.blocks and decided.gate is Gate.EARNED:
        right = [one for one in decided.records if one.standing.earned]
        names = listed([category_words(one.category) for one in right])
        return say(
            "Blocks: this repository's {names} have earned it: {counts}.",
            names=names,
            counts=_counts(right),
        )
    return ""


def meter_lines(debate: Debate) -> tuple[str, ...]:
    """Returns the meter of each category whose findings must be fixed, while the right to block has
    to be earned.
    """
    terms = debate.open.terms.gate
    if terms is None or terms.gate is not Gate.EARNED:
        return ()
    return tuple(
        f"{capital(category_words(one.category))}: {meter(one.standing, terms.threshold)}."
        for one in gated(debate).records
    )


def _advice(decided: Gated) -> str:
    if decided.gate is Gate.ADVISE:
        return say("Advice only: reviews are set to advise here.")
    if not decided.records:
        return say(
            "Advice only: no finding must be fixed, and only findings earn the right to block."
        )
    names = listed([category_words(one.category) for one in decided.records])
    return say(
        "Advice only: this repository's {names} have not earned to block yet: {counts}.",
        names=names,
        counts=_counts(decided.records),
    )


def _counts(records: Sequence[CategoryRecord]) -> str:
    counts = {one.category: _count(one.standing) for one in records}
    if len(counts) == 1:
        return next(iter(counts.values()))
    return "; ".join(f"{category or 'no category'}: {words}" for category, words in counts.items())


def _count(standing: Standing) -> str:
    if not standing.judged:
        return say("none judged")
    return say("{judged} judged, {right} right", judged=standing.judged, right=standing.right)


def range_words(low: float, high: float) -> str:
    """Writes the 95 % interval of a share."""
    return say("{low} to {high}", low=percent(low), high=percent(high))


def tokens_words(tokens: float) -> str:
    """Describes the tokens per new point."""
    return say("{tokens} tokens for each new point", tokens=f"{tokens:,.0f}")


def doubted_words(doubted: int, stood: int) -> str:
    """Counts how often a role disagreed with verdicts that held."""
    return say(
        "disagreed with {doubted} of {stood} verdicts that held", doubted=doubted, stood=stood
    )
