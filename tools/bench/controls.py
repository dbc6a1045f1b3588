"""``python -m tools.bench.controls SET CLONES > NEW``: a set of real changes, each with a control
that is as large as the change, drawn by ``adapters.evaluation.controls``.

A control that is near in size stays. If no other can be drawn, the old control stays, too.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.evaluation.controls import draw_control, near
from adapters.evaluation.past import GitHistory


async def matched(
    row: dict[str, Any], clones: Path, taken: set[str], tally: Counter[str]
) -> dict[str, Any]:
    control = row["control"]
    if control and near(control["lines"], row["lines"]):
        tally["near already"] += 1
        return row
    past = await GitHistory.of(clones / f"{row['repo']}.git")
    cause = await past.commit(row["cause"])
    changed = await past.changed(row["base"], row["cause"])
    drawn = await draw_control(past, cause, changed, taken)
    if drawn is None:
        tally["none found"] += 1
        return row
    commit, files = drawn
    taken.add(commit.id)
    tally["drawn"] += 1
    made = {"commit": commit.id, "base": commit.base, "merged": commit.day}
    sizes = {"files": len(files), "lines": sum(one.lines for one in files)}
    return {**row, "control": {**made, **sizes, "how": "like"}}


async def main(rows: Sequence[dict[str, Any]], clones: Path) -> None:
    taken = {row[name] for row in rows for name in ("cause", "fix")}
    taken |= {row["control"]["commit"] for row in rows if row["control"]}
    tally: Counter[str] = Counter()
    for row in rows:
        print(json.dumps(await matched(row, clones, taken, tally), ensure_ascii=False), flush=True)
        print(row["id"], dict(tally), file=sys.stderr)


if __name__ == "__main__":
    given = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    asyncio.run(main([json.loads(line) for line in given], Path(sys.argv[2])))
