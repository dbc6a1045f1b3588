"""Carries out one turn: prompt -> model -> parse -> one repair -> a settled event. If an opening
describes a defect without a finding, its seat is asked for the finding once.

Every paid request has a row in the log before it is sent (intent). A finished answer is in the log
before the next request: either together with the event that settles the turn, or, when it could not
be read, before the repair goes out. A turn that is repeated after a crash therefore finds what was
already paid for and requests only what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from core.debate.checks import refusal
from core.debate.due.argument import at_issue
from core.debate.errors import BadInput, ModelError, ModelFailure
from core.debate.events import TurnFailed, TurnFinished
from core.debate.log import Call, CallState
from core.debate.lookups import READ, SEARCH, LookUps, Repository
from core.debate.material import flat
from core.debate.ports import CallOptions, Message, Model, Models, OnWords, Reply
from core.debate.prompting import locating, prompt, repair, scene
from core.debate.prompting.form import task_of
from core.debate.prompting.frame import fence, without
from core.debate.replies import Statement
from core.debate.replies.objects import Quotation, Unreadable, quotation_of
from core.debate.replies.parsing import parse
from core.debate.replies.placing import placed
from core.debate.replies.schema import schema
from core.debate.replies.tasks import LOCATE, Task
from core.debate.replies.untold import BLOCKS, TELLS, with_findings
from core.debate.replies.wording import in_words, with_reason
from core.debate.script import Topic, Turn
from core.debate.spoken import OUT_OF_MONEY, Redact, Till, TurnResult, request_hash
from core.debate.state import Debate, once, once_for
from core.debate.stored import stored
from core.debate.template import Evidence
from core.debate.usage import Usage
from core.debate.verdict.consensus import mode_of
from core.debate.verdict.findings.evidence import (
    change_lines,
    change_words,
    located,
    shown_numbers,
    standing_lines,
)

LOST = "ended before the answer"
MORE_ROOM = 4
"""The factor by which an answer gets more room after one that was cut."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Carries out turns (``core.debate.spoken.Speaking``).

    ``paid`` are the call rows of earlier runs; those of this one are added, because a turn that a
    pause interrupted may be repeated in the same run. ``repository`` lets seats look things up, if
    they may.
    """

    models: Models
    redact: Redact = str
    timeout: float = 90.0
    repository: Repository | None = None
    paid: list[Call] = field(default_factory=list)

    def look_over(self, debate: Debate) -> None:
        fence(debate)
        change_lines(debate)
        change_words(debate)
        shown_numbers(debate)

    def prompt(self, debate: Debate, turn: Turn) -> tuple[Message, ...]:
        return prompt(debate, turn)

    async def speak(
        self,
        debate: Debate,
        turn: Turn,
        messages: tuple[Message, ...],
        till: Till,
        on_words: OnWords | None = None,
    ) -> TurnResult:
        """Settles ``turn``: each model of its cast is called until one answers."""
        attempts = _Attempts(self, debate, turn, till, on_words)
        till.held[turn.id] = till.cost(turn, "") or 0.0
        reason = stored("no model is cast for this seat")
        names = debate.open.cast.get(turn.seat, ())
        for number, name in enumerate(names, start=1):
            others = {_provider(other) for other in names[number:]} - {_provider(name)}
            attempts.options = replace(attempts.options, alternative=bool(others))
            try:
                return await attempts.settle(name, messages)
            except ModelError as error:
                message = str(error)
                reason = message
                if not message.startswith(name):
                    reason = stored("{model}: {why}", model=name, why=message)
            except _OutOfMoney:
                return attempts.failed(OUT_OF_MONEY, name)
        return attempts.failed(self.redact(reason))

    def cut_off(self, turn: Turn, reason: str) -> TurnResult:
        rows = {call.attempt: call for call in self.paid if call.turn == turn.id}
        lost = tuple(_lost(call) for call in rows.values() if call.state == CallState.INTENT)
        rows |= {call.attempt: call for call in lost}
        usage = sum((call.usage for call in rows.values()), Usage())
        self.paid.extend(lost)
        return TurnResult(TurnFailed(turn.id, reason, usage), lost)


class _OutOfMoney(Exception):
    """The budget does not pay for another try."""


class _Attempts:
    """The numbered attempts of one turn, with their common cost."""

    def __init__(
        self,
        speaker: Speaker,
        debate: Debate,
        turn: Turn,
        till: Till,
        on_words: OnWords | None,
    ) -> None:
        self.speaker, self.debate, self.turn, self.on_words = speaker, debate, turn, on_words
        self.till = till
        self.paid = {call.attempt: call for call in speaker.paid if call.turn == turn.id}
        self.lookups: LookUps | None = None
        argues = not turn.closing and debate.script.seat(turn.seat).argues
        if argues and debate.open.terms.lookups and speaker.repository is not None:
            self.lookups = LookUps(speaker.repository)
        self.options = self._call_options()
        self.number = 0
        self.lost: list[Call] = []
        self.usage = Usage(usd=0.0)
        self.cut = False
        """True once an answer of the turn was cut."""

    def _call_options(self) -> CallOptions:
        """Returns the options of the turn's calls: bounded output and time, a schema, and search
        and look-ups only if the terms and the template allow them.
        """
        debate, turn, opened = self.debate, self.turn, self.debate.open
        task, tools = task_of(debate, turn), list[str]()
        external = opened.template.evidence_policy is not Evidence.DISALLOW_EXTERNAL
        if opened.terms.search and external and not turn.closing:
            tools.append("web_search")
        if self.lookups is not None:
            tools += (READ, SEARCH)
        return CallOptions(
            max_tokens=task.max_tokens,
            light=task.light,
            cache_key=debate.id,
            cache_long=opened.terms.vote_window > 0,
            on_wait=self.till.wait,
            timeout=opened.terms.timeout or self.speaker.timeout,
            temperature=opened.terms.temperature,
            schema=reply_schema(debate, task),
            tools=tuple(tools),
            look_up=self.lookups.look_up if self.lookups is not None else None,
            role=debate.script.seat(turn.seat).role,
            task=turn.task,
            turn=turn.id,
            scene=partial(scene, debate, turn),
        )

    async def settle(self, name: str, messages: tuple[Message, ...]) -> TurnResult:
        """Returns the turn as this model settles it, with one chance to repair an unreadable
        answer. Raises ``ModelError`` and ``_OutOfMoney``.
        """
        try:
            model = self.speaker.models.get(name)
        except BadInput as error:  # its key is gone, or it has no seat in this process
            raise ModelError(ModelFailure.NO_KEY, str(error)) from error
        request, problems = messages, list[str]()
        while True:
            reply, call = await self._ask(model, request)
            try:
                statement = await self._read(reply, first=not problems)
            except Unreadable as unread:
                problems.append(_problem(reply, unread))
            except BaseException:  # ended while it was read, or by a defect: it is paid for
                await self._note(call)
                raise
            else:
                statement, calls = await self._located(model, messages, reply, statement, call)
                finished = TurnFinished(self.turn.id, statement, self.usage, name)
                return TurnResult(finished, self._unsettled(*calls))
            if len(problems) == 2:
                break
            await self._note(call)
            request = repair(messages, reply.text, problems[0])
            self._end_lookups()  # only the form is left to fix
        before, again = problems
        why = stored("{why}; then {why_again}", why=before, why_again=again)
        if before == again:
            why = stored("twice: {why}", why=again)
        return self.failed(stored("{model}, {why}", model=name, why=why), name, call)

    def failed(self, reason: str, model: str = "", *calls: Call) -> TurnResult:
        failed = TurnFailed(self.turn.id, reason, self.usage, model)
        return TurnResult(failed, self._unsettled(*calls))

    def _end_lookups(self) -> None:
        """Ends look-ups for the rest of the turn."""
        if self.lookups is not None:
            tools = tuple(t for t in self.options.tools if t not in (READ, SEARCH))
            self.options = replace(self.options, tools=tools, look_up=None)

    async def _ask(self, model: Model, messages: Sequence[Message]) -> tuple[Reply, Call]:
        """Returns the answer to ``messages``: one that was paid for before, or a new one. After one
        that was cut it may be longer, if the budget pays for that.

        Raises ``ModelError`` after noting the failure, ``_OutOfMoney`` before a call that the
        budget does not pay for.
        """
        call, room = self._next(model, messages), 1
        for lost in self.lost:
            await self._note(lost)
        self.lost.clear()
        if call.state == CallState.DONE:
            self.usage += call.usage
            self.cut = self.cut or bool(call.error)
            return Reply(call.response, call.usage, call.model, cut=call.error), call
        if self.cut and call.estimate is not None:
            longer = replace(call, estimate=call.estimate * MORE_ROOM)
            if await self._pays(longer):
                call, room = longer, MORE_ROOM
        elif self.cut:
            room = MORE_ROOM
        if call.attempt > 1 and room == 1 and not await self._pays(call):
            raise _OutOfMoney
        self.till.held[self.turn.id] = (self.usage.usd or 0.0) + (call.estimate or 0.0)
        if call.attempt > 1 or 1 in self.paid:
            await self._note(call)
        else:
            self.speaker.paid.append(call)  # its intent was committed with TurnStarted
        try:
            options = replace(self.options, room=room)
            reply = await model.reply(messages, options, self.on_words)
        except ModelError as error:
            text = self.speaker.redact(str(error))
            paid = error.usage or Usage()
            self.usage += paid
            failed = replace(call, state=CallState.FAILED, error=f"{error.kind}: {text}")
            await self._note(replace(failed, usage=paid))
            raise ModelError(error.kind, text, retry_after=error.retry_after) from error
        usage = reply.usage
        if not usage.prompt_chars:
            usage = replace(usage, prompt_chars=sum(len(m.text) for m in messages))
        self.usage += usage
        self.cut = self.cut or bool(reply.cut)
        done = replace(call, state=CallState.DONE, response=reply.text, usage=usage)
        return reply, replace(done, error=reply.cut)

    async def _note(self, call: Call) -> None:
        if self._unsettled(call):
            self.speaker.paid.append(call)
            await self.till.note(call)

    def _unsettled(self, *calls: Call) -> tuple[Call, ...]:
        """Returns the calls whose end is not stored yet: twice would count their cost twice."""
        paid = self.speaker.paid
        settled = {(c.turn, c.attempt) for c in paid if c.state != CallState.INTENT}
        return tuple(call for call in calls if (call.turn, call.attempt) not in settled)

    async def _pays(self, call: Call) -> bool:
        self.till.held[self.turn.id] = self.usage.usd or 0.0
        return await self.till.pays(self.turn, call)

    def _next(self, model: Model, messages: Sequence[Message]) -> Call:
        """Returns the next attempt: past rows are skipped, except a finished one that answers this
        very request; what they cost is counted. Those that a process left behind without an answer
        are lost.
        """
        digest = request_hash(model.name, messages)
        while True:
            self.number += 1
            known = self.paid.get(self.number)
            if known is None:
                cost = self.till.cost(self.turn, model.name)
                return Call(
                    self.turn.id, self.number, model.name, request_hash=digest, estimate=cost
                )
            if known.state == CallState.DONE and known.request_hash == digest:
                return known
            if known.state == CallState.INTENT:
                known = _lost(known)
                self.lost.append(known)
            self.usage += known.usage

    async def _read(self, reply: Reply, *, first: bool) -> Statement:
        """Returns the reply's statement.

        Raises ``Unreadable``; a reply that a template's own checks refuse is sent back the
        ``first`` time, after that it is accepted, and marked in the report.
        """
        looked_up = tuple(self.lookups.sources) if self.lookups is not None else ()
        reply = replace(reply, sources=(*reply.sources, *looked_up))
        statement = await self.till.in_thread_if_large(lambda: read(self.debate, self.turn, reply))
        problem = ""
        if self.turn.closing:
            problem = refusal(self.debate.open.template, statement)
        if first and problem:
            raise Unreadable(problem)
        return statement

    async def _located(
        self,
        model: Model,
        messages: tuple[Message, ...],
        reply: Reply,
        opening: Statement,
        call: Call,
    ) -> tuple[Statement, tuple[Call, ...]]:
        """Returns an opening with the finding that it describes and did not locate, for which its
        seat is asked once, and the call that is not noted yet. An answer that cannot be had or read
        changes nothing.
        """
        why = _lacks_finding(self.debate, self.turn, opening)
        if not why:
            return opening, (call,)
        await self._note(call)
        self._end_lookups()
        self.options = replace(
            self.options,
            max_tokens=LOCATE.max_tokens,
            schema=reply_schema(self.debate, LOCATE),
            task=LOCATE.name,
        )
        request = locating(self.debate, self.turn, messages, reply.text, why)
        try:
            reply, call = await self._ask(model, request)
        except (ModelError, _OutOfMoney):
            return opening, ()
        try:
            located = await self.till.in_thread_if_large(
                lambda: read(self.debate, self.turn, reply, LOCATE)
            )
        except Unreadable:
            return opening, (call,)
        return with_findings(opening, located.findings), (call,)


def _lost(call: Call) -> Call:
    """Returns a call that ended without an answer: the provider may bill it all the same."""
    return replace(call, state=CallState.LOST, usage=Usage(usd=call.estimate), error=LOST)


def _provider(model: str) -> str:
    return model.partition("/")[0]


def _problem(reply: Reply, unread: Unreadable) -> str:
    """Returns why an answer could not be read; for a cut answer the limit comes first."""
    if not reply.cut:
        return str(unread)
    if reply.text.strip():
        return stored("{why}, before its end; a shorter one is needed", why=reply.cut)
    return stored("{why}, before its first word; a shorter one is needed", why=reply.cut)


def reply_schema(debate: Debate, task: Task) -> Mapping[str, Any]:
    """Returns the JSON Schema of a reply to a turn's task."""
    return schema(
        task,
        debate.open.template,
        findings=bool(debate.open.material.hunks),
        ruling=mode_of(debate).is_judged,
    )


