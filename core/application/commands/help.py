"""Help that teaches by example: one entry a command, shown whole, in part, or as the one line that
ends every error; and the completions of a shell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from core.application.commands import requests  # noqa: F401  # fills the rows
from core.application.commands.options import options_of
from core.application.commands.requests import Start
from core.application.commands.requests.starting import PULL
from core.application.commands.row import ROWS, CommandRow, Group, described
from core.debate.errors import BadInput
from core.languages import say
from core.words.views.language.grammar import capital, did_you_mean

TOPICS: Mapping[str, CommandRow] = MappingProxyType(ROWS)
SHELL_ONLY = tuple(name for name, row in ROWS.items() if row.local)
COMMAND, MENTION, TYPED = "/debate", "@Debatebot", "debate"
"""The beginnings of a line to the bot: as a slash command, as a mention, and in a shell."""

_BASH = """\
_debate() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{first}" -f -- "$word"))
  else
    case "$word" in
      -*) COMPREPLY=($(compgen -W "{options}" -- "$word")) ;;
      *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
  fi
}}
complete -o filenames -F _debate debate debatebot
"""
_ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


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
            "There is no help on {topic}.{meant} All commands: {prefix} help",
            topic=repr(topic.strip()[:40]),
            meant=meant,
            prefix=prefix,
        )
    return "\n".join((*_options(prefix), *_all(known, prefix, shell)))


def _options(prefix: str) -> list[str]:
    return [
        say(
            "Type `/debate` and choose a command: its words are options there. Or mention me and "
            "write a line."
        ),
        "",
    ] * (prefix == MENTION)


def _one(topic: CommandRow, prefix: str, shell: bool) -> list[str]:
    lines = [
        f"{capital(say(topic.does))}.",
        "",
        *_block((f"{prefix} {form}" for form in topic.forms), shell),
    ]
    lines += [
        "",
        say("For example:"),
        *_block((f"{prefix} {typed}" for typed in topic.examples), shell),
    ]
    if more := (*map(say, topic.more), *described(topic.explained)):
        lines += ["", *_block(more, shell)]
    return lines


def _all(known: Mapping[str, CommandRow], prefix: str, shell: bool) -> list[str]:
    first = ("start", "challenge", "vote", "schedule")
    lines = [
        say(
            "Several models in different roles debate; you vote and challenge; code computes the "
            "verdict."
        ),
        "",
        say("For example:"),
    ]
    typed = [example(name, prefix=prefix) for name in first]
    if shell:
        question = f'{prefix} "Should we move the queue to PostgreSQL?"'
        typed[:1] = [f"{prefix} demo", f"{prefix} {PULL}", "git diff | debate", question]
    lines += _block(typed, shell)
    width = max(len(name) for name in known) + 2
    for group in Group:
        rows = (x for x in known.values() if x.group is group and x.name != "start")
        lines_of = (f"{row.name:<{width}}{say(row.does)}" for row in rows)
        lines += ["", f"{say(group)}:", *_block(lines_of, shell)]
    ways = [
        say("{prefix} help start: options of a debate", prefix=prefix),
        say("{prefix} help COMMAND, {prefix} help TEMPLATE: more about one", prefix=prefix),
    ]
    if shell:
        ways.append(say('eval "$(debate completion bash)": Tab completes, in zsh and fish, too'))
    return [*lines, "", say("More:"), *_block(ways, shell)]


def _block(lines: Iterable[str], shell: bool) -> list[str]:
    if shell:
        return [f"  {line}" for line in lines]
    return ["```", *lines, "```"]


def completion(shell: str, templates: Mapping[str, str]) -> str:
    """Returns the script that ``shell`` reads once; ``templates`` are names with what each is for.
    Raises ``BadInput`` for a shell that is none of bash, zsh and fish.
    """
    commands = {name: topic.does for name, topic in TOPICS.items() if name != "start"}
    options = [f"--{option.name}" for option in options_of(Start)]
    match shell:
        case "bash":
            return _bash([*commands, *templates], options)
        case "zsh":
            return _ZSH + _bash([*commands, *templates], options)
        case "fish":
            return _fish({**commands, **templates}, options)
        case _:
            raise BadInput(
                "Completion is made for bash, zsh and fish. Like this: debate completion bash"
            )


def _bash(first: Sequence[str], options: Sequence[str]) -> str:
    return _BASH.format(first=" ".join(first), options=" ".join(options))


def _fish(first: Mapping[str, str], options: Sequence[str]) -> str:
    names = [
        f"complete -c {program} -n __fish_use_subcommand -a {name} -d '{_unquoted(does)}'"
        for program in ("debate", "debatebot")
        for name, does in first.items()
    ]
    named = [f"complete -c debate -l {option.removeprefix('--')}" for option in options]
    return "\n".join((*names, *named, ""))


def _unquoted(text: str) -> str:
    return " ".join(text.split()).translate({ord("\\"): None, ord("'"): "’"})
