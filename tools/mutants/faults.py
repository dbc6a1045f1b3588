"""The faults that can be put into a module: a comparison turned, a branch swapped, a number off by
one. Each is one change of its syntax tree, so no file is written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}

EQUIVALENT: Mapping[str, str] = {
    "adapters/slack/incoming/attachments.py _file_text: 0: 0 becomes 1": (
        "a size that Slack does not say: no byte and one are both far below the largest"
    ),
    "bot/env_file.py _unread: False: False becomes True": (
        "a file that is not there: no value of it is missing, whether it is empty or an error"
    ),
    "adapters/slack/outgoing/layout.py _button: 30: 30 becomes 31": (
        "the room of a Yes and of a No, which are far shorter"
    ),
    "core/debate/material/escaping.py _code_point: point <= 65535: LtE becomes Lt": (
        "the last of the short ones, U+FFFF, is not among the hidden characters"
    ),
    "core/debate/due/argument.py _replying: 0: 0 becomes 1": (
        "where counting begins, for all seats alike: their order stays the same"
    ),
    (
        "core/words/views/history.py forecast_lines: ratings.brier is not None and ratings.stated "
        "is not None: And becomes Or"
    ): "both scores are of the same findings: both are known, or neither is",
    "core/debate/prompting/transcript.py transcript: 0: 0 becomes 1": (
        "the latest round of no turns: where none are read, none is shortened"
    ),
    "adapters/text/parser.py markdown_parser: False: False becomes True": (
        "no raw HTML: the two rules that would read it are off, too"
    ),
    (
        "adapters/evaluation/reports.py _dot: one.low is not None and one.high is not None: And "
        "becomes Or"
    ): "a figure has both ends of its interval or none",
}
"""Faults, by name, that change nothing that anybody could see, and why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The ``number``-th change that can be made in ``file``: it is in ``lines`` of a function whose
    lines are ``body``.
    """

    file: str
    function: str
    what: str
    number: int
    lines: range
    body: range

    @property
    def name(self) -> str:
        """Stays the same when lines move."""
        return f"{self.file} {self.function}: {self.what}"

    @property
    def place(self) -> str:
        return f"{self.file}:{self.lines.start} {self.function}: {self.what}"


def faults_in(file: Path, root: Path) -> list[Fault]:
    """Returns all faults that can be put into the functions of a file."""
    name = str(file.relative_to(root))
    tree = ast.parse(file.read_text("utf-8"))
    return [
        Fault(name, function, what, number, lines, body)
        for number, (function, body, lines, what, _) in enumerate(_changes(tree))
    ]


def faulty(source: str, number: int) -> ast.Module:
    """Returns a module's tree with that one change made."""
    tree = ast.parse(source)
    change = next(c for n, (*_, c) in enumerate(_changes(tree)) if n == number)
    change()
    return ast.fix_missing_locations(tree)


_Change = tuple[str, range, range, str, Callable[[], None]]


def _changes(tree: ast.Module) -> Iterator[_Change]:
    """Function, its lines, those of the change, what is done, and how, in the order of the text."""
    for function, name in _functions(tree, ""):
        body = range(function.body[0].lineno, (function.end_lineno or function.lineno) + 1)
        for node in _inside(function):
            place = node.test if isinstance(node, ast.If) else node
            lines = range(place.lineno, (place.end_lineno or place.lineno) + 1)
            for what, change in _of(node):
                yield name, body, lines, f"{_text(place)}: {what}", change


def _text(node: ast.AST) -> str:
    """Its source on one line, without its middle if it is long."""
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:50]} … {text[-25:]}"


def _functions(
    node: ast.AST, within: str
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, f"{within}{child.name}"
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{within}{child.name}.")


def _inside(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[ast.expr | ast.stmt]:
    """Its statements and expressions, without annotations, texts for people, lines of the log, what
    is raised, and what only checks ourselves (``assert``, the ``strict`` of ``zip``).
    """
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert) or _is_log(node):
            continue
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue
        children = [
            child
            for name, value in ast.iter_fields(node)
            if name not in ("annotation", "returns", "decorator_list")
            for child in (value if isinstance(value, list) else [value])
            if isinstance(child, ast.AST)
        ]
        waiting += reversed(children)


def _of(node: ast.expr | ast.stmt) -> Iterator[tuple[str, Callable[[], None]]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _TURNED:
            other = _TURNED[type(op)]
            yield f"{_name(op)} becomes {other.__name__}", _setting(node, "ops", [other()])
        case ast.BoolOp():
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"{_name(node.op)} becomes {_name(other_op)}", _setting(node, "op", other_op)
        case ast.BinOp() if type(node.op) in _SWAPPED and not _is_text(node):
            swapped = _SWAPPED[type(node.op)]()
            yield f"{_name(node.op)} becomes {_name(swapped)}", _setting(node, "op", swapped)
        case ast.Constant(value=bool() as value):
            yield f"{value} becomes {not value}", _setting(node, "value", not value)
        case ast.Constant(value=int() | float() as number):
            yield f"{number} becomes {number + 1}", _setting(node, "value", number + 1)
        case ast.Name(id=name) if name in _NAMES and isinstance(node.ctx, ast.Load):
            yield f"{name} becomes {_NAMES[name]}", _setting(node, "id", _NAMES[name])
        case ast.If() | ast.IfExp():
            turned = ast.UnaryOp(ast.Not(), copy.deepcopy(node.test))
            ast.copy_location(turned, node.test)
            yield "the condition is turned", _setting(node, "test", turned)
        case ast.UnaryOp(op=ast.Not()):
            yield "not is left out", _bare(node)
        case _:
            return


def _bare(node: ast.UnaryOp) -> Callable[[], None]:
    """Returns ``not x`` as ``not not x``: the value of ``x`` as a condition."""
    inner = ast.UnaryOp(ast.Not(), node.operand)
    ast.copy_location(inner, node)
    return _setting(node, "operand", inner)


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", None), str)
        for side in (node.left, node.right)
    )


def _is_log(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name.strip("_").lower() in ("log", "logger")
        case _:
            return False


def _setting(node: ast.AST, name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _name(op: ast.AST) -> str:
    return type(op).__name__
