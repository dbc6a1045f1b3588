"""``python -m tools.bench.large [LINES]``: a change of that many lines (40,000 by default) from the
command to the report with the scripted model, in files of one hundred lines: how it was read, what
it costs at stated prices, how long it takes on this machine.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from core.debate.budget.pricing import estimate_price
from core.debate.ports import Price
from core.debate.prompting.size import material_chars
from core.debate.state import Debate
from core.words.views.language.grammar import dollars
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Played, opened, typed

_PRICE = Price(3e-6, 15e-6)
"""USD for a token read and written by a middling hosted model, without a discount for cached
tokens.
"""
_FILE = 100
_TEXT = "    total = total + price_of(item)  # {n}.{m}"


def change(lines: int) -> bytes:
    """Returns a diff that adds ``lines`` lines of a usual length."""
    return b"".join(
        adding(f"src/p{n % 9}/m{n:04}.py", *(_TEXT.format(n=n, m=m) for m in range(_FILE)))
        for n in range(lines // _FILE)
    )


def rows(played: Played, debate: Debate, seconds: float) -> list[str]:
    """Returns the lines that are printed."""
    size = material_chars(debate.open.material)
    priced = estimate_price(debate.script, debate.open.cast, size, lambda _: _PRICE)
    material, cost = played.outcome["material"], played.outcome["cost"]
    states = Counter(one["state"] for one in material["coverage"])
    read = ", ".join(f"{states[name]} {name.replace('_', ' ')}" for name in sorted(states))
    whole = sum(not one["not_read_by"] for one in material["parts"])
    return [
        f"ended: {played.outcome['ended_because']}, exit {played.code}",
        f"files: {read}",
        f"parts: {len(material['parts'])}, read by every seat that opens: {whole}",
        f"calls: {cost['calls']}, prompt characters: {cost['prompt_chars']:,}",
        f"price at $3 and $15 for a million tokens: {dollars(priced.likely)}, at most "
        + dollars(priced.most),
        f"seconds: {seconds:.1f}",
    ]


async def main(lines: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "large.diff").write_bytes(change(lines))
        begun = time.perf_counter()
        played = await typed(folder, None, "code_review", str(folder / "large.diff"))
        seconds = time.perf_counter() - begun
        async with opened(folder) as parts:
            debate = await parts.service.load(played.outcome["id"])
        print("\n".join(rows(played, debate, seconds)))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000))