def _lacks_finding(debate: Debate, turn: Turn, opening: Statement) -> str:
    """Returns why a seat is asked for a finding that its opening lacks, or "".

    Demonstration models have no finding to add. A seat that confirms a finding of an earlier run
    has named its place, and so has one that reported a finding when it read a part of the change.
    """
    if turn.task != "open" or not debate.open.material.hunks or debate.open.terms.demo:
        return ""
    if opening.untold:
        return TELLS
    blocking = debate.open.template.blocking
    stance = opening.stance
    if stance is None or stance.option not in blocking or opening.answers:
        return ""
    own = (opening, *(s for t, s in debate.read_by(turn) if t.seat == turn.seat))
    if any(finding.anchored for statement in own for finding in statement.findings):
        return ""
    return BLOCKS


def read(debate: Debate, turn: Turn, reply: Reply, task: Task | None = None) -> Statement:
    """Returns the typed reply to the turn's task, or to another ``task`` in its course. Raises
    ``Unreadable``.
    """
    statement = parse(
        without(reply.text, fence(debate)),
        task or task_of(debate, turn),
        turn,
        debate.open.template.ballot,
        quotation=_quotation(debate, turn.alike),
        known=_known_ids(debate, turn),
    )
    sources, searches = reply.sources, reply.failed_searches
    statement = replace(statement, sources=sources, failed_searches=searches)
    return _checked(debate, turn, statement)


