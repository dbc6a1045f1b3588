"""Checks of the default models: whether they can be called, their context and price, and what to
write in a file if no table has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adapters.models import OURS
from adapters.models.agents import is_agent
from bot.doctor.configured import may_load, still_empty
from bot.plugins import load_plugins
from bot.settings import Settings
from core.application.check import PartCheck, broken, care, off, ok
from core.debate.errors import BadInput, ModelError

if TYPE_CHECKING:
    from adapters.models import Vendors

_FILE = "DEBATE_MODELS_FILE"


async def chosen(settings: Settings) -> list[PartCheck]:
    """Checks the default and the permitted models. Servers whose models no table has are asked
    for their lists.
    """
    from adapters.models import Vendors
    from adapters.models.catalogue import keys

    vendors = Vendors(env=settings.env, configured=settings.models, agents=True)
    if may_load(settings):
        plugins = load_plugins(settings.plugins)
        vendors.own, vendors.own_prices = plugins.models, plugins.prices
    names, because = vendors.choice()
    demo = names == ("embedded",)
    empty = sorted(name for name in settings.left_empty if keys.is_key(name))
    try:
        if demo and empty and not settings.models:
            return [still_empty("models", empty)]
        examined = list(dict.fromkeys((*names, *settings.allowed_models)))
        await vendors.learn(examined)
        findings = [
            await _agent(vendors, name) if is_agent(name) else _examined(vendors, name)
            for name in examined
        ]
    finally:
        await vendors.aclose()
    reason = ok("models", because)
    if demo:
        step = (
            "Set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) or DEBATE_MODELS for "
            "verdicts you can rely on."
        )
        reason = care("models", because, step)
    there = [key for provider in keys.KEYS if (key := keys.key_of(provider, settings.env))]
    named = ok("provider keys", ", ".join(there))
    if not there:
        named = off("provider keys", "none", "Set one, like OPENAI_API_KEY=…")
    return [reason, *findings, named]


def described(settings: Settings) -> Iterator[PartCheck]:
    """Checks the file that describes models."""
    from adapters.models.catalogue.models_file import read_models_file

    if not settings.env.get(_FILE):
        return
    try:
        count = len(read_models_file(settings.env))
    except BadInput as error:
        yield broken("file of models", str(error), "See `debate docs models`.")
        return
    yield ok("file of models", f"{settings.env[_FILE]}: {count} described")


async def _agent(vendors: Vendors, name: str) -> PartCheck:
    try:
        agent = vendors.agent(name)
        version = await agent.version()
    except (BadInput, ModelError) as error:
        return broken("model", name, str(error))
    priced = "reports its price" if name == "cli:claude" else "its price is not reported"
    what = f"{name}: {agent.program} {version}; {priced}"
    return care("model", what, "Only in a shell: debate serve refuses it.")


def _examined(vendors: Vendors, name: str) -> PartCheck:
    from adapters.models.catalogue.models_file import line_for

    try:
        window, price = vendors.get(name).window, vendors.price(name)
        facts = vendors.catalogue.facts(name)
    except BadInput as error:
        step = str(error)
        if _is_new(vendors, name):
            step = f"{error}\nA model behind a gateway: {_write(line_for(name, address=True))}"
        return broken("model", name, step)
    reads = f"{name}: reads {window:,} tokens"
    if price.prompt is None or price.completion is None:
        assumed = ""
        if facts is not None and not facts.known:
            assumed = " (assumed)"
        what = f"{reads}{assumed}; nobody knows what it costs"
        return care("model", what, _write(line_for(name, address=False)))
    if price.prompt == price.completion == 0:
        return ok("model", f"{reads}; free")
    usd = f"${price.prompt * 1e6:.2f} read, ${price.completion * 1e6:.2f} written"
    return ok("model", f"{reads}; a million tokens cost {usd}")


def _is_new(vendors: Vendors, name: str) -> bool:
    """True if the model is neither in a table of prices nor in the operator's file."""
    try:
        return vendors.provider(name) not in OURS and vendors.catalogue.facts(name) is None
    except BadInput:  # the file itself can't be read: said on its own line
        return False


def _write(entry: str) -> str:
    return f"Write this with your figures into the file that {_FILE} names:\n{entry}"
