"""Chooses the models of a debate for which nobody named any, with a sentence that gives the
reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adapters.models.catalogue import keys, local
from core.languages import say, say_many


def choose(env: Mapping[str, str], configured: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Returns the models of a debate for which nobody named any, and the sentence that says why in
    the current language: configured names, else one model for each provider's key, else a local
    server's, else the embedded model. Blocks for 0.2 s at most.
    """
    named = tuple(configured) or tuple(
        n.strip() for n in env.get("DEBATE_MODELS", "").split(",") if n.strip()
    )
    if named:
        return named, say("{models}: named by DEBATE_MODELS", models=", ".join(named))
    if keyed := [
        (model, keys.key_of(provider, env))
        for provider, model in keys.PREFERRED
        if keys.key_of(provider, env)
    ]:
        names = tuple(model for model, _ in keyed)
        text = say_many(
            len(names),
            "{models}: the material is sent to this provider",
            "{models}: the material is sent to these providers",
            models=", ".join(say("{model} ({key} is set)", model=m, key=k) for m, k in keyed),
        )
        return names, text
    for kind, models in local.detect(env).items():
        names, base = tuple(models[:3]), f"{local.addresses(env)[kind]}/v1"
        return names, say(
            "{models}: a local server answers at {base}, nothing leaves this machine",
            models=", ".join(names),
            base=base,
        )
    return ("embedded",), say(
        "embedded: no key is set and no local server answers; its verdicts are a demonstration "
        "only. For real reviews set a provider's key or start a local model server."
    )
