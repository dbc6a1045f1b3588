"""An installed package adds a model that debates speak with; one that breaks is named and hides no
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import plugins
from bot.__main__ import main

MODULE = """
from debatebot import hookimpl

async def ours(prompt):
    stance = {"option": "reject", "confidence": 0.8, "because": "ours"}
    return {"text": "No.", "stance": stance, "claims": [], "answers": [], "sections": {"s": "-"}}

@hookimpl
def register_models():
    return {"ours": ours}
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two packages as an installer leaves them: one that works, one that does not."""
    site = tmp_path / "site"
    for name, text in (("ours_plugin", MODULE), ("bad_plugin", "raise RuntimeError('no')")):
        info = site / f"{name}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[debatebot]\n{name} = {name}\n")
        (site / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    plugins.find_plugins.cache_clear()
    yield site
    plugins.find_plugins.cache_clear()


def test_a_plugins_model_speaks_and_a_broken_one_is_named(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "bad_plugin 1.2: can't be loaded (RuntimeError: no)",
        "ours_plugin 1.2: models ours",
    ]
    asked = ["design_doc", "Rewrite the importer?", "--models", "ours", "--rounds", "1"]
    assert main([*asked, "--yes", "--json"]) == 0
    assert '"decision": "reject"' in capsys.readouterr().out


def test_without_any_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    plugins.find_plugins.cache_clear()
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out == "No plugins are installed.\n"
