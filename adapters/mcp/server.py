"""The MCP server: six tools, three resources and a prompt, for the protocol without sessions and
for the older one. The transport identifies the caller; ``adapters.mcp.session.CallerDebates``
does the work.
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any, TypeAlias

from mcp.server import MCPServer
from mcp.server.context import (
    CallNext,
    HandlerResult,
    ServerMiddleware,
    ServerRequestContext,
)
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import CallToolResult, ClientCapabilities, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from adapters.mcp import instructions
from adapters.mcp import results as r
from adapters.mcp.refusals import PlainServer
from adapters.mcp.session import CallerDebates
from adapters.mcp.tasks import Tasks
from core.application.commands import Start
from core.debate.commands.challenges import MAX_CHALLENGE
from core.debate.errors import DebateError
from core.debate.material.escaping import show_hidden
from core.debate.verdict.votes import NONE
from core.words.views.course.following import news_since

_LONGEST_WAIT, _LONGEST_CALL = 40.0, 45.0
"""Seconds: clients give up at 60."""
_MOST_NEWS = 100
_LONGEST_TEXT = 1_000_000
_MOST_LISTED = 20
_LONGEST_NAME = 120
_QUESTIONS_ARE_ANSWERS = "2026-07-28"
"""The first version in which a tool's question ends its call."""


@dataclass(frozen=True, slots=True)
class DebateAccess:
    """The access of callers to debates.

    ``debates`` gives the debates of the request's sender and raises ``Refused`` if a token lacks
    the scope (read, start, act). ``who`` names that token in tasks that a client brings back;
    ``wait`` is the longest wait in seconds, ``call`` the longest call.
    """

    debates: Callable[[Any, str], CallerDebates]
    who: Callable[[Any], str | None] = lambda _request: None
    wait: float = _LONGEST_WAIT
    call: float = _LONGEST_CALL


Ctx: TypeAlias = Context[DebateAccess, Any]


class Consent(BaseModel):
    start: bool = Field(True, title="Start it", description="Start the debate at this price")


def make_server(
    access: DebateAccess, *, local: bool, keys: tuple[bytes, ...] = ()
) -> MCPServer[DebateAccess]:
    """Builds the server. ``local`` lets it read files and the repository that it was started in;
    ``keys`` seal the tasks that a client brings back, so that every replica can open them.
    """

    @asynccontextmanager
    async def lifespan(_server: MCPServer[DebateAccess]) -> AsyncIterator[DebateAccess]:
        yield access

    security = RequestStateSecurity(
        keys=[*(keys or (secrets.token_bytes(32),))],
        bind_principal=lambda ctx: access.who(ctx.request),
    )
    server = PlainServer[DebateAccess](
        instructions.NAME,
        title=instructions.TITLE,
        instructions=instructions.INSTRUCTIONS,
        version=version("debatebot"),
        lifespan=lifespan,
        request_state_security=security,
        extensions=[Tasks(access.debates)],
        middleware=[_within(access.call)],
        subscriptions=False,
        log_level="WARNING",
    )
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    starts = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
    )
    acts = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    ends = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
    start = start_debate if local else start_remote_debate
    server.add_tool(start, "start_debate", description=instructions.START, annotations=starts)
    server.add_tool(wait_debate, description=instructions.WAIT, annotations=reads)
    server.add_tool(get_verdict, description=instructions.VERDICT, annotations=reads)
    server.add_tool(challenge, description=instructions.CHALLENGE, annotations=acts)
    server.add_tool(stop_debate, description=instructions.STOP, annotations=ends)
    server.add_tool(list_debates, description=instructions.LIST, annotations=reads)
    verdict = "debate://{debate}/verdict"
    server.resource(verdict, mime_type="application/json", description=instructions.VERDICT)(
        verdict_resource
    )
    transcript = "debate://{debate}/transcript"
    server.resource(transcript, mime_type="text/markdown", description=instructions.REPORT)(
        transcript_resource
    )
    findings = "debate://{debate}/findings.sarif"
    server.resource(findings, mime_type="application/sarif+json", description=instructions.SARIF)(
        sarif_resource
    )
    server.prompt("debate_changes", description=instructions.PROMPT)(debate_changes)
    return server


