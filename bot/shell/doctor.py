"""What is configured, what is missing, and the next step for each: the answer to "why does it not".

Nothing is sent anywhere but to this machine (a local model server, the database) and to the chats
that are configured, which are asked what their tokens may do. No secret is shown: only that it is
there.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.settings import Settings, variables
from core.errors import BadInput, DebateError


class State(StrEnum):
    OK = "ok"
    OFF = "off"  # not configured, and nothing is wrong with that
    CARE = "care"  # works, but look at it
    BROKEN = "broken"  # something that was configured cannot work


@dataclass(frozen=True, slots=True)
class Finding:
    """``next`` is what to do, empty where nothing needs doing."""

    part: str
    state: State
    what: str
    next: str = ""


async def examine(settings: Settings) -> list[Finding]:
    """Looks at everything. Never raises for what it finds."""
    return [
        *_machine(),
        *_models(settings),
        *_embedded(settings),
        await _database(settings),
        *await _slack(settings),
        *await _discord(settings),
        *_forges(settings),
        *_templates(settings),
        _receipts(settings),
        _budgets(settings),
        *_dotenv(settings),
    ]


def _machine() -> Iterator[Finding]:
    yield Finding(
        "Python",
        State.OK,
        f"{platform.python_version()} on {platform.system()} {platform.machine()}",
    )


def _models(settings: Settings) -> Iterator[Finding]:
    from adapters.models import Vendors, keys

    vendors = Vendors(env=settings.env, configured=settings.models)
    choice = vendors.choice()
    for name in choice.names:
        try:
            vendors.get(name)
        except BadInput as error:
            yield Finding("models", State.BROKEN, name, str(error))
    demo = choice.names == ("embedded",)
    step = (
        "Set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) or DEBATE_MODELS for "
        "verdicts you can rely on."
        if demo
        else ""
    )
    yield Finding("models", State.CARE if demo else State.OK, choice.reason, step)
    there = [key for provider in keys.KEYS if (key := keys.key_of(provider, settings.env))]
    yield Finding("provider keys", State.OK if there else State.OFF, ", ".join(there) or "none")


def _embedded(settings: Settings) -> Iterator[Finding]:
    from adapters.models import weights

    if importlib.util.find_spec("xllamacpp") is None:
        yield Finding(
            "embedded model",
            State.OFF,
            "its runtime has no build for this machine",
            "Use a provider's key or a local server such as Ollama.",
        )
        return
    if not has_avx2():
        yield Finding(
            "embedded model",
            State.CARE,
            "this processor has no AVX2, which the runtime needs",
            "Use a provider's key or another machine.",
        )
        return
    there = [w.title for w in (weights.LARGE, weights.SMALL) if weights.present(w, settings.env)]
    folder = weights.cache_folder(settings.env)
    if there:
        yield Finding("embedded model", State.OK, f"{', '.join(there)} in {folder}")
    else:
        size = weights.LARGE.size / 1e9
        yield Finding(
            "embedded model",
            State.OFF,
            f"its weights are not here; the first use fetches {size:.1f} GB into {folder}",
        )


def has_avx2(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether an x86 Linux machine has the instructions that the embedded runtime needs; elsewhere
    they come with the build.
    """
    if platform.machine().lower() not in ("x86_64", "amd64") or not cpuinfo.exists():
        return True
    return "avx2" in cpuinfo.read_text(encoding="utf-8", errors="replace").split()


async def _database(settings: Settings) -> Finding:
    from storage.database import database_url, sqlite_file
    from storage.schema import open_database

    try:
        url = database_url(settings.database_url)
        shown = url.render_as_string(hide_password=True)
        file = sqlite_file(url)
        if file is not None and not file.exists():
            return Finding("database", State.OK, f"SQLite in {file.absolute()}, made on first use")
        await (await open_database(settings.database_url)).close()
    except DebateError as error:
        return Finding(
            "database",
            State.BROKEN,
            str(error),
            "Set DEBATE_DATABASE_URL to a file or to postgresql+psycopg://USER@HOST/NAME.",
        )
    return Finding(
        "database", State.OK, f"SQLite in {file.absolute()}" if file is not None else shown
    )


async def _slack(settings: Settings) -> list[Finding]:
    """What the settings say by themselves and, where they could work, what Slack says of the
    tokens.
    """
    configured = _slack_settings(settings)
    if configured.state is not State.OK or not settings.slack_bot_token:
        return [configured]
    from adapters.slack.setup.diagnosis import examine as ask_slack

    checks = await ask_slack(
        settings.slack_bot_token,
        settings.slack_api_url,
        app_token=settings.slack_app_token,
        signing_secret=settings.slack_signing_secret,
    )
    states = {True: State.OK, None: State.CARE, False: State.BROKEN}
    return [
        configured,
        *(
            Finding(f"Slack {check.name}", states[check.ok], check.says, check.step)
            for check in checks
        ),
    ]


