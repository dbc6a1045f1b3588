"""Examples of documentation and credentials made up for tests are replaced, and are no findings."""

from __future__ import annotations

import pytest

from adapters.diffs.patches import parse
from adapters.material.proven import proven_findings
from tests.adapters.redaction.test_redaction import SECRETS
from tests.end_to_end.diffs import adding

EXAMPLES = (
    "AKIA" + "IOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "ghp_" + "1234567890" * 3 + "123456",
    "sk_test_" + "abcdefgh" * 3,
    "xoxb-" + "123456789012-123456789012-" + "a" * 24,
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
)


def titles(path: str, line: str) -> list[str]:
    return [one.title for one in proven_findings(parse(adding(path, line)))]


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
@pytest.mark.parametrize("path", ["docs/setup.md", "app/settings.py", "tests/test_keys.py"])
def test_a_documented_example_is_no_finding(path: str, example: str) -> None:
    assert titles(path, f'secret_key = "{example}"') == []


def test_a_made_up_password_is_a_finding_outside_tests_only() -> None:
    line = 'PASSWORD = "k8fj2md93ls0"'
    assert titles("tests/test_login.py", line) == []
    assert titles("app/settings.py", line) == ["A secret is added (generic-api-key)"]


@pytest.mark.parametrize("path", ["app/settings.py", "tests/test_keys.py"])
def test_a_secret_of_a_known_kind_is_a_finding_everywhere(path: str) -> None:
    assert titles(path, f'key = "{SECRETS["github-pat"]}"') == ["A secret is added (github-pat)"]
