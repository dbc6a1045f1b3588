"""The operator's alerts and dashboard: the rules fire when they should and not else, by the real
promtool, and both use only figures that the bot has.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bot.serve.metrics import BotMetrics
from storage.database.clock import utc_now
from tests.project import ROOT
from tests.standins.programs import find

FOLDER = ROOT / "manifests" / "watching"
WRITTEN = (FOLDER / "alerts.yml").read_text("utf-8")
NAMES = re.findall(r"- alert: (\w+)", WRITTEN)
EXPRESSIONS = re.findall(r"expr: \|\n +(.+)", WRITTEN)
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
SHOWN = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
needs_promtool = pytest.mark.skipif(
    not find("promtool"), reason="no promtool: `make test` says how to get it"
)


def promtool(*words: str) -> None:
    done = subprocess.run(
        [find("promtool"), *words], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_each_rule_fires_when_it_should_and_not_else() -> None:
    promtool("check", "rules", "alerts.yml")
    promtool("test", "rules", "alerts_test.yml")
    tried = (FOLDER / "alerts_test.yml").read_text("utf-8")
    matches = re.findall(r"- alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:( \[\])?", tried)
    assert matches == [(name, none) for name in NAMES for none in ("", " []")]


@needs_promtool
def test_the_dashboard_asks_what_prometheus_understands(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{n}", "expr": expr} for n, expr in enumerate(SHOWN)]
    file = tmp_path / "panels.yml"  # JSON is YAML, too
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", str(file))


def test_rules_and_dashboard_ask_for_figures_that_there_are() -> None:
    metrics = BotMetrics(utc_now)
    metrics.watch_circuits({})
    known = {"up"}
    for family in metrics.registry.collect():
        known |= {family.name, f"{family.name}_total", f"{family.name}_bucket"}
    text = " ".join([*SHOWN, *EXPRESSIONS])
    names = set(re.findall(r"\b(?:debatebot|process)_[a-z_]+|\bup\b", text))
    assert names <= known


def test_each_rule_has_a_page_of_what_to_do() -> None:
    page = (ROOT / "docs" / "operating.md").read_text("utf-8")
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    }
    runbooks = re.findall(r"runbook: docs/operating.md#(\S+)", WRITTEN)
    assert set(runbooks) <= anchors
    assert len(runbooks) == len(EXPRESSIONS) == len(NAMES) == 10
