"""The questions of ``debate init``, the settings that follow from each answer, and the file that
keeps both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from adapters.models.catalogue import keys
from adapters.processes.files import read_regular, write_file
from bot.env_file import LONGEST
from core.debate.errors import BadInput
from core.languages import msgid, say

Given = dict[str, str]
"""The answers by the name of their question."""
MARK = "# debate init: "
"""The beginning of the line with the answers; an earlier run wrote the file that has it."""
_PROVIDERS = tuple(name for name, _ in keys.PREFERRED)
_NONE = "none"
_SLACK = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")
_BEGINS = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}
HINTS: Mapping[str, str] = {
    "SLACK_BOT_TOKEN": msgid("begins with xoxb-"),
    "SLACK_APP_TOKEN": msgid("begins with xapp-"),
    "DISCORD_TOKEN": msgid("the bot's token"),
    "GITHUB_TOKEN": msgid("a token that reads your repositories"),
    "GITLAB_TOKEN": msgid("a token with the scope api"),
    **{name: msgid("the provider's key") for one in _PROVIDERS for name in keys.names_of(one)[:1]},
}
"""A hint at how each secret looks."""
OPTIONAL: Mapping[str, str] = {
    "GITHUB_TOKEN": msgid("for public repositories only"),
    "GITLAB_TOKEN": msgid("for public projects only"),
}
"""Secrets that one can do without, and what Enter means for each."""
WORTH_KEEPING = (
    *HINTS,
    "DEBATE_MODELS",
    "DEBATE_DAILY_BUDGET",
    "DEBATE_BUDGET",
    "DEBATE_PUBLIC_URL",
    "DEBATE_DATABASE_URL",
    "DEBATE_MODERATORS",
    "DEBATE_SIGNING_KEY",
    "DEBATE_SECRET_KEY",
    "SLACK_SIGNING_SECRET",
)
"""The names that ``--yes`` takes from the environment."""


@dataclass(frozen=True, slots=True)
class SetupQuestion:
    """One question. ``read`` returns the option that an answer means, None for none; ``told_by``
    the answer that existing values imply, "" for none. ``usual`` is the answer for Enter.
    """

    name: str
    asks: str
    usual: str
    choices: tuple[str, ...]
    read: Callable[[str], str | None]
    told_by: Callable[[Mapping[str, str]], str]

    @property
    def text(self) -> str:
        """The question in the current language."""
        return say(self.asks, providers=", ".join(_PROVIDERS))


def _one_of(*choices: str) -> Callable[[str], str | None]:
    def read(typed: str) -> str | None:
        return typed.lower() if typed.lower() in choices else None

    return read


def _model(typed: str) -> str | None:
    names = [part.strip() for part in typed.split(",") if part.strip()]
    if len(names) == 1 and names[0].lower() in (*_PROVIDERS, "local", "embedded"):
        return names[0].lower()
    if names and all(re.fullmatch(r"[\w.:-]+(/[\w.:@-]+)+", name) for name in names):
        return ",".join(names)
    return None


def _usd(typed: str) -> str | None:
    text = typed.lower().removeprefix("$")
    if text == _NONE:
        return _NONE
    return text if re.fullmatch(r"\d{1,5}(\.\d{1,2})?", text) else None


def _whom(typed: str) -> str | None:
    if typed.lower() in ("me", "team"):
        return typed.lower()
    split = urlsplit(typed)
    if split.scheme in ("http", "https") and split.hostname and not split.query:
        return typed.rstrip("/")
    return None


def _talk_told(there: Mapping[str, str]) -> str:
    slack = any(there.get(name) for name in (*_SLACK, "SLACK_CLIENT_ID"))
    return _either("slack", slack, "discord", bool(there.get("DISCORD_TOKEN")))


def _forge_told(there: Mapping[str, str]) -> str:
    github = any(there.get(name) for name in ("GITHUB_TOKEN", "GITHUB_APP_ID"))
    return _either("github", github, "gitlab", bool(there.get("GITLAB_TOKEN")))


def _either(one: str, is_one: bool, other: str, is_other: bool) -> str:
    if is_one and is_other:
        return "both"
    if is_one:
        return one
    return other if is_other else ""


def _model_told(there: Mapping[str, str]) -> str:
    if named := there.get("DEBATE_MODELS"):
        return named.replace(" ", "")
    return next((one for one in _PROVIDERS if keys.key_of(one, there)), "")


QUESTIONS = (
    SetupQuestion(
        "talk",
        msgid("Which chat: slack, discord, both or none (terminal and browser always work)?"),
        _NONE,
        ("slack", "discord", "both", _NONE),
        _one_of("slack", "discord", "both", _NONE),
        _talk_told,
    ),
    SetupQuestion(
        "model",
        msgid(
            "Which model: {providers}, local (a server on this machine), embedded (a "
            "demonstration), or a name like openai/gpt-5?"
        ),
        "anthropic",
        (*_PROVIDERS, "local", "embedded"),
        _model,
        _model_told,
    ),
    SetupQuestion(
        "forge",
        msgid("Which forge: github, gitlab, both or none?"),
        "github",
        ("github", "gitlab", "both", _NONE),
        _one_of("github", "gitlab", "both", _NONE),
        _forge_told,
    ),
    SetupQuestion(
        "budget",
        msgid("US dollars that all debates of a day may cost, or none for no limit?"),
        "5",
        (_NONE,),
        _usd,
        lambda there: there.get("DEBATE_DAILY_BUDGET", ""),
    ),
    SetupQuestion(
        "whom",
        msgid(
            "For whom: me, team, or a team that reaches it at an address like "
            "https://debates.example?"
        ),
        "me",
        ("me", "team"),
        _whom,
        lambda there: there.get("DEBATE_PUBLIC_URL", ""),
    ),
)


def settings_of(given: Given) -> dict[str, str]:
    """Returns the settings that the answers need in the file; empty values are secrets that a
    person must bring.
    """
    settings: dict[str, str] = {}
    if given["talk"] in ("slack", "both"):
        settings |= dict.fromkeys(_SLACK, "")
    if given["talk"] in ("discord", "both"):
        settings["DISCORD_TOKEN"] = ""
    model = given["model"]
    if model == "embedded" or "/" in model:
        settings["DEBATE_MODELS"] = model
    for one in model.split(","):
        settings |= dict.fromkeys(keys.names_of(one.partition("/")[0])[:1], "")
    if given["forge"] in ("github", "both"):
        settings["GITHUB_TOKEN"] = ""
    if given["forge"] in ("gitlab", "both"):
        settings["GITLAB_TOKEN"] = ""
    if given["budget"] != _NONE:
        usd = float(given["budget"])
        settings |= {"DEBATE_DAILY_BUDGET": f"{usd:.2f}", "DEBATE_BUDGET": f"{usd / 5:.2f}"}
    if "://" in given["whom"]:
        settings["DEBATE_PUBLIC_URL"] = given["whom"]
    return settings


def fits(name: str, secret: str) -> bool:
    """True if a text can be that secret: it begins as it must, and not as another one does."""
    begins = _BEGINS.get(name)
    return secret.startswith(begins or "") and (
        begins is not None or not secret.startswith(tuple(_BEGINS.values()))
    )


def needed(missing: Sequence[str]) -> list[str]:
    """Returns the missing secrets that the chosen answers cannot do without."""
    return [name for name in missing if name not in OPTIONAL]


def next_steps(given: Given, values: Mapping[str, str], missing: Sequence[str]) -> Iterator[str]:
    """Returns the person's next steps, each with its link."""
    if set(_SLACK) & set(missing):
        from adapters.slack.setup.manifest import making_link

        yield say(
            "Slack: open this link, choose the workspace and create the app; then under Install "
            "App copy the token xoxb-…, under Basic Information, App-Level Tokens, make one with "
            "connections:write and copy it (xapp-…). `debate docs slack` shows each step."
        )
        yield f"  {making_link()}"
    if given["talk"] in ("discord", "both"):
        yield from _discord(values)
    for part in given["model"].split(","):
        provider = part.partition("/")[0]
        for name in keys.names_of(provider)[:1]:
            if name in missing:
                yield say(
                    "Model: make an API key in your account at {provider} ({name}).",
                    provider=provider,
                    name=name,
                )
    if "GITHUB_TOKEN" in missing:
        yield say(
            "GitHub: public repositories are read as it is. For private ones and for reviews on "
            "pull requests: GITHUB_TOKEN, or later your own App, debate setup github --app"
        )
    if "GITLAB_TOKEN" in missing:
        yield say(
            "GitLab: public projects are read as it is. For private ones and for reviews on merge "
            "requests: GITLAB_TOKEN, a token with the scope api. `debate docs gitlab`"
        )


