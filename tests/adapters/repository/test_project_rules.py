"""The rules that a repository keeps for its reviewers, by changed path, and the files that its
``.gitattributes`` keep out of a review.
"""

import pytest

from adapters.repository.project_rules import excluded_by, is_rule_file, rules_for

RULES = (
    ("AGENTS.md", "Use tabs."),
    ("web/AGENTS.md", "Use spaces."),
    ("web/deep/CLAUDE.md", "No globals."),
    ("api/AGENTS.md", "Return errors."),
    ("CONTRIBUTING.md", "Sign your work."),
    ("docs/CONTRIBUTING.md", "Spell well."),
    (".github/copilot-instructions.md", "Be short."),
    (".github/instructions/py.instructions.md", '---\napplyTo: "**/*.py,*.pyi"\n---\nType all.\n'),
    (".github/instructions/none.instructions.md", "For nobody."),
)


@pytest.mark.parametrize(
    ("changed", "titles"),
    [
        (
            ["web/deep/a.js"],
            [
                "web/deep/CLAUDE.md (for web/deep/)",
                "web/AGENTS.md (for web/)",
                "AGENTS.md",
                ".github/copilot-instructions.md",
                "CONTRIBUTING.md",
            ],
        ),
        (
            ["a.py"],
            [
                ".github/instructions/py.instructions.md (for **/*.py, *.pyi)",
                "AGENTS.md",
                ".github/copilot-instructions.md",
                "CONTRIBUTING.md",
            ],
        ),
        (["webs/a.js"], ["AGENTS.md", ".github/copilot-instructions.md", "CONTRIBUTING.md"]),
    ],
)
def test_rules_apply_by_folder_and_pattern_the_nearest_first(
    changed: list[str], titles: list[str]
) -> None:
    files = [rule for rule in RULES if is_rule_file(rule[0])]
    assert [rule.title for rule in rules_for(files, changed)] == titles


def test_a_rule_file_that_repeats_another_counts_once() -> None:
    assert [
        rule.path for rule in rules_for([("AGENTS.md", "One."), ("CLAUDE.md", "One.\n")], [])
    ] == ["AGENTS.md"]


def test_the_front_of_instructions_is_no_rule() -> None:
    (rule, *_) = rules_for(RULES, ["src/a.py"])
    assert rule.text == "Type all.\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("api/v1.pb.go", "generated (.gitattributes)"),
        ("api/kept.pb.go", ""),
        ("third/deep/a.c", "vendored (.gitattributes)"),
        ("web/schema.json", "generated (.gitattributes)"),
        ("schema.json", ""),
        ("gen/a/b.py", "on the operator's list"),
        ("src/main.py", ""),
    ],
)
def test_files_that_the_project_or_the_operator_keeps_out_are_named(path: str, reason: str) -> None:
    marks = """\
# made by a program
*.pb.go linguist-generated
api/kept.pb.go -linguist-generated
third/** linguist-vendored=true text
*.md diff=words
"""
    files = [
        (".gitattributes", marks),
        ("web/.gitattributes", "/schema.json linguist-generated=true\n"),
        ("AGENTS.md", "*.py linguist-generated"),
    ]
    assert excluded_by(files, ("gen/**",))(path) == reason
