"""The words of a measurement: the same sentences and cells in every report."""

from __future__ import annotations

from collections.abc import Iterator

from core.evaluation import Arm, ArmResult, Case
from core.evaluation.figures import FEW, MEASURES, ArmDifference, Figure, Measure
from core.evaluation.groups import TRAITS
from core.evaluation.result import EvaluationResult
from core.words.views.language.grammar import plural

_DEMO = (
    "A demonstration model took part: these figures show how the program works, not how well "
    "models judge."
)
_NAMED = 5
"""The most changes that are named because they were not measured."""
_BY_GROUP = {"found": "found", "false_blocks": "clean blocked"}


def lead(result: EvaluationResult) -> list[str]:
    """Returns the sentences on the result, the most important first."""
    known = f"{result.defective} with a known defect, {result.clean} clean"
    runs = f"{plural(result.repeats, 'run')} each by {', '.join(a.value for a in result.arms)}"
    sentences = [_DEMO] if result.demo else []
    sentences += [
        f"{plural(len(result.cases), 'change')} ({known}), {runs}, with {', '.join(result.models)}."
    ]
    sentences += [
        line
        for m in result.measures
        if m.key in ("found", "placed", "false_blocks")
        for line in _compared(result, m)
    ]
    return sentences + list(caveats(result))


def _compared(result: EvaluationResult, measure: Measure) -> Iterator[str]:
    by_arm = result.figures[measure.key]
    text = ", ".join(
        f"{arm.value} {figure_text(measure, one)}"
        for arm, one in by_arm.items()
        if one.value is not None
    )
    yield f"{measure.name.capitalize()}: {text}."
    for gap in result.differences[measure.key]:
        if gap.clear and gap.figure.value is not None:
            more = "fewer"
            if gap.figure.value > 0:
                more = "more"
            yield (
                f"{gap.arm.value.capitalize()} has {more} of them than {gap.other.value}: "
                f"{figure_text(measure, gap.figure, signed=True)}."
            )
    if len(by_arm) > 1 and not any(gap.clear for gap in result.differences[measure.key]):
        yield "The arms do not differ clearly in this."


def caveats(result: EvaluationResult) -> Iterator[str]:
    """Yields the sentences on what the figures cannot show."""
    if min(result.defective, result.clean) < FEW:
        yield (
            f"With fewer than {FEW} defective or {FEW} clean changes the intervals are narrower "
            "than the doubt is."
        )
    if not result.clean:
        yield "No change here is clean, so nothing is known of false blocks."
    if result.unknown:
        names = ", ".join(result.unknown[:_NAMED])
        more = len(result.unknown) - _NAMED
        if more > 0:
            names = f"{names} and {more} more"
        yield f"Not measured, because nobody said what is wrong with them: {names}."
    if result.unpaid:
        yield (
            f"The budget did not pay for {plural(result.unpaid, 'run')}. The same command with a "
            "larger one continues from here."
        )
    for arm, why in result.missing.items():
        for reason, times in why.items():
            yield f"Not read, {arm.value}, {plural(times, 'time')}: {reason}"


def figure_text(measure: Measure, one: Figure, *, signed: bool = False) -> str:
    """Returns a figure with its interval: ``80 % (61 to 93 %)``."""
    if one.value is None:
        return "not assessed"
    if one.low is None or one.high is None or one.value == one.low == one.high:
        return _value(measure, one.value, signed)
    return (
        f"{_value(measure, one.value, signed)} ({_value(measure, one.low, signed, bare=True)} to "
        f"{_value(measure, one.high, signed)})"
    )


def _value(measure: Measure, value: float, signed: bool, *, bare: bool = False) -> str:
    sign = ""
    if signed:
        sign = "+"
    if measure.share:
        unit = " %"
        if signed:
            unit = " points"
        return f"{100 * value:{sign}.0f}{unit * (not bare)}"
    if measure.unit == "$" and value == 0 and not signed:
        return "free"
    if measure.unit == "$":
        if abs(value) < 0.1:
            return f"{value:{sign}.4f}"
        return f"{value:{sign}.2f}"
    return f"{value:{sign}.1f}"


def rows(result: EvaluationResult) -> list[list[str]]:
    """Returns a table: each measure by each arm."""
    head = ["", *(a.value for a in result.arms)]
    return [
        head,
        *(
            [m.name, *(figure_text(m, result.figures[m.key][a]) for a in result.arms)]
            for m in result.measures
        ),
    ]


def gaps(result: EvaluationResult) -> list[list[str]]:
    """Returns a table: how arms differ on the same changes."""
    pairs = [(d.arm, d.other) for d in next(iter(result.differences.values()), ())]
    head = ["", *(f"{a.value} against {b.value}" for a, b in pairs)]
    rows = [[m.name, *(_gap(m, d) for d in result.differences[m.key])] for m in result.measures]
    return [head, *rows]


def _gap(measure: Measure, between: ArmDifference) -> str:
    text = figure_text(measure, between.figure, signed=True)
    if not between.clear:
        text = f"{text}, not clear"
    if between.chance is None:
        return text
    return f"{text}; {between.more} : {between.fewer}, p {_chance(between.chance)}"


def _chance(chance: float) -> str:
    if chance < 0.001:
        return "< 0.001"
    return f"{chance:.3f}".rstrip("0").rstrip(".")


def arms(result: EvaluationResult) -> list[str]:
    """Returns the descriptions of the arms."""
    return [f"{arm.value.capitalize()}: {arm.meaning}." for arm in result.arms]


def groups(result: EvaluationResult) -> Iterator[tuple[str, list[list[str]]]]:
    """Yields (trait, a table) for each trait of the changes: each arm's results by the trait's
    values.
    """
    measures = [m for m in MEASURES if m.key in _BY_GROUP]
    for trait, by_value in result.groups.items():
        here = [
            m
            for m in measures
            if any(
                f.value is not None
                for figures in by_value.values()
                for f in figures[m.key].values()
            )
        ]
        head = [
            TRAITS[trait],
            *(f"{_BY_GROUP[m.key]}, {a.value}" for m in here for a in result.arms),
        ]
        rows = [
            [value, *(_grouped(m, figures[m.key][a]) for m in here for a in result.arms)]
            for value, figures in by_value.items()
        ]
        yield f"By {TRAITS[trait]}", [head, *rows]


def _grouped(measure: Measure, one: Figure) -> str:
    if one.value is None:
        return "not assessed"
    return f"{figure_text(measure, one)} of {one.cases}"


def each_case(result: EvaluationResult) -> list[list[str]]:
    """Returns a table of each arm's results on each change, over its runs."""
    head = ["change", "known", *(a.value for a in result.arms)]
    rows = [
        [case.id, _known(case), *(_over_runs(result, case.id, arm) for arm in result.arms)]
        for case in result.cases
    ]
    return [head, *rows]


def _known(case: Case) -> str:
    if case.clean:
        return "clean"
    return plural(len(case.defects), "defect")


def _over_runs(result: EvaluationResult, case: str, arm: Arm) -> str:
    read = [r for r in result.readings if r.case == case and r.arm is arm]
    return ", ".join(_one(r) for r in read) or "not run"


def _one(read: ArmResult) -> str:
    if read.failed:
        return "not read"
    text = "let pass"
    if read.blocked:
        text = "blocked"
    if read.found:
        return f"{text}, {len(read.found)} found"
    return text
