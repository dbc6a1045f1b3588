"""Commands that look after the bot; most of them only a shell has."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

from core.application.commands.actions import Action
from core.application.commands.arguments import Arguments
from core.application.commands.evaluate import Evaluate
from core.application.commands.kinds import Dollars, Duration, Flag, Names, TextKind, WordKind
from core.application.commands.named import debate_id, repository_name
from core.application.commands.options import OptionSurface, option, options_of
from core.application.commands.requests import shared
from core.application.commands.row import Group, Request, word
from core.application.place import FORGES
from core.debate.errors import BadInput
from core.languages import LANGUAGES, msgid, say
from core.words.views.language.grammar import did_you_mean

command, local = Group.OPERATE.command, Group.OPERATE.local
_option = partial(option, of_debate=False)

local(
    "init",
    "set the bot up: five questions, the keys, what to do next",
    "init [--yes] [--talk T] [--model M] [--forge F] [--budget USD] [--whom W]",
    examples=("init", "init --yes --talk slack --model openai --budget 5 --whom team"),
    more=(
        "It writes .env, readable only by you. Run it again: it asks only for what is missing.",
        "`--yes` asks nothing: options and the environment's variables answer.",
    ),
)
local(
    "doctor",
    "what is configured, what is missing, what to do next",
    "doctor [--live [--to PERSON]] [--json]",
    examples=("doctor", "doctor --live --to slack:T1/U1"),
    more=(
        "It reads the .env file of its folder, as `debate serve` does.",
        "`--live` tries the real thing: sockets, a message to one person, tokens' rights,",
        "a short answer of each model (a cent at most), the public address.",
    ),
)
local(
    "serve",
    "run the bot: Slack, Discord and the room in a browser",
    "serve",
    examples=("serve",),
    more=(
        "On a terminal it prints a link that lets a browser in.",
        "Elsewhere `debate open` does, or with DEBATE_PRINT_LINK=1 its log holds one.",
    ),
)
local(
    "open",
    "open the room of the running bot, or a debate's page, and print the link to it",
    "open [ID]",
    examples=("open", "open d4k7q2xy"),
    more=("The link lets one browser in, once. Without a screen it is only printed.",),
)
local(
    "tokens",
    "give a program a token with an expiry and a budget",
    "tokens add NAME [--scopes read,start,act] [--budget USD] [--days N]",
    "tokens add NAME --in slack:T1",
    "tokens list",
    "tokens remove ID",
    examples=("tokens add ci --scopes read,start --budget 5", "tokens list"),
    more=(
        "The program is a separate service, on this machine or in a workspace: it sees",
        "its own debates and what every member there sees. act: challenge and stop.",
        "Standard output holds the token, once; only its digest is stored.",
    ),
)
CODES = (*LANGUAGES, "auto")
"""The languages that can be set; auto is that of each question."""
HOOK_VERBS = ("add", "list", "test", "deliveries", "replay", "rotate", "disable")


@command(
    "hooks",
    "addresses that hear of debates, signed, as Standard Webhooks",
    "hooks add https://HOST/PATH [--kinds a,b] [--full]",
    "hooks list",
    "hooks test|deliveries|rotate|disable ID",
    "hooks replay ID DEBATE",
    "hooks replay ID --since 2d",
    examples=("hooks add https://ci.acme.example/debates", "hooks replay 3f2a91bc --since 2d"),
    more=("Without --kinds it hears of verdicts and failures; debate docs webhooks has all.",),
)
@dataclass(frozen=True, slots=True)
class HookRequest(Request):
    """Asks for one ``verb`` on webhooks: add | list | test | deliveries | replay | rotate |
    disable. ``target`` is the address for ``add``, else the webhook's id; ``debate`` is the debate
    to replay.
    """

    action = Action.HOOKS
    stored = "a webhook"
    verb: str = word("What to do", values=HOOK_VERBS, name="action", default="list")
    target: str = word("An address to add, else its id", name="webhook", default="", most=1_000)
    debate: str = word("The debate whose events are sent again", default="")
    kinds: tuple[str, ...] = _option(
        Names(), "what it hears of; all is everything", sign="a,b", most=1_000
    )
    full: bool = _option(Flag(), "titles, places and words too, not only counts and hashes")
    since: float | None = _option(
        Duration(90 * shared.DAY, stops=False),
        "replay all that is younger",
        sign="7d",
    )
    channel: str = _option(
        TextKind("a channel like slack:CHANNEL"), "the channel whose debates it hears of",
        sign="slack:CHANNEL", surfaces=OptionSurface.SHELL,
    )  # fmt: skip

    @classmethod
    def read(cls, given: Arguments) -> HookRequest:
        verb, *rest = [t.text for t in given.words] or ["list"]
        verb = verb.lower()
        if verb not in HOOK_VERBS:
            meant = did_you_mean(verb, HOOK_VERBS, 0.5, before="hooks ")
            raise BadInput("A webhook cannot {verb}.{meant}", verb=repr(verb[:40]), meant=meant)
        return given.fill(cls(verb, " ".join(rest[:1]), " ".join(rest[1:]))).checked()

    def checked(self) -> HookRequest:
        words = bool(self.target) + bool(self.debate)
        most = {"list": 0, "replay": 2}.get(self.verb, 1)
        least = int(self.verb != "list")
        if not least <= words <= most:
            behind = {
                "list": msgid("nothing"),
                "add": msgid("one address"),
                "replay": msgid("an id, and perhaps a debate's"),
            }
            raise BadInput(
                "hooks {verb} is followed by {wanted}.",
                verb=self.verb,
                wanted=say(behind.get(self.verb, msgid("one id"))),
            )
        if self.verb == "replay" and bool(self.debate) == (self.since is not None):
            raise BadInput("What is to be replayed: a debate's id, or --since 2d?")
        if self.debate:
            debate_id(self.debate)
        if self.verb != "add" and (self.kinds or self.full):
            raise BadInput("--kinds and --full belong to hooks add.")
        return self


@command(
    "setup",
    "bind this channel to a repository, and choose what starts debates (admins)",
    "setup github|gitlab [OWNER/REPO [off]]",
    "setup github OWNER/REPO [--labels a,b] [--on comment,opened,drafts,push]",
    "setup github --app",
    examples=("setup github acme/payments --labels debate", "setup github acme/payments off"),
    more=(
        "In a shell `--channel slack:TEAM/CHANNEL` names the channel.",
        "In a shell `--app` prints the link that makes a GitHub App, or all it needs.",
    ),
)
@dataclass(frozen=True, slots=True)
class Setup(Request):
    """``setup github|gitlab [REPOSITORY [off]]``; without a repository it shows what is bound here,
    and how to link the forge.

    None leaves a rule as it is.
    """

    action = Action.BIND
    stored = "a binding"
    repository: str = word("OWNER/REPO; leave it out to see what is bound", default="")
    off: bool = word("Take it back", default=False)
    _: KW_ONLY
    forge: str = word("Where it is", values=FORGES, default="github")
    labels: tuple[str, ...] = _option(
        Names(), "labels that start a debate on a pull request (none for no label)", sign="a,b",
        most=1_000,
    )  # fmt: skip
    on: tuple[str, ...] = _option(
        Names(), "what else starts one: comment, opened, drafts, push; or none", sign="a,b",
        label="What else starts one",
        most=1_000,
    )  # fmt: skip
    template: str = _option(
        TextKind("a template's name"), "the template of these debates", sign="NAME"
    )
    budget: float | None = _option(Dollars(10_000), "the most for each of them", sign="USD")
    quiet: str = _option(
        TextKind("hours like 22-7"), "hours in which none begins, or none", sign="22-7",
        name="quiet-hours",
    )  # fmt: skip
    tz: str = _option(
        TextKind("a time zone"), "time zone of these hours", sign="ZONE", label="Time zone",
    )  # fmt: skip
    request_changes: str = _option(
        WordKind(("yes", "no")), "may a blocking review ask for changes", sign="yes|no",
        label="May ask for changes",
    )  # fmt: skip
    language: str = _option(
        WordKind(tuple(LANGUAGES)), "the language of reviews there", sign="CODE"
    )
    app: bool = _option(
        Flag(), "the link that makes your own GitHub App", surfaces=OptionSurface.SHELL,
    )  # fmt: skip
    channel: str = _option(
        TextKind("a channel like slack:CHANNEL"), "the channel that it is bound to",
        sign="slack:CHANNEL",
        surfaces=OptionSurface.SHELL,
    )  # fmt: skip

    @classmethod
    def read(cls, given: Arguments) -> Setup:
        service, *rest = given.exactly(1, 3, "github or gitlab, OWNER/REPO and perhaps off")
        forge = service.lower()
        if forge not in FORGES:
            raise BadInput(
                "Only github and gitlab can be set up here, not {service}.",
                service=repr(service[:40]),
            )
        name = repository_name(rest[0], forge) if rest else ""
        switch = rest[1] if len(rest) > 1 else "on"
        if switch.lower() not in ("on", "off"):
            raise BadInput("The last word is off or nothing, not {word}.", word=repr(switch[:40]))
        request = given.fill(cls(name, off=switch.lower() == "off", forge=forge))
        if request.app and (forge != "github" or rest):
            raise BadInput(
                "After github, --app takes no other words: it makes the App, for all repositories."
            )
        return request

    def checked(self) -> Setup:
        if not self.repository:
            return self
        return replace(self, repository=repository_name(self.repository, self.forge))


@command(
    "language",
    "the language of this channel's debates, or of the answers to you",
    "language [en|cs|de|auto] [--me]",
    examples=("language cs", "language de --me"),
    more=("A debate has the language that --language names, the channel's, or its question's.",),
    subcommand=False,
)
@dataclass(frozen=True, slots=True)
class Language(Request):
    """Sets the language of a place, or of the ``me`` who asks; without a code it shows both."""

    action = Action.LANGUAGE
    stored = "a language"
    code: str = word("A language; leave it out to see what is set", values=CODES, default="")
    _: KW_ONLY
    me: bool = _option(Flag(), "of the private answers to you")

    @classmethod
    def read(cls, given: Arguments) -> Language:
        (code, *_) = (*given.exactly(0, 1, say("one of {values}", values=", ".join(CODES))), "")
        return given.fill(cls(code.lower())).checked()

    def checked(self) -> Language:
        if self.code and self.code not in CODES:
            raise BadInput(
                "{code} is none of {codes}.", code=repr(self.code[:40]), codes=", ".join(CODES)
            )
        return self

    def asks_for(self) -> Action:
        if self.me or not self.code:
            return Action.ASK
        return self.action


local(
    "audit",
    "who started, read, exported, bound, spent and changed what; checks that nobody has "
    "changed the list",
    "audit [--since 7d|2026-11-01] [--json]",
    examples=("audit --since 7d",),
)
local(
    "forget",
    "delete a debate's texts, or all that a person said, with their name",
    "forget ID|PERSON [--copies] [--yes]",
    examples=("forget d4k7q2xy --copies", "forget slack:T1/U1 --yes"),
)
local(
    "db",
    "the database: bring it up to date, copy it while it runs, seal its secrets",
    "db upgrade",
    "db backup TO",
    "db restore FROM",
    "db key",
    "db rotate [--yes]",
    examples=("db upgrade", "db backup debates-copy.db"),
)
local(
    "mcp",
    "tools for a coding assistant, which starts this itself",
    "mcp",
    examples=("mcp",),
    more=("In Claude Code: claude mcp add debatebot -- debate mcp",),
)
local(
    "eval",
    "measure how well models decide, on changes whose defects are known",
    "eval --set history|FILE [--clones FOLDER] [options]",
    "eval --mine REPO [--yes-from FILE] [options]",
    "eval FOLDER|REPO [options]",
    examples=(
        "eval --set history --cases 40 --models openai/gpt-5,ollama/qwen3 --budget 20",
        "eval --mine ../our-repository --cases 20",
        "eval cases --repeat 3 --arms vote,debate",
    ),
    explained=options_of(Evaluate),
)
local(
    "calibrate",
    "which size of a panel would have suited your own outcomes; changes nothing",
    "calibrate [--json]",
    examples=("calibrate",),
)
local("plugins", "what installed packages add", "plugins", examples=("plugins",))
local(
    "docs",
    "the pages and files that came with the program",
    "docs [NAME]",
    examples=("docs slack", "docs slack.json > slack.json"),
)
local(
    "completion",
    "what your shell reads to complete commands and templates: bash, zsh or fish",
    "completion bash|zsh|fish",
    examples=("completion bash",),
    more=(
        'bash, zsh: eval "$(debate completion bash)" in ~/.bashrc, or zsh in ~/.zshrc.',
        "fish: debate completion fish > ~/.config/fish/completions/debate.fish",
    ),
)
