"""``debate calibrate``: finds the thresholds of the rule, and of a panel's size, that would have
suited a team's own outcomes, and prints what they would have changed. It changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from adapters.terminal.printing import document, put
from bot.debates.opening.resolved import MOST, panel_records
from bot.debates.opening.terms import TermDefaults
from bot.settings import Settings
from bot.wire.parts import open_parts
from core.debate import replay
from core.events import Terms
from core.verdict.findings import bar_of
from core.verdict.learned.calibrate import ALONE, SHARE, SURE, FittedThresholds, ThresholdTrial, fit
from core.verdict.learned.ratings import ENOUGH
from core.verdict.learned.sizes import FittedSize, SizeTrial, fit_size


async def calibrate(settings: Settings, *, json: bool) -> int:
    """Prints the thresholds that were tried and returns the exit code."""
    async with open_parts(settings) as parts:
        ids = await parts.stores.outcomes.resolved(MOST)
        debates = [replay(await parts.stores.debates.load(id)) for id in ids]
        panels = await panel_records(parts.stores.outcomes)
    terms = Terms("", 0.0, 0, sure=settings.sure, alone=settings.alone, share=settings.held_by)
    above = TermDefaults.of(settings).extended_above
    fitted, sized = fit(debates, bar_of(terms)), fit_size(panels, above)
    if json:
        put(document(msgspec.to_builtins(fitted) | {"panels": msgspec.to_builtins(sized)}))
    else:
        put("\n".join((*_lines(fitted), "", *_panel_lines(sized))))
    return 0


_WHAT = {
    "sure": "A finding counts from a confidence of",
    "alone": "One seat can block from a severity of",
    "share": "For a medium finding to block, more of the seats must hold it than",
}


def _lines(fitted: FittedThresholds) -> Iterator[str]:
    today, bar = fitted.today, fitted.bar
    if not today.n:
        yield "No review was resolved yet. Say later whether its verdict held: held ID yes|no [why]"
        return
    yield f"Reviews that somebody said of whether they held: {today.n}."
    yield f"Today's thresholds ({bar.sure:g}, {bar.alone}, {bar.share:g}): {_share(today)}."
    for name, what in _WHAT.items():
        yield ""
        yield f"{what} ({_variable(name)}):"
        yield from (_trial(trial) for trial in fitted.trials if trial.threshold == name)
    yield ""
    if today.n < ENOUGH:
        yield f"Too few to choose by: {ENOUGH} at least."
    elif fitted.best is None:
        yield "No other threshold would have been right more often. Nothing to change."
    else:
        yield from _choice(fitted.best)


def _variable(threshold: str) -> str:
    return f"DEBATE_{threshold.upper()}"


def _trial(trial: ThresholdTrial) -> str:
    changed = "changes nothing"
    if trial.changes:
        changed = f"would have blocked {len(trial.blocked)} more, passed {len(trial.passed)} more"
    return f"  {trial.value:<8} {_share(trial)}; {changed}"


def _choice(best: ThresholdTrial) -> Iterator[str]:
    accepted = f"{_variable(best.threshold)}={best.value}"
    yield f"Right most often: {accepted}. What it would have changed:"
    yield from (f"  {id} would have been blocked" for id in best.blocked)
    yield from (f"  {id} would have been let pass" for id in best.passed)
    yield f"To accept it: set {accepted}. Debates opened before keep theirs."
    yield (
        f"It is the best of {len(SURE) + len(ALONE) + len(SHARE)} tried on these very outcomes, so "
        "it will do a little worse on the next ones."
    )


def _share(trial: ThresholdTrial) -> str:
    span = f"{trial.held.low:.0%} to {trial.held.high:.0%}"
    return f"right in {trial.right} of {trial.n} ({span})"


def _panel_lines(sized: FittedSize) -> Iterator[str]:
    """Says above which complexity a panel would best have been large."""
    if not sized.judged:
        yield (
            "No panel was judged yet. Say under its verdict whether it was useful, and later "
            "whether it held."
        )
        return
    yield f"Panels that somebody judged: {sized.judged}."
    yield f"Today's threshold of a large panel ({sized.today.threshold:g}): {_good(sized.today)}."
    yield ""
    yield "A panel is large above a complexity of (DEBATE_EXTENDED_ABOVE):"
    for trial in sized.trials:
        changed = "changes no size"
        if trial.larger or trial.smaller:
            changed = f"{trial.larger} would have been larger, {trial.smaller} smaller"
        yield f"  {trial.threshold:<8g} {_good(trial)}; {changed}"
    yield ""
    if sized.today.n < ENOUGH:
        yield f"Too few to choose by: {ENOUGH} at least."
    elif sized.best is None:
        yield "No other threshold did better than chance explains. Nothing to change."
    else:
        chosen = f"DEBATE_EXTENDED_ABOVE={sized.best.threshold:g}"
        yield f"Good most often: {chosen}. To accept it, set it; earlier panels keep their size."
        yield (
            "A threshold is judged by the panels that had the size it would have chosen; sizes "
            "were not drawn by chance, so harder questions weigh against the large one."
        )


def _good(trial: SizeTrial) -> str:
    span = f"{trial.within.low:.0%} to {trial.within.high:.0%}"
    return f"good in {trial.good} of {trial.n} that had that size ({span})"
