"""Measures the cost of a span without a collector: ``python -m tools.bench.tracing``."""

from __future__ import annotations

import statistics
import time

from adapters import tracing
from adapters.tracing import names

_SPANS, _RUNS = 20_000, 5
_NOTED = {names.OPERATION: names.CHAT, names.PROVIDER: "scripted", names.ASKED_MODEL: "x"}


def _microseconds(debate: str) -> float:
    begun = time.process_time()
    for _ in range(_SPANS):
        with tracing.span(names.CHAT, _NOTED, debate=debate) as made:
            made.set_attribute(names.INPUT_TOKENS, 1)
    return 1e6 * (time.process_time() - begun) / _SPANS


def main() -> None:
    api = "opentelemetry-api" if tracing.installed() else "no opentelemetry-api"
    for name, debate in (("a call", ""), ("at the top of a trace", "abcdefgh")):
        cost = statistics.median(_microseconds(debate) for _ in range(_RUNS))
        print(f"{api}, no SDK set up: {name} {cost:.1f} µs CPU a span")


if __name__ == "__main__":
    main()