def _slack_settings(settings: Settings) -> Finding:
    if not settings.slack_bot_token and not settings.slack_client_id:
        if settings.slack_app_token or settings.slack_signing_secret:
            return Finding(
                "Slack",
                State.BROKEN,
                "no SLACK_BOT_TOKEN",
                "Install the app to your workspace and set its xoxb- token.",
            )
        return Finding(
            "Slack",
            State.OFF,
            "not configured",
            "Make an app from manifests/slack.json, set SLACK_BOT_TOKEN and SLACK_APP_TOKEN.",
        )
    if settings.slack_bot_token and not settings.slack_bot_token.startswith("xoxb-"):
        return Finding(
            "Slack",
            State.BROKEN,
            "SLACK_BOT_TOKEN is no bot token",
            "Copy the one that begins with xoxb- (OAuth & Permissions).",
        )
    if settings.slack_app_token:
        if not settings.slack_app_token.startswith("xapp-"):
            return Finding(
                "Slack",
                State.BROKEN,
                "SLACK_APP_TOKEN is no app token",
                "Make one that begins with xapp- and has connections:write.",
            )
        return Finding("Slack", State.OK, "Socket Mode")
    if settings.slack_signing_secret:
        where = f"{settings.public_url or 'your public address'}/slack/events"
        return Finding(
            "Slack",
            State.OK,
            f"HTTP; Slack must reach {where}",
            "" if settings.public_url else "Set DEBATE_PUBLIC_URL.",
        )
    return Finding(
        "Slack",
        State.BROKEN,
        "no way in",
        "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).",
    )


async def _discord(settings: Settings) -> list[Finding]:
    """Whether there is a token and, where there is, what Discord says the bot lacks."""
    if not settings.discord_token:
        step = (
            "Make an application, set DISCORD_TOKEN, invite it by manifests/discord.json's "
            "install_url."
        )
        return [Finding("Discord", State.OFF, "not configured", step)]
    from adapters.discord.settings import DiscordSettings
    from adapters.discord.setup.diagnosis import diagnose

    lacks = await diagnose(
        DiscordSettings(
            settings.discord_token,
            api_url=settings.discord_api_url,
            gateway_url=settings.discord_gateway_url,
        )
    )
    if not lacks:
        return [Finding("Discord", State.OK, "Discord knows the bot, and it may all it needs")]
    return [
        Finding("Discord", State.BROKEN if lack.fatal else State.CARE, lack.what, lack.step)
        for lack in lacks
    ]


def _forges(settings: Settings) -> Iterator[Finding]:
    github = (
        "a token is set"
        if settings.github_token
        else "public repositories only, 60 requests an hour"
    )
    yield Finding(
        "GitHub",
        State.OK,
        github,
        "" if settings.github_token else "Set GITHUB_TOKEN for private ones and 5,000 an hour.",
    )
    gitlab = "a token is set" if settings.gitlab_token else "public projects only"
    yield Finding(
        "GitLab",
        State.OK,
        gitlab,
        "" if settings.gitlab_token else "Set GITLAB_TOKEN for private ones.",
    )
    for name, host in settings.hosts.items():
        yield Finding(
            name, State.OK, f"{host.forge}, {'a token is set' if host.token else 'no token'}"
        )


def _templates(settings: Settings) -> Iterator[Finding]:

    if settings.templates_dir is not None and not settings.templates_dir.is_dir():
        yield Finding(
            "templates",
            State.BROKEN,
            f"{settings.templates_dir} is no folder",
            "Correct DEBATE_TEMPLATES_DIR.",
        )
    from adapters.templates.catalogue import read_catalogue

    shelf = read_catalogue(settings.templates_dir)
    yield Finding("templates", State.OK, f"{len(shelf.templates)} templates")
    for error in shelf.broken:
        yield Finding(
            "templates", State.BROKEN, str(error), "debate templates check FILE names every fault."
        )


def _receipts(settings: Settings) -> Finding:
    if settings.signing_key:
        return Finding("receipts", State.OK, "signed with DEBATE_SIGNING_KEY")
    step = "Set DEBATE_SIGNING_KEY to 32 random bytes in hex: openssl rand -hex 32"
    return Finding("receipts", State.OFF, "no key, so receipts cannot be signed", step)


def _budgets(settings: Settings) -> Finding:
    limits = (
        ("a debate", settings.budget),
        ("a day", settings.daily_budget),
        ("a person and day", settings.person_budget),
    )
    said = [f"${usd:.2f} {what}" for what, usd in limits if usd is not None]
    step = "" if said else "Set DEBATE_BUDGET and DEBATE_DAILY_BUDGET before others use it."
    return Finding("budgets", State.OK if said else State.OFF, ", ".join(said) or "no limit", step)


def _dotenv(settings: Settings) -> Iterator[Finding]:
    file = settings.folder / ".env"
    if settings.from_file and sys.platform != "win32" and file.stat().st_mode & 0o077:
        yield Finding(".env", State.CARE, "others on this machine can read it", f"chmod 600 {file}")


def as_text(findings: list[Finding]) -> str:
    """A table of plain lines, what needs doing below each."""
    width = max(len(f.part) for f in findings)
    marks = {State.OK: "ok    ", State.OFF: "off   ", State.CARE: "care  ", State.BROKEN: "BROKEN"}
    lines = []
    for f in findings:
        lines.append(f"{marks[f.state]}  {f.part:<{width}}  {f.what}")
        if f.next:
            lines.append(f"{'':8}{'':{width}}  -> {f.next}")
    return "\n".join(lines)


def as_document(findings: list[Finding], settings: Settings) -> dict[str, Any]:
    """For machines: the findings, and which names of the environment are set (never what they
    hold).
    """
    return {
        "findings": [asdict(f) for f in findings],
        "environment": {v.name: bool(v.value) for v in variables(settings)},
        "ok": not any(f.state is State.BROKEN for f in findings),
    }