def last_step(given: Given, *, good: bool) -> str:
    """Returns what a person does when nothing is missing; ``good`` is the doctor's opinion."""
    if not good:
        return say("Not ready yet: fix what is BROKEN above, then again: debate doctor")
    if given["talk"] == _NONE:
        return say(
            "Next: debate serve, or a first debate at once: DEBATE_ENV_FILE=.env debate LINK"
        )
    return say("Next: debate serve. Before others use it: debate doctor --live")


def _discord(values: Mapping[str, str]) -> Iterator[str]:
    from adapters.discord.scopes import install_url
    from adapters.room.setup.discord import client_id_of

    application = client_id_of(values.get("DISCORD_TOKEN", ""))
    if application:
        yield say("Discord: invite the bot to your server:")
        yield f"  {install_url(application)}"
        return
    if values.get("DISCORD_TOKEN"):
        yield say("Discord: invite the bot to your server: `debate docs discord`, section 3.")
        return
    yield say("Discord: make an application, and under Bot copy its token (`debate docs discord`):")
    yield "  https://discord.com/developers/applications?new_application=true"


def quoted(value: str) -> str:
    """Writes a value as a file of variables holds it. Docker Compose would put a variable in for an
    unquoted ``$``.
    """
    if re.fullmatch(r"[\w./:@%+=,~^&*!?-]*", value):
        return value
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def as_line(given: Given) -> str:
    return MARK + " ".join(f"{name}={value}" for name, value in given.items())


