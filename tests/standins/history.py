"""Small repositories whose history names its own faults, and the set of changes that they make."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.standins.repository import Repository

_GOOD = "def share(total, parts):\n    return total // (parts or 1)\n"
_BAD = "def share(total, parts):\n    return total // parts\n"


def project(folder: Path, faults: int = 2) -> tuple[Repository, list[tuple[str, str, str]]]:
    """Returns a repository with so many faults: (the cause, its mend, a clean change) of each."""
    made = Repository(folder)
    made.commit("Begin", readme=f"name = {folder.name!r}\n")
    known = []
    for n in range(faults):
        clean = made.commit(f"Count {n}", **{f"count{n}": f"def count{n}():\n    return {n}\n"})
        cause = made.commit(f"Share {n}", **{f"share{n}": _BAD})
        fix = made.commit(
            f"Share among nobody {n}", f"Regression in {cause[:10]}.", **{f"share{n}": _GOOD}
        )
        known.append((cause, fix, clean))
    return made, known


def row(
    repository: Repository, repo: str, n: int, known: tuple[str, str, str], **more: Any
) -> dict[str, Any]:
    """Returns the row of a fault, as a set holds it."""
    cause, fix, clean = known
    return {
        "id": f"{repo.partition('/')[2]}-{n}",
        "repo": repo,
        "licence": "MIT",
        "language": "Python",
        "cause": cause,
        "base": repository.git("rev-parse", f"{cause}^"),
        "merge": False,
        "merged": "2026-01-02",
        "fix": fix,
        "fixed": "2026-02-03",
        "files": 1,
        "lines": 2,
        "locations": [{"path": f"share{n}.py", "first": 2, "last": 2}],
        "kind": "logic",
        "severity": "high",
        "visible": "diff",
        "defect": "It divides by nothing where there are no parts.",
        "must_mention_any": ["zero", "divide"],
        "control": {
            "commit": clean,
            "base": repository.git("rev-parse", f"{clean}^"),
            "merged": "2026-01-01",
            "files": 1,
            "lines": 2,
            "how": "like",
        },
        **more,
    }


def written(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8")
    return path


def history_set(folder: Path, faults: int = 2) -> tuple[Path, Path]:
    """Returns (a file of rows about two projects, the folder with their bare clones)."""
    rows: list[dict[str, Any]] = []
    clones = folder / "clones"
    for name in ("ann/first", "bob/second"):
        made, known = project(folder / name.replace("/", "-"), faults)
        rows += [row(made, name, n, each) for n, each in enumerate(known)]
        made.clone(clones / f"{name}.git")
    return written(folder / "set.jsonl", rows), clones
