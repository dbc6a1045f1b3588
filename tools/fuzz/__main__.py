"""``python -m tools.fuzz [INPUTS] [--seed N] [--only NAME] [--jobs N]``: prints for each reader of
foreign text how many inputs it got, how many made it fail or broke its limit of time, and its
slowest input; ends with 1 if there is any, and shows the first ones.

A million inputs take about a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from tools.fuzz.search import Found, search
from tools.fuzz.targets import TARGETS

SHARE = 2_000
"""The inputs of one piece of work."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz")
    parser.add_argument("inputs", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [t for t in TARGETS if options.only in ("", t.name)]
    shares = sum(t.weight for t in chosen)
    totals = {t.name: Found(t.name) for t in chosen}
    with ProcessPoolExecutor(options.jobs) as pool:
        for target in chosen:
            pieces = max(1, -(-options.inputs * target.weight // shares // SHARE))
            seeds = [f"{options.seed}:{target.name}:{n}" for n in range(pieces)]
            each = min(SHARE, options.inputs)
            for result in pool.map(search, repeat(target.name), seeds, repeat(each)):
                totals[target.name] = totals[target.name].and_also(result)
            print(totals[target.name].line(), flush=True)
    bad = [text for result in totals.values() for text in result.bad[:3]]
    print(f"{sum(result.inputs for result in totals.values()):,} inputs, {len(bad)} shown below")
    for text in bad:
        print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
