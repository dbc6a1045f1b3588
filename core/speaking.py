"""One turn: prompt -> model -> parse -> one repair -> a settled event.

Every paid request has a row in the log before it is sent (intent). A finished answer is in the log
before anything else is asked: either together with the event that settles the turn, or, when it
could not be read, before the repair goes out. A turn that is spoken again after a crash therefore
finds what was already paid for and asks only for what is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core import prompting
from core.checks import refusal
from core.debate import Debate
from core.errors import ModelError
from core.events import TurnFailed, TurnFinished
from core.log import Call
from core.material.diffs import anchor
from core.ports import CallOptions, Message, Model, Models, OnWords, Reply, Source, Usage
from core.replies import Finding, Statement
from core.replies.objects import Unreadable, quotation_of
from core.replies.parsing import Quoted, parse
from core.replies.schema import schema
from core.script import Turn
from core.template import Evidence

Settled = TurnFinished | TurnFailed
Note = Callable[[Call], Awaitable[None]]
"""Commits one call row."""
Affordable = Callable[[Turn, Call], Awaitable[bool]]
Redact = Callable[[str], str]

MAX_TOKENS = {
    "close": 3000,
    "chair": 3200,
    "grade": 3000,
    "judge": 900,
    "steer": 400,
    "assess": 200,
    "measure": 400,
}
OUT_OF_MONEY = "the budget does not pay for another try"


async def always(_turn: Turn, _call: Call) -> bool:
    """Money is no matter."""
    return True


@dataclass(frozen=True, slots=True)
class TurnResult:
    """A settled turn with the call that settled it, for one commit."""

    event: Settled
    calls: tuple[Call, ...] = ()


@dataclass(slots=True)
class Speaker:
    """Speaks turns. ``paid`` holds the call rows of earlier runs by (turn, attempt); ``affordable``
    is asked before each further try.

    ``cost`` says what one try of a turn by a model costs at most.
    """

    models: Models
    note: Note
    paid: Mapping[tuple[str, int], Call] = field(default_factory=dict)
    affordable: Affordable = always
    cost: Callable[[Turn, str], float | None] = lambda _turn, _model: None
    redact: Redact = lambda text: text
    timeout: float = 90.0

    async def speak(
        self,
        debate: Debate,
        turn: Turn,
        messages: tuple[Message, ...],
        on_words: OnWords | None = None,
    ) -> TurnResult:
        """Settles ``turn`` with the prompt ``messages``.

        Never raises for a model's failure; cancellation passes through.
        """
        asking = asking_for(debate, turn, self.timeout)
        tried = _Tries(turn, messages, self)
        reason = "no model is cast for this seat"
        for name in debate.open.cast.get(turn.seat, ()):
            model = self.models.get(name)
            asked: tuple[Message, ...] = messages
            for repairing in (False, True):
                call = tried.next(model, asked)
                if (
                    call.state != "done"
                    and call.attempt > 1
                    and not await self.affordable(turn, call)
                ):
                    return TurnResult(TurnFailed(turn.id, OUT_OF_MONEY, tried.usage, name))
                try:
                    reply, call = await tried.ask(model, call, asked, asking, on_words)
                except ModelError as error:
                    reason = f"{name}: {error}"
                    break
                try:
                    statement = _read(debate, turn, reply.text, reply.sources, once=not repairing)
                except Unreadable as problem:
                    reason = f"{name}: {problem}" if not repairing else f"{name}, twice: {problem}"
                    if repairing:
                        return TurnResult(TurnFailed(turn.id, reason, tried.usage, name), (call,))
                    await self.note(call)
                    asked = prompting.repair(messages, reply.text, str(problem))
                    continue
                return TurnResult(TurnFinished(turn.id, statement, tried.usage, name), (call,))
        return TurnResult(TurnFailed(turn.id, self.redact(reason), tried.usage))


class _Tries:
    """The numbered attempts of one turn, with what they cost together."""

    def __init__(self, turn: Turn, messages: Sequence[Message], speaker: Speaker) -> None:
        self.turn, self.speaker = turn, speaker
        self.number = 0
        self.usage = Usage(usd=0.0)

    async def ask(
        self,
        model: Model,
        call: Call,
        messages: Sequence[Message],
        asking: CallOptions,
        on_words: OnWords | None,
    ) -> tuple[Reply, Call]:
        """The answer to ``messages``: one that was paid for before, or a new one.

        Raises ``ModelError`` after noting the failure.
        """
        if call.state == "done":
            self.usage = add(self.usage, call.usage)
            return Reply(call.response, call.usage, call.model), call
        if not (self.number == 1 and (self.turn.id, 1) not in self.speaker.paid):
            await self.speaker.note(
                call
            )  # the first attempt's intent is committed together with TurnStarted
        try:
            reply = await model.reply(messages, asking, on_words)
        except ModelError as error:
            text = self.speaker.redact(str(error))
            await self.speaker.note(replace(call, state="failed", error=f"{error.kind}: {text}"))
            raise ModelError(error.kind, text, retry_after=error.retry_after) from error
        usage = replace(
            reply.usage, prompt_chars=reply.usage.prompt_chars or sum(len(m.text) for m in messages)
        )
        self.usage = add(self.usage, usage)
        return replace(reply, usage=usage), replace(
            call, state="done", response=reply.text, usage=usage
        )

    def next(self, model: Model, messages: Sequence[Message]) -> Call:
        """The next attempt: past rows are stepped over, except a finished one that answers this
        very request.
        """
        digest = request_hash(model.name, messages)
        while True:
            self.number += 1
            known = self.speaker.paid.get((self.turn.id, self.number))
            if known is None:
                return Call(
                    self.turn.id,
                    self.number,
                    model.name,
                    request_hash=digest,
                    estimate=self.speaker.cost(self.turn, model.name),
                )
            if known.state == "done" and known.request_hash == digest:
                return known


def intent(
    debate: Debate, turn: Turn, messages: Sequence[Message], estimate: float | None = None
) -> Call:
    """The row of a turn's first attempt, committed together with ``TurnStarted``."""
    model = debate.open.cast.get(turn.seat, ("",))[0]
    return Call(turn.id, 1, model, request_hash=request_hash(model, messages), estimate=estimate)


