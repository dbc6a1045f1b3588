"""Discord's refusals as data: its own OpenAPI document, and the limits that document misses.

The document alone lets many bad requests through (4000 characters of plain content, text beside
Components V2, an edit that takes the V2 flag away), so an overlay of documented limits is checked
beside it, and one rule of this project: no message may mention anybody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tests.standins.inert import live_in_discord, units
from tests.standins.schemas import Schema

SPEC = Path(__file__).resolve().parent.parent / "schemas" / "discord-openapi.json"

V2 = 1 << 15
CONTENT, TOTAL_TEXT, TOTAL_COMPONENTS, EMBED_TEXT = 2000, 4000, 40, 6000
_V2_TYPES = frozenset({9, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21})
_COMMAND_NAME = re.compile(r"^[-_'\w]{1,32}$")

Body = Mapping[str, Any]


@cache
def _spec() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SPEC.read_text(encoding="utf-8"))
    return loaded


def _inlined(schema: Any, inside: tuple[str, ...] = ()) -> Any:
    """Returns the schema with its references written out and its unions of components chosen by
    ``type``: the same meaning, checked much faster.
    """
    if isinstance(schema, list):
        return [_inlined(each, inside) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/components/schemas/")
        if name in inside:
            raise ValueError(f"{name} contains itself")
        return _inlined(_spec()["components"]["schemas"][name], (*inside, name))
    made = {key: _inlined(value, inside) for key, value in schema.items()}
    kinds = [
        branch.get("properties", {}).get("type", {}).get("enum") for branch in made.get("oneOf", ())
    ]
    if len(kinds) > 1 and all(kind and len(kind) == 1 for kind in kinds):
        branches = made.pop("oneOf")
        made["required"] = ["type"]
        made["properties"] = {"type": {"enum": [kind[0] for kind in kinds]}}
        made["allOf"] = [
            {"if": {"properties": {"type": {"const": kind[0]}}}, "then": branch}
            for kind, branch in zip(kinds, branches, strict=True)
        ]
    return made


@cache
def _templates() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Path patterns, the ones with fewest variables first: ``/messages/@original`` before
    ``/messages/{message_id}``.
    """
    paths = sorted(_spec()["paths"], key=lambda path: (path.count("{"), path))
    return tuple(
        (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))), path) for path in paths
    )


def template_of(path: str) -> str:
    """Returns the OpenAPI path that ``path`` (below ``/api/v10``) is an instance of; "" where
    Discord documents none.
    """
    return next((template for pattern, template in _templates() if pattern.fullmatch(path)), "")


@cache
def _validator(method: str, template: str) -> Schema | None:
    operation = _spec()["paths"][template].get(method.lower(), {})
    schema = (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema")
    )
    if schema is None:
        return None
    inlined = _inlined(schema)
    compiled = jsonschema_rs.Draft202012Validator(inlined, validate_formats=False)
    return Schema(compiled, Draft202012Validator(inlined))


def violations(method: str, path: str, body: object, *, v2_before: bool = False) -> list[str]:
    """Returns everything wrong with one request; empty when Discord would take it.

    ``v2_before``: the edited message has Components V2.
    """
    template = template_of(path)
    if not template:
        return [f"{method} {path}: Discord documents no such path"]
    validator = _validator(method, template)
    lines: list[str] = []
    if validator is not None and body is not None:
        error = validator.complaint(_ids_as_text(body, ids=True))
        if error is not None:
            lines.append(f"{method} {template}: {_told(error)}")
    if template != "/applications/{application_id}/commands":
        lines += live_in_discord(body)
        lines += _too_long(body)
    if isinstance(body, Mapping):
        if template == "/interactions/{interaction_id}/{interaction_token}/callback":
            data = body.get("data")
            if body.get("type") in (4, 7) and isinstance(data, Mapping):
                lines += _message(data, create=body["type"] == 4, v2_before=v2_before)
        elif _is_message(method, template):
            inner = body.get("message", body)
            lines += _message(inner, create=method == "POST", v2_before=v2_before)
    if template == "/applications/{application_id}/commands" and isinstance(body, list):
        for command in body:
            lines += _command(command)
    return lines


_ID_KEYS = frozenset({"id", "message_id", "channel_id", "guild_id", "recipient_id"})


def _ids_as_text(body: Any, *, ids: bool = False) -> Any:
    """Returns the body with the ids of attachments, references and recipients as text: Discord
    takes numbers too, its schema does not say so.
    """
    if isinstance(body, list):
        return [_ids_as_text(each, ids=ids) for each in body]
    if not isinstance(body, Mapping):
        return body
    return {
        key: str(value)
        if ids and key in _ID_KEYS and isinstance(value, int)
        else _ids_as_text(value, ids=key in ("attachments", "message_reference"))
        for key, value in body.items()
    }


_LONGEST = {"label": 100, "title": 45, "name": 100, "placeholder": 150, "custom_id": 100}
"""The longest texts that are shown as they are, in UTF-16 units, which Discord's schema counts as
characters.
"""


def _too_long(body: Any) -> Iterator[str]:
    if isinstance(body, list):
        for each in body:
            yield from _too_long(each)
    elif isinstance(body, Mapping):
        for key, value in body.items():
            most = 80 if key == "label" and body.get("type") == 2 else _LONGEST.get(str(key))
            if isinstance(value, str) and most and units(value) > most:
                yield f"{key} of {units(value)} characters; {most} are allowed"
            yield from _too_long(value)


