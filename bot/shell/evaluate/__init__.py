"""``debate eval``: reads, prices, plays and reports cases; the same command continues a run that
stopped.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from adapters.evaluation import reports
from adapters.evaluation.folder import CaseFolder
from adapters.evaluation.forge import ClonedForge
from adapters.evaluation.manifest import WrongRows
from adapters.models import Vendors
from adapters.processes.files import make_folder, write_file
from adapters.templates.catalogue import find, in_format
from adapters.terminal.printing import ask as ask_person
from adapters.terminal.printing import document as as_json
from adapters.terminal.printing import put, put_line
from bot.evaluation.plan import PlannedDebate, plan
from bot.evaluation.play import Evaluator, Played
from bot.settings import Settings
from bot.shell.evaluate.cases import found_cases
from bot.shell.evaluate.writing import writes_in
from bot.shell.person import person
from bot.wire.base import open_models
from bot.wire.parts import open_parts
from core.application.commands.evaluate import Evaluate, read_evaluate
from core.application.commands.help import example
from core.debate.budget.pricing import Estimate
from core.debate.errors import BadInput
from core.evaluation import USUAL, Arm
from core.evaluation.result import EvaluationResult, document, result
from core.words.views.language.grammar import amount, dollars
from storage.database.files import data_folder

AT_ONCE = 3


def evaluate(typed: Sequence[str], settings: Settings) -> int:
    """Runs ``eval`` with these arguments and returns the exit code."""
    try:
        ask = read_evaluate(typed)
    except BadInput as wrong:
        raise BadInput(f"{wrong} Like this: {example('eval', prefix='debate')}") from None
    return asyncio.run(_evaluate(ask, settings))


async def _evaluate(ask: Evaluate, settings: Settings) -> int:
    out = Path(ask.out) if ask.out else _usual_folder(ask)
    models = await _models(ask, settings)  # before anything is cloned, asked or written
    try:
        cases = await found_cases(ask, out, settings)
    except WrongRows as wrong:
        for fault in wrong.faults:
            put_line(f"debate: {fault}", error=True)
        raise
    if cases is None:
        return 0
    return await _measure(ask, cases, models, out, settings)


def _usual_folder(ask: Evaluate) -> Path:
    """Returns the folder in the data folder that keeps the runs and reports of these cases; the
    working folder may be anyone's, and hold runs that nobody here played.
    """
    named = ask.set or ask.mine or ask.target
    source = named if ask.set == "history" else str(Path(named).resolve())
    mark = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return data_folder() / "eval" / f"{name_of(ask)}-{mark}"


def name_of(ask: Evaluate) -> str:
    """Returns a name for the measurement that suits a folder."""
    return Path(ask.set).stem or Path(ask.mine or ask.target).resolve().name


async def _measure(
    ask: Evaluate, source: CaseFolder, models: Sequence[str], out: Path, settings: Settings
) -> int:
    arms = [a for a in Arm if (a.value in ask.arms if ask.arms else a in USUAL)]
    repeats = ask.repeat or 1
    template = find("code_review", settings.templates)
    if ask.format:
        template = in_format(template, ask.format)
    runs = plan(source.cases, arms, repeats, template, models)
    with writes_in(out):
        await asyncio.to_thread(make_folder, out)
    kept = replace(settings, database_url=f"sqlite:///{(out / 'eval.db').resolve()}")
    cloned = ClonedForge(source.cases)
    async with open_parts(kept, forge=cloned.forge) as parts:
        evaluator = Evaluator(
            parts,
            models,
            person(),
            cloned.links,
            budget=ask.budget,
            at_once=ask.at_once or AT_ONCE,
        )
        missing = await evaluator.missing(runs)
        evaluator.tell = _progress(len(missing))
        _consent(ask, await evaluator.price(missing), len(missing), len(runs), settings.ask_above)
        played = await evaluator.play(runs)
        demo = any(parts.models.get(name).demo for name in models)
    measured = result(
        source.cases,
        played.readings,
        arms,
        repeats,
        models,
        demo=demo,
        unknown=source.unknown,
        unpaid=played.unpaid,
        spent=played.spent,
        about=(*source.about, _read_with(len(cloned.links), len(source.cases))),
    )
    _report(measured, out, json=ask.json)
    return _code(played, runs)


async def _models(ask: Evaluate, settings: Settings) -> tuple[str, ...]:
    async with open_models(settings, Vendors) as models:
        names = ask.models or settings.models or tuple(models.default())
        for name in names:
            models.get(name)
    return tuple(names)


def _consent(ask: Evaluate, price: Estimate, missing: int, all: int, limit: float) -> None:
    """Prints the price, and asks if it is above the limit. Raises ``BadInput`` if the answer is no,
    nobody is there to answer, or a budget can't be kept.
    """
    done = ""
    if missing < all:
        done = f" Already there: {all - missing}."
    if price.likely is None or price.most is None:
        if ask.budget is not None:
            raise BadInput(
                f"The price of {', '.join(price.unknown)} is unknown, so --budget can't be kept "
                "to. Leave it out, or name models with a known price."
            )
        cost = "an unknown amount"
    else:
        cost = f"about {amount(price.likely)}, at most {dollars(price.most)}"
        cost = cost if price.most else dollars(0.0)
    put_line(f"{missing} of {all} runs to play, {price.calls} calls: {cost}.{done}", error=True)
    cheap = price.likely is not None and price.likely <= limit
    if ask.yes or ask.budget is not None or cheap:
        return
    if sys.stdin.isatty() and not ask.json:
        with suppress(KeyboardInterrupt):
            if (ask_person("Go ahead? [y/N]") or "").lower() in ("y", "yes"):
                return
        raise BadInput("Nothing was played and nothing was spent.")
    raise BadInput(f"This will cost {cost}: say --yes, or set a limit with --budget USD.")


def _read_with(around: int, cases: int) -> str:
    """Names what seats read in addition to the diffs."""
    like = "as they read a pull request, with the repository around it, its guidelines and look-ups"
    if around == cases:
        return f"Seats read each change {like}, but without linked issues."
    diffs = "the diff only: nothing of the repository around it, and no look-ups"
    if not around:
        return f"Of each change seats read {diffs}."
    return f"Seats read {around} of {cases} changes {like}, of the others {diffs}."


def _progress(runs: int) -> Callable[[PlannedDebate, int, float], None]:
    started = time.monotonic()

    def tell(run: PlannedDebate, done: int, spent: float) -> None:
        left = (time.monotonic() - started) / done * (runs - done)
        paid = f", {dollars(spent)} spent" if spent else ""
        soon = ""
        if done < runs:
            soon = f", about {_time(left)} left"
        put_line(
            f"{done} of {runs}: {run.case.id}, {run.arm.value}, run {run.repeat}{paid}{soon}",
            error=True,
        )

    return tell


def _time(seconds: float) -> str:
    if seconds >= 90:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.0f} s"


def _report(measured: EvaluationResult, out: Path, *, json: bool) -> None:
    text, machine = reports.markdown(measured), as_json(document(measured))
    for name, content in (
        ("report.md", text),
        ("report.json", machine),
        ("report.html", reports.html(measured)),
    ):
        with writes_in(out / name):
            write_file(out / name, content)
    put(machine if json else text)
    put_line(f"Written: {out / 'report.md'}, report.json, report.html. Runs: eval.db", error=True)


def _code(played: Played, runs: Sequence[PlannedDebate]) -> int:
    """Returns the exit code: 3 if nothing could be read, or the budget ended the run."""
    read = any(not r.failed for r in played.readings)
    if read and not played.unpaid:
        return 0
    return 3