def noted(text: str) -> Given:
    """Returns the answers in a file; an unreadable one is requested again."""
    line = next((one for one in text.splitlines() if one.startswith(MARK)), "")
    pairs = [part.partition("=") for part in line.removeprefix(MARK).split()]
    values = {name: value for name, _, value in pairs}
    return {
        one.name: values[one.name]
        for one in QUESTIONS
        if one.name in values and one.read(values[one.name]) == values[one.name]
    }


def read(path: Path) -> str:
    """Returns the file's text, "" if there is none. Raises ``BadInput``."""
    try:
        return read_regular(path, LONGEST).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadInput(f"{path} cannot be read: {why}. Move it away and run init again.") from error


def write(path: Path, text: str) -> None:
    """Writes the whole file or nothing, readable by this account only. Raises ``BadInput``."""
    if path.is_symlink():
        raise BadInput(f"{path} is a link: type it in the folder of the file that it leads to.")
    try:
        write_file(path, text)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {error.strerror}. Type it in the bot's own folder."
        ) from error


def would_be_committed(path: Path) -> bool:
    """True if the folder belongs to a git repository that does not ignore the file."""
    import asyncio

    from adapters.processes.git import GitFailed, Repository

    if not any((folder / ".git").exists() for folder in path.absolute().parents):
        return False

    async def ask() -> None:
        await (await Repository.of(path.parent)).run("check-ignore", "--quiet", path.name)

    try:
        asyncio.run(ask())
    except GitFailed:
        return True
    except BadInput:  # no git here
        return False
    return False
