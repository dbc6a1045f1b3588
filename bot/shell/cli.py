"""The shell: arguments become a ``Request``, the desk or a live session answers it, and the answer
becomes output and an exit code.

0 finished · 1 finished, but the verdict blocks and ``--check`` was given (or a receipt does not
verify) · 2 bad input or configuration · 3 could not finish. With ``--json`` standard output holds
exactly one JSON document, and everything else goes to standard error.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.processes.unread import no_file, only_a_folder, unread
from adapters.terminal.printing import put, put_document, put_folded, put_line
from bot import logs
from bot.env_file import Trust
from bot.settings import Settings, read
from bot.shell.person import person
from bot.shell.piped import is_piped, meant
from bot.wire.workers import open_workers
from core.application.commands import parse
from core.application.commands import requests as r
from core.application.commands.help import SHELL_ONLY
from core.application.commands.named import find_template
from core.application.commands.parsing import PANEL, REVIEW, is_change, names_file, no_template
from core.application.commands.row import Request, commands
from core.debate.errors import BadInput, DebateError
from core.debate.log import ForgePostKind
from core.languages import ENGLISH, say, say_error, speak, spoken

if TYPE_CHECKING:
    from adapters.processes.workers import Workers
    from adapters.terminal.terminal import Terminal
    from bot.shell.playing.run import Shell
    from core.application.desk import DeskAnswer
    from core.debate.template import Template

logger = logging.getLogger(__name__)
_TRUSTS = {
    "serve": Trust.WHOLE,
    "open": Trust.WHOLE,
    "tokens": Trust.WHOLE,
    "init": Trust.WHOLE,
    **dict.fromkeys(("doctor", "setup", "hooks", "db", "audit", "forget"), Trust.CAREFUL),
}
"""The commands that look after the bot of their folder, and so read its ``.env`` file."""
_IN_ENGLISH = ("serve", "mcp", "doctor", "audit", "tokens", "db", "eval", "calibrate", "plugins")
"""Commands of operators and programs, whose output, errors and logs are in English."""
_LOOKED_AT = 20_000  # bytes by which a file is known as a diff
_DEBATES = ("id", "state", "title", "template", "created_at", "next", "demo")
_COLUMNS: Mapping[type, Sequence[str]] = {
    r.Listing: _DEBATES,
    r.Status: _DEBATES,
    r.SearchRequest: ("id", "decision", "title", "template", "created_at", "excerpt"),
    r.ScheduleDo: ("id", "enabled", "cron", "tz", "template", "target", "next_at", "outcome"),
    r.Templates: ("name", "format", "domain", "description"),
    r.Leaderboard: ("name", "measure", "count", "of", "low", "high"),
}
"""The columns of each list that a pipe gets, separated by tabs; commands.md names them."""


def run(typed: Sequence[str]) -> int:
    """Runs one command and returns its exit code. An error becomes one line on standard error."""
    secrets: tuple[str, ...] = ()
    try:
        command = typed[0].lower()
        if command in _IN_ENGLISH:
            speak(ENGLISH)
        trust = _TRUSTS.get(command, Trust.NOT)
        settings = read(trust=trust, say=_say, faulty=command == "doctor")
        from adapters.models.catalogue import keys

        secrets = (*settings.secrets, *keys.secrets(settings.env))
        settings.share(os.environ)
        logs.to_stderr(settings.env.get("DEBATE_LOG_LEVEL") or "warning", secrets)
        return _dispatch(typed, settings, secrets)
    except DebateError as error:
        return fail(logs.struck(say_error(error), secrets), error.exit_code)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return fail(
            say("Interrupted. A debate that had begun is stored: `debate list` shows it."), 3
        )
    except BrokenPipeError:
        raise
    # a defect: one line for the person, the trace on request
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        logger.debug("command failed", exc_info=True, extra={"action": "command_failed"})
        description = logs.struck(f"{type(error).__name__}: {error}", secrets)
        return fail(
            say(
                "Unexpected {description}. Set DEBATE_LOG_LEVEL=debug to see where.",
                description=description,
            ),
            3,
        )


def _say(line: str) -> None:
    put_line(f"debate: {line}", error=True)


def fail(message: str, code: int) -> int:
    """Prints the reason on one line and returns ``code``."""
    _say(message)
    return code


def _dispatch(typed: Sequence[str], settings: Settings, secrets: Sequence[str]) -> int:
    command = typed[0].lower()
    if command == "demo":
        return _demonstrate(typed[1:], settings, secrets)
    if command in SHELL_ONLY:
        from bot.shell import maintain

        return maintain.run(command, typed[1:], settings)
    names = template_names(settings)
    try:
        ask = _request(typed, names)
    except BadInput:
        _require_sound(typed[0], settings)
        _require_no_folder(typed)
        if typed[0].lower() not in commands() and not any(find_template(w, names) for w in typed):
            _require_template(typed)
        raise
    if isinstance(ask, r.Help):
        from bot.desk.reading.templates import help_on

        put_folded(help_on(ask.topic, "debate", settings.templates))
        return 0
    if isinstance(ask, r.Start) and "-" in typed:
        _require_only_input(ask)
    if isinstance(ask, r.Start) and not _names_template(typed, names) and ask.template == PANEL:
        _require_template((ask.target,))
    if isinstance(ask, r.Start) and ask.target == "-" and not _names_template(typed, names):
        ask, settings = _read_piped(ask, settings)
    return asyncio.run(_answered(ask, settings, secrets))


def _request(typed: Sequence[str], templates: Sequence[str]) -> Request:
    """Returns the request; options or a template without a target use the piped input. Raises
    ``BadInput``.
    """
    try:
        return parse(typed, templates=templates, prefix="debate", also=SHELL_ONLY)
    except BadInput:
        named = typed[:1] if typed[0] in templates else typed[:0]
        if not (named or typed[0].startswith("--")) or not is_piped():
            raise
        with suppress(BadInput):
            return parse((*named, "-", *typed[len(named) :]), templates=templates, prefix="debate")
        raise


def _require_sound(word: str, settings: Settings) -> None:
    """Raises ``BadInput`` if a word names a custom template that cannot be used."""
    from adapters.templates.catalogue import broken_files

    if (folder := settings.templates_dir) is None:
        return
    for error in broken_files(settings.templates):
        path = folder / error.problems[0].file
        if word == path.stem or f'"{word}"' in path.read_text("utf-8", "replace"):
            raise BadInput(
                say(
                    "{word} cannot be used; what is wrong: debate templates check {path}",
                    word=word,
                    path=path,
                )
            )


def _require_no_folder(typed: Sequence[str]) -> None:
    """Raises ``BadInput`` with the next step if only a folder is named."""
    folder, *options = typed
    if folder[:1] in ("", "-") or (options and not options[0].startswith("-")):
        return
    with suppress(OSError, ValueError):  # no path at all
        if Path(folder).is_dir():
            raise only_a_folder(folder)


def _require_template(words: Sequence[str]) -> None:
    """Raises ``BadInput`` with the next step if one of the words is the name of a file, which needs
    a template unless the name is that of a diff, and has to be there.
    """
    from adapters.diffs.patches import begins_diff

    named = words[-1 if words[0].startswith("-") else 0]  # any other may be an option's value
    for word in words:
        with suppress(OSError, ValueError):  # no path at all
            if word == named and names_file(word) and not Path(word).exists():
                raise no_file(Path(word))
            if not Path(word).is_file() or is_change(word):
                continue
            try:
                with Path(word).open("rb") as file:
                    diff = begins_diff(file.read(_LOOKED_AT))
            except OSError as error:
                raise unread(Path(word), error) from error
            if diff:
                form = shlex.join((REVIEW, word))
                like = say("Like this: {form}", form=f"debate {form}")
                raise BadInput(f"{say('{name} is a diff.', name=repr(word[:80]))} {like}")
            wrong = no_template(word)
            like = say("Like this: {form}", form=f"debate {wrong.form}")
            raise BadInput(f"{say_error(wrong)} {like}")


def _names_template(typed: Sequence[str], templates: Sequence[str]) -> bool:
    return any(find_template(word, templates) for word in typed[:2])


def _require_only_input(ask: r.Start) -> None:
    """Raises ``BadInput`` with the right form if a text has a ``-`` at one of its ends, which names
    the piped input.
    """
    if ask.target.startswith("- ") or ask.target.endswith(" -"):
        text = say(
            "Nothing can be next to -, which is the piped input. Pipe the question above the text: "
            "{form}",
            form=f"(echo QUESTION; cat notes.md) | debate {ask.template}",
        )
        raise BadInput(text)


def _read_piped(ask: r.Start, settings: Settings) -> tuple[r.Start, Settings]:
    """Returns the request that piped input makes without a template's name, and the settings with
    that input.
    """
    from adapters.material.file import read_input

    if sys.stdin is None:
        return ask, settings
    data = read_input(sys.stdin.buffer)
    return meant(ask, data), replace(settings, piped=data)


def _demonstrate(typed: Sequence[str], settings: Settings, secrets: Sequence[str]) -> int:
    from bot.shell.playing import demo

    ask = demo.request(typed, settings)
    if ask is None:
        demo.show_recorded(alone=True)
        return 0
    code = asyncio.run(_answered(ask, settings, secrets))
    if code == 0 and demo.by_embedded(settings):
        demo.show_recorded(alone=False)
    return code


def template_names(settings: Settings) -> list[str]:
    """Returns the names that start a debate. Shipped templates are not read for that; your own are,
    since a file's name may differ from its template's.
    """
    from adapters.templates.catalogue import builtin, read_catalogue

    own: Sequence[Template] = ()
    if settings.templates_dir is not None or settings.plugins:
        own = read_catalogue(settings.templates)
    return list(dict.fromkeys((*builtin(), *(t.id for t in own))))


async def _answered(ask: Request, settings: Settings, secrets: Sequence[str]) -> int:
    # one word is a link or a file, which will be read; a question is read without a process
    reads = isinstance(ask, r.Start) and len(ask.target.split()) == 1
    async with open_workers(ahead=reads, own=True) as workers:
        return await _answered_by(workers, ask, settings, secrets)


async def _answered_by(
    workers: Workers, ask: Request, settings: Settings, secrets: Sequence[str]
) -> int:
    from adapters.terminal.terminal import Terminal, style_for

    json, plain = getattr(ask, "json", False), getattr(ask, "plain", False)
    out = sys.stderr if json else sys.stdout
    quiet = json or getattr(ask, "quiet", False)
    terminal = Terminal(out, style=style_for(out, quiet=quiet, plain=plain), plain=plain)
    if json:
        speak(ENGLISH)
    if isinstance(ask, r.Start):
        terminal.wait(_reading(ask))

    def progress(what: str, done: int, of: int) -> None:
        terminal.note(what, done, of)

    own = not isinstance(ask, r.ScheduleAdd | r.ScheduleDo)
    try:
        # after the first words, because they load most of the program
        from adapters.models import Vendors
        from bot.shell.playing.run import Shell, shell_caller
        from bot.wire.parts import open_parts

        async with open_parts(
            replace(settings, progress=progress),
            workers=workers,
            make_models=partial(Vendors, agents=own),
        ) as parts:
            if not json:
                speak(await parts.desk.language(shell_caller(person(), "language")))
            if isinstance(ask, r.Start) and not json:
                speak(ask.language or spoken())
            return await _run(ask, Shell(parts, terminal, person(), json), secrets)
    finally:
        terminal.ready()  # before an error is printed


def _reading(ask: r.Start) -> str:
    if is_change(ask.target):
        return say("Reading {target}", target=ask.target)
    return say("Reading the material")


async def _run(ask: Request, shell: Shell, secrets: Sequence[str]) -> int:
    match ask:
        case r.Start():
            return await shell.start(ask)
        case r.Control("resume"):
            return await shell.resume(ask)
        case r.ForkRequest():
            return await shell.fork(ask)
        case r.Compare() if ask.start is not None:
            return await shell.compare(ask)
        case _:
            return await take(ask, shell, secrets)


async def take(ask: Request, shell: Shell, secrets: Sequence[str]) -> int:
    """Answers everything that the desk can answer at once, and applies a command to a
    debate that no process runs.
    """
    from bot.shell.playing.run import shell_caller
    from core.application.offers import without_button

    if isinstance(ask, r.Listing | r.Status) and not shell.terminal.lays_out:
        ask = replace(ask, json=True)  # a program reads the columns
    answer = without_button(await shell.parts.desk.take(ask, shell_caller(shell.person)))
    if not answer.ok:
        for line in filter(None, logs.struck(answer.text, secrets).splitlines()):
            fail(line, 2)
        return answer.code or 2
    if isinstance(ask, r.PostReview) and ask.approve:
        return await shell.post(answer, ForgePostKind.REVIEW)
    if isinstance(ask, r.Export) and ask.approve:
        return await shell.post(answer, ForgePostKind.RECORD)
    show(ask, answer, shell)
    if isinstance(ask, r.ReplayRequest):
        return answer.code
    if answer.debate and isinstance(ask, r.Challenge | r.Prove):
        return await shell.answer(answer.debate)
    if answer.debate and ask.steers:
        return await shell.settle(answer.debate, finish=isinstance(ask, r.Control))
    return 0


def show(ask: Request, answer: DeskAnswer, shell: Shell) -> None:
    """Prints an answer on standard output: a file as it is, JSON if ``--json`` was given, else the
    text laid out for the terminal or the pipe.
    """
    from bot.shell.files import hand_over
    from bot.shell.playing.run import document
    from core.application.offers import exact_text

    if isinstance(ask, r.Export | r.ReceiptRequest) and answer.files:
        written = hand_over(answer.files[0], Path.cwd())
        if isinstance(ask, r.ReceiptRequest) or ask.form == r.RECORD:
            put(answer.text, error=True)
        for button in answer.buttons:
            hash = button.value.partition(":")[2]
            line = f"{button.label}: debate export {answer.debate} {r.RECORD} --approve {hash}"
            put(line, error=True)
        if written:
            put(say("Wrote {file}.", file=written), error=True)
    elif isinstance(ask, r.PostReview) and answer.buttons and not shell.json:
        for part in exact_text(answer):
            put(f"{part}\n")
        command = f"debate post {answer.buttons[0].value.replace(':', ' --approve ')}"
        put(say("Post exactly this: {command}", command=command))
    elif isinstance(ask, r.Templates) and ask.name and answer.text.startswith("**"):
        put_folded(answer.text.replace("**", ""))
    elif shell.json and not isinstance(ask, r.Control):
        put_document(document(answer))
    elif not shell.json:
        _lay_out(ask, answer, shell.terminal)


def _lay_out(ask: Request, answer: DeskAnswer, terminal: Terminal) -> None:
    """Draws the answer on a terminal, and prints a list for a pipe as columns; the links of a whole
    debate are all this program's own.
    """
    from adapters.terminal import lists
    from bot.desk.reading.templates import BROKEN
    from bot.shell.playing.run import document

    rows = None if terminal.lays_out else document(answer)
    if isinstance(ask, r.Leaderboard) and rows is not None:
        rows = [*lists.standings(rows)]
    if isinstance(rows, list) and (columns := _COLUMNS.get(type(ask))):
        terminal.columns(rows, columns)
        if not rows:  # words are no row
            put(answer.text, error=True)
        for line in answer.text.splitlines():
            if line.startswith(BROKEN):
                put_line(line.removeprefix("- "), error=True)
        return
    match ask:
        case r.Listing() | r.Status():
            terminal.debates(document(answer), answer.text)
        case r.Leaderboard():
            terminal.leaderboard(document(answer), answer.text)
        case r.Compare():
            terminal.compare(document(answer)["debates"], answer.text)
        case _:
            reads = isinstance(ask, r.Show)
            terminal.report(answer.text, links=reads, paged=reads)
