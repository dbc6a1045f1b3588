"""Groups models by their maker: agreement inside one family is worth less than agreement across
families.
"""

from __future__ import annotations

import re

_MAKERS = {
    "openai": ("gpt", "chatgpt", "o", "davinci", "codex"),
    "anthropic": ("claude",),
    "google": ("gemini", "gemma", "palm"),
    "meta": ("llama", "meta", "codellama"),
    "mistral": ("mistral", "mixtral", "codestral", "magistral", "ministral", "devstral"),
    "alibaba": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "xai": ("grok",),
    "cohere": ("command", "cohere", "aya"),
    "microsoft": ("phi",),
}
_FAMILY = {prefix: maker for maker, prefixes in _MAKERS.items() for prefix in prefixes}


def family(model: str) -> str:
    """Returns the maker of a model by its name, wherever it is served ("ollama/qwen3:1.7b" is
    alibaba's), else its provider.
    """
    provider, _, name = model.casefold().rpartition("/")
    prefix = re.split(r"[^a-z]", name, maxsplit=1)[0]
    return _FAMILY.get(prefix) or provider.partition("/")[0] or prefix or name
