"""Finds the definitions and calls in one source file, by line; broken code gives those that can be
read.

A parser's own time is linear but for hostile texts, so each file has a second of it, and this is
called where it can be ended (``adapters.processes.workers``).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.repository.languages import BOUND, Language, grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_CALLED = ("function", "method", "constructor", "macro", "type", "name")
"""The fields in which grammars keep the called name; the first that exists counts."""
_LAST_NAME = re.compile(r"([^\W\d][\w$]*)[!?]?\s*(?:<[^()]{0,100}>|\[[^()]{0,100}\])?\s*\Z")
_LONGEST_NAME = 200
_CHUNK = 1 << 16
_OFTEN = 500
"""Nodes between two looks at the clock."""
SECONDS = 1.0
"""Processor seconds for one file: real ones take hundredths, and one that was made to stall (nested
a hundred thousand times) should not take the others' time.
"""
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "class"})
"""Values that make what JavaScript binds to a name (``BOUND``) a definition."""
_NAMED = ("name", "left", "key", "property", "type")
"""The fields in which grammars keep the defined name."""


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
    """``definitions`` by where they begin, the outer one first; ``whole`` is false where the time
    was over before all were found.
    """

    definitions: tuple[Definition, ...] = ()
    calls: tuple[CallSite, ...] = ()
    whole: bool = True

    def around(self, line: int) -> tuple[Definition, ...]:
        """Returns the definitions in which a line stands, the outermost first."""
        return tuple(d for d in self.definitions if d.first <= line <= d.last)


def syntax_of(text: str, language: Language, seconds: float = SECONDS) -> Syntax:
    """Returns the definitions and calls found in a file within ``seconds``; none of one that takes
    longer.
    """
    parser = grammar(language)
    source, ends = text.encode(), time.thread_time() + seconds

    def is_over(*_: object) -> bool:
        return time.thread_time() > ends

    try:
        tree = parser.parse(lambda at, _: source[at : at + _CHUNK], progress_callback=is_over)
    except ValueError:  # what the binding raises for one that was called off
        parser.reset()
        return Syntax(whole=False)
    definitions: list[Definition] = []
    calls: set[CallSite] = set()
    for number, (node, outer) in enumerate(_nodes(tree)):
        if number % _OFTEN == 0 and is_over():
            return Syntax(whole=False)
        kind = node.type if node.is_named else ""
        function = kind in language.functions
        if (function or kind in language.types) and (
            definition := _definition(node, outer, source, function=function)
        ):
            definitions.append(definition)
        if kind in language.calls and (name := _called(node, source)):
            calls.add(CallSite(name, node.start_point[0] + 1))
    return Syntax(
        tuple(sorted(definitions, key=lambda d: (d.first, -d.last, d.name))),
        tuple(sorted(calls, key=lambda c: (c.line, c.name))),
    )


def _nodes(tree: Tree) -> Iterator[tuple[Node, Node | None]]:
    """Yields every node with the one around it, in the order of the text. The library's own
    queries, and its way to a node's parent, take time in the square of what was made to stall them.
    """
    cursor = tree.walk()
    around: list[Node] = []
    while True:
        node = cursor.node
        if node is not None:
            yield node, around[-1] if around else None
            if cursor.goto_first_child():
                around.append(node)
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            around.pop()


def _definition(
    node: Node, outer: Node | None, source: bytes, *, function: bool
) -> Definition | None:
    """Returns the definition that a node makes; None for one that only mentions the name, or has
    none.
    """
    if node.type in BOUND:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is None or value.type not in _FUNCTIONS:
            return None
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return None
    fields = (node.child_by_field_name(field) for field in _NAMED)
    named = next((n for n in fields if n is not None), None)
    if node.child_by_field_name("declarator") is not None:
        name = _declared(node, source)
    else:
        name = _last_name(named, source)
    if not name:
        return None
    decorated = outer is not None and outer.type in ("decorated_definition", "export_statement")
    start = node
    if decorated and outer is not None:
        start = outer
    last = node.end_point[0] + (node.end_point[1] > 0)  # a node may end where a line begins
    return Definition(name, start.start_point[0] + 1, last, function)


def _declared(node: Node, source: bytes) -> str:
    """Returns the name in a C declarator, which stands before its parameters."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and (inner := declarator.child_by_field_name("declarator")):
        declarator = inner
    return _last_name(declarator, source)


def _called(node: Node, source: bytes) -> str:
    fields = (node.child_by_field_name(field) for field in _CALLED)
    named = next((n for n in fields if n is not None), None)
    if named is not None and source[named.start_byte : named.end_byte] == b"new":
        named = node.child_by_field_name("receiver") or named  # Ruby's way to call a constructor
    if named is None and node.named_child_count:
        named = node.named_child(0)
    return _last_name(named, source)


def _last_name(node: Node | None, source: bytes) -> str:
    """Returns the last identifier of a name: ``c`` of ``a.b.c`` or ``A::b<T>.c<U>``."""
    if node is None:
        return ""
    first = max(node.start_byte, node.end_byte - _LONGEST_NAME)
    text = source[first : node.end_byte].decode("utf-8", "replace")
    match = _LAST_NAME.search(text)
    if match:
        return match.group(1)
    return ""
