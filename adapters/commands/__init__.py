"""One command grammar for every surface: Slack text, Discord options and the shell all become the
same ``Request``.

Parsing never fails silently: whatever is wrong becomes a ``BadInput`` whose message shows the
nearest right form.
"""

from __future__ import annotations

from adapters.commands.help import usage
from adapters.commands.parsing import parse, parse_beside
from adapters.commands.requests import (
    Challenge,
    Compare,
    Control,
    Export,
    ForkRequest,
    Held,
    Help,
    HookRequest,
    HotSeat,
    Leaderboard,
    Listing,
    Mirror,
    PostReview,
    Prove,
    ReceiptRequest,
    ReplayRequest,
    Request,
    ScheduleAdd,
    ScheduleDo,
    SearchRequest,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Useful,
    Vote,
)
from adapters.commands.stored import PricedRequest

__all__ = [
    "Challenge",
    "Compare",
    "Control",
    "Export",
    "ForkRequest",
    "Held",
    "Help",
    "HookRequest",
    "HotSeat",
    "Leaderboard",
    "Listing",
    "Mirror",
    "PostReview",
    "PricedRequest",
    "Prove",
    "ReceiptRequest",
    "ReplayRequest",
    "Request",
    "ScheduleAdd",
    "ScheduleDo",
    "SearchRequest",
    "Setup",
    "Show",
    "Start",
    "Status",
    "Templates",
    "Useful",
    "Vote",
    "parse",
    "parse_beside",
    "usage",
]  # fmt: skip
