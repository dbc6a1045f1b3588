"""The pipelines of docs/ci.md are run: the action's own script and GitLab's, against stand-ins,
with a provider over a socket; what only their platforms can run is read.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types

from tests.bot.debates.provider import Provider
from tests.bot.forges.town import diff, reply
from tests.end_to_end import nursery
from tests.end_to_end.shell import aside, environment
from tests.patience import PATIENCE
from tests.project import DOCS, ROOT
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.github_runner import Action
from tests.standins.openai import TWO_MODELS, openai

ACTION = ROOT / ".github" / "actions" / "debate"
PAGE = (DOCS / "ci.md").read_text("utf-8")
FENCES = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
REPO, NUMBER = "o/r", 412


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Makes the working folder of a pipeline, with ``debate`` on its path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in (
        ("debate", f"#!/bin/sh\nexec {nursery.command()}\n"),
        ("python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n'),
        ("pip", "#!/bin/sh\n"),
        ("python", "#!/bin/sh\n"),
    ):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    with aside(GitHubStandIn().running()) as standin:
        standin.pulls[REPO, NUMBER] = Pull(diff=diff(a=["x = 1 # BUG one"]))
        yield standin


@pytest.fixture
def models() -> Iterator[Provider]:
    provider = Provider(reply)
    with aside(openai(provider)):
        yield provider


def around(folder: Path, models: Provider, **env: str) -> dict[str, str]:
    """Returns the environment of a pipeline's steps."""
    return environment(**env) | {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        **models.settings(TWO_MODELS),
    }


def sh(folder: Path, script: str, models: Provider, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, env=around(folder, models, **env), capture_output=True,
        text=True, timeout=4 * PATIENCE, check=False,
    )  # fmt: skip


def test_the_action_s_own_steps_review_and_post(
    folder: Path, github: GitHubStandIn, models: Provider
) -> None:
    link = f"https://github.com/{REPO}/pull/{NUMBER}"
    event = {"token": "personal", "event.pull_request.html_url": link}
    action = Action({"models": TWO_MODELS, "post": "yes", "sarif": "yes"}, event)
    env = around(folder, models, GITHUB_API_URL=github.url)
    steps = list(action.run(folder, env))
    assert [one.code for one in steps] == [None, None, 0, 1, None, 0, None], steps
    (review,) = github.written.reviews[REPO, NUMBER]
    assert "The review was posted: https://" in steps[3].out
    assert len(github.written.comments[REPO, NUMBER]) == 1
    assert json.loads((folder / "review.json").read_text())["verdict"]["decision"] == (
        "request_changes"
    )
    document = json.loads((folder / "review.sarif").read_text())
    assert [one["level"] for one in document["runs"][0]["results"]] == ["error"]
    assert (folder / "summary.md").read_text() == (folder / "review.md").read_text()
    count = len(models.requests)
    again = list(action.run(folder, env))[3]
    assert (again.code, len(models.requests)) == (1, count), "the same commit costs nothing"
    assert "The review was posted: https://" in again.out
    assert github.written.reviews[REPO, NUMBER] == [review]
    more = diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"])
    github.pulls[REPO, NUMBER].push("c" * 40, more)
    assert list(action.run(folder, env))[3].code == 1
    comments = [one.path for one in github.written.comments[REPO, NUMBER]]
    assert comments == ["src/a.py", "src/b.py"], "what is known is not repeated"


def test_the_action_s_script_stops_where_nothing_was_reviewed(
    folder: Path, github: GitHubStandIn, models: Provider
) -> None:
    github.refuse("/pulls/412$", 403, "Resource not accessible by integration")
    line = f'sh "{ACTION / "review.sh"}" https://github.com/{REPO}/pull/{NUMBER}'
    ran = sh(folder, line, models, GITHUB_API_URL=github.url, POST="yes")
    assert ran.returncode == 3
    assert not (folder / "review.md").exists()
    assert models.requests == []


@pytest.mark.faults
def test_the_steps_for_gitlab_are_a_shell_s(
    folder: Path, github: GitHubStandIn, models: Provider
) -> None:
    """Run as the runner joins them; the link of GitHub's stand-in serves as well."""
    (job,) = (yaml.safe_load(text)["debate"] for kind, text in FENCES if "merge_request" in text)
    script = "\n".join(["set -e", *job["script"]])
    script = re.sub(r'link="[^"]*"', f"link=https://github.com/{REPO}/pull/{NUMBER}", script)
    ran = sh(folder, script, models, GITHUB_API_URL=github.url, GITHUB_TOKEN="personal")
    assert ran.returncode == 1, ran.stderr
    assert (job["variables"]["DEBATE_DATABASE_URL"], job["cache"]["when"]) == (
        "debate.db", "always",
    )  # fmt: skip
    assert len(github.written.reviews[REPO, NUMBER]) == 1
    for name in job["artifacts"]["paths"]:
        assert (folder / name).exists()


def test_the_plain_shell_s_lines(folder: Path, models: Provider) -> None:
    (lines,) = (text for kind, text in FENCES if kind == "sh" and "git diff" in text)
    made = (
        "git init -q -b main && git config user.name a && git config user.email a@example.org && "
        "git config commit.gpgsign false && echo 'a = 1' > a.py && git add a.py && "
        "git commit -qm one && git update-ref refs/remotes/origin/main HEAD && "
        "echo 'b = 2 # BUG one' >> a.py && git commit -qam two\n"
    )
    ran = sh(folder, made + lines, models)
    assert ran.returncode == 1, ran.stderr
    assert json.loads((folder / "review.json").read_text())["verdict"]["decision"] == (
        "request_changes"
    )


def workflow() -> dict[str, Any]:
    (text,) = (text for kind, text in FENCES if "actions/debate@" in text)
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def test_the_workflow_gives_the_action_what_it_takes_and_the_rights_it_needs() -> None:
    action = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    (step,) = workflow()["jobs"]["debate"]["steps"]
    assert set(step["with"]) <= set(action["inputs"])
    assert workflow()["permissions"] == {
        "contents": "read", "pull-requests": "write", "security-events": "write",
    }  # fmt: skip
    for each in action["runs"]["steps"]:
        script = str(each.get("run", ""))
        assert "${{" not in script, "what strangers write never becomes a part of a script"
    named = {name for each in action["runs"]["steps"] for name in each.get("env", {})}
    assert {"LINK", "BUDGET", "POST"} <= named
    assert "pull_request_target" not in str(workflow())
