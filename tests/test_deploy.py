"""The files that run the bot for others: the image's steps, the systemd unit, the checks."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types

from bot.settings import VARIABLES
from tests.project import ROOT
from tools.image import Image, context, do, steps

UNIT = ROOT / "manifests" / "debatebot.service"


def test_the_steps_of_the_image_are_all_known(tmp_path: Path) -> None:
    """``make test-image`` runs them; here nothing is installed."""
    image, seen = Image(tmp_path), []
    for name, words in steps((ROOT / "Dockerfile").read_text("utf-8")):
        seen.append(name)
        if name not in ("RUN", "COPY"):
            do(image, name, words, tmp_path)
    assert image.command == ("debate", "serve")
    assert image.env["DEBATE_PORT"] == "8765"
    assert image.health
    assert seen.count("FROM") == 2
    with pytest.raises(ValueError, match="not known"):
        do(image, "ONBUILD", "RUN x", tmp_path)


def test_the_image_is_sent_what_its_build_needs_and_no_more(tmp_path: Path) -> None:
    context(ROOT, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        ".ci", "LICENSE", "README.md", "adapters", "bot", "core", "docs", "examples", "manifests",
        "pyproject.toml", "requirements.lock", "storage",
    }  # fmt: skip


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names as they are
    unit.read_string(UNIT.read_text("utf-8"))
    service = unit["Service"]
    assert service["ExecStart"] == "/opt/debatebot/bin/debate serve"
    name = service["Environment"].partition("=")[0]
    assert name in {one.name for one in VARIABLES.values()}
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd here")
    copy = tmp_path / UNIT.name
    copy.write_text(
        UNIT.read_text("utf-8")
        .replace(service["ExecStart"], "/bin/true")
        .replace("User=debatebot\n", "")
    )
    done = subprocess.run(
        [program, "verify", "--man=no", copy], capture_output=True, text=True, check=False
    )
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []


def test_whoever_contributes_reads_of_every_check() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    targets = re.findall(r"(?m)^(make [a-z-]+)$", run)
    assert len(targets) > 2
    assert [one for one in targets if f"`{one}`" not in page] == []
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    entries = " ".join(hook["entry"] for repo in hooks for hook in repo["hooks"])
    checks = re.search(r"(?ms)^check:.*?\n\n", (ROOT / "Makefile").read_text("utf-8"))
    assert checks is not None
    for tool in re.findall(r"\$\(BIN\)/(\S+)", checks[0]):
        assert f".venv/bin/{tool}" in entries, tool
