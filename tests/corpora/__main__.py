"""See the package."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.corpora.recording import CORPORA, FOLDER, record, written


def main() -> None:
    if len(sys.argv) == 1:
        FOLDER.mkdir(exist_ok=True)
        for name in CORPORA:
            record(name)
        return
    for name, (count, _) in CORPORA.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            (folder / f"{number}.txt").write_text(written(name, number), "utf-8", "surrogatepass")


if __name__ == "__main__":
    main()
