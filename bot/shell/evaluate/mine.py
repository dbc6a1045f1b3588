"""``debate eval --mine``: the commits that a history names as the cause of a fault are shown case
by case, and each counts once a person has confirmed it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec

from adapters.evaluation.controls import draw_control
from adapters.evaluation.folder import CaseFolder, read_folder, write_cases
from adapters.evaluation.mined import Answer, Mined, MinedAnswers, read_answers
from adapters.evaluation.mining import candidates, open_history, repo_name
from adapters.evaluation.past import GitHistory, PastCommit
from adapters.evaluation.wordings import WORDINGS, FaultLink, accuracy
from adapters.processes.files import make_folder, write_file
from adapters.terminal.printing import ask as ask_person
from adapters.terminal.printing import put, put_document, put_line
from bot.shell.evaluate.writing import writes_in
from core.application.commands.evaluate import Evaluate
from core.debate.errors import BadInput
from core.evaluation import Case, ClonedRange, Defect
from core.evaluation.groups import SIZE, size_of
from core.words.views.language.grammar import plural

_WANTED = 15
"""The number of defective changes by default, and the number of clean ones."""
_PATCH = 24
"""The most lines of a fix that are shown."""
_MESSAGE = 12
_ANSWERS: dict[str, Answer] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "s": "skip"}


async def mined(ask: Evaluate, repository: Path, out: Path) -> CaseFolder | None:
    """Returns the cases that a person confirmed, with a control for each; None if the mined cases
    have to be answered first. Raises ``BadInput``.
    """
    past, links = await open_history(repository)
    wanted = max(1, ask.cases // 2) if ask.cases else _WANTED
    if ask.yes_from:
        path = Path(ask.yes_from)
        if not await asyncio.to_thread(path.exists):
            raise BadInput(f"There is no file {path}. Without --yes-from the command writes one.")
        answers = read_answers(path)
    else:
        answers = await asyncio.to_thread(_kept, out)
        if sys.stdin.isatty() and not ask.json:
            answers = await _ask(past, links, answers, wanted)
        elif not answers.of("yes"):
            await _write(past, links, answers, wanted, ask)
            return None
    kept = answers.of("yes")[:wanted]
    if not kept:
        raise BadInput(
            f"No change has the answer yes, so there is nothing to measure. {answers.path} holds "
            "what was mined and what you said."
        )
    folder = out / "cases"
    mark = "\n".join(sorted(row.id for row in kept)) + "\n"
    cases = await asyncio.to_thread(_drawn, folder, mark, repository)
    if not cases:
        cases = await _draw(past, kept)
        await asyncio.to_thread(_keep, cases, folder, mark)
    return CaseFolder(cases, about=tuple(_about(repository, answers, kept)))


async def _ask(
    past: GitHistory, links: list[FaultLink], answers: MinedAnswers, wanted: int
) -> MinedAnswers:
    """Asks until there are as many cases as wanted, none is left, or the person ends it; each
    answer is stored at once.
    """
    number = len(answers.of("yes"))
    if number < wanted:
        put_line(
            f"{len(links)} messages name an earlier change; the surest wordings come first. "
            f"Answers are kept in {answers.path}: the same command continues from there."
        )
    async for row in _unanswered(past, links, answers):
        if number >= wanted:
            break
        put()
        put("\n".join([line async for line in _format_case(past, row, number + 1, wanted)]))
        answer = _read_answer()
        if answer is None:
            break
        answers = answers.add([msgspec.structs.replace(row, answer=answer)])
        number += answer == "yes"
    return answers


async def _unanswered(
    past: GitHistory, links: list[FaultLink], answers: MinedAnswers
) -> AsyncIterator[Mined]:
    for row in answers.of(""):
        yield row
    async for candidate in candidates(past, links, answers.causes):
        yield candidate


def _read_answer() -> Answer | None:
    """Reads one answer, None if the person ends the questions."""
    while True:
        typed = ask_person(
            "Could a review of the change have found this there? [y]es [n]o [s]kip [q]uit"
        )
        text = "q" if typed is None else typed.lower()
        if text in ("q", "quit"):
            return None
        if text in _ANSWERS:
            return _ANSWERS[text]


async def _format_case(
    past: GitHistory, row: Mined, number: int, wanted: int
) -> AsyncIterator[str]:
    origin = f", {accuracy(row.wording)}" if row.wording in WORDINGS else ""
    yield f"{number} of {wanted} wanted. Named by “{row.wording}”{origin}."
    yield f"  change {row.cause[:12]}: {row.subject}"
    yield f"  fixed {row.fixed} by {row.fix[:12]}: {row.mended}"
    fix = await past.commit(row.fix)
    for line in fix.body.split("\n")[:_MESSAGE]:
        yield f"    {line}"
    for place in row.locations[:3]:
        text = await past.text(row.cause, place.path)
        yield f"  {place.path}:{place.first}-{place.last}, in the change:"
        last = min(place.last, place.first + 7)
        for at in range(place.first, min(last, len(text)) + 1):
            yield f"    {at:>5} {text[at - 1]}"
    paths = list(dict.fromkeys(place.path for place in row.locations))
    patch = [line for line in await past.patch(fix.base, fix.id, paths) if _tells(line)]
    if patch and row.locations:
        yield "  what fixes it:"
        for line in patch[:_PATCH]:
            yield f"    {line}"
        if len(patch) > _PATCH:
            yield f"    … {len(patch) - _PATCH} more lines: git show {row.fix[:12]}"
    if not row.locations:
        yield "  It was reverted, so the place of the defect is unknown: it counts only for blocks."


def _tells(line: str) -> bool:
    return not line.startswith(("diff --git", "index ", "--- ", "+++ "))


async def _write(
    past: GitHistory, links: list[FaultLink], answers: MinedAnswers, wanted: int, ask: Evaluate
) -> None:
    """Writes the mined cases to a file for someone to answer, and prints how to continue."""
    rows = answers.of("")
    async for candidate in candidates(past, links, answers.causes):
        if len(rows) >= 2 * wanted:
            break
        rows.append(candidate)
    answers = answers.add(rows)
    if ask.json:
        put_document({"mined": str(answers.path), "unanswered": len(answers.of(""))})
    else:
        for row in answers.of(""):
            put_line(f"{row.id}  {row.wording}: {row.subject}  |  {row.mended}")
    put_line(
        f"{plural(len(answers.of('')), 'change')} to look through: {answers.path}. Write yes or no "
        "as each answer (at a terminal the command asks), then: debate eval --mine "
        f"{ask.mine or ask.target} --yes-from {answers.path}",
        error=True,
    )


def _kept(out: Path) -> MinedAnswers:
    with writes_in(out):
        make_folder(out)
    return read_answers(out / "mined.jsonl")


def _drawn(folder: Path, mark: str, repository: Path) -> tuple[Case, ...]:
    """Returns the cases of the same changes that were drawn before, with people's corrections."""
    made = folder / "mined.txt"
    if made.exists() and made.read_text(encoding="utf-8") == mark:
        return read_folder(folder, repository).cases
    return ()


