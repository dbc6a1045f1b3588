"""``python -m tools.bench.first_hour [WAY ...]``: a table of the times that a new user waits, for
every way to start that the pages name, and the size of the files that it installs.

Each way begins in an empty folder and an empty home: the wheel in a new environment, a
clone with ``make demo``, the image's steps without a daemon; then, with the wheel's commands,
``init`` and ``doctor --live`` for each chat and the steps of the action, against stand-ins over
sockets. The scripted model speaks: a real one takes its own time on top. Packages come from the
index that pip is set to. ``python -m tools.bench.installed --at COMMIT`` has earlier sizes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bot.debates.provider import Provider
from tests.bot.forges.town import diff, reply
from tests.end_to_end.shell import aside
from tests.project import ROOT
from tests.standins.discord import DiscordStandIn
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.github_runner import Action
from tests.standins.openai import openai
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tools import image
from tools.bench.installed import build

SCRIPTED = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"}
KEY = "sk-bench-0123456789"
_KEPT = ("PATH", "LANG", "TMPDIR", "SSL_CERT_FILE")


@dataclass
class Walk:
    """One newcomer: an empty home, and the seconds of each step so far."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    took: list[tuple[str, float]] = field(default_factory=list)
    sizes: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.took.append((name, time.monotonic() - began))

    def types(
        self, name: str, *words: str, folder: Path | None = None, typed: str = "", wants: str
    ) -> None:
        """Runs a command, whose output must contain ``wants``."""
        given = {**_machine(), "HOME": str(self.home), **self.env}
        with self.step(name):
            ran = subprocess.run(
                words, cwd=folder or self.home, env=given, input=typed, capture_output=True,
                text=True, check=False,
            )  # fmt: skip
        good = "Still empty" in ran.stdout or "BROKEN" not in ran.stdout
        if wants not in ran.stdout or not good:
            raise SystemExit(f"{name} failed ({ran.returncode}):\n{ran.stdout}\n{ran.stderr}")


