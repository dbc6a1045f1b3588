"""Secrets are replaced before a text leaves the machine or is stored: in diffs, titles, file names,
challenges, error texts and log lines.

Secrets that the bot issues are recognized by their format (``issued``). The patterns of all other
secrets come from Betterleaks (``rules/betterleaks.json``, which ``.ci/secret_rules.py`` renews) and
gitleaks (``rules/gitleaks.toml``), a few are ours (``rules/own.toml``). RE2 runs them, in time that
is linear in the text whatever an attacker writes. As in gitleaks a rule is tried only if one of its
keywords occurs, a match must be random enough (Shannon entropy) and allow lists drop known
look-alikes. Examples of documentation and mocks are replaced, too. Unlike gitleaks no path and no
``gitleaks:allow`` comment switches a rule off: hiding too much costs a reader little, showing a
secret costs its owner much.

Known limit: a secret spread over two lines by a concatenation, or encoded once more (base64), is
not recognized.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from core.debate.issued import FORMS, MARK, RANDOM, WEBHOOK

_RULE_FILES = ("gitleaks.toml", "own.toml", "betterleaks.json")
_MARK = b"[redacted: %s]"
_MOCK = (
    r"(?i)example|dummy|f-?a-?k-?e[_-]|mock|placeholder|change[_-]?me|not[_-]?(?:a[_-]?)?real|"
    r"redacted|your[_-]|sample|012345678|123456789|abcdefgh|deadbeef|eyJzdWIiOiIxMjM0NTY3ODkw|"
    + "|".join(f"{letter}{{8}}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789")
)
"""Parts of values that people make up. In what was drawn by lot none of them occurs."""
_ISSUED = (
    {
        "id": "debatebot-secret",
        "regex": f"({'|'.join(FORMS)})",
        "keywords": [MARK, WEBHOOK],
        "entropy": RANDOM,
    },
)
_SHORTEST = 8  # bytes; no rule matches less
_NEAR = 500  # bytes before and after a match that count as its line
_BROAD = (
    "generic",
    "assigned",
    "url-",
    "bearer",
    "hashicorp-tf",
)  # rules that know the place of a secret, not its kind


@dataclass(frozen=True, slots=True)
class Secret:
    """The place of a secret: byte offsets into the UTF-8 text, the rule that matched, and the index
    of its first line. A ``mock`` only looks like one: a documented example, or made up for a test.
    """

    start: int
    end: int
    rule: str
    mock: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class _Allowed:
    """One allow list: a pattern on the secret, the whole match or its line, and one of words that
    a real secret does not contain; each of many as one, which is as quick as a single one.
    """

    target: str
    pattern: str
    words: str

    def allows(self, texts: Mapping[str, bytes]) -> bool:
        if self.pattern and _compiled(self.pattern).search(texts[self.target]):
            return True
        return bool(self.words and _compiled(self.words).search(texts["secret"].lower()))


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    pattern: str
    keywords: tuple[bytes, ...]
    group: int
    entropy: float
    path: str
    allowed: tuple[_Allowed, ...]


@cache
def _compiled(pattern: str) -> Any:
    import re2

    return re2.compile(pattern.encode(), _options())


def _options() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20  # one list of gitleaks has more than a thousand words
    return options


def _set_of(words: Iterable[bytes]) -> Any:
    """Returns a set whose ``Match`` gives the indices of the words that occur in a text, in one
    pass: twenty times as quick as to look for each.
    """
    import re2

    options = _options()
    options.literal = True
    all_of_them = re2.Set.SearchSet(options)
    for word in words:
        all_of_them.Add(word)
    all_of_them.Compile()
    return all_of_them


def _allowed(raw: Mapping[str, Any]) -> _Allowed | None:
    if raw.get("condition") == "AND" or not (raw.get("regexes") or raw.get("stopwords")):
        return None  # bound to a path, and no path switches a rule off here
    words = "|".join(re.escape(word.lower()) for word in raw.get("stopwords", ()))
    pattern = "|".join(f"(?:{one})" for one in raw.get("regexes", ()))
    return _Allowed(raw.get("regexTarget", "secret"), pattern, words)


def _lists(raw: Iterable[Mapping[str, Any]]) -> tuple[_Allowed, ...]:
    return tuple(filter(None, map(_allowed, raw)))


def _rule(raw: Mapping[str, Any]) -> _Rule:
    return _Rule(
        raw["id"],
        raw["regex"],
        tuple(word.lower().encode() for word in raw.get("keywords", ())),
        raw.get("secretGroup", 0),
        raw.get("entropy", 0.0),
        raw.get("path", ""),
        _lists(raw.get("allowlists", ())),
    )


def _read(file: Traversable) -> Mapping[str, Any]:
    text = file.read_text("utf-8")
    document: Mapping[str, Any] = (
        json.loads(text) if file.name.endswith(".json") else tomllib.loads(text)
    )
    return document


@dataclass(frozen=True, slots=True)
class _Rules:
    """All rules: ``words`` finds the keywords in a text, ``by_word`` are the places of the rules of
    each keyword, ``everywhere`` the allow lists of all rules.
    """

    rules: tuple[_Rule, ...]
    words: Any
    by_word: tuple[tuple[int, ...], ...]
    everywhere: tuple[_Allowed, ...]


@cache
def _loaded() -> _Rules:
    """Reads all rules, which takes about 50 ms; a pattern is compiled when one of its keywords
    first occurs.
    """
    folder = resources.files("adapters.redaction") / "rules"
    files = [_read(folder / name) for name in _RULE_FILES]
    rules = tuple(
        _rule(raw)
        for raw in (*_ISSUED, *(raw for file in files for raw in file["rules"]))
        if "regex" in raw
    )
    by_word: dict[bytes, list[int]] = {}
    for index, rule in enumerate(rules):
        for word in rule.keywords:
            by_word.setdefault(word, []).append(index)
    everywhere = _lists(file["allowlist"] for file in files if "allowlist" in file)
    return _Rules(rules, _set_of(by_word), tuple(map(tuple, by_word.values())), everywhere)


def redact(text: str) -> tuple[str, int]:
    """Returns the text with every secret replaced by ``[redacted: rule]``, and how many there were.

    Thread safe; 1 MB takes about a second.
    """
    data = text.encode("utf-8", "backslashreplace")
    secrets = _find(data, "")
    if not secrets:
        return text, 0
    return _replaced(data, secrets), len(secrets)


def clean(text: str) -> str:
    """Returns the redacted text."""
    return redact(text)[0]


def redact_lines(lines: Sequence[str], path: str = "") -> tuple[Sequence[str], Sequence[Secret]]:
    """Redacts lines as one text, because a key can span several, and keeps their number. A rule for
    some kinds of files applies if ``path`` is such a file or empty.
    """
    data = "\n".join(lines).encode("utf-8", "backslashreplace")
    secrets = _find(data, path)
    if not secrets:
        return lines, ()
    placed = []
    line = at = 0
    for secret in secrets:
        line += data.count(b"\n", at, secret.start)
        at = secret.start
        placed.append(replace(secret, line=line))
    return _replaced(data, secrets).split("\n"), placed


def _find(data: bytes, path: str) -> list[Secret]:
    """Returns every secret, in order, none overlapping the one before."""
    if len(data) < _SHORTEST:
        return []
    secrets: list[Secret] = []
    loaded = _loaded()
    words = loaded.words.Match(data.lower()) or ()
    for index in sorted({index for word in words for index in loaded.by_word[word]}):
        rule = loaded.rules[index]
        if (
            rule.path
            and path
            and not _compiled(rule.path).search(path.encode("utf-8", "backslashreplace"))
        ):
            continue
        secrets.extend(_of_rule(rule, loaded.everywhere, data))
    return _apart(secrets)


def _of_rule(rule: _Rule, everywhere: Sequence[_Allowed], data: bytes) -> Iterable[Secret]:
    for match in _compiled(rule.pattern).finditer(data):
        group = rule.group or next(
            (index for index, text in enumerate(match.groups(), 1) if text), 0
        )
        start, end = match.span(group)
        secret = data[start:end]
        if rule.entropy and _entropy(secret) <= rule.entropy:
            continue
        if rule.id.startswith("generic") and not any(48 <= byte <= 57 for byte in secret):
            continue  # gitleaks' own condition: a generic key holds a digit
        line = _line_around(data, match.start(), match.end())
        texts = {"secret": secret, "match": match.group(), "line": line}
        if not any(one.allows(texts) for one in (*everywhere, *rule.allowed)):
            yield Secret(start, end, rule.id, _compiled(_MOCK).search(secret) is not None)


def _line_around(data: bytes, start: int, end: int) -> bytes:
    """Returns the line of a match; of a very long one only the part near it, because a line may
    hold any number of matches.
    """
    first, last = max(0, start - _NEAR), min(len(data), end + _NEAR)
    begins, ends = data.rfind(b"\n", first, start), data.find(b"\n", end, last)
    return data[first if begins < 0 else begins + 1 : last if ends < 0 else ends]


def _entropy(secret: bytes) -> float:
    """Returns Shannon entropy in bits a byte."""
    total = len(secret)
    if total:
        return -sum(count / total * math.log2(count / total) for count in Counter(secret).values())
    return 0.0


def _apart(secrets: Iterable[Secret]) -> list[Secret]:
    """Merges overlapping matches under the rule that began first; a generic rule gives way to a
    specific one.
    """
    apart: list[Secret] = []
    for secret in sorted(secrets, key=lambda one: (one.start, -one.end)):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            rule = last.rule
            if is_broad(rule) and not is_broad(secret.rule):
                rule = secret.rule
            mock = last.mock and secret.mock
            apart[-1] = Secret(last.start, max(last.end, secret.end), rule, mock)
        else:
            apart.append(secret)
    return apart


def _replaced(data: bytes, secrets: Iterable[Secret]) -> str:
    parts, at = [], 0
    for secret in secrets:
        breaks = data.count(b"\n", secret.start, secret.end)
        parts += [
            data[at : secret.start],
            b"\n".join([_MARK % secret.rule.encode()] * (breaks + 1)),
        ]
        at = secret.end
    return b"".join((*parts, data[at:])).decode("utf-8")


def is_broad(rule: str) -> bool:
    """True if a rule recognizes the surroundings of secrets (``TOKEN=...``) and not the form of one
    kind, so that it is wrong more often.
    """
    return rule.startswith(_BROAD)
