"""GitHub's GraphQL as far as threads of a pull request go: how they stand, and resolving one.

A query is checked against GitHub's own description before it is answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from graphql import GraphQLError, build_schema, graphql_sync, parse, validate

from tests.standins.github_state import Comment
from tests.standins.github_writing import Where, Written

SCHEMA = build_schema(
    (Path(__file__).parent.parent / "schemas" / "github-graphql-min.graphql").read_text("utf-8")
)
PREFIX = "PRRT_"


def problems(body: Any) -> list[str]:
    """Returns the complaints that GitHub's description has about a query."""
    try:
        return [error.message for error in validate(SCHEMA, parse(body["query"]))]
    except GraphQLError as error:
        return [error.message]


class Refused(GraphQLError):
    """A refusal as GitHub words it: in an answer of status 200, with a type."""


@dataclass
class Threads:
    """``limited``: the next so many answers say that the limit is used up."""

    written: Written
    limited: int = 0

    def route(self, app: web.Application) -> None:
        app.router.add_post("/graphql", self._answer)

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.limited:
            self.limited -= 1
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded"}
            headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777806000"}
            return web.json_response({"errors": [error]}, headers=headers)
        may = self.written.app.pushes(request)

        def repository(_info: Any, owner: str, name: str, **_more: Any) -> Any:
            return {"pullRequest": lambda _i, number: self._pull((f"{owner}/{name}", number), may)}

        def resolve(_info: Any, input: dict[str, str]) -> Any:
            where, first = self._thread(input["threadId"])
            if not may:
                raise Refused("Resource not accessible by integration")
            first.resolved = True
            return {"thread": _thread(self.written, where, first, may)}

        result = graphql_sync(
            SCHEMA, body["query"], {"repository": repository, "resolveReviewThread": resolve},
            variable_values=body.get("variables"),
        )  # fmt: skip
        answer_body: dict[str, Any] = {"data": result.data}
        if result.errors:
            answer_body["errors"] = [
                {"type": "FORBIDDEN", "message": one.message, "path": one.path}
                for one in result.errors
            ]
        return web.json_response(answer_body)

    def _pull(self, where: Where, may: bool) -> Any:
        if where not in self.written.pulls:
            return None
        first = [c for c in self.written.comments[where] if c.in_reply_to is None]

        def threads(_info: Any, first: int = 100, after: str | None = None, **_more: Any) -> Any:
            begin = int(after or 0)
            some = opened[begin : begin + first]
            page = {
                "hasNextPage": begin + first < len(opened),
                "hasPreviousPage": begin > 0,
                "endCursor": f"{begin + len(some)}",
            }
            nodes = [_thread(self.written, where, one, may) for one in some]
            return {"nodes": nodes, "pageInfo": page, "totalCount": len(opened)}

        opened = first
        return {"number": where[1], "reviewThreads": threads}

    def _thread(self, id: str) -> tuple[Where, Comment]:
        for where, comments in self.written.comments.items():
            for comment in comments:
                if f"{PREFIX}{comment.id}" == id:
                    return where, comment
        raise Refused(f"Could not resolve to a node with the global id of '{id}'")


def _thread(written: Written, where: Where, opened: Comment, may: bool) -> dict[str, Any]:
    def comments(_info: Any, first: int = 100, **_more: Any) -> Any:
        here = [c for c in written.comments[where] if opened.id in (c.id, c.in_reply_to)]
        nodes = [
            {"id": f"PRRC_{c.id}", "fullDatabaseId": f"{c.id}", "body": c.body}
            for c in here[:first]
        ]
        return {"nodes": nodes, "totalCount": len(here)}

    return {
        "id": f"{PREFIX}{opened.id}",
        "isResolved": opened.resolved,
        "viewerCanResolve": may and not opened.resolved,
        "comments": comments,
    }
