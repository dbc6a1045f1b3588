"""The providers that speak OpenAI's chat protocol (or Anthropic's), their addresses, and their
differences: one row for each provider, and no branch in other code.

A provider that is not here is called through litellm. litellm's own file of small compatible
providers adds rows; a test compares the addresses and key names with litellm's. If a row is wrong
for one model, that model's refusal corrects it (``adapters.models.refusals``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from adapters.models.catalogue.tables import PROVIDERS as LISTED
from adapters.models.catalogue.tables import read_table
from adapters.text.links import address_parts
from core.debate.errors import BadInput

LOW = MappingProxyType({"reasoning_effort": "low"})
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. Empty or default means the same as OpenAI.

    ``keys`` are the variables that may hold the key, the one shown to people first; without any, a
    key is neither needed nor sent. ``bases`` are variables with another address, tried before
    ``NAME_API_BASE`` and ``NAME_BASE_URL``. ``paths`` follow the address: the first path whose
    variable is set, or that names no variable. ``prefix`` goes before a model's name that holds no
    slash. ``effort`` asks models that think to think little. ``limit`` is the name of the option
    that bounds a thinking model's answer. ``shapes`` are the ways to bind an answer to a schema,
    best first. ``marks``: the family of models to which marks of a cached prefix are passed on;
    ``breakpoints``: in OpenAI's form, to its models that need them. ``counts``: takes the option
    that asks for a stream's token counts, other providers always send them. ``charged`` are the
    keys in those counts of what the provider charges, in USD, to be added up. ``tells``: its list
    of models may give windows and prices.
    """

    base: str = ""
    keys: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    paths: tuple[tuple[str, str], ...] = (("", "/chat/completions"),)
    header: str = "Authorization"
    scheme: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    protocol: str = "openai"
    prefix: str = ""
    effort: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    limit: str = "max_tokens"
    shapes: tuple[str, ...] = ("json_schema", "json_object")
    marks: str = ""
    breakpoints: bool = False
    counts: bool = True
    charged: tuple[tuple[str, ...], ...] = ()
    tells: bool = True


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        effort=LOW,
        limit="max_completion_tokens",
        breakpoints=True,
        tells=False,
    ),
    "azure": Provider(
        "",
        ("AZURE_API_KEY",),
        paths=(
            (
                "AZURE_API_VERSION",
                "/openai/deployments/{model}/chat/completions?api-version={value}",
            ),
            ("", "/openai/v1/chat/completions"),
        ),
        header="api-key",
        scheme="",
        effort=LOW,
        limit="max_completion_tokens",
        breakpoints=True,
    ),
    "anthropic": Provider(
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        paths=(("", "/v1/messages"),),
        header="x-api-key",
        scheme="",
        headers={"anthropic-version": "2023-06-01"},
        protocol="anthropic",
        marks="anthropic",
    ),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        effort=LOW,
    ),
    "openrouter": Provider(
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY", "OR_API_KEY"),
        prefix="openrouter/",
        effort={"reasoning": {"effort": "low"}},
        marks="anthropic",
        charged=(("cost",), ("cost_details", "upstream_inference_cost")),
    ),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), counts=False),
    "codestral": Provider("https://codestral.mistral.ai/v1", ("CODESTRAL_API_KEY",), counts=False),
    "deepseek": Provider(
        "https://api.deepseek.com/beta",
        ("DEEPSEEK_API_KEY",),
        shapes=("json_object",),
    ),
    "xai": Provider("https://api.x.ai/v1", ("XAI_API_KEY",), effort=LOW),
    "groq": Provider(
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        effort=LOW,
        limit="max_completion_tokens",
    ),
    "cerebras": Provider(
        "https://api.cerebras.ai/v1",
        ("CEREBRAS_API_KEY",),
        effort=LOW,
        limit="max_completion_tokens",
    ),
    "together_ai": Provider(
        "https://api.together.ai/v1",
        ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
        bases=("TOGETHER_AI_API_BASE",),
    ),
    "fireworks_ai": Provider(
        "https://api.fireworks.ai/inference/v1",
        ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
        bases=("FIREWORKS_API_BASE",),
        prefix="accounts/fireworks/models/",
    ),
    "deepinfra": Provider("https://api.deepinfra.com/v1/openai", ("DEEPINFRA_API_KEY",)),
    "perplexity": Provider(
        "https://api.perplexity.ai",
        ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
        charged=(("cost", "total_cost"),),
    ),
    "moonshot": Provider("https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    "zai": Provider("https://api.z.ai/api/paas/v4", ("ZAI_API_KEY",), shapes=("json_object",)),
    "dashscope": Provider(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_API_KEY",)
    ),
    "nvidia_nim": Provider("https://integrate.api.nvidia.com/v1", ("NVIDIA_NIM_API_KEY",)),
    "sambanova": Provider("https://api.sambanova.ai/v1", ("SAMBANOVA_API_KEY",)),
    "nebius": Provider("https://api.studio.nebius.ai/v1", ("NEBIUS_API_KEY",)),
    "novita": Provider("https://api.novita.ai/v3/openai", ("NOVITA_API_KEY",)),
    "hyperbolic": Provider("https://api.hyperbolic.xyz/v1", ("HYPERBOLIC_API_KEY",)),
    "featherless_ai": Provider(
        "https://api.featherless.ai/v1", ("FEATHERLESS_AI_API_KEY", "FEATHERLESS_API_KEY")
    ),
    "lambda_ai": Provider(
        "https://api.lambda.ai/v1", ("LAMBDA_API_KEY",), bases=("LAMBDA_API_BASE",)
    ),
    "nscale": Provider("https://inference.api.nscale.com/v1", ("NSCALE_API_KEY",)),
    "friendliai": Provider(
        "https://api.friendli.ai/serverless/v1",
        ("FRIENDLIAI_API_KEY", "FRIENDLI_TOKEN"),
        bases=("FRIENDLI_API_BASE",),
    ),
    "meta_llama": Provider(
        "https://api.llama.com/compat/v1", ("LLAMA_API_KEY",), bases=("LLAMA_API_BASE",)
    ),
    "volcengine": Provider("https://ark.cn-beijing.volces.com/api/v3", ("VOLCENGINE_API_KEY",)),
    "minimax": Provider("https://api.minimax.io/v1", ("MINIMAX_API_KEY",)),
    "wandb": Provider("https://api.inference.wandb.ai/v1", ("WANDB_API_KEY",)),
    "vercel_ai_gateway": Provider(
        "https://ai-gateway.vercel.sh/v1", ("VERCEL_AI_GATEWAY_API_KEY",), marks="anthropic"
    ),
    "github": Provider("https://models.inference.ai.azure.com", ("GITHUB_API_KEY",)),
    "litellm_proxy": Provider(marks="anthropic"),
    "hosted_vllm": Provider(),
    "llamafile": Provider("http://127.0.0.1:8080/v1"),
    "ollama": Provider(),
    "lm_studio": Provider(),
    "llama_server": Provider(),
}
"""``litellm_proxy``, ``hosted_vllm`` and the local servers take a key if ``NAME_API_KEY`` is set;
``azure``, ``litellm_proxy`` and ``hosted_vllm`` have only the address that is set.
"""


