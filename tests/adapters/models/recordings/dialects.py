"""Every dialect with its recordings, pointed at the stand-in (``BASE``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.adapters.models.recordings import KEY, Dialect, Recording
from tests.adapters.models.recordings.anthropic import ANTHROPIC
from tests.adapters.models.recordings.compatible import (
    DEEPSEEK,
    GROQ,
    IN_THE_TOTAL,
    MISTRAL,
    MOONSHOT,
    OPENROUTER,
    PERPLEXITY,
    VLLM,
)
from tests.adapters.models.recordings.openai import AZURE, OPENAI

V1 = "/v1/chat/completions"
NO_KEY = ("Authorization", "")


def keyed(model: str, *recordings: Mapping[str, Recording], base: str = "/v1") -> Dialect:
    """Returns a provider of OpenAI's protocol with the usual names of its variables."""
    name = model.partition("/")[0].upper()
    env = {f"{name}_API_KEY": KEY, f"{name}_API_BASE": f"BASE{base}"}
    made = Dialect(model, env, f"{base}/chat/completions")
    return replace(made, recordings=recordings[0]) if recordings else made


DIALECTS: Mapping[str, Dialect] = {
    "openai": keyed("openai/gpt-4.1", OPENAI),
    "azure": Dialect(
        "azure/our gpt",
        {"AZURE_API_KEY": KEY, "AZURE_API_BASE": "BASE", "AZURE_API_VERSION": "2024-10-21"},
        "/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21",
        ("api-key", KEY),
        AZURE,
    ),
    "gemini": keyed("gemini/gemini-2.5-flash", IN_THE_TOTAL, base="/v1beta/openai"),
    "groq": keyed("groq/openai/gpt-oss-120b", GROQ, base="/openai/v1"),
    "mistral": keyed("mistral/mistral-large-latest", MISTRAL),
    "deepseek": keyed("deepseek/deepseek-reasoner", DEEPSEEK, base="/beta"),
    "xai": keyed("xai/grok-4.3", IN_THE_TOTAL),
    "openrouter": keyed("openrouter/anthropic/claude-sonnet-4.5", OPENROUTER, base="/api/v1"),
    "perplexity": Dialect(
        "perplexity/sonar",
        {"PERPLEXITYAI_API_KEY": KEY, "PERPLEXITY_API_BASE": "BASE"},
        "/chat/completions",
        recordings=PERPLEXITY,
    ),
    "moonshot": keyed("moonshot/kimi-k2.5", MOONSHOT),
    "cerebras": keyed("cerebras/gpt-oss-120b"),
    "vllm": keyed("hosted_vllm/Qwen/Qwen3-32B", VLLM),
    "ollama": Dialect("ollama/qwen3", {"OLLAMA_HOST": "BASE"}, V1, NO_KEY),
    "llama-server": Dialect("llama_server/qwen3", {"LLAMA_SERVER_API_BASE": "BASE"}, V1, NO_KEY),
    "a gateway of litellm's list": Dialect(
        "scaleway/qwen3", {"SCW_SECRET_KEY": KEY, "SCALEWAY_API_BASE": "BASE/v1"}, V1
    ),
    "anthropic": Dialect(
        "anthropic/claude-sonnet-4-5",
        {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": "BASE"},
        "/v1/messages",
        ("x-api-key", KEY),
        ANTHROPIC,
    ),
}
