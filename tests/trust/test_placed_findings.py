"""A right finding is not lost to a wrong number: its quotation places it, from the model's reply to
the exit code and the posted review.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.debate.ports import CallOptions, Message
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Played, answering, filled, typed

LINES = (
    "def orders(db, user):",
    "    rows = db.execute('select * from orders where user = ' + user)",
    "    return [dict(row) for row in rows]",
)
AT = 3  # lines are added from number 2 on
QUOTE = LINES[1].strip()
Review = Callable[..., Awaitable[Played]]


@pytest.fixture
def reviewed(tmp_path: Path) -> Review:
    """Plays a review of one change by three critics that all raise the same critical finding."""

    async def review(**stated: Any) -> Played:
        finding = {
            "severity": "critical",
            "confidence": 0.9,
            "title": "SQL injection through the user's name",
            "path": "shop/orders.py",
            "line": AT,
            "quote": QUOTE,
            "trigger": "a name with a quotation mark",
            "fix": "bind it",
        } | stated

        def raising(_: Sequence[Message], asking: CallOptions) -> str:
            return json.dumps(filled(asking.schema or {}, [finding]))

        change = tmp_path / "x.diff"
        change.write_bytes(
            adding("shop/orders.py", *LINES) + adding("shop/web.py", "import orders")
        )
        return await typed(
            tmp_path, None, "code_review", str(change), "--check", make_models=answering(raising)
        )

    return review


@pytest.mark.parametrize(
    ("stated", "placing"),
    [
        ({"line": 300}, "moved from line 300"),
        ({"path": "shop/web.py", "line": 1}, "moved from shop/web.py:1"),
        ({"line": 1, "quote": QUOTE.replace("orders where", "orders_of where")}, "quoted loosely"),
    ],
)
async def test_a_finding_with_a_wrong_number_still_blocks(
    reviewed: Review, stated: dict[str, Any], placing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    played = await reviewed(**stated)
    assert (played.code, played.decision) == (1, "request_changes")
    (finding,) = played.findings
    assert (finding["path"], finding["line"], finding["end"]) == ("shop/orders.py", AT, AT)
    assert (finding["anchored"], finding["blocking"]) == (True, True)
    assert placing in finding["placing"]
    assert finding["loose"] == ("loosely" in placing)
    assert f"shop/orders.py:{AT}` ({finding['placing']})" in played.outcome["report"]


async def test_a_finding_at_its_line_is_not_said_to_have_moved(reviewed: Review) -> None:
    (finding,) = (await reviewed()).findings
    assert (finding["line"], finding["stated"], finding["placing"]) == (AT, None, "")
