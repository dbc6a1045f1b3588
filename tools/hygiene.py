"""Checks that no linter has: what runs at every start of this environment, names that do not belong
in the files, functions too long to be read at once, folders of too many files, names that hide
what a value is, names in docstrings and hops of the architecture's walks that are gone, and
surfaces that declare the application again.

A `.pth` file in site-packages may run code whenever Python starts; releases of a library we use
once carried one that stole keys. So the only one allowed is ours, and it may hold nothing but a
path. And a lock file or a document that names one machine's folders or package host works on no
other machine, so tracked files are searched for such names. A participle (`found`, `said`) names an
action and not the value: the number of participles may only fall. Run as `python -m tools.hygiene`:
prints each complaint and ends with 1 if there is any.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from tests.project import ROOT

WALKS = "docs/architecture.md"
OUR_PTH = "_debatebot.pth"
STARTUP_MODULES = ("sitecustomize.py", "usercustomize.py")

_FOREIGN = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|yarnpkg)\.(?:org|com|io)\b|(?<![\w./-])/(?:work|opt/pypi|opt/wheels|tmp/briefs)(?:/|\b(?!\w))"
)
_HOP = re.compile(r"`([\w/]+\.py)`\s`(\w+)`")
_NAMED = re.compile(r"``((?:[a-z_]\w*|[A-Z]\w*[a-z]\w*)(?:\.[A-Za-z_]\w*)*)(?:\(\))?``")
_WORD = re.compile(r"[A-Za-z_]\w*")
_URL = re.compile(r"\w+://")
_ROOMS = ("adapters/", "bot/", "core/", "storage/")
_MIGRATIONS = "storage/migrations/versions/"
_SURFACES = tuple(
    f"adapters/{name}/" for name in ("api", "discord", "mcp", "room", "slack", "terminal")
)
LONGEST = 60
"""The most lines of one function."""
MOST_FILES = 16
"""Python files of one folder, without its ``__init__``."""
PARTICIPLES = frozenset({"asked", "found", "said", "shown", "told"})
MOST_PARTICIPLES = 93
"""Places in Python files with such a name: lower the number with each that goes."""


def startup_code(site_packages: Path) -> Iterator[str]:
    """Complaints about files in `site_packages` that run code, or could, whenever Python starts."""
    for file in sorted(site_packages.glob("*.pth")):
        if file.name != OUR_PTH:
            yield f"{file.name}: a .pth file that this project did not put there"
            continue
        yield from (
            f"{file.name}: a line that is not a folder: {line[:80]!r}"
            for line in file.read_text(encoding="utf-8").splitlines()
            if not Path(line).is_dir()
        )
    for name in STARTUP_MODULES:
        if (site_packages / name).exists():
            yield f"{name}: runs at every start of Python"


def foreign_names(path: str, text: str) -> Iterator[str]:
    """Complaints about package hosts and one machine's folders in a file; a lock file may name no
    address at all.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        match = _FOREIGN.search(line) or (_URL.search(line) if path.endswith(".lock") else None)
        if match:
            yield f"{path}:{number}: names {match.group()!r}"