def _checked(debate: Debate, turn: Turn, statement: Statement) -> Statement:
    """Returns the statement with the places of its findings' quotations, and of its answers'
    quotations if the task demands evidence; the text of a turn about single findings is made from
    its answers.
    """
    task, lines = task_of(debate, turn), change_lines(debate)
    statement = replace(
        statement,
        findings=tuple(placed(finding, lines) for finding in statement.findings),
        unverified=tuple(_unverified(debate, turn, statement)),
    )
    if "quote" in task.parts:
        accused = [r.finding.quote for m in at_issue(debate, turn) for r in m.raised]
        own = [s.sources for t, s in debate.statements() if t.seat == turn.seat]
        sources = chain(statement.sources, *own)  # an earlier look-up of its own is evidence too
        standing = standing_lines(debate.open.material, sources)
        checked = (located(answer, standing, accused) for answer in statement.answers)
        statement = replace(statement, answers=tuple(checked))
    if task.pointed:
        answers = tuple(map(with_reason, statement.answers))
        statement = replace(statement, answers=answers, text=in_words(answers))
    return statement


def _unverified(debate: Debate, turn: Turn, statement: Statement) -> Iterator[str]:
    """Yields the claims whose quotation the material and the looked-up lines do not hold verbatim,
    white space aside (mechanical check; arXiv 2402.06782 is why it is worth it).

    A hot seat's question quotes an opening, not the material; ``verdict.findings.evidence``
    checks it.
    """
    if turn.task == "question":
        return
    known = (statement, *(read for _, read in debate.read_by(turn)))
    looked_up = (s.text for each in known for s in each.sources if s.repository)
    texts = [*_flat_material(debate), *map(flat, looked_up)]
    for claim in statement.claims:
        quote = flat(claim.quote)
        if quote and not any(quote in text for text in texts):
            yield claim.id