def _told(error: ValidationError) -> str:
    return f"{error.json_path}: {error.message[:120]}{error.message[120:][-60:]}"


def _is_message(method: str, template: str) -> bool:
    if method not in ("POST", "PATCH"):
        return False
    return bool(
        re.search(
            r"/messages(?:/\{message_id\}|/@original)?$|/webhooks/\{webhook_id\}/\{webhook_token\}$|\{channel_id\}/threads$",
            template,
        )
    )


_KNOWN = frozenset(
    {
        *(
            "content",
            "embeds",
            "allowed_mentions",
            "sticker_ids",
            "components",
            "flags",
            "attachments",
            "poll",
            "shared_client_theme",
        ),
        *(
            "message_reference",
            "nonce",
            "enforce_nonce",
            "tts",
            "username",
            "avatar_url",
            "thread_name",
            "applied_tags",
        ),
    }
)


def _message(body: Body, *, create: bool, v2_before: bool) -> Iterator[str]:
    flags = body.get("flags") or 0
    components = list(walk(body.get("components") or []))
    v2 = bool(flags & V2) or v2_before
    for key in sorted(set(body) - _KNOWN):
        yield f"unknown key {key!r} in a message"
    if units(body.get("content") or "") > CONTENT:
        yield f"content of {units(body['content'])} characters; {CONTENT} are allowed"
    if create and not any(
        body.get(key)
        for key in ("content", "embeds", "components", "poll", "sticker_ids", "attachments")
    ):
        yield "an empty message"
    if body.get("allowed_mentions") is None or body["allowed_mentions"].get("parse") != []:
        yield "a message without allowed_mentions {'parse': []}"
    if v2:
        yield from _v2(body, components, edited=v2_before)
    else:
        if any(component["type"] in _V2_TYPES for component in components):
            yield "Components V2 without their flag"
        if len(body.get("components") or []) > 5:
            yield "more than 5 action rows"
    if sum(_embed_text(embed) for embed in body.get("embeds") or []) > EMBED_TEXT:
        yield f"embeds of more than {EMBED_TEXT} characters"
    for kind in ("custom_id", "id"):
        given = [component[kind] for component in components if component.get(kind)]
        if len(given) != len(set(given)):
            yield f"{kind} repeated in a message"
    for answer in (body.get("poll") or {}).get("answers", ()):
        if not 1 <= units(answer["poll_media"].get("text") or "") <= 55:
            yield "a poll answer not of 1 to 55 characters"


def _v2(body: Body, components: list[dict[str, Any]], *, edited: bool) -> Iterator[str]:
    if any(body.get(key) for key in ("content", "embeds", "poll", "sticker_ids")):
        yield "Components V2 beside content, embeds, poll or stickers"
    if len(components) > TOTAL_COMPONENTS:
        yield f"{len(components)} components; {TOTAL_COMPONENTS} are allowed"
    characters = sum(
        units(component.get("content") or "") for component in components if component["type"] == 10
    )
    if characters > TOTAL_TEXT:
        yield f"{characters} displayed characters; {TOTAL_TEXT} are allowed"
    if edited and body.get("flags") is not None and not body["flags"] & V2:
        yield "an edit that takes the Components V2 flag away"
    named = {
        component["file"]["url"].removeprefix("attachment://")
        for component in components
        if component["type"] == 13
    }
    sent = {attachment.get("filename") for attachment in body.get("attachments") or []}
    if named != sent:
        yield (
            f"files shown {sorted(map(str, named))} are not the files sent {sorted(map(str, sent))}"
        )


def walk(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields every component with the ones inside it, in the order they are shown."""
    for component in components:
        yield component
        yield from walk(component.get("components") or [])
        for single in ("accessory", "component"):
            if component.get(single):
                yield from walk([component[single]])


def _embed_text(embed: Body) -> int:
    fields = sum(len(each["name"]) + len(each["value"]) for each in embed.get("fields", ()))
    inner = len(embed.get("footer", {}).get("text", "")) + len(
        embed.get("author", {}).get("name", "")
    )
    return len(embed.get("title") or "") + len(embed.get("description") or "") + fields + inner


def _command(command: Body) -> Iterator[str]:
    if command.get("type", 1) == 1:
        if _command_text(command) > 8000:
            yield f"command {command['name']}: more than 8000 characters"
        yield from _command_names(command)


def _command_names(node: Body) -> Iterator[str]:
    name = node["name"]
    if not _COMMAND_NAME.match(name) or name != name.lower():
        yield f"bad command or option name {name!r}"
    optional = False
    for option in node.get("options", ()):
        yield from _command_names(option)
        if option["type"] > 2:
            if option.get("required") and optional:
                yield f"{name}: required option {option['name']} after an optional one"
            optional = optional or not option.get("required")


def _command_text(node: Body) -> int:
    own = _longest(node, "name") + _longest(node, "description")
    choices = sum(
        _longest(choice, "name") + len(str(choice["value"])) for choice in node.get("choices", ())
    )
    return own + choices + sum(_command_text(option) for option in node.get("options", ()))


def _longest(node: Body, key: str) -> int:
    """Returns the length of a text in the language in which it is longest."""
    others: Mapping[str, str] = node.get(f"{key}_localizations") or {}
    return max(map(len, (node.get(key, ""), *others.values())))