def long_functions(path: str, text: str) -> Iterator[str]:
    """Complaints about functions of more lines than one sees at once."""
    if not path.endswith(".py") or not path.startswith(_ROOMS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines, above {LONGEST}"


def large_folders(paths: Iterable[str]) -> Iterator[str]:
    """Complaints about folders that hold more files than one takes in at a look; migrations add up
    by themselves.
    """
    files = (PurePosixPath(path) for path in paths if path.startswith(_ROOMS))
    held = Counter(
        file.parent for file in files if file.suffix == ".py" and file.name != "__init__.py"
    )
    for folder, count in sorted(held.items()):
        if count > MOST_FILES and f"{folder}/" != _MIGRATIONS:
            yield f"{folder}: {count} files, above {MOST_FILES}"


def lost_hops(page: str, root: Path) -> Iterator[str]:
    """Complaints about a function, named after its file on a page, that is not there."""
    for path, name in _HOP.findall(page):
        file = root / path
        tree = ast.parse(file.read_text("utf-8")) if file.is_file() else ast.Module([], [])
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        if name not in {node.name for node in ast.walk(tree) if isinstance(node, kinds)}:
            yield f"{WALKS}: there is no {name} in {path}"


def lost_names(sources: Mapping[str, str]) -> Iterator[str]:
    """Complaints about docstrings that name something in double backquotes of which no code, in any
    of the files, knows a part.
    """
    texts: list[tuple[str, int, str]] = []
    known = {*dir(builtins), *keyword.kwlist}
    for path, source in sources.items():
        known |= {*PurePosixPath(path).with_suffix("").parts}
        described = set[int]()
        for node in ast.walk(ast.parse(source)):  # a statement comes before what it holds
            if isinstance(node, ast.Expr):
                described.add(id(node.value))
            elif isinstance(node, ast.alias):
                known |= {*node.name.split("."), node.asname or ""}
            elif not isinstance(node, ast.Constant):
                known.add(_name(node) or "")
            elif isinstance(node.value, str) and id(node) in described:
                texts.append((path, node.lineno, node.value))
            elif isinstance(node.value, str):
                known |= {*_WORD.findall(node.value)}
    for path, line, text in texts:
        for name in _NAMED.findall(text):
            if not {*name.split(".")} <= known:
                yield f"{path}:{line}: {name} is not there"


def declared_again(sources: Mapping[str, str]) -> Iterator[str]:
    """Complaints about protocols of a surface for what the application can do: one with two of its
    methods, or with one that takes the same arguments.
    """
    known = [
        protocol
        for path, source in sources.items()
        if path.startswith("core/application/")
        for _, protocol in _protocols(source)
    ]
    for path, source in sources.items():
        if not path.startswith(_SURFACES):
            continue
        for node, own in _protocols(source):
            for other in known:
                shared = own.keys() & other.keys()
                if len(shared) > 1 or any(own[name] == other[name] for name in shared):
                    yield f"{path}:{node.lineno}: {node.name} declares the application again"
                    break


def _protocols(source: str) -> Iterator[tuple[ast.ClassDef, Mapping[str, tuple[str, ...]]]]:
    """Yields each protocol with the arguments of its methods."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and "Protocol" in map(_name, node.bases):
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
            methods = (each for each in node.body if isinstance(each, kinds))
            yield node, {one.name: tuple(arg.arg for arg in one.args.args) for one in methods}


def tracked_files(root: Path) -> list[str]:
    """Returns the paths git knows in `root`, relative to it and in its order; none of the ignored
    ones.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]


def participles(source: str) -> int:
    """Counts the places where Python code uses a bare participle as a name."""
    return sum(_name(node) in PARTICIPLES for node in ast.walk(ast.parse(source)))


def _name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            return name
        case ast.keyword(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case _:
            return None


def main() -> int:
    """Print what is wrong with this environment and this checkout; 0 when nothing is."""
    complaints = list(startup_code(Path(sysconfig.get_path("purelib"))))
    used, tracked = 0, tracked_files(ROOT)
    texts = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in tracked}
    complaints.extend(large_folders(tracked))
    sources = {name: text for name, text in texts.items() if name.endswith(".py")}
    complaints.extend(lost_names(sources))
    complaints.extend(declared_again(sources))
    for name, text in texts.items():
        complaints.extend(foreign_names(name, text))
        complaints.extend(long_functions(name, text))
        used += participles(text) if name.endswith(".py") else 0
        complaints.extend(lost_hops(text, ROOT) if name == WALKS else ())
    if used > MOST_PARTICIPLES:
        complaints.append(
            f"{used} names are found, said, asked, told or shown; {MOST_PARTICIPLES} may be: "
            "name the thing (finding, statement, request, message, text)"
        )
    print(f"participles as names: {used} of {MOST_PARTICIPLES}")
    for complaint in complaints:
        print(complaint)
    print(f"hygiene: {len(complaints)} complaint(s)")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
