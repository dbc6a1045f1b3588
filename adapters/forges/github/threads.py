"""GitHub's threads on lines of a pull request: only its GraphQL can resolve one.

The token needs more for that than for writing in it: an App must be allowed to write contents, a
person to push. Without that right the bot only answers in the thread, and it stays open.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from adapters.forges import refusals
from adapters.forges.api import PAGES, ForgeApi
from adapters.forges.links import ChangeLink
from adapters.forges.refusals import POSTED, NotAllowed, OutcomeUnknown, RateLimited
from core.debate.errors import CouldNotFinish

logger = logging.getLogger(__name__)
_ENTERPRISE = "/api/v3"
_THREADS = """
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved viewerCanResolve comments(first: 1) { nodes { fullDatabaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
_RESOLVE = """
mutation Resolve($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }
}
"""
_LIST = ("data", "repository", "pullRequest", "reviewThreads")
"""The members of an answer to ``_THREADS`` that lead to the threads."""
T = TypeVar("T")


class _Comments(msgspec.Struct):
    nodes: list[dict[str, str | None] | None] | None


class _Thread(msgspec.Struct, rename="camel"):
    id: str
    is_resolved: bool
    viewer_can_resolve: bool
    comments: _Comments


class _PageInfo(msgspec.Struct, rename="camel"):
    has_next_page: bool
    end_cursor: str | None = None


class _Threads(msgspec.Struct, rename="camel"):
    nodes: list[_Thread | None]
    page_info: _PageInfo


class _Answer(msgspec.Struct):
    errors: list[dict[str, Any]] | None = None


async def resolve_thread(api: ForgeApi, link: ChangeLink, comment: str) -> bool:
    """Resolve the thread that a comment opened, and return True if it is resolved now.

    It is False if the thread is gone, the credential may not resolve it, or GitHub's GraphQL query
    fails. A second call changes nothing. Raises ``RateLimited`` and ``OutcomeUnknown``.
    """
    try:
        async for thread in _threads(api, link):
            if thread.comments.nodes != [{"fullDatabaseId": comment}]:
                continue
            if not thread.is_resolved and thread.viewer_can_resolve:
                await _ask(api, _RESOLVE, {"thread": thread.id}, dict[str, Any], ("data",))
                return True
            return thread.is_resolved
    except (RateLimited, OutcomeUnknown):
        raise
    except CouldNotFinish as error:  # also an installation that lacks a field of the query
        facts = {"action": "resolve", "change": link.short, "reason": str(error)}
        logger.info("a thread is answered and stays open", extra=facts)
    return False


async def _threads(api: ForgeApi, link: ChangeLink) -> AsyncIterator[_Thread]:
    owner, _, name = link.repo.partition("/")
    after: str | None = None
    for _ in range(PAGES):
        variables = {"owner": owner, "name": name, "number": link.number, "after": after}
        page = await _ask(api, _THREADS, variables, _Threads, _LIST)
        for thread in filter(None, page.nodes):
            yield thread
        if not page.page_info.has_next_page:
            return
        after = page.page_info.end_cursor


async def _ask(
    api: ForgeApi, query: str, variables: Mapping[str, Any], kind: type[T], members: Sequence[str]
) -> T:
    """Sends one GraphQL query. Raises ``CouldNotFinish``, and ``NotAllowed`` if GitHub refuses this
    credential.
    """
    path = "../graphql" if api.wire.base.endswith(_ENTERPRISE) else "graphql"
    response = await api.send("POST", path, {"query": query, "variables": variables})
    for error in api.decoded(response, _Answer, undone=POSTED).errors or ():
        if error.get("type") == "RATE_LIMITED":
            raise refusals.refused(
                api.wire.forge, 429, response.headers, b"", api.wire.now, undone=POSTED
            )
        raise NotAllowed(f"GitHub refused: {refusals.quote(str(error.get('message', '')))}")
    return api.decoded(response, kind, *members, undone=POSTED)
