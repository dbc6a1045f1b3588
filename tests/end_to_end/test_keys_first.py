"""A wrong key or no network is one line, before any price or round."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from aiohttp import web

from bot.settings import read
from tests.end_to_end.shell import EXAMPLE, aside, debates, environment, process
from tests.standins.thinking import Thinking, thinking

KEY = "sk-test-0123456789abcdef"


@pytest.mark.parametrize("template", ["code_review", "panel"])
def test_a_refused_key_is_one_line_before_the_price(tmp_path: Path, template: str) -> None:
    state = Thinking()
    state.lists = lambda: web.json_response(
        {"error": {"message": "Incorrect API key provided"}}, status=401
    )
    target = str(EXAMPLE) if template == "code_review" else "Shall we move to one database?"
    with aside(thinking(state)) as provider:
        env = environment(
            OPENAI_API_KEY=KEY,
            OPENAI_API_BASE=f"{provider.base}/v1",
            DEBATE_MODELS="openai/gpt-5.6,openai/gpt-5.4",
        )
        ran = process(tmp_path, template, target, "--yes", env=env)
    lines = ran.err.strip().splitlines()
    assert (ran.code, ran.out, len(lines)) == (3, "", 1), ran.err
    assert lines[0].startswith("debate: openai/gpt-5.6: bad key (HTTP 401")
    assert "set OPENAI_API_KEY" in lines[0]
    assert (state.requests, debates(tmp_path)) == ([], 0)


def test_a_line_end_after_a_key_is_no_part_of_it_and_one_inside_is_one_line(tmp_path: Path) -> None:
    """Files that hold a secret end in one."""
    env = environment(OPENAI_API_KEY=f"{KEY}\r\n", DEBATE_MODELS="openai/gpt-5.6")
    assert read(env, tmp_path).env["OPENAI_API_KEY"] == KEY
    with aside(thinking(Thinking())) as provider:
        broken = env | {
            "OPENAI_API_KEY": f"{KEY[:9]}\n{KEY[9:]}",
            "OPENAI_API_BASE": f"{provider.base}/v1",
        }
        ran = process(tmp_path, "code_review", str(EXAMPLE), "--yes", env=broken)
    assert (ran.code, ran.out, debates(tmp_path)) == (2, "", 0)
    assert ran.err == (
        "debate: OPENAI_API_KEY holds a line break or another character that no key has: copy the "
        "key again.\n"
    )


def test_no_network_is_one_line_before_the_price(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{closed.getsockname()[1]}"
        keys = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": base}
        env = environment(DEBATE_MODELS="anthropic/claude-sonnet-5", **keys)
        ran = process(tmp_path, "code_review", str(EXAMPLE), "--yes", env=env)
    lines = ran.err.strip().splitlines()
    assert (ran.code, ran.out, len(lines)) == (3, "", 1), ran.err
    assert "it refused the connection" in lines[0]
    assert debates(tmp_path) == 0
