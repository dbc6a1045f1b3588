"""Turns a typed line into a request, or into an error with the nearest right form."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import replace

from core.application.commands.arguments import Arguments, WrongUsage, split_options
from core.application.commands.help import COMMAND, TOPICS, example
from core.application.commands.named import change_url, find_template, is_id
from core.application.commands.options import WrongOption
from core.application.commands.pasted import pasted_diff
from core.application.commands.requests.reading import Help
from core.application.commands.requests.starting import Start, read_start
from core.application.commands.row import ROWS, Request, commands
from core.application.commands.tokens import TypedLine, TypedToken, tokenize
from core.debate.errors import BadInput
from core.languages import say, say_error
from core.words.views.language.grammar import nearest

_QUESTION = 3
"""The fewest words at which a line without a command counts as a question; a shorter one is rather
a mistyped command.
"""
_SURE = 0.85
"""The likeness above which the first word of a sentence counts as a mistyped command all the
same.
"""
SYNONYMS = {
    "cancel": "stop", "template": "templates", "schedules": "schedule", "new": "start", "?": "help",
}  # fmt: skip
"""Other words for commands."""
_SHOWN = 200  # characters of what the person typed that a suggestion repeats
DIFFS = (".diff", ".patch")
"""The endings of files that are diffs."""
_FILES = (*DIFFS, ".md", ".txt")
_BARE_LINK = re.compile(r"[\w-]+(?:\.[\w-]+)+/\S+/(?:pull|merge_requests)/\d+\S*", re.ASCII)
_FILE = re.compile(r"[\w./~-]*[\w-]\.[A-Za-z]\w{0,4}", re.ASCII)
_QUOTED_FILE = re.compile(r"[^\n?!]*[^\s.?!]\.[A-Za-z]\w{0,4}")
EVERY_OPTION = frozenset(
    each.name for name in ("start", "schedule", "fork") for each in ROWS[name].options
)
REVIEW, PANEL, DESIGN = "code_review", "panel", "design_doc"
"""The templates that are started if none is named: for a change, for a question, and for a
document.
"""
_WRITTEN = (".md", ".txt", ".rst", ".adoc")


def parse(
    text: str | Sequence[str],
    *,
    templates: Collection[str],
    prefix: str = COMMAND,
    attached: bool = False,
    also: Collection[str] = (),
) -> Request:
    """Returns the request of a typed line. For any wrong text it raises only ``BadInput``, with the
    nearest right form.

    ``text`` is the line after the command's name, or a shell's arguments. ``attached`` means that
    the surface brings the material itself (a thread, a file), so that a template's name is enough.
    ``also`` are commands that only this surface has, for suggestions.
    """
    pasted = pasted_diff(text) if isinstance(text, str) else None
    words, diff = pasted or ("", "")
    if diff and (words := _review_words(words, templates)):
        start = parse(words, templates=templates, prefix=prefix, attached=True, also=also)
        if isinstance(start, Start) and start.target and start.template != REVIEW:
            return replace(start, target=f"{start.target}\n\n{diff}")
        if isinstance(start, Start):
            return replace(start, text=diff)
    line = replace(tokenize(text), templates=templates, attached=attached, elsewhere=EVERY_OPTION)
    if not line.tokens:
        return Help()
    try:
        return _parse(line, (*commands(), *also))
    except WrongUsage as wrong:
        form = f"{prefix} {wrong.form}"
        if not wrong.form:
            form = example(wrong.topic, prefix=prefix)
        if wrong.option and wrong.option.split()[0] not in form.split():
            form = f"{form} {wrong.option}"
        raise BadInput("{wrong} Like this: {form}", wrong=wrong, form=form) from None


def parse_with_file(
    text: str, file: str, *, templates: Collection[str], prefix: str = COMMAND
) -> Request:
    """Returns the request of a line that came with a file of this text: next to a diff the words
    ask for a code review unless they name a template or a command. Raises ``BadInput``.
    """
    if pasted_diff(file) is not None:
        text = _review_words(text, templates).strip() or text
    return parse(text or "help", templates=templates, prefix=prefix, attached=True)


def _review_words(words: str, templates: Collection[str]) -> str:
    """Returns the start that the words around a pasted diff make: of a code review unless they name
    a template, also with a slip. "" if the diff belongs to a command's text.
    """
    first = next(iter(words.split()), "")
    command = _command_of(first)
    if command == "start":
        words = words[len(first) :].strip()
        first = next(iter(words.split()), "")
    if find_template(first, templates):
        return words
    if command in commands():
        return ""
    if len(words.split()) == 1 and nearest(first, templates, 0.6):
        return words
    return f"{REVIEW} {words}"


def _command_of(word: str) -> str:
    """Returns the name of the command that the first word of a line means, if it means one."""
    bare = word.lower().lstrip("/")
    return SYNONYMS.get(bare, bare)


def _parse(typed: TypedLine, known: Sequence[str]) -> Request:
    first, *rest = typed.tokens
    command = _command_of(first.text)
    for token in (first, *rest[:1]):
        if (token.is_surely_option and token.option == "help") or token.text == "-h":
            return Help("" if token is first else command)
    if command == "start" and rest and find_template(rest[0].text, typed.templates):
        return _start(typed, rest[0], rest[1:])
    if find_template(first.text, typed.templates):
        return _start(typed, first, rest)
    if command in commands() and not first.quoted:
        return _command(typed, command, rest)
    return _question(typed, first, rest, known)


def _start(typed: TypedLine, name: TypedToken, rest: Sequence[TypedToken]) -> Start:
    start = read_start(typed, find_template(name.text, typed.templates), rest)
    if not start.target and not typed.attached:
        text = say(
            "{template} needs something to debate: a link, a file or a text.",
            template=start.template,
        )
        examples = (x for x in TOPICS["start"].examples if x.startswith(f"{start.template} "))
        raise WrongUsage("start", text, next(examples, f"{start.template} FILE.md"))
    return start


def _command(typed: TypedLine, name: str, rest: Sequence[TypedToken]) -> Request:
    row = ROWS[name]
    form = row.form_with(rest[0].text.lower()) if rest else ""
    try:
        given = Arguments(typed, tuple(rest), {})
        if not row.raw:
            given = split_options(typed, rest, row.options)
        return row.requests[0].read(replace(given, command=name))
    except WrongUsage:
        raise
    except WrongOption as wrong:
        raise WrongUsage(name, say_error(wrong), form, wrong.form) from None
    except BadInput as wrong:
        raise WrongUsage(name, say_error(wrong), form) from None


def _question(
    typed: TypedLine, first: TypedToken, rest: Sequence[TypedToken], known: Sequence[str]
) -> Start:
    """Starts a panel on a line without command and template, if it is long enough and looks like no
    slip of the hand.
    """
    if _is_change(first, rest):
        return read_start(typed, REVIEW, typed.tokens)
    if not first.quoted and _BARE_LINK.fullmatch(first.text):
        link = f"https://{first.text}{typed.source[first.end :]}"
        raise WrongUsage("start", say("A link begins with https://."), link[:_SHOWN])
    if _is_local(first, rest):
        text = say(
            "{text} is only for a shell on my machine.", text=repr(typed.text(typed.tokens)[:60])
        )
        raise WrongUsage("help", text)
    file = not rest and bool(_FILE.fullmatch(first.text))
    if not file and (near := _slip(typed, first, rest, known)):
        text = say(
            "There is no {word} here. Did you mean {near}?", word=repr(first.text[:40]), near=near
        )
        meant = f"{near}{typed.source[first.end :]}"
        alone = not rest and near not in known
        raise WrongUsage("start", text, "" if alone else meant[:_SHOWN])
    start = read_start(typed, PANEL, typed.tokens)
    if not is_question(start.target):
        if _QUOTED_FILE.fullmatch(start.target):
            raise no_template(start.target)
        text = say(
            "{text} is neither a command nor a template, and too short for a question.",
            text=repr(start.target[:60]),
        )
        raise WrongUsage("help", text)
    return start


def _is_local(first: TypedToken, rest: Sequence[TypedToken]) -> bool:
    """True if a line is a command that only a shell has, and not a question that begins with its
    name.
    """
    row = ROWS.get(first.text.lower())
    if first.quoted or row is None or not row.local:
        return False
    if len(rest) < _QUESTION - 1:
        return True
    second = rest[0]
    verb = bool(row.form_with(second.text.lower()))
    return verb or second.is_surely_option or is_id(second.text)


def names_file(text: str) -> bool:
    """Return whether a text without a template's name can only be that of a file."""
    named = _FILE.fullmatch(text) or _QUOTED_FILE.fullmatch(text)
    return named is not None and not is_change(text) and not is_question(text)


