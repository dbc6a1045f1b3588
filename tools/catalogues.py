"""Collects the texts that catalogues translate, and checks that each catalogue is whole.

``python -m tools.catalogues`` checks and counts; with ``--write`` it first adds the missing texts
to the files, untranslated, and removes those that the program no longer has.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from adapters.templates.catalogue import builtin
from core.application.commands import ScheduleAdd, Setup, Start
from core.application.commands.actions import Action
from core.application.commands.evaluate import Evaluate
from core.application.commands.kinds import WordKind
from core.application.commands.options import OptionSurface, options_of
from core.application.commands.requests.scheduling import Filters
from core.application.commands.row import ROWS, Group, words_of
from core.debate.errors import DebateError
from core.debate.finding import Category, Severity
from core.debate.formats.draft import heading
from core.debate.ledger import DemandState
from core.debate.material import ChangeState
from core.debate.material.diffs import FileStatus
from core.debate.replies import ArgumentType
from core.debate.status import DebateStatus
from core.debate.template import Template
from core.languages import ENGLISH, LANGUAGES
from core.languages.stored import NAME as STORED
from core.words.outcome.report import TITLE_OF

ROOT = Path(__file__).resolve().parent.parent
_WORDS = ("real", "not real", "worse", "milder", "chair", "judge")
"""Names of votes and duties, which are stored in English."""
_FORMS = (Start, Setup, ScheduleAdd, Filters)
"""Requests whose options have fields in forms."""
_KINDS = (
    *Severity, *Category, *ArgumentType, *DemandState, *Action, *Group, *FileStatus, *ChangeState,
    *DebateStatus,
)  # fmt: skip
FOLDERS = ("core", "adapters", "bot", "storage")
FILES = ROOT / "core" / "languages" / "catalogues"
_WORDS_IN = re.compile(r"[^\W\d_]{2} [^\W\d_]{2}")
_FIELD = re.compile(r"\{(\w+)\}")
_ONE, _COUNTED, _NOUN = (
    ("say", "msgid", "_", "stored"),
    ("say_many", "stored_many"),
    ("plural", "count"),
)
_WANTED = ("exactly",)
"""The words that a command needs, which an error names (``core.application.commands``)."""
FOR_PEOPLE = (
    "adapters/discord/incoming", "adapters/discord/places.py",
    "adapters/forges/github/app.py", "adapters/forges/links.py", "adapters/forges/refusals.py",
    "adapters/forges/writing.py", "adapters/hooks/receiver.py", "adapters/material/account.py",
    "adapters/material/documents.py", "adapters/material/evidence.py",
    "adapters/material/from_forge.py", "adapters/material/library.py", "adapters/material/web.py",
    "adapters/ports", "adapters/material/file.py", "adapters/material/ranges.py",
    "adapters/models/__init__.py", "adapters/processes",
    "adapters/templates/catalogue.py", "adapters/templates/sources.py", "bot/debates", "bot/desk",
    "bot/forges", "bot/hooks", "bot/quotas.py", "bot/schedules", "core/application",
    "core/debate/commands", "storage/database/alone.py", "storage/database/engines.py",
    "storage/debates", "storage/people", "storage/places.py", "storage/schedules.py",
    "adapters/slack/incoming", "adapters/slack/places.py", "adapters/slack/workspaces.py",
    "adapters/text/files.py",
)  # fmt: skip
"""The code whose errors people read in their language."""
_ANSWERS = ("DeskAnswer", "WrongUsage", "WrongOption")
"""Other classes that hold words for a person; ``say`` translates these words before."""


@cache
def _errors() -> frozenset[str]:
    """Returns the names of the project's errors whose first argument is their text."""
    classes = [
        node
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    errors = {DebateError.__name__}
    while (
        more := {
            node.name for node in classes if errors & {ast.unparse(base) for base in node.bases}
        }
        - errors
    ):
        errors |= more
    own = {
        node.name
        for node in classes
        if any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body)
    }
    return frozenset(errors - own | {DebateError.__name__, "OutcomeUnknown"})


@dataclass(frozen=True, slots=True)
class Text:
    """A text in English, with its plural if it counts something; ``stored`` means that events and
    material hold it.
    """

    one: str
    many: str = ""
    stored: bool = False


