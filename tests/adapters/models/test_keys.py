"""Which variables hold keys, which set addresses, and where local servers are looked for."""

from __future__ import annotations

import pytest

from adapters.models.catalogue.choice import choose
from adapters.models.catalogue.keys import is_key, is_setting, key_of, missing, names_of, secrets
from adapters.models.catalogue.local import addresses
from core.languages import speaking

KEYS = "OPENAI_API_KEY HOUSE_7_API_KEY AWS_SECRET_ACCESS_KEY ANTHROPIC_AUTH_TOKEN"
SETTINGS = "OLLAMA_HOST AZURE_API_VERSION HOUSE_API_BASE HOUSE_BASE_URL"
OTHERS = "_API_KEY OPENAI_API_KEYS openai_api_key HOUSE_BASE PATH"


@pytest.mark.parametrize("name", f"{KEYS} {SETTINGS} {OTHERS}".split())
def test_a_variable_is_known_by_its_name(name: str) -> None:
    assert is_key(name) is (name in KEYS.split())
    assert is_setting(name) is (name in SETTINGS.split())


def test_any_of_a_provider_s_variables_is_its_key_and_the_first_is_named() -> None:
    assert names_of("anthropic") == ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    assert missing("anthropic", {}) == "ANTHROPIC_API_KEY"
    assert missing("anthropic", {"ANTHROPIC_API_KEY": ""}) == "ANTHROPIC_API_KEY"
    assert missing("anthropic", {"ANTHROPIC_AUTH_TOKEN": "x"}) == ""
    assert key_of("anthropic", {"ANTHROPIC_AUTH_TOKEN": "x"}) == "ANTHROPIC_AUTH_TOKEN"
    assert key_of("anthropic", {}) == ""
    assert missing("nobody", {}) == missing("ollama", {}) == ""


def test_every_value_that_may_be_a_secret_is_known_and_no_other() -> None:
    env = {
        "OPENAI_API_KEY": "12345678",
        "AZURE_CLIENT_ID": "abcdefgh",
        "SLACK_BOT_TOKEN": "ijklmnopq",
        "MY_PASSWORD": "secret-word",
        "GEMINI_API_KEY": "1234567",
        "HOME": "/home/somebody",
        "ACME_KEY": "named in a file of models",
    }
    keys = ("12345678", "abcdefgh", "ijklmnopq", "secret-word", "named in a file of models")
    assert secrets(env) == keys


@pytest.mark.parametrize(
    ("env", "ollama"),
    [
        ({}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434"),  # noqa: S104  read, never bound
        ({"OLLAMA_HOST": ":9"}, "http://127.0.0.1:9"),
        ({"OLLAMA_HOST": "gpu.example"}, "http://gpu.example:11434"),
        ({"OLLAMA_HOST": "https://gpu.example:9/v1"}, "https://gpu.example:9"),
        ({"OLLAMA_HOST": "[::1]"}, "http://[::1]:11434"),
        ({"OLLAMA_API_BASE": "http://gpu.example"}, "http://gpu.example:11434"),
        ({"OLLAMA_HOST": "a", "OLLAMA_API_BASE": "b"}, "http://a:11434"),
    ],
)
def test_a_local_server_is_looked_for_where_its_variable_says(
    env: dict[str, str], ollama: str
) -> None:
    assert addresses(env)["ollama"] == ollama


def test_the_other_local_servers_have_their_usual_ports() -> None:
    assert addresses({}) == {
        "ollama": "http://127.0.0.1:11434",
        "lm_studio": "http://127.0.0.1:1234",
        "llama_server": "http://127.0.0.1:8080",
    }
    named = addresses({"LM_STUDIO_API_BASE": "a", "LLAMA_SERVER_API_BASE": "b"})
    assert (named["lm_studio"], named["llama_server"]) == ("http://a:1234", "http://b:8080")


def test_keys_stand_for_their_makers_models_and_names_come_before_them() -> None:
    assert choose({"OPENAI_API_KEY": "k"}, ()) == (
        ("openai/gpt-5",),
        "openai/gpt-5 (OPENAI_API_KEY is set): the material is sent to this provider",
    )
    names, reason = choose({"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"}, ())
    assert names == ("openai/gpt-5", "gemini/gemini-2.5-pro")
    assert reason.endswith("is set): the material is sent to these providers")
    with speaking("de"):
        assert choose({"OPENAI_API_KEY": "k"}, ())[1] == (
            "openai/gpt-5 (OPENAI_API_KEY ist gesetzt): das Material geht an diesen Anbieter"
        )
    env = {"OPENAI_API_KEY": "k", "DEBATE_MODELS": " a/b,, c/d "}
    assert choose(env, ())[0] == ("a/b", "c/d")
    assert choose(env, ("e/f",))[1] == "e/f: named by DEBATE_MODELS"
