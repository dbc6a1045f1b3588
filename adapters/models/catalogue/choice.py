"""Chooses the models of a debate for which nobody named any, with a sentence that gives the
reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adapters.models.catalogue import keys, local

_BETTER = "For real reviews set a provider's key or start a local model server."


@dataclass(frozen=True, slots=True)
class DefaultModels:
    """The models of a debate for which nobody named any, and the sentence that says why, to be
    shown before a word is sent.
    """

    names: tuple[str, ...]
    reason: str


def choose(env: Mapping[str, str], configured: Sequence[str]) -> DefaultModels:
    """Configured names, else one model per provider key, else a local server, else the embedded
    model. Blocks for 0.2 s at most.
    """
    named = tuple(configured) or tuple(
        n.strip() for n in env.get("DEBATE_MODELS", "").split(",") if n.strip()
    )
    if named:
        return DefaultModels(named, f"{', '.join(named)}: named by DEBATE_MODELS")
    if keyed := [
        (model, keys.key_of(provider, env))
        for provider, model in keys.PREFERRED
        if keys.key_of(provider, env)
    ]:
        names = tuple(model for model, _ in keyed)
        text = ", ".join(f"{model} ({key} is set)" for model, key in keyed)
        whom = "these providers"
        if len(names) == 1:
            whom = "this provider"
        return DefaultModels(names, f"{text}: the material is sent to {whom}")
    for kind, models in local.detect(env).items():
        names, base = tuple(models[:3]), f"{local.addresses(env)[kind]}/v1"
        return DefaultModels(
            names,
            f"{', '.join(names)}: a local server answers at {base}, nothing leaves this machine",
        )
    return DefaultModels(
        ("embedded",),
        "embedded: no key is set and no local server answers; its verdicts are a "
        f"demonstration only. {_BETTER}",
    )
