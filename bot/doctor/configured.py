"""Checks of the remaining configuration: forges, templates, receipts, budgets, the ``.env``
file.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from adapters.forges.links import title_of
from adapters.tracing import collector
from bot.env_file import place_of
from bot.settings import Settings
from core.application.check import PartCheck, broken, care, off, ok
from core.debate.errors import BadInput, brought_by
from core.words.views.history import gate_words

_TOKEN = "a token is set"  # noqa: S105  words, not a token


_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def still_empty(part: str, names: Iterable[str]) -> PartCheck:
    """Returns the check of a part that waits for values in the ``.env`` file."""
    what = f"empty in .env: {', '.join(names)}"
    return broken(part, what, "`debate init` asks for it.")


def forges(settings: Settings) -> Iterator[PartCheck]:
    github = ok("GitHub", _TOKEN)
    app = {
        "GITHUB_APP_ID": settings.github_app_id,
        "GITHUB_APP_PRIVATE_KEY": settings.github_app_key,
    }
    if all(app.values()):
        github = replace(github, what="a GitHub App is set")
    elif not settings.github_token:
        public = "public repositories, 60 requests an hour; others only through a linked GitHub App"
        step = "Set GITHUB_TOKEN for private ones and 5,000 an hour, or: debate setup github"
        github = replace(github, what=public, next=step)
    if any(app.values()) and not all(app.values()):
        there, gone = sorted(app, key=lambda name: not app[name])
        yield broken("GitHub App", f"{there} is set and {gone} is not", "Set both, or neither.")
    gitlab = ok("GitLab", _TOKEN)
    if not settings.gitlab_token:
        step = "Set GITLAB_TOKEN for private ones."
        gitlab = replace(gitlab, what="public projects only", next=step)
    yield from (github, gitlab)
    for name, host in settings.own_hosts.items():
        token = _TOKEN if host.token else "no token"
        yield ok(name, f"{title_of(host.forge)}, {token}")


def templates(settings: Settings) -> Iterator[PartCheck]:

    if settings.templates_dir is not None and not settings.templates_dir.is_dir():
        yield broken(
            "templates", f"{settings.templates_dir} is no folder", "Correct DEBATE_TEMPLATES_DIR."
        )
    from adapters.templates.catalogue import broken_files, read_catalogue
    from adapters.templates.sources import TemplateSources

    sources = TemplateSources(settings.templates_dir)
    if may_load(settings):
        sources = settings.templates
    yield ok("templates", f"{len(read_catalogue(sources))} templates")
    folder = settings.templates_dir or Path()
    for error in broken_files(sources):
        first, *more = error.problems
        step = f"debate templates check {folder / first.file}"
        what = f"{first} (and {len(more)} more)" if more else str(first)
        yield broken("templates", what, step)


def may_load(settings: Settings) -> bool:
    """True if plugins may run for a person who only looks around: the file of a folder may be
    anyone's.
    """
    return bool(settings.env_file) or "DEBATE_PLUGINS" not in settings.from_file


def plugins(settings: Settings) -> Iterator[PartCheck]:
    """Lists the plugins that are installed or named."""
    from bot.plugins import PluginState, find_plugins, load_plugins

    trusted = may_load(settings)
    if settings.plugins and trusted:
        there = load_plugins(settings.plugins)
    else:
        there = find_plugins(settings.plugins)
    for plugin in there.all:
        if plugin.state is PluginState.LOADED:
            yield ok("plugins", plugin.sentence)
        elif plugin in there.failures:
            step = "Install it or fix it, or take it out of DEBATE_PLUGINS."
            yield broken("plugins", plugin.sentence, step)
    if settings.plugins and not trusted:
        step = "Whether they load: DEBATE_ENV_FILE=.env debate plugins"
        yield care("plugins", f"named: {', '.join(settings.plugins)}", step)
    if not settings.plugins and there.all:
        step = "DEBATE_PLUGINS names those that may run: debate plugins"
        yield off("plugins", f"none runs; {len(there.all)} installed", step)


def receipts(settings: Settings) -> PartCheck:
    from core.words.receipt.signing import private_bytes

    step = "Set DEBATE_SIGNING_KEY to 32 random bytes in hex: openssl rand -hex 32"
    if settings.signing_key:
        try:
            private_bytes(settings.signing_key)
        except BadInput as error:
            return broken("receipts", f"DEBATE_SIGNING_KEY: {error}", step)
        return ok("receipts", "signed with DEBATE_SIGNING_KEY")
    if settings.room_links:
        what = "no key, so neither receipts nor links to debates (DEBATE_ROOM_LINKS) can be signed"
        return broken("receipts", what, step)
    return off("receipts", "no key, so receipts cannot be signed", step)


def gate(settings: Settings) -> PartCheck:
    """Describes whether reviews block on the forge."""
    return ok("reviews", gate_words(*settings.gate))


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def room(settings: Settings) -> PartCheck:
    """Checks who can reach the room in a browser."""
    if not settings.public_url:
        if settings.host in _THIS_MACHINE:
            where = (
                f"at http://{settings.host}:{settings.port}, by the link that `debate open` prints"
            )
            if _answers(settings.host, settings.port):
                return ok("room", where)
            return off("room", f"{where}; no bot runs", "Run: debate serve")
        step = (
            "Set DEBATE_PUBLIC_URL and a client of Slack or Discord: `debate docs room` says which."
        )
        what = f"on {settings.host}, so nobody can sign in; `debate open` lets you in"
        return care("room", what, step)
    ways = {
        "slack": settings.slack_client_id and settings.slack_client_secret,
        "discord": settings.discord_client_secret,
    }
    backs = [
        f"{settings.public_url}/sign-in/{name}/done" for name, client in ways.items() if client
    ]
    if not backs:
        step = "Set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, or DISCORD_CLIENT_SECRET."
        return care("room", f"nobody can sign in at {settings.public_url}", step)
    text = f"{settings.public_url}; redirect addresses of the apps: {', '.join(backs)}"
    return ok("room", text)


def figures(settings: Settings) -> PartCheck:
    """Checks who may read readiness and metrics."""
    if settings.watch_port is None and not settings.watch_token:
        step = "Set DEBATE_WATCH_TOKEN, or DEBATE_WATCH_PORT for a port that is kept inside."
        return off("figures", "/readyz and /metrics answer nobody", step)
    where = "to all who reach their port"
    if settings.watch_token:
        where = "with the token"
    if settings.watch_port is not None:
        where += f", on port {settings.watch_port}"
    return ok("figures", where)


def tracing(settings: Settings) -> Iterator[PartCheck]:
    """Checks that the exporter of spans is installed if a collector is named."""
    if collector.is_named(settings.env):
        if collector.can_be_sent_to():
            yield ok("traces", "sent to the collector that is named")
        else:
            what = "a collector is named, but nothing is traced"
            yield broken("traces", what, brought_by("otel"))


def unreadable(settings: Settings) -> Iterator[PartCheck]:
    """Yields the settings that can't be read; the other lines take them as not set."""
    for fault in settings.faults:
        what, _, step = fault.partition(": ")
        step = step[:1].upper() + step[1:] or "Correct it, or remove it."
        yield broken("setting", what.rstrip("."), step)


def budgets(settings: Settings) -> PartCheck:
    limits = (
        ("a debate", settings.budget),
        ("a day", settings.daily_budget),
        ("a person and day", settings.person_budget),
    )
    lines = [f"${usd:.2f} {what}" for what, usd in limits if usd is not None]
    if not lines:
        step = "Set DEBATE_BUDGET and DEBATE_DAILY_BUDGET before others use it."
        return off("budgets", "no limit", step)
    return ok("budgets", ", ".join(lines))


def dotenv(settings: Settings) -> Iterator[PartCheck]:
    file = place_of(settings.env_file, settings.folder)
    if not settings.from_file and not settings.env_file and file.exists():
        step = "If you trust it: DEBATE_ENV_FILE=.env debate doctor"
        yield care(".env", f"nothing is taken from {file}", step)
    if settings.from_file and sys.platform != "win32" and file.stat().st_mode & 0o077:
        yield care(".env", "others on this machine can read it", f"chmod 600 {file}")
