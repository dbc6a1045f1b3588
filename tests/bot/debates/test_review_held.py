"""The default format of a review, and the models with which it is held."""

from __future__ import annotations

from pathlib import Path

from bot.debates.opening.request import request_of
from bot.wire.parts import Parts
from core.application.commands import Start, parse
from core.words.outcome import outcome
from tests.bot.conftest import held
from tests.bot.debates.provider import Provider, hosted

CONTESTED, PHASED = "contested", "phased"
CHANGE = "code_review examples/02-remember-rights.diff"
OWN = """
id = "house_rules"
findings = true
[[roles]]
name = "reader"
[[roles]]
name = "second_reader"
[[phases]]
name = "reading"
roles_active = ["reader", "second_reader"]
"""


async def format_of(parts: Parts, line: str) -> str:
    """Returns the format of the debate that a typed line would start."""
    start = parse(line, templates=("code_review", "house_rules"), prefix="debate")
    assert isinstance(start, Start)
    request = request_of(start, asker="shell:ann", place="shell:ann", files=True)
    return (await parts.service.prepare(request)).opened.script.format


async def test_a_review_argues_what_is_contested_where_nothing_says_otherwise(
    tmp_path: Path,
) -> None:
    """An Ollama server that does not answer says nothing of its window, so it counts as small."""
    env = {"DEBATE_SCRIPTED": "1", "OLLAMA_API_BASE": "http://127.0.0.1:9"}
    async with hosted(tmp_path, Provider(), **env) as parts:
        for options, format in (
            ("", CONTESTED),
            (" --rounds 2", CONTESTED),
            (" --format phased", PHASED),
            (" --turns ring", PHASED),
            (" --models scripted", PHASED),
            (" --models scripted --format contested", CONTESTED),
            (" --models scripted,openai/gpt-4.1", CONTESTED),
            (" --models ollama/qwen3,openai/gpt-4.1", PHASED),
            (" --models ollama/qwen3,openai/gpt-4.1 --format contested", CONTESTED),
        ):
            assert await format_of(parts, CHANGE + options) == format, options


async def test_the_scripted_model_debates_the_same_change_the_same_way_twice(parts: Parts) -> None:
    """A trial of the scripted model is the same each time."""
    example = CHANGE.partition(" ")[2]
    first, second = [
        await held(parts, "code_review", example, fresh=True, files=True) for _ in range(2)
    ]
    assert first.id != second.id
    assert first.concluded is not None
    assert second.concluded is not None
    assert first.concluded.decision == second.concluded.decision
    one, other = (
        [turn for at in outcome(debate)["rounds"] for turn in at["turns"]]
        for debate in (first, second)
    )
    assert one == other != []


async def test_so_is_a_template_of_your_own_whose_findings_decide(tmp_path: Path) -> None:
    (tmp_path / "house_rules.toml").write_text(OWN)
    async with hosted(tmp_path, Provider(), DEBATE_TEMPLATES_DIR=str(tmp_path)) as parts:
        assert await format_of(parts, CHANGE.replace("code_review", "house_rules")) == CONTESTED
    (tmp_path / "house_rules.toml").write_text(OWN.replace("true", "false"))
    async with hosted(tmp_path, Provider(), DEBATE_TEMPLATES_DIR=str(tmp_path)) as parts:
        assert await format_of(parts, CHANGE.replace("code_review", "house_rules")) == PHASED
