"""Every dialect with its recordings, pointed at the stand-in (``BASE``)."""

from __future__ import annotations

from collections.abc import Mapping

from tests.adapters.models.recordings import KEY, PLAIN, Dialect, Recording
from tests.adapters.models.recordings.anthropic import ANTHROPIC
from tests.adapters.models.recordings.compatible import (
    CEREBRAS,
    DEEPSEEK,
    GEMINI,
    GROQ,
    LLAMA_SERVER,
    MISTRAL,
    MOONSHOT,
    OLLAMA,
    OPENROUTER,
    PERPLEXITY,
    VLLM,
    XAI,
)
from tests.adapters.models.recordings.openai import AZURE, OPENAI

V1 = "/v1/chat/completions"
DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(
        "openai/gpt-4.1", {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": "BASE/v1"}, V1,
        recordings=OPENAI,
    ),
    "azure": Dialect(
        "azure/our gpt",
        {"AZURE_API_KEY": KEY, "AZURE_API_BASE": "BASE", "AZURE_API_VERSION": "2024-10-21"},
        "/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21",
        ("api-key", KEY),
        AZURE,
    ),
    "gemini": Dialect(
        "gemini/gemini-2.5-flash",
        {"GEMINI_API_KEY": KEY, "GEMINI_API_BASE": "BASE/v1beta/openai"},
        "/v1beta/openai/chat/completions",
        recordings=GEMINI,
    ),
    "groq": Dialect(
        "groq/openai/gpt-oss-120b",
        {"GROQ_API_KEY": KEY, "GROQ_API_BASE": "BASE/openai/v1"},
        "/openai/v1/chat/completions",
        recordings=GROQ,
    ),
    "mistral": Dialect(
        "mistral/mistral-large-latest",
        {"MISTRAL_API_KEY": KEY, "MISTRAL_API_BASE": "BASE/v1"},
        V1,
        recordings=MISTRAL,
    ),
    "deepseek": Dialect(
        "deepseek/deepseek-reasoner",
        {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": "BASE/beta"},
        "/beta/chat/completions",
        recordings=DEEPSEEK,
    ),
    "xai": Dialect(
        "xai/grok-4.3", {"XAI_API_KEY": KEY, "XAI_API_BASE": "BASE/v1"}, V1, recordings=XAI
    ),
    "openrouter": Dialect(
        "openrouter/anthropic/claude-sonnet-4.5",
        {"OPENROUTER_API_KEY": KEY, "OPENROUTER_API_BASE": "BASE/api/v1"},
        "/api/v1/chat/completions",
        recordings=OPENROUTER,
    ),
    "perplexity": Dialect(
        "perplexity/sonar",
        {"PERPLEXITYAI_API_KEY": KEY, "PERPLEXITY_API_BASE": "BASE"},
        "/chat/completions",
        recordings=PERPLEXITY,
    ),
    "moonshot": Dialect(
        "moonshot/kimi-k2.5",
        {"MOONSHOT_API_KEY": KEY, "MOONSHOT_API_BASE": "BASE/v1"},
        V1,
        recordings=MOONSHOT,
    ),
    "cerebras": Dialect(
        "cerebras/gpt-oss-120b",
        {"CEREBRAS_API_KEY": KEY, "CEREBRAS_API_BASE": "BASE/v1"},
        V1,
        recordings=CEREBRAS,
    ),
    "vllm": Dialect(
        "hosted_vllm/Qwen/Qwen3-32B",
        {"HOSTED_VLLM_API_BASE": "BASE/v1", "HOSTED_VLLM_API_KEY": KEY},
        V1,
        recordings=VLLM,
    ),
    "ollama": Dialect("ollama/qwen3", {"OLLAMA_HOST": "BASE"}, V1, ("Authorization", ""), OLLAMA),
    "llama-server": Dialect(
        "llama_server/qwen3",
        {"LLAMA_SERVER_API_BASE": "BASE"},
        V1,
        ("Authorization", ""),
        LLAMA_SERVER,
    ),
    "a gateway of litellm's list": Dialect(
        "scaleway/qwen3",
        {"SCW_SECRET_KEY": KEY, "SCALEWAY_API_BASE": "BASE/v1"},
        V1,
        recordings={"answer": Recording(PLAIN)},
    ),
    "anthropic": Dialect(
        "anthropic/claude-sonnet-4-5",
        {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": "BASE"},
        "/v1/messages",
        ("x-api-key", KEY),
        ANTHROPIC,
    ),
}  # fmt: skip
