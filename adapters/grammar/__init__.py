"""One command grammar for every surface: Slack text, Discord options and the shell all become the same ``Ask``.

Parsing never fails silently: whatever is wrong becomes a ``BadInput`` whose message shows the nearest right form.
"""

from __future__ import annotations

from adapters.asks import (
    Ask,
    Challenge,
    Compare,
    Control,
    Export,
    ForkAsk,
    Held,
    Help,
    Leaderboard,
    Listing,
    Mirror,
    ReceiptAsk,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Vote,
)
from adapters.grammar.parsing import parse
from adapters.grammar.rendering import render
from adapters.usage import prefix_at, usage

__all__ = [
    "Ask", "Challenge", "Compare", "Control", "Export", "ForkAsk", "Held", "Help", "Leaderboard", "Listing", "Mirror", "ReceiptAsk",
    "ScheduleAdd", "ScheduleDo", "Setup", "Show", "Start", "Status", "Templates", "Vote", "parse", "prefix_at", "render", "usage",
]  # fmt: skip
