"""What is measured on, and the options that belong to it."""

from __future__ import annotations

import pytest

from bot.shell.evaluate import name_of
from core.application.commands.evaluate import read_evaluate
from core.debate.errors import BadInput


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (["cases/one"], "one"), (["--set", "sets/history.toml"], "history"),
        (["--mine", "o/shop"], "shop"), (["."], ""),
    ],
)  # fmt: skip
def test_a_measurement_has_one_source_and_a_name(typed: list[str], name: str) -> None:
    made = name_of(read_evaluate(typed))
    assert made == name if name else made


@pytest.mark.parametrize(
    "typed",
    [[], ["a", "--set", "history"], ["a", "--mine", "o/r"], ["--set", "x", "--mine", "o/r"]],
)
def test_none_or_two_sources_are_refused(typed: list[str]) -> None:
    with pytest.raises(BadInput, match="It needs one of"):
        read_evaluate(typed)


def test_options_belong_to_their_source() -> None:
    for option in ("--languages=python", "--fixed-since=2026-01-31"):
        name = option.partition("=")[0]
        assert read_evaluate(["--set", "history", option]).set == "history"
        for other in (["cases"], ["--mine", "o/r"]):
            with pytest.raises(BadInput, match=f"{name} belongs to --set"):
                read_evaluate([*other, option])
    for source in (["cases"], ["--mine", "o/r"]):
        assert read_evaluate([*source, "--yes-from=x"]).yes_from == "x"
    with pytest.raises(BadInput, match="--yes-from belongs to --mine"):
        read_evaluate(["--set", "history", "--yes-from=x"])