@once_for("opened")
def _flat_material(debate: Debate) -> tuple[str, str]:
    return flat(debate.open.material.text), flat(debate.open.material.body)


@once
def _quotation(debate: Debate, turn: Turn) -> Quotation:
    return quotation_of(_foreign_texts(debate, turn))


def _foreign_texts(debate: Debate, turn: Turn) -> Iterator[str]:
    """Returns everything that others wrote and this turn's seat may have read: the material as a
    whole and by its sides, people's words, seats' words.
    """
    material = debate.open.material
    yield from (material.title, material.body, material.guidelines, material.text)
    yield from (record.text for record in material.records)
    for dropped in "-+":  # there a quotation of several lines has no line numbers
        yield "\n".join(x.text for h in material.hunks for x in h.lines if x.mark != dropped)
    yield debate.open.terms.assume
    yield from (challenge.text for challenge in debate.challenges)
    for _, statement in debate.read_by(turn):
        yield statement.text
        yield from (text for claim in statement.claims for text in (claim.text, claim.quote))
        yield from (
            text for finding in statement.findings for text in (finding.title, finding.quote)
        )


def _known_ids(debate: Debate, turn: Turn) -> frozenset[str]:
    """Returns all ids that this turn's reply may refer to: the turns it read and their points,
    people's challenges, an earlier run's findings and a scanner's reports.
    """
    points = (id for _, statement in debate.read_by(turn) for id in statement.point_ids)
    material = debate.open.material
    reports = [demand.id for demand in material.demands if demand.listed]
    reports += [claim.id for claim in material.scanned]
    if task_of(debate, turn).pointed:
        return frozenset(finding.id for finding in at_issue(debate, turn))
    if turn.task == "explain":
        return frozenset({turn.about_the(Topic.CHALLENGE)})
    return frozenset({*turn.reads, *points, *reports, *(c.id for c in debate.challenges)})
