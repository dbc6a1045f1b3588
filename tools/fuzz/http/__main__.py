"""``python -m tools.fuzz.http [--requests N | --seconds N] [--seed N]``: sends hostile, huge, deep,
packed and slow requests to the real server, which runs in a separate process, at every address,
field and command of its tables, while a debate runs and a reader requests pages.

It prints the longest time that the loop was kept busy, or held by other threads, the longest that
the reader waited, how much memory the server took, and the answers that were 500, and ends with 1
if one of them is beyond its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from tools.fuzz.http.run import Bounds, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.http")
    parser.add_argument("--requests", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=8)
    options = parser.parse_args()
    requests = options.requests or (0 if options.seconds else 20_000)
    report = asyncio.run(run(requests, options.seconds, options.seed, options.at_once))
    for line in report.lines():
        print(line)
    wrong = report.beyond(Bounds())
    for line in wrong:
        print(f"BEYOND: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
