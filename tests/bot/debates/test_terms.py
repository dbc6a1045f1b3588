"""Time limit, temperature and convergence are the request's, else the template's, else the
installation's, and they reach the models.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.debates.opening.request import request_of
from bot.settings import read
from bot.wire.parts import open_parts
from core.application.commands import Start, parse
from core.debate.errors import BadInput
from tests.standins.openai import Say, openai

MINE = """
id = "mine"
material = "question"
[[roles]]
name = "one"
[[roles]]
name = "two"
[[phases]]
name = "first"
roles_active = ["one", "two"]
"""
INSTALLED = {"DEBATE_TIMEOUT": "3m", "DEBATE_TEMPERATURE": "0.2", "DEBATE_CONVERGENCE": "0.4"}


@pytest.mark.parametrize(
    ("template", "typed", "env", "expected"),
    [
        ("", "", {}, (None, None, None)),
        ("", "", INSTALLED, (180.0, 0.2, 0.4)),
        (
            "timeout = 45\ntemperature = 0.7\nconvergence_threshold = 0.1",
            "",
            INSTALLED,
            (45.0, 0.7, 0.1),
        ),
        ("timeout = 45", " --timeout 20s", {"DEBATE_TIMEOUT": "3m"}, (20.0, None, None)),
    ],
)
async def test_the_nearest_word_holds_and_reaches_the_models(
    tmp_path: Path,
    template: str,
    typed: str,
    env: dict[str, str],
    expected: tuple[float | None, float | None, float | None],
) -> None:
    (tmp_path / "mine.toml").write_text(template + MINE)
    async with openai() as provider:
        provider.answers = [Say(("{}",))]
        settings = read(
            {
                "DEBATE_DATABASE_URL": str(tmp_path / "debate.db"),
                "DEBATE_TEMPLATES_DIR": str(tmp_path),
                "DEBATE_MODELS": "openai/gpt-4.1",
                "OPENAI_API_KEY": "sk-test-0123456789abcdef",
                "OPENAI_API_BASE": provider.base,
                **env,
            }
        )
        async with open_parts(settings) as parts:
            ask = parse(f"mine Tabs or spaces?{typed}", templates=("mine",), prefix="debate")
            assert isinstance(ask, Start)
            request = request_of(ask, asker="shell:ann", place="shell:ann")
            prepared = await parts.service.prepare(request)
            await parts.player.play(await parts.service.open(prepared))
        assert {body.get("temperature") for body in provider.requests} == {expected[1]}
    terms = prepared.opened.terms
    assert (terms.timeout, terms.temperature, terms.convergence) == expected


def test_what_is_no_term_is_refused() -> None:
    for name, value in (
        ("DEBATE_TIMEOUT", "soon"),
        ("DEBATE_TEMPERATURE", "3"),
        ("DEBATE_TEMPERATURE", "nan"),
        ("DEBATE_CONVERGENCE", "1.1"),
        ("DEBATE_UNKNOWN_PRICE", "maybe"),
    ):
        with pytest.raises(BadInput, match=name):
            read({name: value})
    for typed in ("0s", "2h", "off", "soon"):  # a time limit is between nothing and an hour
        with pytest.raises(BadInput, match="--timeout"):
            parse(f"panel Tabs? --timeout {typed}", templates=("panel",), prefix="debate")
