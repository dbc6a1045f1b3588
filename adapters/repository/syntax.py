"""Finds the definitions, calls and imports in one source file, by line; in broken code as far as it
can be read.

A parser's time is linear except for hostile texts, so each file has one second, and callers run it
in a process that can be ended (``adapters.processes.workers``).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.repository.languages import BOUND, Language, grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_CALLED = ("function", "method", "constructor", "macro", "type", "name")
"""The fields in which grammars keep the called name; the first that exists counts."""
_RECEIVERS = ("object", "receiver", "scope")
"""The fields in which grammars keep what a method is called on, if not before its name."""
_LAST_NAME = re.compile(r"([^\W\d][\w$]*)[!?]?\s*(?:<[^()]{0,100}>|\[[^()]{0,100}\])?\s*\Z")
WORD = re.compile(r"[^\W\d]\w*")
"""Matches a name of any language."""
_LONGEST_NAME = 200
_LONGEST_IMPORT = 4000
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
_REQUIRES = frozenset({"require", "require_relative", "require_once", "include", "load"})
_NO_BASES = frozenset(
    {"class", "struct", "enum", "interface", "trait", "record", "object", "extends", "impl", "pub",
     "implements", "with", "for", "where", "public", "protected", "private", "virtual", "final",
     "metaclass"}
)  # fmt: skip
"""Words in a type's head that name no base."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or type on the lines ``first`` to ``last``, both counted from 1.

    ``owner`` is the type of which a function is a method, and ``me`` Go's name for the value that
    it is called on. ``bases`` are the names in the head of a type: what it inherits from.
    """

    name: str
    first: int
    last: int
    function: bool
    owner: str = ""
    me: str = ""
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallSite:
    """A name that is called on a line; ``receiver`` is the text before it, like ``self`` or
    ``a.b``.
    """

    name: str
    line: int
    receiver: str = ""


@dataclass(frozen=True, slots=True)
class Syntax:
    """``definitions`` are sorted by their beginning, the outer one first; ``imports`` are the words
    of the statements that name other files. ``whole`` is false if the time was over before all were
    found.
    """

    definitions: tuple[Definition, ...] = ()
    calls: tuple[CallSite, ...] = ()
    imports: frozenset[str] = frozenset()
    whole: bool = True

    def around(self, line: int) -> tuple[Definition, ...]:
        """Returns the definitions around a line, the outermost first."""
        return tuple(d for d in self.definitions if d.first <= line <= d.last)


def syntax_of(text: str, language: Language, seconds: float = SECONDS) -> Syntax:
    """Returns what is found in a file within ``seconds``; nothing of a file that takes longer."""
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
    imports: set[str] = set()
    for number, (node, outer) in enumerate(_nodes(tree)):
        if number % _OFTEN == 0 and is_over():
            return Syntax(whole=False)
        kind = ""
        if node.is_named:
            kind = node.type
        function = kind in language.functions
        if (function or kind in language.types) and (
            definition := _definition(node, outer, source, function=function)
        ):
            definitions.append(definition)
        if kind in language.calls and (call := _call(node, source)):
            calls.add(call)
            if call.name in _REQUIRES:
                imports.update(WORD.findall(_line_of(node, source)))
        if kind in language.imports:
            imports.update(WORD.findall(_imported(node, source)))
    ordered = sorted(definitions, key=lambda d: (d.first, -d.last, d.name))
    return Syntax(
        tuple(_owned(ordered)),
        tuple(sorted(calls, key=lambda c: (c.line, c.name, c.receiver))),
        frozenset(imports),
    )


def _owned(definitions: list[Definition]) -> Iterator[Definition]:
    """Yields the definitions, methods with the type around them as their owner."""
    types: list[Definition] = []
    for d in definitions:
        types = [t for t in types if t.last >= d.last]
        yield replace(d, owner=types[-1].name) if types and not d.owner else d
        if not d.function:
            types.append(d)


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
    """Returns the definition that a node makes; None if it only mentions the name, or has none."""
    if node.type in BOUND:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is None or value.type not in _FUNCTIONS:
            return None
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return None
    fields = (node.child_by_field_name(field) for field in _NAMED)
    named = next((n for n in fields if n is not None), None)
    if node.child_by_field_name("declarator") is not None:
        named = _declared(node)
    name = _last_name(named, source)
    if not name:
        return None
    decorated = outer is not None and outer.type in ("decorated_definition", "export_statement")
    start = node
    if decorated and outer is not None:
        start = outer
    last = node.end_point[0] + (node.end_point[1] > 0)  # a node may end where a line begins
    owner, me = _owner(node, named, source) if function else ("", "")
    bases = () if function else tuple(_bases(node, name, source))
    return Definition(name, start.start_point[0] + 1, last, function, owner, me, bases)


def _owner(node: Node, named: Node | None, source: bytes) -> tuple[str, str]:
    """Returns the type that a method names in addition to its own name (Go's receiver,
    ``Type::name`` of C++, ``Type.prototype.name``), and Go's name for the value.
    """
    receiver = None
    if node.type == "method_declaration":
        receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        words = WORD.findall(_text(receiver, source).split("[")[0])
        if len(words) > 1:
            return (words[-1], words[0])
        return ("".join(words), "")
    words = WORD.findall(_text(named, source).split("<")[0].split("(")[0])[:-1]
    return (next((word for word in reversed(words) if word != "prototype"), ""), "")


def _bases(node: Node, name: str, source: bytes) -> Iterator[str]:
    """Yields the other names in a type's head: bases, interfaces, a trait."""
    body = node.child_by_field_name("body")
    end = node.end_byte
    if body is not None:
        end = body.start_byte
    head = source[node.start_byte : min(end, node.start_byte + 1000)]
    if body is None:
        head = head.split(b"\n")[0]
    words = WORD.findall(head.decode("utf-8", "replace").split("{")[0])
    yield from (word for word in dict.fromkeys(words) if word not in _NO_BASES and word != name)


