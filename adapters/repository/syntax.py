"""What one source file defines and calls, by its lines. Broken code gives what can be read of it.

A parser's own time is linear but for hostile texts, so this is called where it can be ended
(``adapters.processes.workers``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.repository.languages import BOUND, Language, grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLED = ("function", "method", "constructor", "macro", "type", "name")
"""The fields in which grammars keep what is called, the first that is there."""
_LAST_NAME = re.compile(r"([^\W\d][\w$]*)[!?]?\s*(?:<[^()]{0,100}>|\[[^()]{0,100}\])?\s*\Z")
_LONGEST_NAME = 200
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "class"})
"""Values that make what JavaScript binds to a name (``BOUND``) a definition."""
_NAMED = ("name", "left", "key", "property", "type")
"""The fields in which grammars keep what is defined, the first that is there."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or type on the lines ``first`` to ``last``, both counted from 1."""

    name: str
    first: int
    last: int
    function: bool


@dataclass(frozen=True, slots=True)
class CallSite:
    """A name that is called on a line."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Syntax:
    """``definitions`` by where they begin, the outer one first."""

    definitions: tuple[Definition, ...] = ()
    calls: tuple[CallSite, ...] = ()

    def around(self, line: int) -> tuple[Definition, ...]:
        """The definitions in which a line stands, the outermost first."""
        return tuple(d for d in self.definitions if d.first <= line <= d.last)


def syntax_of(text: str, language: Language) -> Syntax:
    from tree_sitter import QueryCursor

    parser, query = grammar(language)
    found = QueryCursor(query).captures(parser.parse(text.encode()).root_node)
    definitions = [d for n in found.get("function", ()) if (d := _definition(n, function=True))]
    definitions += [d for n in found.get("type", ()) if (d := _definition(n, function=False))]
    calls = {CallSite(name, n.start_point[0] + 1) for n, name in _called(found.get("call", ()))}
    return Syntax(
        tuple(sorted(definitions, key=lambda d: (d.first, -d.last, d.name))),
        tuple(sorted(calls, key=lambda c: (c.line, c.name))),
    )


def _definition(node: Node, *, function: bool) -> Definition | None:
    """None for a node that only mentions the name, or has none."""
    if node.type in BOUND:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is None or value.type not in _FUNCTIONS:
            return None
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return None
    fields = (node.child_by_field_name(field) for field in _NAMED)
    named = next((n for n in fields if n is not None), None)
    if node.child_by_field_name("declarator") is not None:
        name = _declared(node)
    else:
        name = _last_name(named)
    if not name:
        return None
    outer = node.parent
    decorated = outer is not None and outer.type in ("decorated_definition", "export_statement")
    start = node
    if decorated and outer is not None:
        start = outer
    last = node.end_point[0] + (node.end_point[1] > 0)  # a node may end where a line begins
    return Definition(name, start.start_point[0] + 1, last, function)


def _declared(node: Node) -> str:
    """The name in a C declarator, which stands before its parameters."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and (inner := declarator.child_by_field_name("declarator")):
        declarator = inner
    return _last_name(declarator)


def _called(nodes: Iterable[Node]) -> Iterator[tuple[Node, str]]:
    for node in nodes:
        fields = (node.child_by_field_name(field) for field in _CALLED)
        named = next((n for n in fields if n is not None), None)
        if named is not None and named.text == b"new":  # Ruby's way to call a constructor
            named = node.child_by_field_name("receiver") or named
        if named is None and node.named_child_count:
            named = node.named_child(0)
        if name := _last_name(named):
            yield node, name


def _last_name(node: Node | None) -> str:
    """The last identifier of what names something: ``c`` of ``a.b.c`` or ``A::b<T>.c<U>``."""
    if node is None or node.text is None:
        return ""
    text = node.text[-_LONGEST_NAME:].decode("utf-8", "replace")
    found = _LAST_NAME.search(text)
    if found:
        return found.group(1)
    return ""
