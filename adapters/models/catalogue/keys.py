"""The environment variables that hold providers' keys.

A missing key is noticed before a debate starts, because litellm's own errors for it mislead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from adapters.models.catalogue import providers

OTHERS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_AUTH_TOKEN",),
    "azure": ("AZURE_AD_TOKEN", "AZURE_CLIENT_ID"),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
}
"""Credentials that only litellm knows how to use."""

KEYS: Mapping[str, tuple[str, ...]] = {
    name: (*row.keys, *OTHERS.get(name, ()))
    for name, row in providers.PROVIDERS.items()
    if row.keys
} | {name: OTHERS[name] for name in ("cohere", "cohere_chat")}
"""The variables that may hold each provider's key: the first one is shown to people, and any one
suffices. The key of a provider that is not here is not checked beforehand.
"""

_KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY", re.ASCII)
_KEY_NAMES = frozenset(name for names in KEYS.values() for name in names) | {
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
}
_ADDRESS_NAME = re.compile(r"[A-Z][A-Z0-9_]*_(?:API_BASE|BASE_URL)", re.ASCII)
_SETTING_NAMES = frozenset(
    {
        "AWS_REGION_NAME",
        "AZURE_API_VERSION",
        "DEBATE_EMBEDDED_THREADS",
        "DEBATE_EMBEDDED_URL",
        "DEBATE_EMBEDDED_WEIGHTS",
        "DEBATE_LOCAL_WINDOW",
        "DEBATE_MODELS_FILE",
        "OLLAMA_CONTEXT_LENGTH",
        "OLLAMA_HOST",
    }
)

PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-4-5"),
    ("openai", "openai/gpt-5"),
    ("gemini", "gemini/gemini-2.5-pro"),
    ("mistral", "mistral/mistral-large-latest"),
    ("deepseek", "deepseek/deepseek-chat"),
    ("xai", "xai/grok-4.3"),
    ("groq", "groq/openai/gpt-oss-120b"),
    ("openrouter", "openrouter/anthropic/claude-sonnet-4.5"),
)
"""The model for a provider's key if nobody named a model: each maker's middle class, which reviews
well at its price.
"""


def is_key(name: str) -> bool:
    """True if a variable of that name holds only a provider's key."""
    return name in _KEY_NAMES or bool(_KEY_NAME.fullmatch(name))


def is_setting(name: str) -> bool:
    """True if a variable of that name sets a provider's address or an option of a model."""
    return name in _SETTING_NAMES or bool(_ADDRESS_NAME.fullmatch(name))


def names_of(provider: str) -> tuple[str, ...]:
    """Returns the variables that may hold the provider's key; none if it needs no key that
    we know.
    """
    row = providers.provider(provider)
    return KEYS.get(provider) or (row.keys if row is not None else ())


def key_of(provider: str, env: Mapping[str, str]) -> str:
    """Returns the name of the variable that holds the provider's key, empty if none is set."""
    return next((name for name in names_of(provider) if env.get(name)), "")


def missing(provider: str, env: Mapping[str, str]) -> str:
    """Returns the name of the variable to set, empty if nothing is missing or the provider needs no
    key that we know of.
    """
    names = names_of(provider)
    if not names or key_of(provider, env):
        return ""
    return names[0]


def secrets(env: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the values of all keys that are set, so that they can be struck out of any text."""
    names = {n for group in KEYS.values() for n in group}
    ends = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
    return tuple(v for k, v in env.items() if len(v) >= 8 and (k in names or k.endswith(ends)))
