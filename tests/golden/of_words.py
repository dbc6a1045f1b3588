"""What is made of what people type and of what they hand in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from random import Random

from adapters.diffs.patches import parse
from adapters.evaluation.reports import markdown
from adapters.material.changes import Extent, from_diff
from adapters.templates.catalogue import builtin, in_format
from bot.schedules.cron import rule
from bot.shell.setup.answers import QUESTIONS, needed, next_steps, settings_of
from core.debate.errors import DebateError
from core.debate.formats import FORMATS, Plan
from core.evaluation import Arm, ArmResult, Case, Defect, Spot
from core.evaluation.result import result
from tests.golden.readable import pretty
from tests.project import EXAMPLES

_RULES = (
    "every weekday 09:00 Europe/Helsinki", "every monday 14:30", "every 2 hours", "hourly",
    "every friday and sunday 12am", "monthly 31st 08:00", "0 9 * * mon-fri", "*/7 * * * *",
    "30 2 * * * Europe/Berlin", "0 0 30 2 *", "every day 25:00", "60 * * * *", "every blue moon",
    "every day 9 Europe/Berlim",
)  # fmt: skip


def _times() -> str:
    """Rules with their next firings, over a night in which a clock goes forward."""
    day, made = datetime(2026, 3, 27, 22, 30, tzinfo=UTC), list[str]()
    for words in _RULES:
        line, _, zone = words.partition(" Europe")
        try:
            read = rule(line, zone and f"Europe{zone}")
        except DebateError as refused:
            made.append(f"{words}\n  {refused}")
            continue
        coming = (f"{at:%a %d %b %H:%M}" for at in islice(read.coming(day), 5))
        made.append(f"{words}\n  {read.words}: {', '.join(coming)}")
    return "\n".join(made)


def _scripts() -> str:
    """Who speaks when in every shipped template, and what each turn reads."""
    made = list[str]()
    phased = in_format(builtin()["code_review"], "phased")
    for name, template in (*sorted(builtin().items()), ("code_review in phases", phased)):
        script = FORMATS[template.format].compile(template, Plan(), Random(1))
        made.append(f"[{name}]")
        for turn in script.turns:
            part = script.rounds[turn.round].phase or script.rounds[turn.round].title
            reads = ",".join(turn.reads) or "nothing"
            marks = " independent" * turn.independent + " closing" * turn.closing
            marks += f" if {turn.when}" * bool(turn.when) + f" on {turn.about}" * bool(turn.about)
            made.append(
                f"{turn.round + 1} {part}: {turn.id} {turn.seat}: {turn.task}, reads {reads}{marks}"
            )
    return "\n".join(made)


def _material() -> str:
    """A change as seats read it: whole, and in little room."""
    data, made = (EXAMPLES / "03-orders-as-csv.diff").read_bytes(), list[str]()
    whole = parse(data)
    for room in (9000, 900):
        read = from_diff(whole, data, "orders.diff", Extent(room), source="orders.diff")
        made += [f"[{room} tokens]", read.text, pretty([read.coverage, read.notes, read.redacted])]
    return "\n".join(made)


_READINGS = [
    ArmResult(
        f"c{case}", arm, repeat, "", case < 3, frozenset(range(case % 3)), placed=frozenset((0,)),
        rightly=case == 3, others=case, usd=None if case == 2 else 0.02 * repeat, calls=4 + case,
        seconds=30, failed="timeout | x" if (case, repeat) == (1, 2) else "",
    )
    for case in range(4) for arm in (Arm.DEBATE, Arm.SINGLE) for repeat in (1, 2)
]  # fmt: skip


def _measured() -> str:
    defects = (Defect("It", (Spot("a.py", 3),), ("word",)),) * 2
    cases = [
        Case(f"c{n}", "T", "", b"", () if n == 3 else defects, n == 3, traits={"language": "Go"})
        for n in range(4)
    ]
    return markdown(result(cases, _READINGS, [Arm.DEBATE, Arm.SINGLE], 2, ("a/b", "c/d")))


_GIVEN: Sequence[dict[str, str]] = (
    {"talk": "both", "model": "openai", "forge": "github", "budget": "5", "whom": "team"},
    {
        "talk": "none",
        "model": "a/b",
        "forge": "gitlab",
        "budget": "none",
        "whom": "https://d.example",
    },
)
_ANSWERS = ("slack", "both", "openai", "local", "github", "gitlab", "5", "team", "it's", "")


def _setup() -> str:
    """What each question of a new bot understands, and the steps that follow from answers."""
    made = [
        f"{one.name} understands {', '.join(x for x in _ANSWERS if one.read(x) is not None)}"
        for one in QUESTIONS
    ]
    for given in _GIVEN:
        settings = settings_of(given)
        missing = [name for name, value in settings.items() if not value]
        made += ["", *(f"{name}={value}" for name, value in settings.items())]
        made += [f"needed: {', '.join(needed(missing))}", *next_steps(given, settings, missing)]
    return re.sub(r"(manifest_json)=\S+", r"\1=…", "\n".join(made))


TEXTS: Mapping[str, Callable[[], str]] = {
    "times.txt": _times,
    "scripts.txt": _scripts,
    "material.txt": _material,
    "measurement.md": _measured,
    "setup.txt": _setup,
}
