"""The rules that a repository keeps for its reviewers, by changed path, and the files that its
``.gitattributes`` keep out of a review.
"""

import pytest

from adapters.repository.project_rules import excluded_by, is_rule_file, rules_for
from adapters.repository.project_texts import project_texts

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


FOR_ALL = ["AGENTS.md", ".github/copilot-instructions.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize(
    ("changed", "titles"),
    [
        ("web/deep/a.js", ["web/deep/CLAUDE.md (for web/deep/)", "web/AGENTS.md (for web/)"]),
        ("a.py", [".github/instructions/py.instructions.md (for **/*.py, *.pyi)"]),
        ("webs/a.js", []),
    ],
)
def test_rules_apply_by_folder_and_pattern_the_nearest_first(
    changed: str, titles: list[str]
) -> None:
    files = [rule for rule in RULES if is_rule_file(rule[0])]
    assert [rule.title for rule in rules_for(files, [changed])] == titles + FOR_ALL


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


GUIDE = """\
# Contributing

Thank you! %s

## Code of conduct

Be kind.

## Python

Type everything in Python.

## Reviews

A reviewer looks at the tests first.

## The web

Files of web/ use spaces.

## Releases

Tag them.
""" % ("We like you. " * 60)


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        (["src/a.py"], ["## Python", "## Reviews"]),
        (["web/a.css"], ["## Reviews", "## The web"]),
        (["docs/a.md"], ["## Reviews"]),
    ],
)
def test_of_a_long_guide_only_what_concerns_the_review_is_read(
    changed: list[str], kept: list[str]
) -> None:
    (rule,) = rules_for([("CONTRIBUTING.md", GUIDE)], changed)
    assert [line for line in rule.text.split("\n") if line.startswith("#")] == kept
    assert rule.title == "CONTRIBUTING.md (only what it says of reviews and the changed files)"


def test_a_guide_that_says_nothing_of_them_is_named_and_not_read() -> None:
    read = project_texts([("CONTRIBUTING.md", GUIDE.partition("## Python")[0])], ["a.py"], 4000)
    assert (read.rules, read.names) == ("", ())
    assert read.notes == ("CONTRIBUTING.md says nothing of reviews or of the changed files.",)


def test_a_guide_has_a_bound() -> None:
    (rule,) = rules_for([("CONTRIBUTING.md", f"# Reviews\n\n{'Look well. ' * 9000}")], ["a.py"])
    assert len(rule.text) < 3010
    assert rule.text.endswith("…[cut]")


@pytest.mark.parametrize(
    ("apply", "matches"),
    [
        ('applyTo: "**/*.{ts,tsx}"', True),
        ("applyTo: '**/*.py,**/*.tsx'", True),
        ("applyTo:\n  - '**/*.py'\n  - '**/*.{ts,tsx}'", True),
        ("applyTo:\n- app/**", True),
        ('applyTo: ["**/*.py", "app/**"]', True),
        ("applyTo: app/[id]/**", True),
        ("applyto: '**'", True),
        ('applyTo: "**/*.{ts,js}"', False),
        ("applyTo: ''", False),
        ("description: '**/*.tsx'", False),
    ],
)
def test_the_forms_of_patterns_that_instructions_apply_to(apply: str, matches: bool) -> None:
    files = [(".github/instructions/a.instructions.md", f"---\n{apply}\n---\nRule.\n")]
    assert bool(rules_for(files, ["app/[id]/page.tsx"])) is matches


def test_a_pattern_of_attributes_may_hold_white_space() -> None:
    marks = '"my files/*.c" linguist-generated\n*.{h,hpp} linguist-vendored\n'
    reason = excluded_by([(".gitattributes", marks)], ())
    assert reason("my files/a.c") == "generated (.gitattributes)"
    assert reason("files/a.c") == ""
    assert reason("a.h") == ""  # git knows no braces


def test_braces_without_end_take_no_time() -> None:
    assert not excluded_by((), ("{a,b}" * 40 + "{", "x{y"))("a")