@cache
def texts() -> dict[str, Text]:
    """Returns all texts by their key, in order."""
    marked = [*_of_data(), *_of_commands()]
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            for_people = str(file.relative_to(ROOT)).startswith(FOR_PEOPLE)
            marked += _of_python(file.read_text("utf-8"), for_people)
        for file in sorted((ROOT / folder).rglob("*.html")):
            marked += _of_page(file.read_text("utf-8"))
    return {text.one: text for text in sorted(marked, key=lambda text: (text.one, text.stored))}


def stored_list(wanted: dict[str, Text]) -> str:
    """Returns the list of the texts that are stored in English, as ``core.languages.stored`` reads
    it.
    """
    lines = (f"{text.one}\t{text.many}".rstrip("\t") for text in wanted.values() if text.stored)
    return "".join(f"{line}\n" for line in lines)


def _of_python(source: str, for_people: bool = False) -> Iterator[Text]:
    """Returns the texts in code; those of its errors too if they are ``for_people``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = _called(node)
            if isinstance(node.func, ast.Attribute) and name not in _WANTED:
                name = "msgid" if name == "round" else ""  # a round's title
            if for_people and name in _errors():
                name = "stored"  # as the reason of a debate that could not be opened
            yield from _of_call(name, [_constant(each) for each in node.args])


def _called(node: ast.Call) -> str:
    """Returns the name of the function or the class that a call calls."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def unsaid() -> Iterator[str]:
    """Returns the lines with an answer or an error whose words no catalogue has."""
    for file in sorted(x for folder in FOLDERS for x in (ROOT / folder).rglob("*.py")):
        name = str(file.relative_to(ROOT))
        if name.startswith(FOR_PEOPLE):
            yield from (f"{name}:{line}" for line in unsaid_in(file.read_text("utf-8")))


