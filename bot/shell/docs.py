"""``debate docs``: the pages and the files that came with the program, wherever it is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from adapters.terminal.printing import put
from bot.settings import Settings
from bot.shell.maintain import require_only
from bot.shell.setup.variables import env_example
from core.debate.errors import BadInput
from core.languages import msgid, say
from core.words.views.language.grammar import did_you_mean

_HERE = Path(__file__).parents[2]
"""The folder of the checkout or of the installed package."""


def documents() -> Mapping[str, Path]:
    """Returns the pages by their names without the ending, then files by their full names: some to
    give to a platform, some to try the program on.
    """
    pages = {path.stem: path for path in sorted((_HERE / "docs").glob("*.md"))}
    pages |= {path.stem: path for path in sorted((_HERE / "examples").glob("recorded-*.md"))}
    manifests = _HERE / "manifests"
    files = sorted((*manifests.iterdir(), *(_HERE / "examples").glob("*.diff")))
    files += sorted((*(manifests / "watching").iterdir(), *(manifests / "proofs").iterdir()))
    files += (_HERE / "core" / "words" / "outcome").glob("*.schema.json")
    pages |= {path.name: path for path in files if path.is_file()}
    examples = _HERE / "examples"
    plugin = sorted(path for path in examples.glob(f"{_PLUGIN}/**/*.*") if path.suffix != ".pyc")
    return pages | {path.relative_to(examples).as_posix(): path for path in plugin}


def contents() -> str:
    """Returns a line for each document."""
    pages = documents()
    width = max(map(len, pages)) + 2
    lines = [f"  {name:<{width}}{_about(path)}" for name, path in pages.items()]
    lines.append(f"  {_SETTINGS:<{width}}every variable, in groups")
    head = say("Pages and files that came with the program:")
    return "\n".join((head, "", *lines, "", say(_WAY)))


_WAY = msgid("debate docs NAME shows one; debate docs slack.json > slack.json writes it to a file.")
_SETTINGS = ".env.example"
_PLUGIN = "acme-debates"
_FILES = {
    "Caddyfile": "a proxy in front of the room: Caddy",
    "alerts.yml": "ten alert rules for Prometheus",
    "alerts_test.yml": "what makes each of them fire, for promtool",
    "dashboard.json": "a dashboard for Grafana",
    "debatebot.service": "a unit for systemd",
    "discord.json": "the application on Discord, with the link that invites it",
    "github.json": "the App on GitHub",
    "github-proof.yml": "a workflow for GitHub Actions that runs proofs",
    "gitlab-proof.yml": "a pipeline for GitLab CI that runs proofs",
    "nginx.conf": "a proxy in front of the room: nginx",
    "outcome.schema.json": "the JSON Schema of a debate's outcome",
    "proof.py": "what both of them start",
    "slack.json": "the app on Slack, for App Manifest",
}


def _about(path: Path) -> str:
    if path.suffix == ".diff":
        return "a change to try it on"
    if _PLUGIN in path.parts:
        return "a file of a plugin"
    if path.suffix != ".md":
        return _FILES.get(path.name, "")
    with path.open(encoding="utf-8") as file:
        return next((line[2:].strip() for line in file if line.startswith("# ")), "")


def docs(typed: Sequence[str], _settings: Settings) -> int:
    """Prints one document, or the list of all. Raises ``BadInput``."""
    require_only(typed[1:], (), "docs")
    if typed:
        _show(typed[0])
    else:
        put(contents())
    return 0


def _show(name: str) -> None:
    """Prints one document; on a terminal a page goes through the person's pager."""
    if name == _SETTINGS:
        sys.stdout.write(env_example())
        return
    pages = documents()
    path = pages.get(name.removeprefix("docs/").removeprefix("manifests/").removesuffix(".md"))
    if path is None:
        meant = did_you_mean(name, pages)
        there = say("There is no page {name}.", name=repr(name[:40]))
        raise BadInput(f"{there}{meant} {say('All: {command}', command='debate docs')}")
    text = path.read_text("utf-8")
    if path.suffix != ".md" or not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from adapters.terminal.terminal import Terminal

    Terminal().report(text, paged=True)
