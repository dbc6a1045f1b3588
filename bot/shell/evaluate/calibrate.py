"""``debate calibrate``: finds the threshold of a panel's size that would have suited a team's own
outcomes, and prints what it would have changed. It changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from adapters.terminal.printing import document, put
from bot.debates.opening.history import panel_records
from bot.debates.opening.size import large_from
from bot.settings import Settings
from bot.shell.maintain import require_only
from bot.wire.parts import open_parts
from core.debate.verdict.learned.ratings import ENOUGH
from core.debate.verdict.learned.usefulness import FittedSize, SizeTrial, fit_size


async def calibrate(typed: Sequence[str], settings: Settings) -> int:
    """Prints the thresholds that were tried and returns the exit code."""
    require_only(typed, ("--json",), "calibrate")
    async with open_parts(settings) as parts:
        panels = await panel_records(parts.stores.outcomes)
    sized = fit_size(panels, large_from(settings))
    if typed:
        put(document({"panels": msgspec.to_builtins(sized)}))
    else:
        put("\n".join(_panel_lines(sized)))
    return 0


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
