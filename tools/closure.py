"""Count the lines that a reader of the loop has to know: everything ``core.debate.engine`` imports,
directly or not.

Imports inside functions count too, those for annotations only do not. Run as ``python -m
tools.closure [MODULE]``: prints the lines of each package. Ends with 1 if the engine's are more
than its limit, which may only fall.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENGINE = "core.debate.engine"
LIMIT = 8_000


def modules() -> dict[str, Path]:
    """Return every module of the product with its file."""
    files = {}
    for top in ("core", "adapters", "storage", "bot"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names that are imported below a node, except for annotations."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from _names(child)


def _packages(name: str) -> Iterator[str]:
    """Yield a dotted name and everything above it, whose ``__init__`` is imported as well."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def closure(start: str) -> dict[str, int]:
    """Return the modules that importing a module brings, with their lines."""
    known, lines, waiting = modules(), dict[str, int](), [start]
    while waiting:
        name = waiting.pop()
        if name in lines:
            continue
        text = known[name].read_text(encoding="utf-8")
        lines[name] = text.count("\n")
        for imported in _names(ast.parse(text)):
            waiting += (each for each in _packages(imported) if each in known)
    return lines


def main(arguments: list[str]) -> int:
    start = arguments[0] if arguments else ENGINE
    lines = closure(start)
    packages = Counter[str]()
    for name, count in lines.items():
        packages[".".join(name.split(".")[:3])] += count
    for name, count in packages.most_common():
        print(f"{count:6} {name}")
    total = sum(lines.values())
    print(f"{total:6} lines in {len(lines)} modules that {start} imports")
    if start == ENGINE and total > LIMIT:
        print(f"That is more than {LIMIT}: hand in what the loop does not need to know.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