def _within(seconds: float) -> ServerMiddleware[DebateAccess]:
    """Ends a tool's call in time. The client bounds the time in which a person answers a question
    in the middle of one, as in the older protocol.
    """

    async def within(
        ctx: ServerRequestContext[DebateAccess, Any], call_next: CallNext
    ) -> HandlerResult:
        asks = _has_form(ctx.session.client_capabilities)
        if ctx.method != "tools/call" or (asks and ctx.protocol_version < _QUESTIONS_ARE_ANSWERS):
            return await call_next(ctx)
        try:
            async with asyncio.timeout(seconds):
                return await call_next(ctx)
        except TimeoutError:
            content = TextContent(type="text", text=instructions.TOO_LONG)
            return CallToolResult(content=[content], is_error=True)

    return within


@contextmanager
def _refusals() -> Iterator[None]:
    """Turns refusals into answers to the client, with the next step."""
    try:
        yield
    except DebateError as error:
        raise ToolError(show_hidden(str(error))) from None


def _debates(ctx: Ctx, scope: str) -> CallerDebates:
    access: DebateAccess = ctx.request_context.lifespan_context
    return access.debates(ctx.request_context.request, scope)


async def ask_price(
    target: str, template: str, budget_usd: float | None, ctx: Ctx
) -> Consent | Elicit[Consent]:
    """Asks the person if someone has to agree to the price."""
    with _refusals():
        wanted, again = _wanted(target, template, budget_usd), ctx.input_responses is not None
        offer = await _debates(ctx, "start").host.offer(wanted, again=again)
    if offer.earlier or not offer.asks:
        return Consent(start=True)
    if _has_form(ctx.client_capabilities):
        about = r.quoted(target, _LONGEST_NAME)
        text = instructions.AGREE.format(template=offer.template, target=about, price=offer.price)
        return Elicit(text, Consent)
    typed = "FILE.diff" if "\n" in target.strip() else shlex.quote(target.strip())
    command = show_hidden(f"debate {offer.template} {typed}")
    raise ToolError(f"Price: {offer.price} {instructions.PERSON_STARTS} {command}")


Agreed: TypeAlias = Annotated[ElicitationResult[Consent], Resolve(ask_price)]
Template = Annotated[str, Field(max_length=100, description=instructions.TEMPLATE)]
Budget = Annotated[float | None, Field(gt=0, le=10_000, description=instructions.BUDGET)]
Id = Annotated[str, Field(min_length=3, max_length=100)]


async def start_debate(
    target: Annotated[str, Field(max_length=_LONGEST_TEXT, description=instructions.TARGET)],
    ctx: Ctx,
    agreed: Agreed,
    template: Template = "",
    budget_usd: Budget = None,
) -> r.Started:
    return await _started(_wanted(target, template, budget_usd), agreed, ctx)


async def start_remote_debate(
    target: Annotated[str, Field(max_length=_LONGEST_TEXT, description=instructions.REMOTE_TARGET)],
    budget_usd: Annotated[float, Field(gt=0, le=10_000, description=instructions.BUDGET)],
    ctx: Ctx,
    agreed: Agreed,
    template: Template = "",
) -> r.Started:
    return await _started(_wanted(target, template, budget_usd), agreed, ctx)


async def _started(wanted: Start, agreed: Agreed, ctx: Ctx) -> r.Started:
    if not (isinstance(agreed, AcceptedElicitation) and agreed.data.start):
        raise ToolError(instructions.NOT_STARTED)
    debates = _debates(ctx, "start")
    with _refusals():
        begun = await debates.host.start(wanted)
    return r.Started(
        debate=begun.debate,
        status=begun.status,
        url=debates.page(begun.debate),
        estimate_usd=begun.estimate,
        started_before=begun.before,
    )