def request_hash(model: str, messages: Sequence[Message]) -> str:
    digest = hashlib.sha256(model.encode())
    for message in messages:
        digest.update(f"\x00{message.role}\x00{message.text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def add(a: Usage, b: Usage) -> Usage:
    """Sums; an unknown price stays unknown."""
    return Usage(
        prompt_tokens=a.prompt_tokens + b.prompt_tokens,
        cached_tokens=a.cached_tokens + b.cached_tokens,
        completion_tokens=a.completion_tokens + b.completion_tokens,
        usd=None if a.usd is None or b.usd is None else a.usd + b.usd,
        prompt_chars=a.prompt_chars + b.prompt_chars,
        seconds=a.seconds + b.seconds,
    )


def asking_for(debate: Debate, turn: Turn, timeout: float) -> CallOptions:
    """How the turn's model is asked: bound output, bound time, a schema, and search only where the
    terms and the template allow it.
    """
    task = prompting.task_of(debate, turn)
    template = debate.open.template
    search = (
        debate.open.terms.search
        and template.evidence_policy is not Evidence.DISALLOW_EXTERNAL
        and not turn.closing
    )
    return CallOptions(
        max_tokens=MAX_TOKENS.get(task.name, 1400),
        timeout=timeout,
        schema=schema(
            task,
            template,
            findings=bool(debate.open.material.hunks),
            ruling=prompting.needs_ruling(debate),
        ),
        tools=("web_search",) if search else (),
    )


def _read(
    debate: Debate, turn: Turn, text: str, sources: tuple[Source, ...], *, once: bool
) -> Statement:
    """The typed reply.

    What a template's own checks refuse is sent back ``once``; after that it stands, marked in the
    report.
    """
    material = debate.open.material
    text = prompting.without(text, prompting.fence(debate))

    def anchored(finding: Finding) -> bool:
        return bool(material.hunks) and anchor(
            material, finding.path, finding.line, finding.side, finding.quote
        )

    statement = parse(
        text,
        prompting.task_of(debate, turn),
        turn,
        debate.open.template.ballot,
        anchored=anchored,
        quoted=quoted_in(material.text, material.body),
        quotation=quotation_of(foreign_texts(debate, turn)),
        known=known_ids(debate, turn),
    )
    if once and turn.closing and (problem := refusal(debate.open.template, statement)):
        raise Unreadable(problem)
    return replace(statement, sources=sources)


def foreign_texts(debate: Debate, turn: Turn) -> Iterator[str]:
    """Everything that others wrote and this turn's seat may have read: the material as it stands
    and by its sides, what people said, what seats said.
    """
    material = debate.open.material
    yield from (material.title, material.body, material.guidelines, material.text)
    for dropped in "-+":  # a quotation of several lines stands there without their numbers
        yield "\n".join(x.text for h in material.hunks for x in h.lines if x.mark != dropped)
    yield debate.open.terms.assume
    yield from (challenge.text for challenge in debate.challenges)
    for _, said in debate.read_by(turn):
        yield said.text
        yield from (text for claim in said.claims for text in (claim.text, claim.quote))
        yield from (text for found in said.findings for text in (found.title, found.quote))


def quoted_in(*texts: str) -> Quoted:
    """A test whether a quotation occurs verbatim, white space aside (mechanical check; arXiv
    2402.06782 is why it is worth it).
    """
    squeezed = [" ".join(text.split()) for text in texts]
    return lambda quote: any(" ".join(quote.split()) in text for text in squeezed)


def known_ids(debate: Debate, turn: Turn) -> frozenset[str]:
    """Everything that this turn's reply may refer to: the turns it read and their points, people's
    challenges, and what an earlier run found.
    """
    points = (id for _, said in debate.read_by(turn) for id in said.point_ids)
    earlier = (found.id for found in debate.open.material.earlier)
    return frozenset({*turn.reads, *points, *earlier, *(c.id for c in debate.challenges)})
