"""Guards a plugin's model: an async function that may fail, hang or return anything, checked
against the same contract as every model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.seats import AskModel, OwnModel
from core.debate.budget.pricing import CHARS_PER_TOKEN
from core.debate.engine import is_ending
from core.debate.errors import DebateError, ModelFailure
from core.debate.ports import CallOptions, Message, OnWords, Price, Reply
from core.debate.usage import Usage


@dataclass(frozen=True, slots=True)
class PaidModel:
    """A model that costs money: ``prompt`` and ``completion`` are USD for a million tokens, and a
    token is counted as three characters, as in prices before a debate.
    """

    ask: AskModel
    prompt: float
    completion: float
    window: int = 100_000

    @property
    def price(self) -> Price:
        return Price(self.prompt / 1e6, self.completion / 1e6)

    def usage(self, read: int, text: str) -> Usage:
        """Returns the usage and the cost of one answer."""
        tokens, written = round(read / CHARS_PER_TOKEN), round(len(text) / CHARS_PER_TOKEN)
        usd = (tokens * self.prompt + written * self.completion) / 1e6
        return Usage(tokens, 0, written, usd, read)


@dataclass(slots=True)
class PluginModel(OwnModel):
    """Calls the function within the call's time limit. Every fault becomes a ``ModelError``
    without the fault's text, which may hold a key.
    """

    paid: PaidModel | None = None

    @classmethod
    def of(cls, name: str, given: AskModel | PaidModel, family: str) -> PluginModel:
        if isinstance(given, PaidModel):
            return cls(name, given.ask, family, window=given.window, paid=given)
        return cls(name, given, family)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        from adapters.models.exchange import LONGEST_TEXT, TOO_LONG
        from adapters.models.faults import model_error

        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            async with asyncio.timeout(asking.timeout):
                reply = await OwnModel.reply(self, messages, asking, on_words)
        except DebateError:
            raise
        except TimeoutError as error:
            raise model_error(
                ModelFailure.TIMEOUT, self.name, f"no answer within {asking.timeout:g} s"
            ) from error
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            raise model_error(
                ModelFailure.PROVIDER_DOWN, self.name, f"it raised {type(error).__name__}"
            ) from error
        if not reply.text.strip():
            raise model_error(ModelFailure.BAD_REPLY, self.name, "the answer is empty")
        if len(reply.text) > LONGEST_TEXT:
            raise model_error(ModelFailure.BAD_REPLY, self.name, TOO_LONG)
        usage = reply.usage
        if self.paid is not None:
            usage = self.paid.usage(usage.prompt_chars, reply.text)
        return replace(reply, usage=replace(usage, seconds=round(loop.time() - started, 3)))


def is_our_model(name: str) -> bool:
    """True if a name means a model without any plugin."""
    from adapters.models import OURS
    from adapters.models.catalogue import ModelCatalogue

    return name.startswith(OURS) or ModelCatalogue({}).facts(name) is not None