def _declared(node: Node) -> Node | None:
    """Returns C's declarator of the name, which comes before its parameters."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and (inner := declarator.child_by_field_name("declarator")):
        declarator = inner
    return declarator


def _call(node: Node, source: bytes) -> CallSite | None:
    fields = (node.child_by_field_name(field) for field in _CALLED)
    named = next((n for n in fields if n is not None), None)
    receivers = (node.child_by_field_name(field) for field in _RECEIVERS)
    on = next((n for n in receivers if n is not None), None)
    if named is not None and source[named.start_byte : named.end_byte] == b"new":
        named = named if on is None else on  # Ruby's way to call a constructor
        on = None
    if named is None and node.named_child_count:
        named = node.named_child(0)
    name = _last_name(named, source)
    if not name:
        return None
    receiver = _text(on, source)
    if on is None:
        called = _text(named, source)
        receiver = (
            called[: called.rindex(name)].rstrip().removesuffix("template").rstrip(".:>?!-& ")
        )
    return CallSite(name, node.start_point[0] + 1, " ".join(receiver.split())[-_LONGEST_NAME:])


def _text(node: Node | None, source: bytes) -> str:
    """Returns the end of a node's text, at most ``_LONGEST_NAME`` bytes."""
    if node is None:
        return ""
    first = max(node.start_byte, node.end_byte - _LONGEST_NAME)
    return source[first : node.end_byte].decode("utf-8", "replace")


def _last_name(node: Node | None, source: bytes) -> str:
    """Returns the last identifier of a name: ``c`` of ``a.b.c`` or ``A::b<T>.c<U>``."""
    match = _LAST_NAME.search(_text(node, source))
    if match:
        return match.group(1)
    return ""


def _line_of(node: Node, source: bytes) -> str:
    """Returns the line on which a node begins, with the node's whole text."""
    first = source.rfind(b"\n", 0, node.start_byte) + 1
    first = max(first, node.start_byte - _LONGEST_NAME)
    last = min(node.end_byte, first + _LONGEST_IMPORT)
    return source[first:last].decode("utf-8", "replace")


def _imported(node: Node, source: bytes) -> str:
    """Returns the text of an import; of a module in Rust its name only."""
    if node.type == "mod_item":
        return _text(node.child_by_field_name("name"), source)
    last = min(node.end_byte, node.start_byte + _LONGEST_IMPORT)
    return source[node.start_byte : last].decode("utf-8", "replace")
