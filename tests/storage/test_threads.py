"""Stored events are read by several threads at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FIRST_USE = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from storage.codec import EVENTS

rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
start = Barrier(8)
sys.setswitchinterval(1e-6)

def read(_):
    start.wait()
    return [EVENTS.decode(row["kind"], row["version"], row["payload"]) for row in rows]

with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(read, range(8)))
assert all(one == found[0] for one in found)
"""


def test_the_first_events_of_a_process_are_read_by_all_its_threads() -> None:
    golden = Path(__file__).with_name("golden_events.jsonl")
    subprocess.run([sys.executable, "-c", FIRST_USE, str(golden)], check=True)
