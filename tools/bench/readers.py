"""``python -m tools.bench.readers`` measures the cost of twice the text for each reader of foreign
text.

A reader that looks at each character once takes twice the time for twice the text; one that looks
back at all before it takes four times. The least of five runs of each length is printed, in
milliseconds of processor time; the bar is 3.
"""

from __future__ import annotations

import sys
import time

from tools.fuzz.growing import GROWING, Reader

RUNS = 5
BAR = 3.0


def cost(read: Reader, text: str) -> float:
    """Returns the milliseconds of processor time, the least of five runs."""
    spent = []
    for _ in range(RUNS):
        began = time.process_time()
        read(text)
        spent.append(time.process_time() - began)
    return min(spent) * 1000


def main() -> int:
    worst = 0.0
    print(f"{'reader':<24} {'characters':>12} {'half, ms':>10} {'whole, ms':>10} {'times':>7}")
    for name, (read, mark, size) in GROWING.items():
        text = (mark * (size // len(mark) + 1))[:size]
        half, whole = cost(read, text[: size // 2]), cost(read, text)
        ratio = whole / half if half else 0.0
        worst = max(worst, ratio)
        print(f"{name:<24} {size:>12,} {half:>10.1f} {whole:>10.1f} {ratio:>7.2f}", flush=True)
    print(f"the most is {worst:.2f}, the bar {BAR:g}")
    return worst > BAR


if __name__ == "__main__":
    sys.exit(main())