@cache
def _listed() -> Mapping[str, Provider]:
    """litellm's file of small providers that use OpenAI's protocol unchanged."""
    rows = read_table(LISTED)
    return {
        name: Provider(
            str(row["base_url"]).rstrip("/"),
            (str(row["api_key_env"]),),
            bases=(str(row["api_base_env"]),) if "api_base_env" in row else (),
        )
        for name, row in rows.items()
        if "base_url" in row and "api_key_env" in row and "headers" not in row
    }


def provider(name: str) -> Provider | None:
    """Returns the row of a provider, None for a provider that only litellm can ask."""
    return PROVIDERS.get(name) or _listed().get(name)


def names() -> frozenset[str]:
    return frozenset(PROVIDERS) | frozenset(_listed())


def address_of(name: str, row: Provider, env: Mapping[str, str]) -> tuple[str, str]:
    """Returns the provider's address and the variable that sets it, or would; the address is empty
    if it has no default and is not set. Raises ``BadInput`` for a text that is no address.
    """
    tried = (*row.bases, f"{name.upper()}_API_BASE", f"{name.upper()}_BASE_URL")
    variable = next((v for v in tried if env.get(v)), "")
    if not variable:
        return row.base.rstrip("/"), tried[0]
    parts = address_parts(env[variable])
    if parts is None or parts.scheme not in ("http", "https"):
        raise BadInput(f"{variable} is no address: write it like https://example.org/v1.")
    return env[variable].rstrip("/"), variable


def url(row: Provider, base: str, model: str, env: Mapping[str, str]) -> str:
    """Returns the address of a model of the provider.

    An address that ends as the path begins (``…/openai/v1``) does not get it twice.
    """
    variable, path = next((v, p) for v, p in row.paths if not v or env.get(v))
    filled = path.format(model=quote(model, safe=""), value=env.get(variable, ""))
    starts = [filled[:n] for n in range(len(filled), 0, -1) if filled[n : n + 1] == "/"]
    given = next((start for start in starts if base.endswith(start)), "")
    return base + filled[len(given) :]


def model_of(row: Provider, name: str) -> str:
    """Returns the model's name as the provider itself knows it."""
    if "/" in name or not row.prefix:
        return name
    return row.prefix + name
