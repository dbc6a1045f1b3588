"""Completions for a shell after ``debate``: commands, templates, a debate's options, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.application.commands.help import TOPICS
from core.application.commands.options import options_of
from core.application.commands.requests import Start
from core.debate.errors import BadInput

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
