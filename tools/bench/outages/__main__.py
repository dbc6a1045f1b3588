"""``python -m tools.bench.outages NAME [...]`` plays an outage with real parts and prints the
result.
"""

from __future__ import annotations

import sys

from tools.bench.outages import clock, disk, failover, kills, partition

OUTAGES = {
    "clock": clock.main,
    "disk": disk.main,
    "kills": kills.main,
    "failover": failover.main,
    "partition": partition.main,
}


def main() -> int:
    name, *words = sys.argv[1:] or [""]
    if name not in OUTAGES:
        print(f"which one? {', '.join(OUTAGES)}", file=sys.stderr)
        return 2
    return OUTAGES[name](words)


if __name__ == "__main__":
    sys.exit(main())
