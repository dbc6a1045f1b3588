"""The OpenAPI document of the interface, made from the rows that it is served from
(``operations``) and the options that every surface has.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from adapters.api.operations import JSON, KEY, OPERATIONS, YES, ApiField, Operation
from adapters.api.problems import MEDIA, TITLES

_ABOUT = (
    "Debates, by a token: `debate tokens add NAME` makes one, and so does the page *You*. What is "
    "refused is a problem document whose `detail` says the next step."
)
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do next."},
    },
}
_TEXTS = {"type": "string"}


@cache
def openapi() -> str:
    """Returns the document, as JSON."""
    paths: dict[str, dict[str, Any]] = {}
    for row in OPERATIONS:
        paths.setdefault(row.address, {})[row.method.lower()] = _operation(row)
    refusal = {"$ref": "#/components/schemas/Problem"}
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Debatebot",
            "version": version("debatebot"),
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Outcome": _outcome(), "Problem": _PROBLEM},
            "responses": {
                f"Problem{status}": {"description": title, "content": {MEDIA: {"schema": refusal}}}
                for status, title in TITLES.items()
            },
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _operation(row: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.does,
        "description": f"Needs a token with the scope `{row.scope}`.",
        "parameters": [
            *(_parameter(ApiField(name, "", _TEXTS), "path") for name in _names(row)),
            *(_parameter(each, "query") for each in row.asks),
            *([_parameter(KEY, "header")] if row.keyed else []),
        ],
        "responses": {
            str(row.status): {
                "description": "Done.",
                "content": {
                    JSON: {"schema": row.answers},
                    **{media: {"schema": _TEXTS} for media in row.other},
                },
            }
        },
    }
    if row.status != 200:
        before = "It was done before, under the same key."
        made["responses"]["200"] = {**made["responses"][str(row.status)], "description": before}
    for status in _refusals(row):
        made["responses"][str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
    if row.says:
        body = {
            "type": "object",
            "required": [each.name for each in row.says if each.required],
            "additionalProperties": False,
            "properties": {each.name: _schema(each) for each in row.says},
        }
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    return made


def _refusals(row: Operation) -> list[int]:
    """Returns the HTTP statuses with which the row can be refused."""
    statuses = [400, 401, 403, 503]
    if _names(row):
        statuses.append(404)
    if row.body:
        statuses += [408, 413, 415]
    if row.name == "wait_debate":
        statuses.append(429)
    if YES in row.says:
        statuses.append(402)
    return sorted(statuses)


def _names(row: Operation) -> list[str]:
    return re.findall(r"\{(\w+)\}", row.path)


def _parameter(member: ApiField, where: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": member.name, "in": where, "schema": dict(member.schema)}
    if member.help:
        made["description"] = member.help
    if where == "path" or member.required:
        made["required"] = True
    return made


def _schema(member: ApiField) -> dict[str, Any]:
    description = member.schema.get("description", "")
    return {
        **member.schema,
        "description": f"{member.help}: {description}" if description else member.help,
    }


def _outcome() -> Any:
    """Returns the JSON Schema of the outcome document, as it ships."""
    text = (files("core.words.outcome") / "outcome.schema.json").read_text("utf-8")
    return json.loads(text)