def no_template(file: str) -> WrongUsage:
    """Returns the error for a file that is no diff and was named without a template."""
    text = say("{file} is not a diff, so name the template to use for it.", file=repr(file[:60]))
    meant = REVIEW
    if file.lower().endswith(_WRITTEN):
        meant = DESIGN
    return WrongUsage("start", text, f"{meant} {shlex.quote(file)}"[:_SHOWN])


def is_question(text: str) -> bool:
    """True if a text without a template's name has enough words to be debated."""
    return len(text.split()) >= _QUESTION


def _is_change(first: TypedToken, rest: Sequence[TypedToken]) -> bool:
    """Return whether a line begins with what can only be a change of code: a link, a diff, a range
    of git, what is piped in, or the current folder. A diff's name may have spaces in quotes; with
    words after it ``owner/name#7`` begins a question.
    """
    if first.quoted:
        return first.text.endswith(DIFFS) and "\n" not in first.text
    if change_url(first.text) and rest:
        return rest[0].is_surely_option or rest[0].text.startswith("path:")
    return is_change(first.text)


def is_change(text: str) -> bool:
    """Return whether a target can only be a change of code."""
    if change_url(text):
        return True
    named = text in ("-", ".") or text.startswith("git:") or text.endswith(DIFFS)
    return named or "://" in text


def is_start(text: str, templates: Collection[str]) -> bool:
    """Return True if a line begins with a template's name, or with what was meant to be one."""
    typed = replace(tokenize(text), templates=templates)
    if not typed.tokens:
        return False
    first, *rest = typed.tokens
    return bool(find_template(first.text, templates) or _slip(typed, first, rest, ()))


def _slip(
    typed: TypedLine, first: TypedToken, rest: Sequence[TypedToken], known: Sequence[str]
) -> str:
    if first.quoted:
        return ""
    length = len(typed.text(typed.tokens).split())
    cutoff, second = _SURE, "".join(token.text for token in rest[:1])
    if is_change(second) and (near := nearest(first.text, typed.templates, 0.5)):
        return near
    aimed = "://" in second or second.endswith(_FILES) or is_id(second)
    if aimed or length < _QUESTION:
        cutoff = 0.6
    return nearest(first.text, (*typed.templates, *known), cutoff)
