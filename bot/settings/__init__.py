"""All configuration in one place: the names that are read from the environment, once, and the
meaning of each.

A ``.env`` file is read if ``DEBATE_ENV_FILE`` names it, and in their working folder by ``serve``
and the commands that maintain its bot (``open``, ``init``, ``doctor``); no other command reads one,
because the folder may be anyone's repository. The environment wins. Only the names listed here and
the providers' variables are taken from the file, and nothing here changes ``os.environ``, except
``share``, which passes providers' keys, proxies and certificates to the libraries that read them
there. Secrets never show in ``repr``.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from adapters.processes.files import read_regular
from bot import env_file
from bot.env_file import Trust
from bot.limits import Limits, read_limits
from bot.settings import values
from bot.settings.choices import ProcessRole, UnknownPrice
from core.debate.earned import Gate, Threshold
from core.debate.errors import BadInput
from core.debate.material.escaping import show_path
from core.debate.template import ThreadForm

if TYPE_CHECKING:
    from adapters.forges.links import ForgeKind
    from adapters.forges.port import Host
    from adapters.templates.sources import TemplateSources
    from storage.database import Database

Progress = Callable[[str, int, int], None]
"""Is called with the name of a download, its bytes so far and its bytes in all."""


_SHORT = 8
"""Texts of fewer characters are parts of ordinary words."""
_SHORTEST_KEY = 16
"""The least characters of a key that seals."""


def _password(address: str) -> str:
    """Returns the text by which the password of a database's address is removed from other texts:
    with its place in the address if it is short or the name of something.
    """
    parts = urlsplit(address)
    if not (password := parts.password):
        return ""
    names = (parts.username, parts.hostname, parts.path.strip("/"), parts.scheme)
    if len(password) < _SHORT or any(password in (name or "") for name in names):
        return f":{password}@"
    return unquote(password)


def _keys(name: str, text: str) -> tuple[str, ...]:
    """Returns the keys of a text, one a line. Raises ``BadInput`` for one that is too short."""
    keys = tuple(line.strip() for line in text.splitlines() if line.strip())
    if any(len(key) < _SHORTEST_KEY for key in keys):
        raise BadInput(
            f"{name}: a key has at least {_SHORTEST_KEY} characters: debate db key makes one."
        )
    return keys


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of the environment; ``read`` turns its name and its text into the setting."""

    name: str
    what: str
    secret: bool = False
    read: Callable[[str, str], object] = values.as_text


def _variable(
    name: str,
    what: str,
    read: Callable[[str, str], object],
    default: object = None,
    *,
    secret: bool = False,
) -> Any:
    variable = Variable(name, what, secret, read)
    return field(default_factory=lambda: default, repr=not secret, metadata={"variable": variable})


