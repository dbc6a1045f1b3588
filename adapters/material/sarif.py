"""Reads a scanner's results out of a SARIF file (2.1.0, OASIS), as any scanner writes it.

Scanners name one thing in several ways: a rule by its id, its index or its component; a file by its
address, its index or an address below a base; the words of a result as a text or by an id with
arguments. A member that is null is like one that is missing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec

from adapters.text.documents import read_object
from core.debate.stored import stored

_VERSION = "2.1"
_NO_PROBLEM = ("pass", "notapplicable", "informational")
_ACCEPTED = {"", "accepted"}
"""The states of a suppression that suppresses; a missing one is accepted."""
_MOST_BASES = 8  # a base below a base below …
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"/?[A-Za-z]:/")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
_LINK = re.compile(r"(?<!\\)\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)")

T = TypeVar("T")


class _Message(msgspec.Struct):
    text: str = ""
    markdown: str = ""
    id: str = ""
    arguments: list[str] = []


class _Level(msgspec.Struct):
    """The default of a rule, or a note of a run."""

    level: str = ""


class Rule(msgspec.Struct, rename="camel"):
    """What a scanner says about one of its rules."""

    id: str = ""
    name: str = ""
    short_description: _Message = msgspec.field(default_factory=_Message)
    full_description: _Message = msgspec.field(default_factory=_Message)
    default_configuration: _Level = msgspec.field(default_factory=_Level)
    message_strings: dict[str, _Message] = {}
    properties: dict[str, Any] = {}


class _Component(msgspec.Struct, rename="camel"):
    name: str = "scanner"
    guid: str = ""
    rules: list[Rule] = []
    global_message_strings: dict[str, _Message] = {}


class _Tool(msgspec.Struct):
    """A scanner with its rules, which can be in its extensions (CodeQL's packs)."""

    driver: _Component = msgspec.field(default_factory=_Component)
    extensions: list[_Component] = []


class _Address(msgspec.Struct, rename="camel"):
    uri: str = ""
    uri_base_id: str = ""
    index: int = -1


class _Artifact(msgspec.Struct):
    location: _Address = msgspec.field(default_factory=_Address)


class _Region(msgspec.Struct, rename="camel"):
    start_line: int = 0
    end_line: int = 0


class _Physical(msgspec.Struct, rename="camel"):
    artifact_location: _Address = msgspec.field(default_factory=_Address)
    region: _Region = msgspec.field(default_factory=_Region)


class _Location(msgspec.Struct, rename="camel"):
    physical_location: _Physical = msgspec.field(default_factory=_Physical)


class _ComponentName(msgspec.Struct):
    name: str = ""
    guid: str = ""
    index: int = -1


class _RuleName(msgspec.Struct, rename="camel"):
    id: str = ""
    index: int = -1
    tool_component: _ComponentName | None = None


class _Suppression(msgspec.Struct):
    status: str = ""


class _Result(msgspec.Struct, rename="camel"):
    rule_id: str = ""
    rule_index: int = -1
    rule: _RuleName = msgspec.field(default_factory=_RuleName)
    kind: str = "fail"
    level: str = ""
    baseline_state: str = ""
    message: _Message = msgspec.field(default_factory=_Message)
    locations: list[_Location] = []
    suppressions: list[_Suppression] = []


class _Invocation(msgspec.Struct, rename="camel"):
    execution_successful: bool = True
    tool_execution_notifications: list[_Level] = []


class _Elsewhere(msgspec.Struct):
    results: list[Any] = []


class _Run(msgspec.Struct, rename="camel"):
    tool: _Tool = msgspec.field(default_factory=_Tool)
    results: list[Any] | None = None
    invocations: list[_Invocation] = []
    external_property_file_references: _Elsewhere = msgspec.field(default_factory=_Elsewhere)
    artifacts: list[_Artifact] = []
    original_uri_base_ids: dict[str, _Address] = {}


class _Log(msgspec.Struct, rename="camel"):
    runs: list[_Run]
    version: str = _VERSION
    inline_external_properties: list[_Elsewhere] = []


@dataclass(frozen=True, slots=True)
class Place:
    """A file, by the path or the whole address that the scanner gives, and its lines."""

    paths: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    """One result. ``skipped`` is the reason for which it is not debated, empty if it is."""

    tool: str
    rule_id: str
    rule: Rule
    level: str
    words: str
    places: tuple[Place, ...] = ()
    skipped: str = ""


UNREADABLE = "can't be read"


def read_results(data: bytes) -> tuple[ScanResult, ...]:
    """Returns every result of a SARIF file. Raises ``ValueError`` if it is none, or if none of its
    results can be read.
    """
    log = msgspec.convert(_without_nulls(read_object(_as_text(data))), _Log, strict=False)
    if not log.version.startswith(_VERSION):
        raise ValueError("another version of SARIF")
    results = tuple(result for run in log.runs for result in _results_of(run))
    if any(one.results for one in log.inline_external_properties):
        results += (_without_place("scanner", "list of results outside its scan, not read"),)
    if results and all(one.skipped == UNREADABLE for one in results):
        raise ValueError("no result can be read")
    return results


def _as_text(data: bytes) -> bytes | str:
    """Returns the text of a file, in UTF-8 or in Windows' UTF-16. Raises ``ValueError``."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.removeprefix(codecs.BOM_UTF8)


def _without_nulls(value: Any) -> Any:
    """Returns a document without the members that are null, level by level."""
    levels = [value]
    while levels:
        one = levels.pop()
        if isinstance(one, dict):
            for name in [name for name, member in one.items() if member is None]:
                del one[name]
            levels.extend(one.values())
        elif isinstance(one, list):
            one[:] = [member for member in one if member is not None]
            levels.extend(one)
    return value


def _without_place(tool: str, reason: str) -> ScanResult:
    return ScanResult(tool, "", Rule(), "", "", skipped=reason)


def _results_of(run: _Run) -> Iterator[ScanResult]:
    rules, tool = _Rules(run.tool), run.tool.driver.name
    for reason in _unseen(run):
        yield _without_place(tool, reason)
    for raw in run.results or ():
        try:
            result = msgspec.convert(raw, _Result, strict=False)
        except (ValueError, OverflowError):
            yield _without_place(tool, UNREADABLE)
            continue
        rule = rules.of(result)
        yield ScanResult(
            tool,
            result.rule_id or result.rule.id or rule.id,
            rule,
            (result.level or rule.default_configuration.level).lower(),
            _words(result, rule, run.tool.driver.global_message_strings),
            tuple(_places(result, run)),
            _why_skipped(result),
        )


def _unseen(run: _Run) -> Iterator[str]:
    """Yields why a scanner may have more results than the file holds."""
    if not all(one.execution_successful for one in run.invocations):
        yield stored("scan that did not finish")
    elif any(
        one.level.lower() == "error"
        for invocation in run.invocations
        for one in invocation.tool_execution_notifications
    ):
        yield stored("scan that reports its own errors")
    if run.external_property_file_references.results:
        yield stored("list of results in another file, not read")
    elif run.results is None:
        yield stored("scan without a list of results")


def _why_skipped(result: _Result) -> str:
    if result.kind.lower() in _NO_PROBLEM:
        return stored("without a problem")
    if result.baseline_state == "absent":
        return stored("gone since the scan before")
    states = {one.status.lower() for one in result.suppressions}
    if states and states <= _ACCEPTED:
        return stored("suppressed")
    return ""


class _Rules:
    """The rules of a scanner and its extensions, by each of the ways to name them."""

    def __init__(self, tool: _Tool) -> None:
        self._driver, self._extensions = tool.driver, tool.extensions
        parts = (*reversed(tool.extensions), tool.driver)
        self._by_id = {rule.id: rule for part in parts for rule in part.rules}

    def of(self, result: _Result) -> Rule:
        name = result.rule_id or result.rule.id
        index = result.rule_index
        if result.rule_index < 0:
            index = result.rule.index
        rule = _at(self._component(result.rule.tool_component).rules, index)
        if rule is not None and (not name or name == rule.id or name.startswith(f"{rule.id}/")):
            return rule
        while name and name not in self._by_id and "/" in name:
            name = name.rpartition("/")[0]  # “CA1000/1” is a part of the rule “CA1000”
        return self._by_id.get(name, Rule())

    def _component(self, name: _ComponentName | None) -> _Component:
        if name is None:
            return self._driver
        for part in self._extensions:
            if (name.guid and part.guid == name.guid) or (name.name and part.name == name.name):
                return part
        return _at(self._extensions, name.index) or self._driver


def _at(items: Sequence[T], index: int) -> T | None:
    if 0 <= index < len(items):
        return items[index]
    return None


def _words(result: _Result, rule: Rule, common: Mapping[str, _Message]) -> str:
    """Returns the message of a result, with its arguments, and without the addresses of links."""
    message = result.message
    template = rule.message_strings.get(message.id) or common.get(message.id) or _Message()
    text = message.text or message.markdown or template.text or template.markdown
    if not text:
        about = (rule.short_description.text, rule.full_description.text, rule.name)
        return next(filter(None, about), result.rule_id or rule.id)
    if message.arguments:
        text = _PLACEHOLDER.sub(lambda match: _filled(match, message.arguments), text)
    return _LINK.sub(r"\1", text)


def _filled(match: re.Match[str], arguments: Sequence[str]) -> str:
    if match.group(1) is None:
        return match.group()[0]
    argument = _at(arguments, int(match.group(1)))
    if argument is None:
        return match.group()
    return argument


def _places(result: _Result, run: _Run) -> Iterator[Place]:
    for location in result.locations:
        physical = location.physical_location
        address = physical.artifact_location
        known = _at(run.artifacts, address.index)
        if not address.uri and known is not None:
            address = known.location
        region = physical.region
        last = max(region.start_line, region.end_line)
        whole = _with_base(address, run.original_uri_base_ids)
        paths = dict.fromkeys((_path(whole), _path(unquote(whole))))
        yield Place(tuple(filter(None, paths)), region.start_line, last)


def _with_base(address: _Address, bases: Mapping[str, _Address]) -> str:
    """Returns the address below its base, as far as the file names the bases."""
    uri, base = address.uri, address.uri_base_id
    for _ in range(_MOST_BASES):
        known = bases.get(base)
        if known is None or _SCHEME.match(uri) or uri.startswith("/"):
            break
        if known.uri:
            uri = f"{known.uri.rstrip('/')}/{uri}"
        base = known.uri_base_id
    return uri


def _path(uri: str) -> str:
    """Returns the path of an address: with slashes, without a scheme, host or drive; the path of a
    whole address begins with a slash.
    """
    text = uri.replace("\\", "/")
    if _DRIVE.match(text):
        return text[text.index(":") + 1 :]
    if text.startswith("//"):
        text = f"file:{text}"
    scheme = _SCHEME.match(text)
    if scheme:
        rest = text[scheme.end() :]
        if rest.startswith("//"):
            rest = "/" + rest[2:].partition("/")[2]
        if _DRIVE.match(rest):
            return _path(rest)
        return "/" + rest.lstrip("/")
    while text.startswith("./"):
        text = text[2:]
    return text
