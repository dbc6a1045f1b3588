"""Requests checked against a REST service's own description (OpenAPI 3): path, query and body.

Stricter than the description where that is lenient: a name that it does not know is a mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.standins.schemas import Schema

_WIDE = {"path", "basehead", "ref"}  # parameters that may hold a slash, or nothing at all


@dataclass
class Description:
    """A service's description. ``check`` returns the faults of one request, none for a good one."""

    file: Path
    spec: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.spec = json.loads(self.file.read_text("utf-8"))
        resource: Resource[Any] = Resource.from_contents(
            self.spec, default_specification=DRAFT202012
        )
        self._registry: Registry[Any] = Registry().with_resource("urn:api", resource)
        self._fast = jsonschema_rs.Registry([("urn:api", self.spec)])
        self._schemas: dict[str, Schema] = {}
        self._paths = [(_pattern(path), item) for path, item in self.spec["paths"].items()]
        self._paths.sort(key=lambda pair: -len(re.sub(r"\(.*?\)", "", pair[0].pattern)))

    def check(self, method: str, path: str, query: Mapping[str, str], body: object) -> list[str]:
        match = next(((p.fullmatch(path), item) for p, item in self._paths if p.fullmatch(path)
                      and method.lower() in item), None)  # fmt: skip
        if match is None or match[0] is None:
            return [f"{method} {path} is in no description"]
        operation = match[1][method.lower()]
        known = [self._resolved(one) for one in operation["parameters"]]
        return [
            *self._parameters(known, "path", match[0].groupdict()),
            *self._parameters(known, "query", query),
            *self._body(operation, body),
        ]

    def _resolved(self, one: dict[str, Any]) -> dict[str, Any]:
        ref = one.get("$ref")
        if ref is None:
            return one
        node: Any = self.spec
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return dict(node)

    def _parameters(
        self, known: list[dict[str, Any]], where: str, given: Mapping[str, str]
    ) -> list[str]:
        here = {one["name"]: one for one in known if one["in"] == where}
        problems = [f"{where} parameter {name} is unknown" for name in given if name not in here]
        for name, one in here.items():
            if name not in given:
                if one.get("required") and where == "query":
                    problems.append(f"query parameter {name} is missing")
                continue
            value: object = given[name]
            if one["schema"].get("type") == "integer" and str(value).isdecimal():
                value = int(str(value))
            problems += self._against(one["schema"], value, f"{where} {name}")
        return problems

    def _body(self, operation: dict[str, Any], body: object) -> list[str]:
        request_body = operation.get("requestBody")
        if request_body is None:
            return [] if body is None else ["a body where none belongs"]
        schema = request_body["content"]["application/json"]["schema"]
        if body is None:
            return ["the body is missing"] if request_body.get("required") else []
        names = schema.get("properties", {})
        unknown = [name for name in body if name not in names] if isinstance(body, dict) else []
        return [
            *(f"the body's {name} is unknown" for name in unknown if names),
            *self._against(schema, body, "body"),
        ]

    def _against(self, schema: dict[str, Any], value: object, what: str) -> list[str]:
        text = json.dumps(schema).replace('"#/components', '"urn:api#/components')
        if text not in self._schemas:
            local = json.loads(text)
            self._schemas[text] = Schema(
                jsonschema_rs.Draft202012Validator(
                    local, registry=self._fast, validate_formats=False
                ),
                Draft202012Validator(local, registry=self._registry),
            )
        errors = self._schemas[text].errors(value)
        return [f"{what}: {error.message[:200]}" for error in errors]


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", path)
    made = "".join(
        (f"(?P<{part}>.*)" if part in _WIDE else f"(?P<{part}>[^/]+)") if n % 2 else re.escape(part)
        for n, part in enumerate(parts)
    )
    return re.compile(made)
