"""What opens a file for writing, runs git or starts Python in a script goes through one place: a
folder that one works in may be anybody's repository.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.project import ROOT
from tools.hygiene import tracked_files

WRITES = frozenset(
    {
        "adapters/processes/files.py",  # the one place of the adapters and the bot
        "storage/database/files.py",  # the file of a database, and its lock
        "adapters/models/embedded/child.py",  # its own standard output
        "bot/__main__.py",  # /dev/null, in the place of a closed standard output
    }
)
STARTS = frozenset(
    {
        "adapters/processes/git.py",  # the one place that runs git
        "adapters/processes/starting.py",  # starts what it is given, by git, readers and a model
        "adapters/processes/workers.py",  # Python, isolated
        "adapters/models/embedded/__init__.py",  # Python, without the working folder
        "adapters/models/weights.py",  # pip, isolated
        "adapters/terminal/pager.py",  # the person's own pager
    }
)
_OPENS = frozenset({"open", "fdopen"})
_WRITE = frozenset({"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to"})
_MADE = frozenset(
    {"mkstemp", "mkdtemp", "NamedTemporaryFile", "copy", "copy2", "copyfile", "copytree"}
)
_RUNS = frozenset({"Popen", "run", "call", "check_call", "check_output", "system", "popen"})
_EXECS = re.compile(r"create_subprocess_\w+|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?")
_READ = re.compile(r"r[bt|:]?")
_MAY_WRITE = re.compile(rf"\b(?:{'|'.join(sorted(_OPENS | _WRITE | _MADE))})\s*\(")
_MAY_START = re.compile(
    r"\b(?:subprocess|pty)\b|['\"]git['\"]"
    r"|\b(?:os|asyncio)\.(?:create_subprocess|exec|popen|posix_spawn|spawn|system)"
)
"""Only files that match are parsed, because parsing all of them takes seconds."""
PYTHON = re.compile(r"(?<![\w./-])python3?(?:\.\d+)? (?!-I\b)-(?:c|m (?:pip|venv))\b[^|]*")
SCRIPTS = re.compile(
    r".*\.(?:sh|ya?ml|service|toml|cfg|tpl|md)|(?:.*/)?(?:Dockerfile|Makefile|run)"
)


def _name(call: ast.Call) -> tuple[str, str]:
    """Returns the name that is called and what it is called on."""
    match call.func:
        case ast.Attribute(attr=name, value=value):
            return name, ast.unparse(value)
        case ast.Name(id=name):
            return name, ""
        case _:
            return "", ""


def _mode(call: ast.Call, on: str) -> str:
    """Returns the mode of a call of ``open``, "?" if it is made up while the code runs."""
    given = [one.value for one in call.keywords if one.arg == "mode"]
    given += call.args[1:2] if on in ("", "io", "os") else call.args[:1]
    match given:
        case []:
            return "r"
        case [ast.Constant(value=str(mode)), *_]:
            return mode
        case _:
            return "?"


def writes(source: str) -> Iterator[str]:
    """Yields each call of Python code that opens a file for writing, or makes one."""
    if not _MAY_WRITE.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name, on = _name(node)
        opens = name in _OPENS and on in ("", "io", "os", "gzip", "tarfile", "zipfile")
        path = name == "open" and not opens and _mode(node, on).strip("rwabtx+") == ""
        writing = (opens or path) and not _READ.fullmatch(_mode(node, on))
        making = name in _MADE and on in ("shutil", "tempfile", "")
        if name in _WRITE or writing or (making and on) or (name in _MADE - {"copy"} and not on):
            yield f"{node.lineno}: {ast.unparse(node)[:70]}"


def starts(source: str) -> Iterator[str]:
    """Yields each call of Python code that starts a program, and each that names git."""
    if not _MAY_START.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call():
                name, on = _name(node)
                if (name in _RUNS and on in ("subprocess", "os")) or (
                    _EXECS.fullmatch(name) and on in ("asyncio", "os")
                ):
                    yield f"{node.lineno}: {ast.unparse(node)[:70]}"
            case ast.ImportFrom(module="subprocess") | ast.Import(names=[ast.alias(name="pty")]):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case (
                ast.Tuple(elts=[ast.Constant(value="git"), *_])
                | ast.List(elts=[ast.Constant(value="git"), *_])
            ):
                yield f"{node.lineno}: {ast.unparse(node)[:70]}"
            case _:
                pass


def scripted(text: str) -> Iterator[str]:
    """Yields each line of a script that starts Python with the modules of the working folder."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := PYTHON.search(line):
            yield f"{number}: {match[0][:70]}"


def _sources() -> list[str]:
    return [
        path
        for path in tracked_files(ROOT)
        if path.startswith(("adapters/", "bot/", "core/", "storage/")) and path.endswith(".py")
    ]


def test_nothing_else_opens_a_file_for_writing() -> None:
    calls = {path: list(writes((ROOT / path).read_text("utf-8"))) for path in _sources()}
    assert {path: lines for path, lines in calls.items() if lines and path not in WRITES} == {}


def test_nothing_else_starts_a_program() -> None:
    calls = {path: list(starts((ROOT / path).read_text("utf-8"))) for path in _sources()}
    assert {path: lines for path, lines in calls.items() if lines and path not in STARTS} == {}


def test_scripts_start_isolated_interpreters() -> None:
    """A script runs beside keys, in a folder that may hold the change's own json.py."""
    paths = [
        path
        for path in tracked_files(ROOT)
        if SCRIPTS.fullmatch(path) and not path.startswith("tests/")
    ]
    assert len(paths) > 30
    lines = {path: list(scripted((ROOT / path).read_text("utf-8"))) for path in paths}
    assert {path: wrong for path, wrong in lines.items() if wrong} == {}


@pytest.mark.parametrize(
    "code",
    [
        "open('x', 'w')", "open(file=x, mode='ab')", "io.open('x', mode)", "Path('x').open('wb')",
        "(folder / 'x').write_text('')", "path.touch()", "os.open(path, flags)",
        "tempfile.mkstemp()", "shutil.copyfile(a, b)",
    ],
)  # fmt: skip
def test_a_call_that_writes_is_seen(code: str) -> None:
    assert list(writes(code))


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(['git'])", "asyncio.create_subprocess_exec('git')", "os.execvp('git', x)",
        "from subprocess import run", "start(*('git', 'log'))", "os.system('git log')",
    ],
)  # fmt: skip
def test_a_call_that_starts_a_program_is_seen(code: str) -> None:
    assert list(starts(code))


def test_a_script_with_the_folder_s_modules_is_seen() -> None:
    for line in (
        "id=$(python3 -c 'import json')",
        "run: python -m pip install x",
        "python3 -m venv x",
    ):
        assert list(scripted(line)), line
    for line in ("python3 -I -c 'import json'", ".venv/bin/python -m tools.bench"):
        assert not list(scripted(line)), line
