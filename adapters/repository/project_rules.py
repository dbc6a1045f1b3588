"""The rules that a repository keeps for its reviewers: the files that hold them, those that apply
to a change, and the files that its ``.gitattributes`` call generated or vendored.

All of it is read from the base of a change, so that no change can rewrite the rules that it is
reviewed by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from adapters.repository.decision_records import number_of
from adapters.repository.languages import language_of
from core.debate.stored import stored

NESTED = ("REVIEW.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Names of rule files in any folder, the most specific first."""
CONTRIBUTING = "CONTRIBUTING.md"
"""A guide for people, of which only the parts count that speak of reviews or of what changed."""
IN_ROOT = (".github/copilot-instructions.md", CONTRIBUTING)
INSTRUCTIONS = ".github/instructions/"
ATTRIBUTES = ".gitattributes"
ROOT_FILES = (*NESTED, *IN_ROOT, ATTRIBUTES)
"""The files that are read of the root when the rest of the repository cannot be read."""
_FRONT = re.compile(r"\A---\s*\n(.*?)^---\s*$\n?", re.DOTALL | re.MULTILINE)
_APPLY = re.compile(
    r"^applyTo[ \t]*:(?P<globs>[^\n]*(?:\n[ \t]*-[ \t][^\n]*)*)", re.MULTILINE | re.IGNORECASE
)
_ITEM = re.compile(r"\n[ \t]*-[ \t]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_QUOTED = re.compile(r'"(?P<glob>(?:[^"\\]|\\.)*)"[ \t]+(?P<words>.*)')
_MOST_PATTERNS = 64
"""The most patterns to which the braces of one pattern expand."""
_MARKS = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
_OFF = frozenset({"false", "0"})
_SECTION = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)
_REVIEWS = re.compile(r"\b(?:code\s+)?review(?:s|ed|er|ers|ing)?\b", re.IGNORECASE)
_SHORT_GUIDE, _LONGEST_GUIDE = 600, 3000
"""Characters of a guide that is read as it is, and the most that are read of any."""


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """One file of rules. ``scope`` is the folder or the patterns of files that it is for, "" for
    the whole repository. ``partly`` means that ``text`` is only a part of the file.
    """

    path: str
    text: str
    scope: str = ""
    partly: bool = False

    @property
    def title(self) -> str:
        """The file's name, with its scope."""
        if self.partly:
            return stored(
                "{path} (only what it says of reviews and the changed files)", path=self.path
            )
        if self.scope:
            return stored("{path} (for {scope})", path=self.path, scope=self.scope)
        return self.path


def is_read_of_base(path: str) -> bool:
    """True if a file of this path tells reviewers something: rules, attributes, or a decision
    record.
    """
    return is_rule_file(path) or bool(number_of(path))


def is_rule_file(path: str) -> bool:
    """True if a file of this path holds rules or attributes."""
    name = PurePosixPath(path).name
    instructions = path.startswith(INSTRUCTIONS) and name.endswith(".md")
    return name in NESTED or name == ATTRIBUTES or path in IN_ROOT or instructions


def rules_for(files: Iterable[tuple[str, str]], changed: Sequence[str]) -> list[ProjectRule]:
    """Returns the rules that apply to the changed paths, those nearest to a changed file first. Of
    files with the same text the first counts.
    """
    rules = [rule for path, text in files if (rule := _rule(path, text, changed)) is not None]
    rules.sort(key=_rank)
    return list({rule.text.strip(): rule for rule in reversed(rules)}.values())[::-1]


def _rule(path: str, text: str, changed: Sequence[str]) -> ProjectRule | None:
    file = PurePosixPath(path)
    if not text.strip() or file.name == ATTRIBUTES or not is_rule_file(path):
        return None
    if path.startswith(INSTRUCTIONS):
        front = _FRONT.match(text)
        applied = None
        if front:
            applied = _APPLY.search(front[1])
        if front is None or applied is None:
            return None
        globs = _listed(applied["globs"])
        if not any(map(matcher(globs), changed)):
            return None
        return ProjectRule(path, text[front.end() :], ", ".join(globs))
    if path == CONTRIBUTING and len(text) > _SHORT_GUIDE:
        concerns = "\n".join(_concerning(text, changed))
        if len(concerns) > _LONGEST_GUIDE:
            concerns = f"{concerns[:_LONGEST_GUIDE]} …[cut]"
        if concerns:
            return ProjectRule(path, concerns, partly=True)
        return None
    folder = ""
    if path not in IN_ROOT and "/" in path:
        folder = f"{file.parent}/"
    if folder and not any(one.startswith(folder) for one in changed):
        return None
    return ProjectRule(path, text, folder)


def _listed(text: str) -> list[str]:
    """Returns the patterns of ``applyTo``: one text with commas between them, or a list in either
    form of YAML.
    """
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    items = _ITEM.split(text) if _ITEM.search(text) else [bare]
    patterns = (part for item in items for part in re.split(r",(?![^{}]*\})", item))
    return [glob for part in patterns if (glob := part.strip(" \t\"'"))]


def _concerning(text: str, changed: Sequence[str]) -> Iterable[str]:
    """Yields the sections of a guide that speak of reviews, of the languages of the changed files,
    or of these files.
    """
    languages = {language.name for path in changed if (language := language_of(path))}
    paths = [PurePosixPath(path) for path in changed]
    names = {path.name for path in paths} | {
        f"{path.parts[0]}/" for path in paths if path.parts[1:]
    }
    endings = {f"*{path.suffix}" for path in paths if path.suffix}
    words = [re.escape(name) if len(name) > 2 else rf"{re.escape(name)} code" for name in languages]
    words += map(re.escape, sorted(names | endings))
    speaks = re.compile(rf"(?<![\w/])(?:{'|'.join(words)})(?!\w)")
    for section in _SECTION.split(text):
        if _REVIEWS.search(section) or (words and speaks.search(section)):
            yield section.strip()


def _rank(rule: ProjectRule) -> tuple[int, int, str]:
    name = PurePosixPath(rule.path).name
    order = NESTED.index(name) if name in NESTED else len(NESTED)
    depth = rule.scope.count("/") if name in NESTED else bool(rule.scope)
    return (-depth, order, rule.path)


def excluded_by(files: Iterable[tuple[str, str]], patterns: Sequence[str]) -> Callable[[str], str]:
    """Returns a function that gives the reason why a path is not reviewed, "" if it is: the
    ``.gitattributes`` among ``files`` (the last matching line of the nearest file counts, as in
    git), and the operator's ``patterns``.
    """
    listed = matcher(patterns)
    lines = [
        (folder, matcher([glob], braces=False), marks)
        for folder, text in sorted(
            (str(PurePosixPath(path).parent).removeprefix(".").strip("/"), text)
            for path, text in files
            if PurePosixPath(path).name == ATTRIBUTES
        )
        for glob, marks in _attributes(text)
    ]

    def reason(path: str) -> str:
        if listed(path):
            return stored("on the operator's list")
        held: dict[str, bool] = {}
        for folder, matches, marks in lines:
            below = path
            if folder:
                below = path.removeprefix(f"{folder}/")
            if (not folder or below != path) and matches(below):
                held |= marks
        named = [word for mark, word in _MARKS.items() if held.get(mark)]
        if named:
            return stored("{why} (.gitattributes)", why=named[0])
        return ""

    return reason


def _attributes(text: str) -> Iterable[tuple[str, Mapping[str, bool]]]:
    """Yields the pattern of each line that sets one of the marks, with their values."""
    for line in text.splitlines():
        quoted = _QUOTED.match(line.strip())
        glob, *words = line.split() or [""]
        if quoted is not None:  # a pattern with white space
            glob, words = quoted["glob"].replace("\\", ""), quoted["words"].split()
        elif not glob or glob.startswith("#"):
            continue
        marks = {}
        for word in words:
            name, _, value = word.lstrip("-!").partition("=")
            if name in _MARKS:
                marks[name] = word[0] not in "-!" and value.lower() not in _OFF
        if marks:
            yield glob, marks


def matcher(globs: Sequence[str], *, braces: bool = True) -> Callable[[str], bool]:
    """Returns a test whether a path matches one of the patterns, by git's rules: a pattern without
    a slash matches a file's name in any folder, ``**`` matches folders. With ``braces``, which git
    does not know, each part of ``{a,b}`` matches.
    """
    patterns = [one for glob in globs for one in (_unfolded(glob) if braces else [glob])]
    rules = [re.compile(_as_expression(one)) for one in patterns]
    return lambda path: any(rule.fullmatch(path) for rule in rules)


def _unfolded(glob: str) -> list[str]:
    """Returns the patterns without braces to which a pattern expands."""
    globs = [glob]
    while len(globs) <= _MOST_PATTERNS and any(map(_BRACES.search, globs)):
        globs = [
            f"{one[: match.start()]}{part}{one[match.end() :]}" if match else one
            for one in globs
            for match in (_BRACES.search(one),)
            for part in (match[1].split(",") if match else ("",))
        ]
    return globs


def _as_expression(glob: str) -> str:
    anchored = "/" in glob.rstrip("/")
    glob = glob.lstrip("/")
    if glob.endswith("/"):
        glob += "**"
    parts = re.split(r"(\*\*/|/\*\*|\*\*|\*|\?)", glob)
    words = {"**/": "(?:[^/]+/)*", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(words.get(part) or re.escape(part) for part in parts)
    if anchored:
        return body
    return f"(?:.*/)?{body}"
