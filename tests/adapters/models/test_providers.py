"""The table of providers, held to what litellm's own sources say of them, and the addresses made of
it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from adapters.models.catalogue import providers
from adapters.models.catalogue.providers import PROVIDERS, address_of, model_of, provider, url
from adapters.models.catalogue.tables import folder

OURS = ("llama_server", "lm_studio", "ollama")  # looked for by adapters.models.catalogue.local
GENERAL = ("litellm_core_utils/get_llm_provider_logic.py", "constants.py", "main.py")


@cache
def sources(name: str) -> str:
    """Returns the part of litellm's source code that is about a provider."""
    root = folder()
    assert root is not None
    own: list[Path] = sorted((root / "llms" / name).rglob("*.py"))
    return "".join(p.read_text() for p in (*(root / g for g in GENERAL), *own))


@pytest.mark.parametrize("name", [n for n in PROVIDERS if n not in OURS])
def test_addresses_and_key_names_are_those_of_litellm(name: str) -> None:
    row, source = PROVIDERS[name], sources(name)
    for variable in (*row.keys, *row.bases):
        assert f'"{variable}"' in source, variable
    base = row.base.removeprefix("https://").removesuffix("/v1beta/openai")
    assert base.removeprefix("http://").split(":")[0] in source


DATED = {"AZURE_API_VERSION": "2024-10-21"}
DEPLOYED = "https://x/openai/deployments/a%2Fb/chat/completions?api-version=2024-10-21"
ASKED_AT: list[tuple[str, str, dict[str, str], str]] = [
    ("openai", "http://h/v1", {}, "http://h/v1/chat/completions"),
    ("azure", "https://x.example", {}, "https://x.example/openai/v1/chat/completions"),
    ("azure", "https://x/openai/v1", {}, "https://x/openai/v1/chat/completions"),
    ("azure", "https://x", DATED, DEPLOYED),
    ("anthropic", "https://h", {}, "https://h/v1/messages"),
    ("anthropic", "https://h/v1", {}, "https://h/v1/messages"),
]


def test_where_a_model_is_asked() -> None:
    for name, base, env, expected in ASKED_AT:
        assert url(PROVIDERS[name], base, "a/b", env) == expected


def test_an_address_comes_from_the_first_variable_that_is_set() -> None:
    row = PROVIDERS["lambda_ai"]
    assert address_of("lambda_ai", row, {}) == ("https://api.lambda.ai/v1", "LAMBDA_API_BASE")
    own, usual = {"LAMBDA_API_BASE": "http://a/"}, {"LAMBDA_AI_BASE_URL": "http://b"}
    assert address_of("lambda_ai", row, own | usual) == ("http://a", "LAMBDA_API_BASE")
    assert address_of("lambda_ai", row, usual) == ("http://b", "LAMBDA_AI_BASE_URL")


def test_names_as_the_providers_themselves_write_them() -> None:
    assert model_of(PROVIDERS["openrouter"], "auto") == "openrouter/auto"
    assert model_of(PROVIDERS["openrouter"], "openai/gpt-5") == "openai/gpt-5"
    assert model_of(PROVIDERS["fireworks_ai"], "glm") == "accounts/fireworks/models/glm"


def test_litellms_list_of_small_providers_adds_rows_and_replaces_none() -> None:
    row = provider("scaleway")
    assert row is not None
    assert (row.base, row.keys) == ("https://api.scaleway.ai/v1", ("SCW_SECRET_KEY",))
    assert provider("bedrock") is None
    assert provider("openai") is PROVIDERS["openai"]
    assert {"openai", "anthropic", "scaleway"} <= providers.names()