_text = partial(_variable, read=values.as_text, default="")
_secret = partial(_text, secret=True)
_url = partial(_variable, read=values.as_url, default="")
_switch = partial(_variable, read=values.as_switch, default=False)
_usd = partial(_variable, read=values.as_usd)
_seconds = partial(_variable, read=values.as_seconds)
_names = partial(_variable, read=values.as_names, default=())
_hosts = partial(_variable, read=values.as_hosts, default=())
_people = partial(_variable, read=values.as_people, default=frozenset())
_workspaces = partial(_variable, read=values.as_workspaces, default=frozenset())


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings. ``env`` is the merged environment, for code that looks up other names (a
    provider's key). ``progress``, ``piped`` and ``faults`` are no settings: the first is called
    with the progress of the embedded model's download, the second is standard input that was read
    already, the third holds the fault of each unreadable variable, which counts as not set.
    """

    models: tuple[str, ...] = _names("DEBATE_MODELS", "who speaks, comma list of litellm names")
    env_file: str = _text("DEBATE_ENV_FILE", "a .env file that every command reads")
    database_url: str = _secret(
        "DEBATE_DATABASE_URL",
        "SQLite file or postgresql+psycopg://… (default: a file in your data folder)",
    )
    database_direct_url: str = _secret(
        "DEBATE_DATABASE_DIRECT_URL",
        "PostgreSQL's own address, if DEBATE_DATABASE_URL leads through a pooler",
    )
    migrates: bool = _switch(
        "DEBATE_MIGRATE",
        "0: only `debate db upgrade` brings the database up to date (default 1)",
        default=True,
    )
    part: ProcessRole = _variable(  # noqa: RUF009  makes a field
        "DEBATE_PART",
        "chat takes in and posts, worker plays debates, all does both (default); on PostgreSQL",
        values.one_of(ProcessRole),
        ProcessRole.ALL,
    )
    drain: float = _variable(
        "DEBATE_DRAIN",
        "how long a stop waits until nobody speaks in a debate, like 90s (default 0)",
        values.as_wait,
        0.0,
    )
    budget: float | None = _usd("DEBATE_BUDGET", "USD one debate may cost")
    daily_budget: float | None = _usd("DEBATE_DAILY_BUDGET", "USD all debates of a day may cost")
    person_budget: float | None = _usd(
        "DEBATE_PERSON_BUDGET", "USD one person's debates of a day may cost"
    )
    time_limit: float | None = _seconds(
        "DEBATE_TIME_LIMIT", "how long a debate may run without a pause, like 30m"
    )
    timeout: float | None = _seconds(
        "DEBATE_TIMEOUT", "how long one answer may take, like 3m (default 90s)"
    )
    temperature: float | None = _variable(
        "DEBATE_TEMPERATURE",
        "temperature of the models, 0 to 2 (default: each model's own)",
        values.within(2.0),
    )
    extended_above: float | None = _variable(
        "DEBATE_EXTENDED_ABOVE",
        "complexity above which a panel is large, 0 to 1 (default 0.8); see calibrate",
        values.within(1.0),
    )
    convergence: float | None = _variable(
        "DEBATE_CONVERGENCE",
        "share of a round that must be new for another to follow, 0 to 1 (default: the format's)",
        values.within(1.0),
    )
    ask_above: float = _usd(
        "DEBATE_ASK_ABOVE", "USD above which a person must agree first (default 0.5)", default=0.5
    )
    unknown_price: UnknownPrice | None = _variable(  # noqa: RUF009  makes a field
        "DEBATE_UNKNOWN_PRICE",
        "allow, ask or refuse if the price is unknown (default ask; refuse with a budget)",
        values.one_of(UnknownPrice),
    )
    thread: ThreadForm = _variable(  # noqa: RUF009  makes a field
        "DEBATE_THREAD",
        "rounds or statements: what is one message of a chat's thread",
        values.one_of(ThreadForm),
        ThreadForm.ROUNDS,
    )
    gate: tuple[Gate, Threshold] = _variable(
        "DEBATE_GATE",
        "advise, earned or always: whether review checks block (default earned, as earned:0.7)",
        values.as_gate,
        (Gate.EARNED, Threshold()),
    )
    templates_dir: Path | None = _variable(  # noqa: RUF009  makes a field
        "DEBATE_TEMPLATES_DIR", "folder with your own templates", values.as_path
    )
    plugins: tuple[str, ...] = _names(
        "DEBATE_PLUGINS",
        "installed packages that may run as plugins, like acme-debates (default: none)",
    )
    moderators: frozenset[str] = _people(
        "DEBATE_MODERATORS", "people who may stop any debate, like slack:T1/U1"
    )
    same_person: Mapping[str, str] = _variable(
        "DEBATE_SAME_PERSON",
        "accounts that count as one: discord:G1/U9=slack:T1/U1, …",
        values.as_accounts,
        {},
    )
    workspaces: frozenset[str] = _workspaces(
        "DEBATE_WORKSPACES", "workspaces and servers that may use the bot, like slack:T1,discord:G1"
    )
    private_workspaces: frozenset[str] = _workspaces(
        "DEBATE_PRIVATE_WORKSPACES",
        "those of them whose admins may bind private repositories (default: the only one)",
    )
    starters: frozenset[str] = _people(
        "DEBATE_STARTERS",
        "who may start debates in chats: people like slack:T1/U1, or admins",
        read=values.as_starters,
    )
    allowed_models: tuple[str, ...] = _names(
        "DEBATE_ALLOWED_MODELS", "models that a chat may name, else those that speak"
    )
    limits: Limits = _variable(  # noqa: RUF009  makes a field
        "DEBATE_LIMITS",
        "how much a person and a place may have, like person-debates=3",
        read_limits,
        Limits(),
    )
    keep: float | None = _variable(
        "DEBATE_KEEP",
        "how long a debate's texts are kept after its end, like 90d (default: for ever)",
        values.as_long_keep,
    )
    keep_removed: float = _variable(
        "DEBATE_KEEP_REMOVED",
        "how long those of a workspace that removed the bot are kept (default 7d)",
        values.as_keep,
        7 * 86400.0,
    )
    search: bool = _switch(
        "DEBATE_SEARCH", "1 lets debates started with --search look things up on the web"
    )
    lookups: bool = _switch(
        "DEBATE_LOOKUPS", "0 keeps seats from looking into the repository of a change", default=True
    )
    not_reviewed: tuple[str, ...] = _names(
        "DEBATE_NOT_REVIEWED",
        "files that no review reads, as in .gitattributes, like gen/**,*.pb.go",
    )
    prove: str = _variable(
        "DEBATE_PROVE",
        "the place for tests that prove findings: sandbox, sandbox:IMAGE, ci (default: nowhere)",
        values.as_proof_place,
        "",
    )
    clone_url: str = _url(
        "DEBATE_CLONE_URL", "address that `eval --set` clones from, instead of github.com"
    )
    github_webhook_secret: str = _secret(
        "GITHUB_WEBHOOK_SECRET", "proves that a webhook at /github/events is GitHub's"
    )
    github_app_id: str = _text("GITHUB_APP_ID", "the GitHub App's number")
    github_app_key: str = _secret(
        "GITHUB_APP_PRIVATE_KEY", "its private key in PEM; line breaks may be written as \\n"
    )
    github_app_client_id: str = _text("GITHUB_APP_CLIENT_ID", "its client id")
    github_app_client_secret: str = _secret("GITHUB_APP_CLIENT_SECRET", "its client secret")
    github_app_slug: str = _text("GITHUB_APP_SLUG", "its name in addresses")
    gitlab_webhook_token: str = _secret(
        "GITLAB_WEBHOOK_TOKEN", "proves that a webhook at /gitlab/events is GitLab's"
    )
    secret_key: str = _secret(
        "DEBATE_SECRET_KEY", "key that seals tokens in the store; older ones behind it, with commas"
    )
    secret_key_file: Path | None = _variable(  # noqa: RUF009  makes a field
        "DEBATE_SECRET_KEY_FILE",
        "file with keys like DEBATE_SECRET_KEY, one a line",
        values.as_path,
    )
    signing_key: str = _secret("DEBATE_SIGNING_KEY", "key that signs receipts")
    host: str = _text("DEBATE_HOST", "address of `serve` (default 127.0.0.1)", default="127.0.0.1")
    port: int = _variable("DEBATE_PORT", "port of `serve` (default 8765)", values.as_port, 8765)
    watch_port: int | None = _variable(
        "DEBATE_WATCH_PORT", "separate port for readiness and metrics", values.as_port
    )
    watch_token: str = _secret(
        "DEBATE_WATCH_TOKEN", "what to send as `Authorization: Bearer` to see readiness and metrics"
    )
    public_url: str = _variable(
        "DEBATE_PUBLIC_URL", "address under which people reach it", values.as_origin, ""
    )
    print_link: bool = _switch(
        "DEBATE_PRINT_LINK",
        "1 lets `serve` write the link that lets one in to its log if it has no terminal",
    )
    room_links: bool = _switch(
        "DEBATE_ROOM_LINKS",
        "1 lets people give links to single debates to people outside; needs DEBATE_SIGNING_KEY",
    )
    log_level: str = _variable(
        "DEBATE_LOG_LEVEL", "debug, info, warning or error", values.as_level, "info"
    )

    slack_bot_token: str = _secret("SLACK_BOT_TOKEN", "xoxb-… of the installed app")
    slack_app_token: str = _secret("SLACK_APP_TOKEN", "xapp-…, turns Socket Mode on")
    slack_signing_secret: str = _secret("SLACK_SIGNING_SECRET", "for HTTP at /slack/events")
    slack_client_id: str = _text(
        "SLACK_CLIENT_ID", "with its secret: many workspaces by OAuth, signing in to the room"
    )
    slack_client_secret: str = _secret("SLACK_CLIENT_SECRET", "see SLACK_CLIENT_ID")
    slack_api_url: str = _url("SLACK_API_URL", "instead of Slack's own")

    discord_token: str = _secret("DISCORD_TOKEN", "the bot's token")
    discord_client_id: str = _text(
        "DISCORD_CLIENT_ID", "for signing in; else the one in DISCORD_TOKEN"
    )
    discord_client_secret: str = _secret(
        "DISCORD_CLIENT_SECRET", "lets people sign in to the room with Discord"
    )
    discord_api_url: str = _url("DISCORD_API_URL", "instead of Discord's own")
    discord_gateway_url: str = _variable(
        "DISCORD_GATEWAY_URL", "instead of Discord's own", values.as_address, ""
    )
    discord_admin_roles: tuple[str, ...] = _names(
        "DISCORD_ADMIN_ROLES", "roles that may stop any debate"
    )

    github_token: str = _secret("GITHUB_TOKEN", "reads private repositories, raises the rate limit")
    github_api_url: str = _url("GITHUB_API_URL", "instead of api.github.com")
    gitlab_token: str = _secret("GITLAB_TOKEN", "reads private projects")
    gitlab_api_url: str = _url("GITLAB_API_URL", "instead of gitlab.com/api/v4")
    github_hosts: tuple[str, ...] = _hosts(
        "DEBATE_GITHUB_HOSTS", "your own GitHub hosts, like git.acme.com"
    )
    gitlab_hosts: tuple[str, ...] = _hosts("DEBATE_GITLAB_HOSTS", "your own GitLab hosts")

    hook_hosts: tuple[str, ...] = _hosts(
        "DEBATE_HOOK_HOSTS", "hosts inside to which webhooks may lead"
    )

    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path = field(default_factory=Path)
    from_file: Mapping[str, str] = field(default_factory=dict, repr=False)
    progress: Progress | None = field(default=None, repr=False)
    piped: bytes | None = field(default=None, repr=False)
    faults: tuple[str, ...] = ()

    @property
    def hosts(self) -> Mapping[str, Host]:
        """Returns the forges: github.com, gitlab.com and the operator's own."""
        from adapters.material.settings import standard_hosts

        return standard_hosts(
            github_token=self.github_token,
            github_api=self.github_api_url,
            gitlab_token=self.gitlab_token,
            gitlab_api=self.gitlab_api_url,
            more=self.own_hosts,
        )

    @property
    def own_hosts(self) -> Mapping[str, Host]:
        """Returns the operator's forges. The token of git.acme.com is
        ``GITHUB_TOKEN_GIT_ACME_COM``: the token of github.com is sent only there.
        """
        from adapters.forges.port import Host

        def own(forge: ForgeKind, name: str, api: str) -> Host:
            variable = re.sub(r"[^A-Z0-9]", "_", f"{forge}_TOKEN_{name}".upper())
            address = f"https://{name}/{api}"
            if name.endswith(".ghe.com"):  # GitHub's own, for one company
                address = f"https://api.{name}"
            return Host(forge, address, self.env.get(variable, ""))

        github = {name: own("github", name, "api/v3") for name in self.github_hosts}
        return github | {name: own("gitlab", name, "api/v4") for name in self.gitlab_hosts}

    @property
    def templates(self) -> TemplateSources:
        """Returns further templates and formats; the named plugins are loaded for it."""
        from adapters.templates.sources import TemplateSources
        from bot.plugins import load_plugins

        plugins = load_plugins(self.plugins)
        return TemplateSources(self.templates_dir, plugins.templates, plugins.formats)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Returns the values that must never be shown, stored or sent, so that they can be removed
        from any text.
        """
        own = (
            self.env.get(one.name, "")
            for name, one in VARIABLES.items()
            if one.secret and name not in ("database_url", "database_direct_url")
        )
        addresses = (self.database_url, self.database_direct_url)
        tokens = (host.token for host in self.own_hosts.values())
        passwords = map(_password, addresses)
        return tuple(filter(None, (*own, *tokens, *passwords)))

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """Returns the operator's keys for secrets in the store, the newest first: those of the
        variable, then those of the file. Raises ``BadInput`` if the file can't be read or a key is
        too short.
        """
        keys = _keys("DEBATE_SECRET_KEY", self.secret_key.replace(",", "\n"))
        if self.secret_key_file is None:
            return keys
        name = "DEBATE_SECRET_KEY_FILE"
        try:
            text = read_regular(self.secret_key_file, env_file.LONGEST).decode()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise BadInput(
                f"{name} can't be read: {why}. Name a text file with one key a line."
            ) from error
        return (*keys, *_keys(name, text))

    @property
    def older_secrets(self) -> tuple[str, ...]:
        """Returns the secrets that sealed the store before ``DEBATE_SECRET_KEY`` existed."""
        return (self.slack_client_secret, self.signing_key)

    @property
    def left_empty(self) -> frozenset[str]:
        """Returns the names that are empty in the ``.env`` file, which ``init`` leaves for a person
        to fill.
        """
        return frozenset(name for name in self.from_file if not self.env.get(name))

    @asynccontextmanager
    async def opened_database(self) -> AsyncIterator[Database]:
        """Opens the database that is named here. Raises ``BadInput`` or ``CouldNotFinish``."""
        from storage.schema import open_database

        database = await open_database(
            self.database_url, direct=self.database_direct_url, migrates=self.migrates
        )
        try:
            yield database
        finally:
            await database.close()

    def share(self, environ: MutableMapping[str, str]) -> None:
        """Copies only the providers' keys, proxies and certificates of the ``.env`` file to
        ``environ``, because libraries look for them there.
        """
        from adapters.models.catalogue.keys import is_key

        for name, value in self.from_file.items():
            if value and (is_key(name) or name in env_file.NETWORK):
                environ.setdefault(name, value)


VARIABLES: Mapping[str, Variable] = {
    one.name: one.metadata["variable"] for one in fields(Settings) if one.metadata
}
"""All variables that the program reads itself, by their setting, in the order of the
documentation.
"""
ELSEWHERE = (
    Variable("ANTHROPIC_API_KEY", "a provider's key; any that litellm knows will do", secret=True),
    Variable("OPENAI_API_KEY", "see ANTHROPIC_API_KEY", secret=True),
    Variable("GEMINI_API_KEY", "see ANTHROPIC_API_KEY", secret=True),
    Variable(
        "OPENAI_API_BASE", "a gateway instead of OpenAI's own address", read=values.as_address
    ),
    Variable("DEBATE_MODELS_FILE", "TOML file with models that no table knows"),
    Variable("OLLAMA_HOST", "address of a local Ollama", read=values.as_local),
    Variable("LM_STUDIO_API_BASE", "address of a local LM Studio", read=values.as_local),
    Variable("LLAMA_SERVER_API_BASE", "address of a local llama-server", read=values.as_local),
    Variable(
        "DEBATE_LOCAL_WINDOW",
        "tokens that a local model reads (default 3000)",
        read=values.as_whole,
    ),
    Variable(
        "DEBATE_EMBEDDED_WEIGHTS", "file with the embedded model's weights", read=values.as_file
    ),
    Variable("DEBATE_EMBEDDED_URL", "the address of its weights", read=values.as_address),
    Variable("DEBATE_EMBEDDED_THREADS", "processor threads that it takes", read=values.as_whole),
)
"""The most common variables that the models' libraries read themselves; here they are checked."""


def read(
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    trust: Trust = Trust.NOT,
    say: Callable[[str], None] = lambda _: None,
    faulty: bool = False,
) -> Settings:
    """Reads the settings from the environment and the ``.env`` file.

    ``DEBATE_ENV_FILE`` names the file; otherwise it is the file in ``folder``, as far as ``trust``
    permits; ``say`` is called with a line if it was read or ignored. Raises ``BadInput`` that names
    an invalid variable, unless settings may be ``faulty``.
    """
    if environ is None:
        environ = os.environ
    folder = folder or Path()
    ours = frozenset(one.name for one in VARIABLES.values())
    faults: list[str] = []
    from_file: Mapping[str, str] = {}
    lines: tuple[str, ...] = ()
    with _noting(faults if faulty else None):
        from_file, lines = env_file.read(environ, folder, ours, trust)
    env = {name: value.strip() for name, value in {**from_file, **environ}.items()}
    named = bool(env.get("DEBATE_DATABASE_URL", "").strip())
    for line in (*lines, *_unused(folder, named=named)):
        say(line)
    given: dict[str, Any] = {}
    for one in (*VARIABLES.values(), *ELSEWHERE):
        if value := env.get(one.name, "").strip():
            with _noting(faults if faulty else None):
                given[one.name] = one.read(one.name, value)
            if one.name not in given:
                del env[one.name]
    github, gitlab = "DEBATE_GITHUB_HOSTS", "DEBATE_GITLAB_HOSTS"
    with _noting(faults if faulty else None):
        for host in sorted({*given.get(github, ())} & {*given.get(gitlab, ())}):
            raise BadInput(f"{github} and {gitlab} both name {host}: remove it from one of them.")
    own = {setting: given[one.name] for setting, one in VARIABLES.items() if one.name in given}
    return Settings(**own, env=env, folder=folder, from_file=from_file, faults=tuple(faults))


@contextmanager
def _noting(faults: list[str] | None) -> Iterator[None]:
    """Adds to ``faults`` what can't be read, if there is such a list."""
    try:
        yield
    except BadInput as error:
        if faults is None:
            raise
        faults.append(str(error))


def _unused(folder: Path, *, named: bool) -> Iterator[str]:
    """Yields a line about a database in the working folder, which is not opened unless it is named:
    the folder may be anyone's repository.
    """
    from storage.database.files import default_file

    here, used = folder.absolute() / "debate.db", default_file()
    if not named and here.exists() and here != used:
        yield (
            f"{show_path(str(here))} is not used: debates are kept in {show_path(str(used))}. If "
            f"it is yours: export DEBATE_DATABASE_URL={shlex.quote(show_path(str(here)))}"
        )