def unsaid_in(source: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _called(node) in (*_errors(), *_ANSWERS):
            known = node.args[:1] if _called(node) in _errors() else ()
            words = [x for x in node.args if not (x in known and _constant(x))]
            yield from (node.lineno for x in words if _holds_words(x))


def _holds_words(node: ast.expr) -> bool:
    """Return whether an expression is a text or an f-string with words between its fields."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(_WORDS_IN.search(_constant(each) or "") for each in parts)


def _constant(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _of_page(source: str) -> Iterator[Text]:
    for call in Environment(autoescape=True).parse(source).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name):
            values = [each.value if isinstance(each, nodes.Const) else None for each in call.args]
            yield from _of_call(call.node.name, values)


def _of_call(name: str, values: Sequence[str | None]) -> Iterator[Text]:
    """Returns the texts that a call of one of the project's functions names."""
    stored = name.startswith("stored")
    if name in _ONE and values and values[0]:
        yield Text(values[0], stored=stored)
    elif name in _WANTED and len(values) > 2 and values[2]:
        yield Text(values[2])
    elif name in _COUNTED and len(values) > 2 and values[1] and values[2]:
        yield Text(values[1], values[2], stored)
    elif name in _NOUN and len(values) > 1 and values[1]:
        many = values[2] if len(values) > 2 and values[2] else f"{values[1]}s"
        yield Text(f"{{n}} {values[1]}", f"{{n}} {many}")


def _of_data() -> Iterator[Text]:
    """Returns the names of what templates consist of, and of kinds that people read."""
    for kind in _KINDS:
        yield Text(kind.value)
    yield from map(Text, _WORDS)
    for template in builtin().values():
        yield Text(template.id.replace("_", " "))
        yield from map(Text, _names_in(template))


def _wanted_by(request: type) -> Iterator[str]:
    """Returns the words with which an error names the needs of a command or its options."""
    yield getattr(request, "wants", "")
    yield from (word.wants for word in words_of(request))
    yield from (getattr(option.kind, "what", "") for option in options_of(request))


def _names_in(template: Template) -> Iterator[str]:
    yield template.name
    yield template.description
    yield template.domain.replace("_", " ")
    yield from (name.replace("_", " ") for name in template.rubric)
    for role in template.roles:
        yield role.name.replace("_", " ")
        if role.description:
            yield role.description
    for phase in template.phases:
        yield heading(phase.name)
    yield from (criterion.replace("_", " ") for criterion in template.rubric)
    yield template.format.replace("_", " ")
    yield from (match[2] for match in TITLE_OF.finditer(template.output_format))
    for option in template.ballot:
        yield option.option.replace("_", " ").lower()


def _of_commands() -> Iterator[Text]:
    """Returns what describes commands, their words and their options in forms and in help."""
    for row in ROWS.values():
        yield from map(Text, (row.does, *row.more))
    requests = [each for row in ROWS.values() for each in (*row.requests, *row.inner)]
    for request in (*requests, Evaluate):
        yield from map(Text, filter(None, _wanted_by(request)))
        yield from (Text(word.hint) for word in words_of(request))
        for option in options_of(request):
            yield Text(option.help)
            if request in _FORMS and option.surfaces != OptionSurface.SHELL:
                yield Text(option.title)
                values = option.kind.values if isinstance(option.kind, WordKind) else ()
                yield from (Text(v.replace("_", " ")) for v in values if v not in LANGUAGES)


def load(language: str) -> Catalog:
    with (FILES / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def faults(language: str, catalog: Catalog, wanted: dict[str, Text]) -> Iterator[str]:
    """Returns what is wrong with a catalogue: texts that are missing, left over, or whose fields
    differ.
    """
    present: set[str] = set()
    for message in catalog:
        if not message.id:
            continue
        one = message.id if isinstance(message.id, str) else message.id[0]
        present.add(one)
        if one not in wanted:
            yield f"{language}: no longer in the program: {one!r}"
        elif message.fuzzy:
            yield f"{language}: fuzzy: {one!r}"
        else:
            yield from (f"{language}: {wrong}: {one!r}" for wrong in _wrong(message))
    yield from (f"{language}: missing: {one!r}" for one in wanted.keys() - present)


def _wrong(message: Message) -> Iterator[str]:
    plural = not isinstance(message.id, str)
    forms = [message.string] if isinstance(message.string, str) else list(message.string or [""])
    if not all(forms):
        yield "not translated"
        return
    english = [message.id] if isinstance(message.id, str) else list(message.id)
    all_fields = {"n"} | set(_FIELD.findall(english[-1]))
    for form in forms:
        fields = set(_FIELD.findall(str(form)))
        if not fields <= all_fields or (not plural and fields | {"n"} != all_fields):
            yield f"fields {sorted(fields)}, not {sorted(all_fields)}"


def updated(catalog: Catalog, language: str, wanted: dict[str, Text]) -> Catalog:
    """Returns the catalogue with all wanted texts and no others."""
    made = Catalog(locale=language, project="Debatebot", fuzzy=False)
    for text in wanted.values():
        key: str | tuple[str, str] = (text.one, text.many) if text.many else text.one
        old = catalog.get(text.one)
        same = old is not None and isinstance(old.id, str) == (not text.many)
        made.add(key, old.string if old and same else ("", "") if text.many else "")
    return made


def written(catalog: Catalog) -> bytes:
    """Returns the file: without places in the code and without dates, so that a merge is rarely in
    conflict.
    """
    file = io.BytesIO()
    write_po(file, catalog, width=100, omit_header=True, no_location=True)
    forms = f'"Plural-Forms: {catalog.plural_forms}\\n"'
    head = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n{forms}\n\n'
    return head.encode() + file.getvalue()


def main(arguments: Sequence[str]) -> int:
    wanted, wrong = texts(), 0
    if "--write" in arguments:
        (FILES / STORED).write_text(stored_list(wanted), "utf-8")
    elif (FILES / STORED).read_text("utf-8") != stored_list(wanted):
        print(f"{STORED}: not what the program stores")
        wrong += 1
    for language in LANGUAGES:
        if language == ENGLISH:
            continue
        catalog = load(language)
        if "--write" in arguments:
            catalog = updated(catalog, language, wanted)
            (FILES / f"{language}.po").write_bytes(written(catalog))
        problems = list(faults(language, catalog, wanted))
        for line in problems:
            print(line)
        done = len(wanted) - sum("missing" in line or "not translated" in line for line in problems)
        print(f"{language}: {done} of {len(wanted)} texts")
        wrong += len(problems)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
