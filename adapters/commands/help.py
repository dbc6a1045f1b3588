"""Help that teaches by example: one entry a command, shown whole, in part, or as the one line that
ends every error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from adapters.commands.evaluate import Evaluate
from adapters.commands.kinds import WordKind
from adapters.commands.options import CommandOption, OptionSurface, options_of, usage_of
from adapters.commands.requests import (
    Filters,
    ForkRequest,
    Listing,
    ScheduleAdd,
    SearchRequest,
    Start,
)
from adapters.text.nearest import did_you_mean
from core.errors import BadInput

_SHELL_NOTE = " (shell)"
_TYPED_NOTE = " (typed in a line)"
_PR = "https://github.com/OWNER/REPO/pull/7"


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """``forms`` are what can be typed, ``examples`` complete lines; errors show the first.
    ``local`` commands exist in the shell only.
    """

    does: str
    forms: tuple[str, ...]
    examples: tuple[str, ...]
    more: tuple[str, ...] = ()
    local: bool = False


def _describe(options: Sequence[CommandOption]) -> tuple[str, ...]:
    """Returns a line for each option: its form, its purpose, its values."""
    width = max(len(option.typed) for option in options) + 2
    return tuple(f"{option.typed:<{width}}{_purpose(option)}" for option in options)


def _purpose(option: CommandOption) -> str:
    text = option.help
    if isinstance(option.kind, WordKind):
        text += f": {', '.join(option.kind.values)}"
    if OptionSurface.ROOM in option.surfaces:
        text += _TYPED_NOTE
    elif OptionSurface.CHAT not in option.surfaces:
        text += _SHELL_NOTE
    return text


_FORK = usage_of([each for each in options_of(ForkRequest) if OptionSurface.CHAT in each.surfaces])
_LABELS = usage_of([each for each in options_of(Listing) if OptionSurface.CHAT in each.surfaces])
_SEARCH = usage_of([x for x in options_of(SearchRequest) if OptionSurface.CHAT in x.surfaces])
_ZONE = usage_of(options_of(ScheduleAdd))
_FILTERS = " ".join(each.typed for each in options_of(Filters))

TOPICS: Mapping[str, HelpTopic] = MappingProxyType(
    {
        "start": HelpTopic(
            "start a debate about a link, a file or a question",
            (
                "<template> <link or text> [options]",
                "<link, .diff, git:A...B, . or -> [options]",
                "<question of three words or more>",
            ),
            (
                f"code_review {_PR}",
                f"code_review {_PR} --rounds 2 --budget 0.50",
                'panel "Should we move the queue to PostgreSQL?"',
            ),
            _describe(options_of(Start)),
        ),
        "templates": HelpTopic(
            "what kinds of debate there are",
            ("templates [NAME|WORD] [--json]", "templates check FILE"),
            ("templates code_review", "templates check our-review.toml"),
        ),
        "status": HelpTopic("what is running now", ("status [--json]",), ("status",)),
        "list": HelpTopic(
            "debates, the newest first",
            ("list [--json]", f"list {_LABELS}"),
            ("list", "list --department payments --target-date 2027-01-31"),
            ("A target date finds what is to be decided by that day.",),
        ),
        "search": HelpTopic(
            "find debates by what was said in them",
            (f"search WORDS {_SEARCH}",),
            ("search retry payments", "search queue --decision accept --since 90d"),
            ("All words must be there. What was debated itself is not searched.",),
        ),
        "show": HelpTopic(
            "one debate: its state, or its report",
            ("show ID [--json|--plain]",),
            ("show d4k7q2xy",),
        ),
        "challenge": HelpTopic(
            "object to what was said, or to the verdict; seats owe you an answer",
            ("challenge [ID] [--yes] TEXT",),
            (
                "challenge The retry finding is wrong: line 42 is idempotent.",
                "challenge d4k7q2xy @security name the input that triggers it",
            ),
            (
                "Inside the debate's thread no ID is needed. Name a seat to have that one answer.",
                "After the verdict the seats concerned answer, and decide again.",
                "--yes agrees to the price, if it is not small. A person has three objections.",
            ),
        ),
        "hotseat": HelpTopic(
            "have a seat answer those who disagree, for a statement or finding of its own",
            ("hotseat [ID] FINDING|SEAT",),
            ("hotseat d4k7q2xy 2", "hotseat d4k7q2xy security critic"),
            (
                "Whoever started the debate asks alone; of others it takes two.",
                "In a chat: 🔥 on a statement or a finding.",
            ),
        ),
        "prove": HelpTopic(
            "have a finding proven by a test, if the operator lets tests run",
            ("prove [ID] [FINDING]",),
            ("prove d4k7q2xy 2", "prove d4k7q2xy"),
            ("Without a number it is the gravest open one. No proof is never held against it.",),
        ),
        "vote": HelpTopic(
            "vote on the verdict or on a finding; your last vote counts",
            ("vote [ID] OPTION", "vote [ID] FINDING real|not_real|worse|milder"),
            ("vote approve", "vote d4k7q2xy request_changes", "vote d4k7q2xy 2 not_real"),
        ),
        "pause": HelpTopic("pause a debate; nothing is lost", ("pause [ID]",), ("pause d4k7q2xy",)),
        "resume": HelpTopic(
            "go on where it stopped", ("resume [ID] [--json]",), ("resume d4k7q2xy",)
        ),
        "stop": HelpTopic(
            "end it now, with the verdict so far", ("stop [ID]",), ("stop d4k7q2xy",)
        ),
        "fork": HelpTopic(
            "what if? the same debate again under one changed condition",
            (f"fork ID {_FORK}", "fork ID --branch CHANGE --branch CHANGE"),
            (
                "fork d4k7q2xy --without security",
                'fork d4k7q2xy --at 12 --assume "the table has ten million rows"',
                'fork d4k7q2xy --branch "without security" --branch strict',
            ),
        ),
        "schedule": HelpTopic(
            "debates that recur",
            (
                f'schedule add "CRON or words" {_ZONE} <template> <target> [filters]',
                "schedule list [--json]",
                "schedule run|pause|resume|remove ID",
            ),
            (
                (
                    'schedule add "weekdays at 9" --tz Europe/Berlin code_review '
                    "https://github.com/OWNER/REPO --label review"
                ),
                (
                    'schedule add "0 9 * * mon-fri" code_review https://github.com/OWNER/REPO '
                    "--since 7d --at-most 3"
                ),
                "schedule pause s3f8a1",
            ),
            (f"Filters for a repository's pull requests: {_FILTERS}",),
        ),
        "export": HelpTopic(
            "the whole debate as a file",
            ("export ID [md|json|html|play|sarif]",),
            ("export d4k7q2xy html", "export d4k7q2xy sarif"),
        ),
        "post": HelpTopic(
            "the review as it would be posted to the pull request; post it",
            ("post ID [--approve HASH]",),
            ("post d4k7q2xy",),
        ),
        "receipt": HelpTopic(
            "the signed record of an outcome", ("receipt ID",), ("receipt d4k7q2xy",)
        ),
        "replay": HelpTopic(
            "the stored debate once more, on its stored answers: is it the same?",
            ("replay ID",),
            ("replay d4k7q2xy",),
        ),
        "leaderboard": HelpTopic(
            "which models argued well, with how sure that is",
            ("leaderboard [--json|--plain]",),
            ("leaderboard",),
        ),
        "mirror": HelpTopic(
            "the same debate in a second thread",
            ("mirror ID PLACE",),
            ("mirror d4k7q2xy slack:C0123ABC",),
        ),
        "compare": HelpTopic(
            "two debates side by side, or one question in both panel sizes",
            ("compare ID ID [--json|--plain]", "compare QUESTION [options]"),
            ("compare d4k7q2xy d9m3x1ab", "compare Should we rewrite the parser in Rust?"),
        ),
        "held": HelpTopic(
            "say later whether the verdict held; ratings learn from nothing else",
            ("held ID yes|no [why]",),
            ("held d4k7q2xy yes", "held d4k7q2xy no The cache served old rights for an hour."),
        ),
        "useful": HelpTopic(
            "say whether the verdict was of use to you; your last word counts",
            ("useful [ID] yes|no",),
            ("useful yes", "useful d4k7q2xy no"),
            ("Inside the debate's thread no ID is needed.",),
        ),
        "setup": HelpTopic(
            "bind this channel to a repository, and say what starts debates (admins)",
            (
                "setup github|gitlab [OWNER/REPO [off]]",
                "setup github OWNER/REPO [--labels a,b] [--on comment,opened,drafts,push]",
                "setup github --app",
            ),
            ("setup github acme/payments --labels debate", "setup github acme/payments off"),
            (
                "In a shell `--channel slack:TEAM/CHANNEL` says which channel.",
                "In a shell `--app` prints the link that makes a GitHub App, or all it needs.",
            ),
        ),
        "help": HelpTopic(
            "this, or more about one command", ("help [COMMAND]",), ("help", "help schedule")
        ),
        "demo": HelpTopic(
            "one review of a change that ships with it, by whoever can speak here",
            ("demo",),
            ("demo",),
            ("Without any model, and after the embedded one, it shows a recorded review.",),
            local=True,
        ),
        "init": HelpTopic(
            "set the bot up: five questions, the keys, what to do next",
            ("init [--yes] [--talk T] [--model M] [--forge F] [--budget USD] [--whom W]",),
            ("init", "init --yes --talk slack --model openai --budget 5 --whom team"),
            (
                "It writes .env, for you alone. Run it again: it asks only for what is missing.",
                "`--yes` asks nothing: options and the environment's variables answer.",
            ),
            local=True,
        ),
        "serve": HelpTopic(
            "run the bot: Slack, Discord and the room in a browser",
            ("serve",),
            ("serve",),
            (
                "On a terminal it prints a link that lets a browser in.",
                "Elsewhere `debate open` does, or with DEBATE_PRINT_LINK=1 its log holds one.",
            ),
            local=True,
        ),
        "open": HelpTopic(
            "open the room of the running bot, or a debate's page, and print the link to it",
            ("open [ID]",),
            ("open", "open d4k7q2xy"),
            ("The link lets one browser in, once. Without a screen it is only printed.",),
            local=True,
        ),
        "tokens": HelpTopic(
            "give a program a token with an expiry and a budget",
            (
                "tokens add NAME [--scopes read,start,act] [--purse USD] [--days N]",
                "tokens add NAME --in slack:T1",
                "tokens list",
                "tokens remove ID",
            ),
            ("tokens add ci --scopes read,start --purse 5", "tokens list"),
            (
                "The program is a service of its own, on this machine or in a workspace: it sees",
                "its own debates and what every member there sees. act: challenge and stop.",
                "Standard output holds the token, once; only its digest is stored.",
            ),
            local=True,
        ),
        "doctor": HelpTopic(
            "what is configured, what is missing, what to do next",
            ("doctor [--live [--to PERSON]] [--json]",),
            ("doctor", "doctor --live --to slack:T1/U1"),
            (
                "It reads the .env file of its folder, as `debate serve` does.",
                "`--live` tries the real thing: sockets, a message to one person, tokens' rights,",
                "a short answer of each model (a cent at most), the public address.",
            ),
            local=True,
        ),
        "eval": HelpTopic(
            "measure how well models decide, on changes whose defects are known",
            (
                "eval --set history|FILE [--clones FOLDER] [options]",
                "eval --mine REPO [--yes-from FILE] [options]",
                "eval FOLDER|REPO [options]",
            ),
            (
                "eval --set history --cases 40 --models openai/gpt-5,ollama/qwen3 --budget 20",
                "eval --mine ../our-repository --cases 20",
                "eval cases --repeat 3 --arms vote,debate",
            ),
            _describe(options_of(Evaluate)),
            local=True,
        ),
        "calibrate": HelpTopic(
            "which size of a panel would have suited your own outcomes; changes nothing",
            ("calibrate [--json]",),
            ("calibrate",),
            local=True,
        ),
        "mcp": HelpTopic(
            "tools for a coding assistant, which starts this itself",
            ("mcp",),
            ("mcp",),
            ("In Claude Code: claude mcp add debatebot -- debate mcp",),
            local=True,
        ),
        "hooks": HelpTopic(
            "addresses that hear of debates, signed, as Standard Webhooks",
            (
                "hooks add https://HOST/PATH [--kinds a,b] [--full]",
                "hooks list",
                "hooks test|deliveries|rotate|disable ID",
                "hooks replay ID DEBATE",
                "hooks replay ID --since 2d",
            ),
            ("hooks add https://ci.acme.example/debates", "hooks replay 3f2a91bc --since 2d"),
            ("Without --kinds it hears of verdicts and failures; debate docs webhooks has all.",),
        ),
        "docs": HelpTopic(
            "the pages and files that came with the program",
            ("docs [NAME]",),
            ("docs slack", "docs slack.json > slack.json"),
            local=True,
        ),
        "plugins": HelpTopic("what installed packages add", ("plugins",), ("plugins",), local=True),
        "verify": HelpTopic(
            "check a receipt; --message tells whether it names a webhook's verdict; --stored holds "
            "it to the events in the database too",
            ("verify FILE [--key PUBLIC] [--message BODY] [--stored]",),
            ("verify receipt.json",),
            local=True,
        ),
        "audit": HelpTopic(
            "who started, read, exported, bound, spent and changed what; checks that nobody has "
            "changed the list",
            ("audit [--since 7d|2026-11-01] [--json]",),
            ("audit --since 7d",),
            local=True,
        ),
        "forget": HelpTopic(
            "delete a debate's texts, or all that a person said, with their name",
            ("forget ID|PERSON [--copies] [--yes]",),
            ("forget d4k7q2xy --copies", "forget slack:T1/U1 --yes"),
            local=True,
        ),
        "completion": HelpTopic(
            "what your shell reads to complete commands and templates: bash, zsh or fish",
            ("completion bash|zsh|fish",),
            ("completion bash",),
            (
                'bash, zsh: eval "$(debate completion bash)" in ~/.bashrc, or zsh in ~/.zshrc.',
                "fish: debate completion fish > ~/.config/fish/completions/debate.fish",
            ),
            local=True,
        ),
        "db": HelpTopic(
            "the database: bring it up to date, copy it while it runs, seal its secrets",
            ("db upgrade", "db backup TO", "db restore FROM", "db key", "db rotate [--yes]"),
            ("db upgrade", "db backup debates-copy.db"),
            local=True,
        ),
    }
)

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Start": ("demo", "templates", "fork", "compare", "mirror", "schedule"),
        "Take part": (
            *(
                "challenge",
                "hotseat",
                "prove",
                "vote",
                "pause",
                "resume",
                "stop",
                "post",
                "held",
                "useful",
            ),
        ),
        "Look": (
            *("status", "list", "search", "show", "export", "receipt", "verify", "replay"),
            *("leaderboard", "help"),
        ),
        "Operate": (
            *(
                "init",
                "doctor",
                "serve",
                "open",
                "tokens",
                "hooks",
                "setup",
                "audit",
                "forget",
                "db",
            ),
            *("mcp", "eval", "calibrate", "plugins", "docs", "completion"),
        ),
    }
)
"""Groups of commands by their purpose; ``start`` is missing, because it is the first example."""

SHELL_ONLY = tuple(name for name, topic in TOPICS.items() if topic.local)
COMMAND, MENTION, TYPED = "/debate", "@Debatebot", "debate"
"""The beginnings of a line to the bot: as a slash command, as a mention, and in a shell."""


def example(topic: str, *, prefix: str = COMMAND) -> str:
    """Returns one line that works, for the end of an error."""
    return f"{prefix} {TOPICS.get(topic, TOPICS['help']).examples[0]}"


def usage(topic: str = "", *, prefix: str = COMMAND) -> str:
    """Help on one command, or on all of them.

    Plain text for the shell (``prefix="debate"``), Markdown elsewhere. Raises ``BadInput`` if there
    is none of that name.
    """
    shell = prefix == TYPED
    known = {name: t for name, t in TOPICS.items() if shell or not t.local}
    text = topic.strip().lower().lstrip("/")
    if text in known:
        return "\n".join((*_options(prefix), *_one(known[text], prefix, shell)))
    if text:
        meant = did_you_mean(text, known)
        raise BadInput(
            f"There is no help on {topic.strip()[:40]!r}.{meant} All commands: {prefix} help"
        )
    return "\n".join((*_options(prefix), *_all(known, prefix, shell)))


def _options(prefix: str) -> list[str]:
    """Describes options before the lines to type, for surfaces where commands are filled in."""
    return [
        (
            "Type `/debate` and choose a command: its words are options there. Or mention me and "
            "write a line."
        ),
        "",
    ] * (prefix == MENTION)


def _one(topic: HelpTopic, prefix: str, shell: bool) -> list[str]:
    lines = [
        f"{topic.does[0].upper()}{topic.does[1:]}.",
        "",
        *_block((f"{prefix} {form}" for form in topic.forms), shell),
    ]
    lines += ["", "For example:", *_block((f"{prefix} {typed}" for typed in topic.examples), shell)]
    if topic.more:
        lines += ["", *_block(topic.more, shell)]
    return lines


def _all(known: Mapping[str, HelpTopic], prefix: str, shell: bool) -> list[str]:
    first = ("start", "challenge", "vote", "schedule")
    lines = [
        (
            "Several models in different roles debate; you vote and challenge; code computes the "
            "verdict."
        ),
        "",
        "For example:",
    ]
    typed = [example(name, prefix=prefix) for name in first]
    if shell:
        question = f'{prefix} "Should we move the queue to PostgreSQL?"'
        typed[:1] = [f"{prefix} demo", f"{prefix} {_PR}", "git diff | debate", question]
    lines += _block(typed, shell)
    width = max(len(name) for name in known) + 2
    for group, names in GROUPS.items():
        lines_of = (f"{name:<{width}}{known[name].does}" for name in names if name in known)
        lines += ["", f"{group}:", *_block(lines_of, shell)]
    ways = [
        f"{prefix} help start: options of a debate",
        f"{prefix} help COMMAND, {prefix} help TEMPLATE: more about one",
    ]
    if shell:
        ways.append('eval "$(debate completion bash)": Tab completes, in zsh and fish, too')
    return [*lines, "", "More:", *_block(ways, shell)]


def _block(lines: Iterable[str], shell: bool) -> list[str]:
    if shell:
        return [f"  {line}" for line in lines]
    return ["```", *lines, "```"]
