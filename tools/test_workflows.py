"""The workflows: every action by a commit that nobody can move, every file of its platform's form,
and a release that publishes the wheel that was tested (``make test-release`` runs its steps).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types
from check_jsonschema import main as check_jsonschema  # type: ignore[import-untyped]  # as yaml

from tests.project import DOCS, ROOT
from tools.hygiene import tracked_files
from tools.workflows import ACTIONS, PASSED_OVER, Runner, do, jobs

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
ACTION = ROOT / ".github" / "actions" / "debate" / "action.yml"
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
BY_TAG = {
    "OWNER/debatebot/.github/actions/debate@v0.1.0": "our own, of the release that a reader chooses"
}
"""What is used by the name of a release, and why."""


def used(text: str) -> list[str]:
    """Returns each `uses:` with the rest of its line."""
    return re.findall(r"(?m)^\s*(?:- )?uses:\s*(.*\S)\s*$", text)


def everything_used() -> Iterator[tuple[str, str]]:
    """Yields (file, action) of workflows, actions and the examples of the pages."""
    for name in tracked_files(ROOT):
        if name.endswith((".yml", ".yaml", ".md")):
            for action in used((ROOT / name).read_text("utf-8")):
                yield name, action


def test_every_action_is_a_commit_with_its_version_beside_it() -> None:
    everything = list(everything_used())
    moving = [
        (name, action)
        for name, action in everything
        if not PINNED.fullmatch(action) and not action.startswith("./") and action not in BY_TAG
    ]
    assert moving == []
    assert set(BY_TAG) <= {action for _, action in everything}
    pins = {action for _, action in everything if PINNED.fullmatch(action)}
    assert len({action.partition("@")[0] for action in pins}) == len(pins), "one commit for each"
    assert len(pins) > 6


@pytest.mark.parametrize(
    ("line", "pinned"),
    [
        ("- uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2", True),
        ("  uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6", False),
        ("uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd", False),
        ("- uses: actions/checkout@v6.0.2", False),
        ("- uses: actions/checkout@main # v6.0.2", False),
    ],
)
def test_what_counts_as_a_commit(line: str, pinned: bool) -> None:
    (action,) = used(line)
    assert bool(PINNED.fullmatch(action)) is pinned


def loaded(name: str) -> tuple[str, dict[str, Any]]:
    text = (ROOT / ".github" / "workflows" / name).read_text("utf-8")
    return text, yaml.safe_load(text)["jobs"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_read_alone_and_ends(path: Path) -> None:
    """Rights are given to the job that needs them, and a step that hangs is not paid for a day."""
    text, all_jobs = loaded(path.name)
    assert re.search(r"(?m)^permissions:\n  contents: read$", text)
    for name, job in all_jobs.items():
        assert "uses" in job or job["timeout-minutes"] <= 90, name
        assert ("permissions" in job) is ((path.name, name) == ("release.yml", "publish"))
        for step in job.get("steps", []):
            if str(step.get("uses", "")).startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_the_release_builds_once_and_publishes_what_was_tested() -> None:
    text, release = loaded("release.yml")
    _, wheel = loaded("wheel.yml")
    built = [name for name, job in {**release, **wheel}.items() if "hatchling" in str(job)]
    assert built == ["build"]
    assert release["wheel"] == {"needs": "checks", "uses": "./.github/workflows/wheel.yml"}
    assert (release["sbom"]["needs"], release["publish"]["needs"]) == ("wheel", ["wheel", "sbom"])
    assert "pip" not in str([step.get("run") for step in release["publish"]["steps"]])
    assert ".ci/run" in [step.get("run") for step in release["checks"]["steps"]]
    assert wheel["test"]["needs"] == "build"
    assert wheel["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert any("make test-wheel WHEEL=" in step.get("run", "") for step in wheel["test"]["steps"])
    subjects = [step["with"] for step in release["publish"]["steps"] if "attest@" in str(step)]
    assert subjects == [
        {"subject-path": "dist/*"},
        {"subject-path": "dist/*.whl", "sbom-path": "sbom.cdx.json"},
    ]
    assert text.count("secrets.") == 0


def test_a_pull_request_runs_what_decides_whether_a_change_is_good() -> None:
    text, checks = loaded("checks.yml")
    assert "pull_request" in yaml.safe_load(text)[True]  # `on`, as YAML reads it
    deciding = re.findall(r"(?m)^make .*$", (ROOT / ".ci" / "run").read_text("utf-8"))
    assert checks["change"]["strategy"]["matrix"]["run"] == deciding


def test_the_steps_of_the_release_are_all_known(tmp_path: Path) -> None:
    """``make test-release`` runs them; here none is."""
    order, scripts = [], []
    for job, steps in jobs("release.yml"):
        order.append(job)
        for step in steps:
            if "uses" in step:
                assert step["uses"].partition("@")[0] in ACTIONS
            else:
                scripts.append(step["run"])
    assert order == ["checks", "build", "test", "sbom", "publish"]
    assert all("${{" not in script for script in scripts)
    for beginning in PASSED_OVER:
        assert any(script.startswith(beginning) for script in scripts)
    with pytest.raises(ValueError, match="not known"):
        do(Runner(tmp_path), "build", {"uses": "somebody/else@v1"})


@pytest.mark.parametrize(("tag", "code"), [("", 0), ("v9.9.9", 1)])
def test_a_tag_that_is_not_the_version_ends_the_release(
    tmp_path: Path, tag: str, code: int
) -> None:
    steps = dict(jobs("release.yml"))["checks"]
    (script,) = (step["run"] for step in steps if "GITHUB_REF_NAME" in str(step.get("run")))
    env = Runner(tmp_path).environment("checks")
    env |= {"GITHUB_REF_NAME": tag} if tag else {}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert (f"The tag is {tag}" in done.stderr) is bool(code)


def fence(page: str, word: str) -> str:
    """Returns the one block of a page that holds this word."""
    blocks = re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    (text,) = (block for block in blocks if word in block)
    return str(text)


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ("github-workflows", {path.name: path.read_text("utf-8") for path in WORKFLOWS}),
        ("github-workflows", {"page.yml": fence("ci.md", "actions/debate@")}),
        ("github-actions", {"action.yml": ACTION.read_text("utf-8")}),
        ("github-issue-forms", {path.name: path.read_text("utf-8") for path in FORMS}),
        ("gitlab-ci", {"page.yml": fence("ci.md", "merge_request_event")}),
        ("compose-spec", {"compose.yaml": (ROOT / "compose.yaml").read_text("utf-8")}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_platforms_read_has_the_form_that_they_name(
    tmp_path: Path, schema: str, texts: dict[str, str]
) -> None:
    """A word that the form does not know is reported."""
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in texts]
    assert against(schema, *files) == ""
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("services:\n  bot:\n    imagee: x\non: 3\nruns: 3\nbot: {scriptt: []}\n")
    assert "wrong.yml" in against(schema, str(wrong))


def against(schema: str, *files: str) -> str:
    """Returns the complaints that a platform's own schema has about these files."""
    typed = ["--builtin-schema", f"vendor.{schema}", *files]
    with redirect_stdout(StringIO()) as out, redirect_stderr(out):
        code = check_jsonschema(typed, standalone_mode=False)
    return out.getvalue() if code else ""