async def wait_debate(
    debate: Id,
    ctx: Ctx,
    after_event: Annotated[int, Field(ge=0)] = 0,
    max_wait_s: Annotated[float, Field(ge=0, le=_LONGEST_WAIT)] = _LONGEST_WAIT,
) -> r.Waited:
    access = ctx.request_context.lifespan_context
    reported = after_event
    with _refusals():
        debates = _debates(ctx, "read")
        state = await debates.find(debate)
        now = asyncio.get_running_loop().time
        end = now() + min(max_wait_s, access.wait)
        while True:
            events = await debates.events(state.id)
            state, news = await asyncio.to_thread(news_since, events, after_event)
            for event, line, _ in news:
                if event > reported:
                    reported = event
                    await ctx.report_progress(reported, message=show_hidden(line))
            if state.over or state.paused is not None or len(news) >= _MOST_NEWS:
                break
            if (left := end - now()) <= 0:
                break
            await debates.follow(state.id, len(events), left)
    page = news[:_MOST_NEWS]
    whole = len(page) == len(news)
    return r.Waited(
        debate=state.id,
        status=state.status,
        over=state.over and whole,
        final=state.final and whole,
        next_event=state.count if whole else page[-1][0],
        happened=[
            r.Happened(event=event, line=show_hidden(line), quoted=show_hidden(quoted))
            for event, line, quoted in page
        ],
    )


async def get_verdict(debate: Id, ctx: Ctx) -> r.Verdict:
    with _refusals():
        debates = _debates(ctx, "read")
        one = await debates.find(debate)
        return await asyncio.to_thread(r.verdict_of, one, debates.page(one.id))


async def challenge(
    debate: Id,
    text: Annotated[str, Field(min_length=10, max_length=MAX_CHALLENGE)],
    ctx: Ctx,
    finding: Annotated[str, Field(max_length=300, description="its id in get_verdict")] = "",
) -> r.Done:
    with _refusals():
        taken = await _debates(ctx, "act").challenge(debate, text, finding.strip())
        return r.Done(debate=debate, said=taken)


async def stop_debate(debate: Id, ctx: Ctx) -> r.Done:
    with _refusals():
        return r.Done(debate=debate, said=await _debates(ctx, "act").stop(debate))


async def list_debates(ctx: Ctx, target: Annotated[str, Field(max_length=1000)] = "") -> r.Debates:
    with _refusals():
        listed = await _debates(ctx, "read").listed(target.strip(), _MOST_LISTED)
    return r.Debates(
        debates=[
            r.Listed(
                debate=one.line.id,
                status=one.line.status,
                template=one.line.template,
                decision=one.decision or NONE,
                reached=one.decided,
                cost_usd=one.line.cost,
                created_at=one.line.created_at.isoformat(),
                quoted=r.quoted(one.line.title, 200),
            )
            for one in listed
        ]
    )


async def verdict_resource(debate: str, ctx: Ctx) -> str:
    with _missing():
        return (await get_verdict(debate, ctx)).model_dump_json(indent=2)


async def transcript_resource(debate: str, ctx: Ctx) -> str:
    return instructions.TRANSCRIPT + await _document(debate, "md", ctx)


async def sarif_resource(debate: str, ctx: Ctx) -> str:
    return await _document(debate, "sarif", ctx)


async def _document(debate: str, form: str, ctx: Ctx) -> str:
    with _missing(), _refusals():
        document = await _debates(ctx, "read").document(debate, form)
        return await asyncio.to_thread(show_hidden, document)


@contextmanager
def _missing() -> Iterator[None]:
    try:
        yield
    except ToolError as error:
        raise ResourceError(str(error)) from None


def debate_changes(target: str = ".") -> str:
    return instructions.PROMPT_TEXT.format(target=target)


def _wanted(target: str, template: str, budget: float | None) -> Start:
    return Start(template.strip(), target, budget=budget)


def _has_form(able: ClientCapabilities | None) -> bool:
    """True if the client can show its person a form, and a question reaches it."""
    return able is not None and able.elicitation is not None
