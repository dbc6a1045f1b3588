"""The installed wheel: one import name, every file, the commands, and the sentence for a missing
part.

The wheel is built once and installed next to the checkout's environment; these tests never see the
checkout. ``make test-wheel`` runs the other tests against it.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.models.catalogue import tables
from bot.shell.docs import documents
from core.debate.errors import brought_by
from tests.bot.plugins.packages import shown_package
from tests.end_to_end import nursery
from tests.end_to_end.shell import environment
from tests.patience import PATIENCE
from tests.project import EXAMPLES, ROOT
from tools.hygiene import tracked_files

FOLDERS = ("adapters", "bot", "core", "storage")
WITHOUT = """
import sys
missing = sys.argv[1].split(",")
assert not {name.partition(".")[0] for name in sys.modules} & set(missing)
from importlib.machinery import PathFinder
looks = PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in missing else looks(name, path, target)
PathFinder.find_spec = find_spec
from debatebot.__main__ import main
code = main(sys.argv[2:])
ours = {"adapters", "bot", "core", "storage"} & set(sys.modules)
assert not ours, ours
sys.exit(code)
"""
"""Runs a command of the installed copy without what is ``missing``."""
LOADED = tuple(f"debatebot.{name}" for name in nursery.LOADED if name.partition(".")[0] in FOLDERS)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder that holds ``debatebot``, as an installer unpacks it."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def loaded(installed: Path) -> str:
    """Returns the address of a nursery that has loaded the installed copy and no optional part."""
    return nursery.Nursery(apart(installed), LOADED).address


def apart(installed: Path) -> str:
    """Returns a program that hides the checkout and shows the installed copy."""
    return (
        "import sys\n"
        f"hidden = [p for p in sys.path if not p or p.startswith({str(ROOT)!r})]\n"
        "there = [p for p in sys.path if p not in hidden or 'site-packages' in p]\n"
        f"sys.path[:] = [{str(installed)!r}, *there]\n"
    )


def given(**env: str) -> dict[str, str]:
    return {name: text for name, text in environment(**env).items() if name != "PYTHONPATH"}


def command(
    loaded: str, folder: Path, *typed: str, missing: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    return nursery.run(
        [sys.executable, "-c", WITHOUT, missing, *typed],
        executable=loaded,
        cwd=folder,
        env=given(**env),
        text=True,
        timeout=2 * PATIENCE,
    )


def test_the_wheel_has_one_import_name_and_every_file(wheel: Path) -> None:
    tracked = {
        f"debatebot/{name}"
        for name in tracked_files(ROOT)
        if name.partition("/")[0] in {*FOLDERS, "examples", "docs", "manifests"}
        and not {"pictures", "chart"} & set(name.split("/"))
    }
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        entries = file.read("debatebot-0.1.0.dist-info/entry_points.txt").decode()
        sources = {n: file.read(n).decode() for n in names if n.endswith(".py")}
    assert tracked - names == set()
    assert {name.partition("/")[0] for name in names} == {
        "debatebot",
        "debatebot-0.1.0.dist-info",
    }
    for name in ("debate", "debatebot"):
        assert f"{name} = debatebot.__main__:main" in entries
    of_ours = re.compile(rf"from\s+(?:{'|'.join(FOLDERS)})\b")
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)) if of_ours.search(source) else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                assert node.module.partition(".")[0] not in FOLDERS, name


def one_name() -> Any:
    """Returns the build hook, which no package holds."""
    spec = importlib.util.spec_from_file_location("one_name", ROOT / ".ci" / "one_name.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_image_and_a_source_package_have_what_the_wheel_is_built_from() -> None:
    hook = one_name()
    needed = {*hook.FOLDERS, *hook.BESIDE, ".ci", "LICENSE", "README.md"}
    sent = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    }
    assert needed <= sent
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert needed <= set(project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])


def test_only_imports_and_names_of_modules_are_written_anew() -> None:
    hook = one_name()
    text = (
        "from core.x import y\nimport os, sys\nfrom bot import z  # from core.x import y\n"
        'NAME, PLACE, TEXT = "core.x", "slack:core.x", "é from core.x"\n'
        "if True:\n    from storage.a import (\n        b,\n    )\n"
    )
    assert hook.renamed(text, {"core.x", "bot"}, "a.py") == (
        "from debatebot.core.x import y\nimport os, sys\n"
        "from debatebot.bot import z  # from core.x import y\n"
        'NAME, PLACE, TEXT = "debatebot.core.x", "slack:core.x", "é from core.x"\n'
        "if True:\n    from debatebot.storage.a import (\n        b,\n    )\n"
    )
    with pytest.raises(hook.CannotRename, match=r"a\.py:1"):
        hook.renamed("import core.x\n", {"core.x"}, "a.py")


def test_the_installed_copy_debates_and_looks_after_itself(
    installed: Path, loaded: str, tmp_path: Path
) -> None:
    typed = (str(EXAMPLES / "01-retry-payments.diff"), "--json")
    ran = subprocess.run(
        [sys.executable, "-c", apart(installed) + WITHOUT, "", *typed],
        cwd=tmp_path,
        env=given(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["status"] == "finished"
    looked = command(loaded, tmp_path, "doctor", "--json")
    assert (looked.returncode, json.loads(looked.stdout)["ok"]) == (0, True), looked.stderr
    assert command(loaded, tmp_path, "init", "--yes", "--model", "embedded").returncode in (0, 2)
    page = command(loaded, tmp_path, "docs", "slack")
    assert page.stdout == (ROOT / "docs" / "slack.md").read_text("utf-8")
    file = command(loaded, tmp_path, "docs", "slack.json")
    assert file.stdout == (ROOT / "manifests" / "slack.json").read_text("utf-8")


SENT = re.compile(r"debate docs [a-z]|(?:docs|manifests)/")


def test_people_are_sent_to_pages_that_are_installed_too() -> None:
    """A file of the checkout is no help to who has the wheel."""
    known = documents()
    wrong = []
    for name in tracked_files(ROOT):
        if name.partition("/")[0] not in FOLDERS or not name.endswith(".py"):
            continue
        source = (ROOT / name).read_text("utf-8")
        for text in texts(source) if SENT.search(source) else ():
            sent = re.findall(r"debate docs ([a-z][a-z.-]*[a-z])", text)
            wrong += [(name, page) for page in sent if page not in known]
            wrong += [(name, file) for file in re.findall(r"(?:docs|manifests)/[\w-]+\.\w+", text)]
    assert wrong == []
    assert len(known) > 20


def texts(source: str) -> Iterator[str]:
    """Yields every text in it that is no docstring."""
    tree = ast.parse(source)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@contextmanager
def serving(
    program: Callable[..., subprocess.Popen[Any]],
    code: str,
    folder: Path,
    missing: str = "",
    **env: str,
) -> Iterator[tuple[str, list[str]]]:
    """Returns the address of a bot that runs meanwhile, and the lines it wrote until it had one."""
    with program(
        [sys.executable, "-c", code, missing, "serve"],
        cwd=folder,
        env=given(DEBATE_PORT="0", **env),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if '"started"' in line:
                break
        try:
            yield json.loads(lines[-1])["address"], lines
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
        assert process.wait(PATIENCE) == 0


def test_the_installed_copy_serves(loaded: str, tmp_path: Path) -> None:
    program = partial(nursery.Popen, executable=loaded)
    with serving(program, WITHOUT, tmp_path) as (address, _):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}/healthz", timeout=PATIENCE) as answer:
            assert json.loads(answer.read()) == {"alive": True}


@pytest.mark.parametrize(
    ("missing", "typed", "env", "reason"),
    [
        ("litellm", ("panel", "Should we move it?"), {"DEBATE_MODELS": "cohere_chat/command-r"},
         "pip install 'debatebot[litellm]'"),
        ("xllamacpp", ("panel", "Should we move it?"), {"DEBATE_MODELS": "embedded"},
         "pip install 'debatebot[embedded]'"),
        ("psycopg", ("list",), {"DEBATE_DATABASE_URL": "postgresql://x@127.0.0.1:1/x"},
         "pip install 'debatebot[postgres]'"),
        ("ddgs", ("panel", "Should we move it?"), {"DEBATE_SEARCH": "1"},
         "pip install 'debatebot[search]'"),
        ("mcp", ("mcp",), {}, "pip install 'debatebot[mcp]'"),
    ],
)  # fmt: skip
def test_what_is_missing_says_the_command_that_brings_it(
    loaded: str,
    tmp_path: Path,
    missing: str,
    typed: tuple[str, ...],
    env: dict[str, str],
    reason: str,
) -> None:
    ran = command(loaded, tmp_path, *typed, missing=missing, COHERE_API_KEY="k" * 20, **env)
    assert (ran.returncode, reason in ran.stderr) == (2, True), ran.stderr


@pytest.mark.parametrize(
    ("prefix", "typed"),
    [
        ("/home/ada/.venv", "pip install 'debatebot[mcp]'"),
        ("/home/ada/venvs/debatebot", "pip install 'debatebot[mcp]'"),
        ("/home/ada/.local/share/pipx/venvs/debatebot",
         "pipx runpip debatebot install 'debatebot[mcp]'"),
        ("/home/ada/.local/share/uv/tools/debatebot", "uv tool install 'debatebot[mcp]'"),
        ("/home/ada/.cache/uv/archive-v0/vRjJf3Ua", "uvx 'debatebot[mcp]'"),
        ("C:\\Users\\ada\\pipx\\venvs\\debatebot",
         "pipx runpip debatebot install 'debatebot[mcp]'"),
        ("/", "pip install 'debatebot[mcp]'"),
    ],
)  # fmt: skip
def test_the_command_is_that_of_the_tool_which_made_the_environment(
    prefix: str, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", prefix)
    assert brought_by("mcp") == typed


def test_all_is_every_extra(wheel: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    (everything,) = extras["all"]
    named = everything.removeprefix("debatebot[").removesuffix("]").split(",")
    assert set(named) == {name for name, parts in extras.items() if parts} - {"all"}
    with zipfile.ZipFile(wheel) as file:
        metadata = file.read("debatebot-0.1.0.dist-info/METADATA").decode()
    assert set(re.findall(r"(?m)^Provides-Extra: (.*)$", metadata)) == set(extras)
    assert metadata.startswith("Metadata-Version: 2.4\n"), "an index that is a year old takes it"
    rows = set(re.findall(r"(?m)^\| `(\w+)` \|", metadata))
    assert rows == {name for name, parts in extras.items() if parts}, ".ci/package.md"


def test_a_review_says_what_brings_the_code_around_the_change(loaded: str, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    (tmp_path / "a.py").write_text("def one():\n    return 1\n")
    for typed in (["init", "-q"], ["add", "a.py"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *typed], cwd=tmp_path, check=True)
    (tmp_path / "a.py").write_text("def one():\n    return 2\n")
    ran = command(loaded, tmp_path, ".", "--json", missing="tree_sitter")
    assert ran.returncode == 0, ran.stderr
    assert "pip install 'debatebot[grammars]'" in json.dumps(json.loads(ran.stdout)["material"])
    looked = command(loaded, tmp_path, "doctor", missing="tree_sitter")
    assert "pip install 'debatebot[grammars]'" in looked.stdout


def test_who_names_a_collector_reads_what_traces(installed: Path, tmp_path: Path) -> None:
    collector = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    served = serving(
        subprocess.Popen, apart(installed) + WITHOUT, tmp_path, missing="opentelemetry", **collector
    )
    with served as (_, lines):
        assert any("pip install 'debatebot[otel]'" in line for line in lines)


def test_without_any_model_the_demonstration_is_a_recording(loaded: str, tmp_path: Path) -> None:
    ran = command(loaded, tmp_path, "demo", missing="xllamacpp", DEBATE_MODELS="")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("No model can speak here, so nothing is debated")
    assert "pip install 'debatebot[embedded]'" in ran.stdout
    assert (EXAMPLES / "recorded-review.md").read_text("utf-8").splitlines()[0] in ran.stdout
    assert ran.stdout.rstrip().endswith("What each seat said: debate docs recorded-review")


def test_what_many_never_need_is_in_no_default(loaded: str, tmp_path: Path) -> None:
    """A debate, with every extra absent: prices and providers are known all the same."""
    absent = "litellm,xllamacpp,psycopg,procrastinate,ddgs,tree_sitter"
    ran = command(
        loaded, tmp_path, str(EXAMPLES / "01-retry-payments.diff"), "--json", missing=absent
    )
    assert ran.returncode == 0, ran.stderr
    looked = command(
        loaded, tmp_path, "doctor", missing=absent,
        DEBATE_MODELS="anthropic/claude-sonnet-4-5", ANTHROPIC_API_KEY="k" * 20,
    )  # fmt: skip
    assert "a million tokens cost $3.00 read, $15.00 written" in looked.stdout


def test_the_copies_of_litellm_s_tables_are_those_of_its_pinned_release() -> None:
    """Anew: python -m adapters.models.catalogue.tables"""
    import gzip

    folder = tables.folder()
    assert folder is not None
    for path in tables.TABLES:
        assert gzip.decompress(tables.copy_of(path).read_bytes()) == (folder / path).read_bytes()


def test_the_checkout_has_the_same_name_over_its_folders(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / '.ci' / 'editable'}"}
    done = subprocess.run(
        [sys.executable, "-m", "debatebot", "--version"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "debatebot 0.1.0\n"


@pytest.mark.faults
def test_what_the_pages_show_is_typed_for_who_installed_the_wheel(
    installed: Path, tmp_path: Path
) -> None:
    """mypy --strict over the README's script, the library's page and the plugins', in an
    environment that knows the wheel and no checkout; and what they get has a type.
    """
    venv, caller = tmp_path / "env", tmp_path / "caller"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(f"{installed}\n{sysconfig.get_path('purelib')}\n")
    pages = [ROOT / "README.md", ROOT / "docs" / "library.md"]
    fences = [fence for page in pages for fence in PYTHON.findall(page.read_text("utf-8"))]
    files = {f"shown_{number}.py": text for number, text in enumerate(fences)}
    files |= {name: text for name, text in shown_package().items() if name.endswith(".py")}
    line = 'debate("x").findings[0].line'
    files["revealed.py"] = f"from debatebot import debate\nreveal_type({line})\n"
    for name, text in files.items():
        path = caller / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    python = ["--python-executable", str(venv / "bin" / "python")]
    run = subprocess.run(
        [*mypy, *python, "."], cwd=caller, capture_output=True, text=True, check=False
    )
    revealed, last = run.stdout.splitlines()
    assert 'Revealed type is "int | None"' in revealed
    assert last == f"Success: no issues found in {len(files)} source files"


PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
