"""Decision records of a repository: which are read, in which order, and where a new one goes."""

import pytest

from adapters.repository.decision_records import next_file, records_for

HELD = "# {}\n\n## Status\n\nAccepted\n\n## Decision\n\n{}\n"


@pytest.mark.parametrize(
    ("path", "text", "titles"),
    [
        ("docs/adr/0007-money.md", HELD.format("7. Money is integers", ""), ["Money is integers"]),
        ("docs/decisions/0007-m.md", "---\nstatus: accepted\n---\n# Money\n", ["Money"]),
        ("doc/adr/0007-m.md", "# ADR-0007: Money\n\n* Status: accepted\n", ["Money"]),
        ("adr/7-m.md", "# 2FA for admins\n", ["2FA for admins"]),  # merged, so it holds
        ("docs/adr/0007-m.md", "---\nstatus: superseded by ADR-0009\n---\n# Money\n", []),
        ("docs/adr/0007-m.md", "# Money\n\n## Status\n\nAccepted\n\nSuperseded by 9\n", []),
        ("docs/adr/0007-m.md", "# Money\n\n- **Status**: rejected\n", []),
        ("docs/adr/0007-m.md", "# Money\n\nStatus: Proposed\n", []),
        ("docs/adr/0007-m.md", "# Money\n\n## Status\n\nDeprecated\n", []),
        ("docs/adr/0000-template.md", "# Title\n", []),
        ("docs/adr/README.md", "# Records\n", []),
        ("docs/0007-m.md", "# Money\n", []),
    ],
)
def test_only_records_that_hold_are_read(path: str, text: str, titles: list[str]) -> None:
    assert [record.title for record in records_for([(path, text)], ["a.py"])] == titles


def test_the_nearest_to_the_changed_paths_come_first_then_the_newest() -> None:
    files = [
        ("docs/adr/0001-a.md", HELD.format("Logs are JSON", "")),
        ("docs/adr/0002-b.md", HELD.format("Money is integers", "In payments, cents.")),
        ("docs/adr/0003-c.md", HELD.format("Payments retry", "")),
        ("docs/adr/0004-d.md", HELD.format("Queues", "")),
    ]
    near = records_for(files, ["shop/payments/money.py", "tests/test_money.py"])
    assert [record.number for record in near] == ["0002", "0003", "0004", "0001"]


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ([], "docs/decisions/0001-money.md"),
        ([("docs/adr", ["README.md"])], "docs/decisions/0001-money.md"),
        ([("docs/adr", []), ("adr", ["0009-a.md", "0012-b.md"])], "adr/0013-money.md"),
        ([("doc/adr", ["7-a.md"])], "doc/adr/8-money.md"),
        ([("docs/adr", ["adr-099-a.md"])], "docs/adr/100-money.md"),
    ],
)
def test_a_new_record_goes_where_records_are(names: list[tuple[str, list[str]]], path: str) -> None:
    assert next_file(names, "money") == path
