"""Every fence of the pages is run by a test, or says here why not."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.evaluation.folder import read_folder
from adapters.models.catalogue.models_file import read_models_file
from bot.__main__ import main
from bot.settings import VARIABLES, read
from storage.schema import open_database
from tests.end_to_end.diffs import adding
from tests.end_to_end.shell import aside, environment, process
from tests.project import DOCS, EXAMPLES, ROOT
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.repository import Repository

FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HERE = "tests/test_fences.py"
LINES = "tests/test_pages.py"
"""Reads each line that begins with our command as the program would."""
TYPED = HERE
"""Runs each of its lines where there is a change, a template and the keys that ``init`` makes."""
PLAYED = "tests/test_first_debate.py"
LIBRARY = "tests/bot/library/test_library.py"
TEMPLATES = "tests/adapters/templates/test_templates.py"

RUN = {
    "README.md": ("tests/test_readme.py",) * 3 + (LIBRARY, "tests/test_readme.py"),
    "CONTRIBUTING.md": (HERE,),
    "docs/api.md": ("tests/bot/room/test_api.py",) * 2,
    "docs/architecture.md": ("not run: a picture in characters",),
    "docs/ci.md": ("tests/test_pipelines.py",) * 4,
    "docs/commands.md": (TYPED, "tests/core/application/commands/test_reference.py"),
    "docs/discord.md": (
        HERE,
        "tests/adapters/discord/test_manifest.py",
        "not run: typed into Discord's own form; tests/adapters/discord plays it",
    ),
    "docs/first-debate.md": (PLAYED,) * 10,
    "docs/github-app.md": (TYPED,),
    "docs/index.md": (HERE,) * 4,
    "docs/kubernetes.md": ("not run: needs a cluster; tests/test_chart.py renders the chart",),
    "docs/library.md": (LIBRARY,) * 5,
    "docs/measuring.md": (LINES, HERE),
    "docs/mcp.md": (
        "not run: another program's command; tests/bot/mcp plays both sides",
        "tests/adapters/slack/test_manifest.py",
    ),
    "docs/models.md": (HERE,),
    "docs/operating.md": (HERE,),
    "docs/plugins.md": (HERE, LINES),
    "docs/proof.md": ("tests/end_to_end/test_proofs.py",),
    "docs/slack.md": (HERE,),
    "docs/templates.md": (TYPED, TEMPLATES, TEMPLATES),
    "docs/webhooks.md": (TYPED, "tests/bot/hooks/test_hooks.py", "tests/bot/hooks/test_hooks.py"),
}
"""The test that runs each fence of a page, in their order."""


def pages() -> Iterator[Path]:
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")))


def fence(page: str, number: int) -> str:
    text: str = FENCE.findall((DOCS / page).read_text("utf-8"))[number][1]
    return text


def test_every_fence_is_run_or_says_why_not() -> None:
    there = {
        str(page.relative_to(ROOT)): len(matches)
        for page in pages()
        if (matches := FENCE.findall(page.read_text("utf-8")))
    }
    assert there == {page: len(by) for page, by in RUN.items()}
    for page, by in RUN.items():
        for one in by:
            if one.startswith("not run: "):
                continue
            assert (ROOT / one).is_file(), f"{page}: {one}"
            name = Path(page).name
            if one not in (HERE, LINES, PLAYED):
                assert name in (ROOT / one).read_text("utf-8"), f"{one} does not name {name}"


def test_what_contributors_type_are_targets() -> None:
    made = (ROOT / "Makefile").read_text("utf-8")
    (text,) = [text for _, text in FENCE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))]
    targets = re.findall(r"^make ([\w-]+)", text, re.MULTILINE)
    assert len(targets) == len(text.splitlines())
    for target in targets:
        assert re.search(rf"^{target}:", made, re.MULTILINE), target


def test_the_contents_name_every_page_once() -> None:
    named = [
        line
        for number in range(4)
        for line in fence("index.md", number).splitlines()
        if line and not line.startswith(":")
    ]
    assert sorted(named) == sorted({page.stem for page in DOCS.glob("*.md")} - {"index"})


@pytest.mark.parametrize(("page", "number"), [("slack.md", 0), ("discord.md", 0)])
def test_lines_for_the_env_file_set_what_is_read(page: str, number: int, tmp_path: Path) -> None:
    names = re.findall(r"^(\w+)=\S+$", fence(page, number), re.MULTILINE)
    assert len(names) == len(fence(page, number).splitlines())
    settings = read(dict.fromkeys(names, "x"), tmp_path)
    ours = {one.name for one in VARIABLES.values()}
    for name in names:
        assert name in ours or name in settings.env, name


def test_the_file_of_models_is_read(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(fence("models.md", 0), "utf-8")
    models = read_models_file({"DEBATE_MODELS_FILE": str(file), "ACME_API_KEY": "x"})
    assert list(models) == ["acme/large", "acme/*", "openai/our-fine-tune"]


def test_a_case_of_ones_own_is_read(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text(fence("measuring.md", 1), "utf-8")
    change = (EXAMPLES / "01-retry-payments.diff").read_text("utf-8")
    (tmp_path / "own.diff").write_text(change, "utf-8")
    contents = read_folder(tmp_path, tmp_path)
    (case,) = contents.cases
    facts = json.loads(fence("measuring.md", 1))
    assert [one.what for one in case.defects] == [facts["defect"]]


def test_the_entry_point_of_a_plugin_is_that_of_the_example() -> None:
    assert fence("plugins.md", 0) in (EXAMPLES / "acme-debates" / "pyproject.toml").read_text()


async def test_the_statement_for_operators_is_sql(tmp_path: Path) -> None:
    await (await open_database(str(tmp_path / "debate.db"))).close()
    with sqlite3.connect(tmp_path / "debate.db") as base:
        assert base.execute(fence("operating.md", 0)).fetchall() == []


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """Yields the folder of a newcomer: a repository with a change, ``FILE``, and the ``.env`` of a
    bot.
    """
    made = Repository(tmp_path / "made")
    made.commit("Begin", app="a = 1\n")
    (made.folder / "app.py").write_text("a = 2\n")
    shutil.copy(EXAMPLES / "01-retry-payments.diff", made.folder / "change.diff")
    (made.folder / "FILE").write_text(fence("templates.md", 1), "utf-8")
    keys = f"DEBATE_SIGNING_KEY={'ab' * 32}\nDEBATE_SECRET_KEY={'A' * 43}\n"
    (made.folder / ".env").write_text(keys, "utf-8")
    with aside(GitHubStandIn().running()) as github:
        github.pulls["OWNER/REPO", 7] = Pull(diff=adding("a.py", "x = 1", "x = 2"))
        monkeypatch.chdir(made.folder)
        monkeypatch.setenv("DEBATE_SCRIPTED", "1")
        monkeypatch.setenv("DEBATE_MODELS", "scripted:lie")  # soon over: no finding counts
        monkeypatch.setenv("GITHUB_API_URL", github.url)
        yield made


@pytest.mark.parametrize("page", ["commands.md", "github-app.md", "templates.md", "webhooks.md"])
def test_what_a_page_says_to_type_runs(
    page: str, office: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in fence(page, 0).splitlines():
        typed = re.split(r"\s{3,}", line)[0]
        if typed == "git diff main | debate":
            change = subprocess.run(["git", "diff", "main"], capture_output=True, check=True)
            env = environment(DEBATE_MODELS="scripted:lie")
            assert process(office.folder, env=env, stdin=change.stdout.decode()).code == 0
            continue
        code = main(shlex.split(typed)[1:])
        output = capsys.readouterr()
        assert code == 0, f"{typed}\n{output.err}"
        assert output.out.strip(), typed


def test_fences_for_a_shell_are_ones() -> None:
    """A text that a shell can't read is no command; nothing is run here."""
    for page in pages():
        for kind, text in FENCE.findall(page.read_text("utf-8")):
            if kind == "sh":
                read = subprocess.run(["sh", "-n"], input=text.encode(), check=False)
                assert read.returncode == 0, f"{page.name}: {text}"