def _keep(cases: tuple[Case, ...], folder: Path, mark: str) -> None:
    with writes_in(folder):
        make_folder(folder)
        for old in (*folder.glob("bad-*"), *folder.glob("clean-*")):
            old.unlink()
        write_cases(cases, folder)
        write_file(folder / "mined.txt", mark)


async def _draw(past: GitHistory, rows: list[Mined]) -> tuple[Case, ...]:
    cases: list[Case] = []
    taken = {row.cause for row in rows} | {row.fix for row in rows}
    for number, row in enumerate(rows, 1):
        put_line(f"{number} of {len(rows)}: a clean change like {row.cause[:12]}", error=True)
        cases += [case async for case in _pair(past, row, taken)]
    return tuple(cases)


async def _pair(past: GitHistory, row: Mined, taken: set[str]) -> AsyncIterator[Case]:
    cause = await past.commit(row.cause)
    spots = tuple(place.spot for place in row.locations)
    verb = "fixed" if spots else "reverted"
    yield Case(
        f"bad-{cause.id[:12]}",
        cause.subject,
        cause.body,
        await past.diff(cause.base, cause.id),
        (Defect(row.mended, spots),),
        origin=f"{cause.id[:12]}, {verb} by {row.fix[:12]} ({row.mended})",
        traits={SIZE: size_of(row.lines)},
        range=_range(past, cause),
    )
    changed = await past.changed(cause.base, cause.id)
    drawn = await draw_control(past, cause, changed, taken)
    if drawn is None:
        return
    control, files = drawn
    taken.add(control.id)
    yield Case(
        f"clean-{control.id[:12]}",
        control.subject,
        control.body,
        await past.diff(control.base, control.id),
        clean=True,
        origin=f"{control.id[:12]}, fixed by no later commit; like {cause.id[:12]}",
        traits={SIZE: size_of(sum(one.lines for one in files))},
        range=_range(past, control),
    )


def _range(past: GitHistory, commit: PastCommit) -> ClonedRange:
    return ClonedRange(str(past.folder.resolve()), repo_name(past.folder), commit.base, commit.id)


def _about(repository: Path, answers: MinedAnswers, kept: list[Mined]) -> Iterator[str]:
    counts = [f"{len(answers.of('yes'))} yes", f"{len(answers.of('no'))} no"]
    if skipped := len(answers.of("skip", "")):
        counts.append(f"{skipped} without an answer")
    yield (
        f"Changes of {repository.resolve().name} that a later commit names as the cause of a "
        f"fault, confirmed by blame and looked at by a person: {', '.join(counts)}."
    )
    yield (
        "Each clean change is paired with a defective one: it is from the same repository, older, "
        "as large and in the same language, and no later commit that fixes something changed "
        "any of its lines."
    )