def _machine() -> dict[str, str]:
    """Returns the environment of a command: the machine's way to its packages, without keys and
    settings.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    config = Path.home() / ".config" / "pip" / "pip.conf"
    if config.exists():
        kept.setdefault("PIP_CONFIG_FILE", str(config))
    return kept | {n: v for n, v in os.environ.items() if n.lower().endswith("_proxy")}


def by_wheel(walk: Walk, wheel: Path) -> Path:
    """Installs the wheel and returns the folder of its commands."""
    place = walk.home / "environment"
    walk.types("an environment", sys.executable, "-m", "venv", str(place), wants="")
    walk.types(
        "pip install", str(place / "bin" / "pip"), "install", "--quiet", str(wheel), wants=""
    )
    walk.env |= SCRIPTED
    walk.types("debatebot demo", str(place / "bin" / "debatebot"), "demo", wants="■ ")
    walk.sizes += [
        ("the wheel", wheel.stat().st_size / 1e6),
        ("its environment, without an extra", image.megabytes(place)),
    ]
    return place / "bin"


def by_clone(walk: Walk) -> None:
    folder = walk.home / "debatebot"
    walk.types(
        "git clone", "git", "clone", "-q", "--no-hardlinks", str(ROOT), str(folder), wants=""
    )
    walk.env |= SCRIPTED
    walk.types("make demo", "make", "demo", f"PYTHON={sys.executable}", folder=folder, wants="■ ")
    walk.sizes.append(("a clone's environment, all extras", image.megabytes(folder / ".venv")))


def by_image(walk: Walk) -> None:
    """Runs the steps of the Dockerfile, the start until the program is healthy, and a review
    inside.
    """
    made, sent = image.Image(walk.home / "root", {"PIP_QUIET": "1"}), walk.home / "sent"
    image.context(ROOT, sent)
    before = 0.0
    for name, words in image.steps((ROOT / "Dockerfile").read_text("utf-8")):
        line = " ".join(f"{name} {words}".split())[:50]
        with walk.step(line):
            image.do(made, name, words, sent)
        after = image.megabytes(made.root)
        if after - before >= 1:
            walk.sizes.append((f"the image's step `{line}`", after - before))
        before = after
    with walk.step("healthy, and ended"):
        image.start(made)
    kept = image.megabytes(Path(made.inside("/opt/debatebot")))
    walk.sizes.append(("the image over its base", kept))
    walk.env |= {**SCRIPTED, "PATH": made.environment()["PATH"]}
    walk.types("debate demo", "debate", "demo", wants="■ ")


def by_slack(walk: Walk, commands: Path) -> None:
    with aside(SlackStandIn()) as slack:
        walk.env |= {"SLACK_API_URL": slack.url, "DEBATE_MODERATORS": "slack:T1/U1"}
        _chat(walk, commands, "slack", BOT_TOKEN, APP_TOKEN)


def by_discord(walk: Walk, commands: Path) -> None:
    with aside(DiscordStandIn()) as discord:
        discord.world.application["owner"] = discord.world.users[discord.ada]
        walk.env |= {
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
        }
        _chat(walk, commands, "discord", discord.token)


def _chat(walk: Walk, commands: Path, chat: str, *tokens: str) -> None:
    """Runs ``init`` twice, as the page has it (the answers, then the tokens), then the doctor."""
    debate = str(commands / "debate")
    answers = f"{chat}\nopenai\nnone\n5\nme\n"
    pasted = "".join(f"{token}\n" for token in (*tokens, KEY))
    with aside(openai()) as models:
        walk.env |= {"OPENAI_API_BASE": models.base}
        walk.types("debate init", debate, "init", typed=answers, wants="Still empty in .env")
        walk.types("the tokens", debate, "init", typed=pasted, wants="Next: debate serve")
        walk.types("debate doctor --live", debate, "doctor", "--live", wants="written to")


def by_action(walk: Walk, wheel: Path) -> None:
    """Runs the steps of the action in a separate environment, which its step with ``python -m pip``
    fills.
    """
    place = walk.home / "environment"
    walk.types("an environment", sys.executable, "-m", "venv", str(place), wants="")
    with aside(GitHubStandIn().running()) as github, aside(openai(Provider(reply))) as models:
        github.pulls["o/r", 7] = Pull(diff=diff(a=["x = 1 # BUG one"]))
        link = "https://github.com/o/r/pull/7"
        event = {"token": "personal", "event.pull_request.html_url": link}
        given = {"version": str(wheel), "models": "openai/gpt-4.1", "post": "yes"}
        env = {
            **_machine(),
            "HOME": str(walk.home),
            "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_API_URL": github.url,
            "OPENAI_API_KEY": KEY,
            "OPENAI_API_BASE": models.base,
        }
        began = time.monotonic()
        for step in Action(given, event).run(walk.home, env):
            walk.took.append((step.words.partition("\n")[0], time.monotonic() - began))
            began = time.monotonic()
            if step.code not in (None, 0, 1):
                raise SystemExit(f"{step.words} failed ({step.code}):\n{step.out}\n{step.err}")
        if len(github.written.reviews["o/r", 7]) != 1:
            raise SystemExit("the review was not posted")


def main(wanted: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder, "")
        home = folder / "wheel"
        home.mkdir()
        first = Walk(home)
        commands = by_wheel(first, wheel)
        ways: Mapping[str, tuple[str, Callable[[Walk], object]]] = {
            "clone": ("a verdict, from a clone", by_clone),
            "image": ("a verdict, by the image's steps", by_image),
            "slack": ("a good doctor, Slack", lambda walk: by_slack(walk, commands)),
            "discord": ("a good doctor, Discord", lambda walk: by_discord(walk, commands)),
            "action": ("a posted review, the action's steps", lambda walk: by_action(walk, wheel)),
        }
        print("| From nothing to | seconds | of which |\n|---|---|---|")
        _print("a verdict, from the wheel", first)
        sizes = first.sizes
        for way, (title, take) in ways.items():
            if not wanted or way in wanted:
                (folder / way).mkdir()
                walk = Walk(folder / way)
                take(walk)
                _print(title, walk)
                sizes += walk.sizes
        print("\n| | MB |\n|---|---|")
        for what, size in sizes:
            print(f"| {what} | {size:.1f} |")
    return 0


def _print(title: str, walk: Walk) -> None:
    steps = [f"`{name}` {seconds:.0f}" for name, seconds in walk.took if seconds >= 0.5]
    print(f"| {title} | {sum(s for _, s in walk.took):.0f} | {', '.join(steps)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
