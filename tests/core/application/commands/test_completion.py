"""A shell's completion is tested by running the shell."""

from __future__ import annotations

import subprocess

import pytest

from core.application.commands.help import TOPICS, completion
from core.debate.errors import BadInput

TEMPLATES = {
    "code_review": "Reviews a change, line by line.",
    "design_doc": "Settles a team's design.",
}


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["des"], ["design_doc"]),
        (["sch"], ["schedule"]),
        (["code_review", "--bud"], ["--budget"]),
        (["code_review", "/et"], ["/etc"]),
    ],
)
def test_bash_completes_commands_templates_options_and_files(
    typed: list[str], offered: list[str]
) -> None:
    words = " ".join(("debate", *typed))
    program = f"""{completion("bash", TEMPLATES)}
COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _debate; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    ran = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == offered


def test_zsh_and_fish_know_the_same() -> None:
    assert completion("zsh", TEMPLATES).endswith(completion("bash", TEMPLATES))
    fish = completion("fish", TEMPLATES)
    for name in (*TOPICS, *TEMPLATES):
        assert name == "start" or f"-a {name} -d '" in fish
    assert "-a design_doc -d 'Settles a team’s design.'" in fish
    assert "complete -c debate -l budget\n" in fish


@pytest.mark.parametrize("shell", ["", "tcsh"])
def test_another_shell_is_told_which_there_are(shell: str) -> None:
    with pytest.raises(BadInput, match="for bash, zsh and fish"):
        completion(shell, TEMPLATES)
