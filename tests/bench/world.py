"""A world of seats with known skill, for measuring rules and not models.

A change is clean with probability 1/2, else it has one to three defects. Three critics each find a
defect with probability ``found`` and raise Poisson(``false``) findings that are none, with
true-looking places, severities and confidences. Errors are correlated: with weight ``shared`` a
seat sees what one common draw sees, and that share of the false findings tempts every critic alike.
Then the seats of the project's own code review speak in its own order: a seat takes up each finding
it has read with probability .85 and calls it real or not (right with probability ``judges_true`` or
``judges_false``; the author is .1 less willing to say real), or follows the majority so far with
probability ``conformity``. A holder whose finding is disputed reconsiders once and takes back a
false one with ``drops_false``, a true one with ``drops_true``. Nobody finds anything new in the
debate.

What the description above leaves open was fitted to what is known of four plain ways to decide in
such a world (one critic, a majority of independent critics, everything that anybody found, disputes
that soften nothing), not to the rule that is measured: how often a seat is sure of a true and of a
false finding, and that a seat's severity of a true defect is one step off in a fifth of the cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import exp
from random import Random

from core.replies import Finding, Position, Severity

CRITICS = ("security_critic", "performance_critic", "maintainability_critic")
AUTHOR = "author"
SEVERITIES = tuple(Severity)
SHARES = (0.2, 0.4, 0.28, 0.12)
TAKES_UP = 0.85
UNWILLING = 0.1
ONE_STEP_OFF = 0.2


@dataclass(frozen=True, slots=True)
class Skill:
    """The skill of a debate's seats; every number is a probability, ``false`` a mean."""

    name: str
    recall: float
    false: float
    judges_true: float
    judges_false: float
    drops_true: float
    drops_false: float


SKILLS = (
    Skill("weak", 0.15, 1.5, 0.60, 0.55, 0.25, 0.35),
    Skill("middling", 0.30, 0.8, 0.75, 0.70, 0.15, 0.50),
    Skill("strong", 0.50, 0.4, 0.90, 0.85, 0.08, 0.65),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One of the 54. ``calibrated`` seats are sure of what is true far more often than of what is
    not.
    """

    skill: Skill
    shared: float
    conformity: float
    calibrated: bool

    def sure(self, *, true: bool) -> float:
        """Returns the probability that a seat gives a finding a confidence of .6 or more."""
        if self.calibrated:
            return 0.89 if true else 0.26
        return 0.78 if true else 0.65


def settings() -> Iterator[Setting]:
    for skill in SKILLS:
        for shared in (0.0, 0.5, 0.8):
            for conformity in (0.0, 0.3, 0.6):
                for calibrated in (True, False):
                    yield Setting(skill, shared, conformity, calibrated)


@dataclass(slots=True)
class Issue:
    """Something that critics raise: a defect or an error of theirs. ``raised`` holds each critic's
    own wording, ``calls`` what each seat says of it in each round after the openings.
    """

    number: int
    true: bool
    raised: dict[str, Finding]
    calls: list[dict[str, Position]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """One change and all statements about it. ``serious``: it has a defect that is high or
    above.
    """

    clean: bool
    serious: bool
    issues: tuple[Issue, ...]


Rounds = tuple[tuple[str, ...], ...]
"""Who speaks in each round after the openings."""


def reviewed(setting: Setting, rounds: Rounds, rng: Random) -> Change:
    """Returns one change with its openings and its debate."""
    clean = rng.random() < 0.5
    defects = [] if clean else [_severity(rng) for _ in range(rng.randint(1, 3))]
    raised = [(True, _found(setting, severity, rng)) for severity in defects]
    raised += [(False, wordings) for wordings in _false(setting, rng)]
    issues = tuple(
        Issue(n, true, {s: _placed(n, w) for s, w in wordings.items()})
        for n, (true, wordings) in enumerate(raised)
        if wordings
    )
    for issue in issues:
        debate(setting, issue, rounds, rng)
    return Change(clean, any(s.rank >= Severity.HIGH.rank for s in defects), issues)


def _found(setting: Setting, severity: Severity, rng: Random) -> dict[str, Finding]:
    """Returns the wordings of the critics that find a defect."""
    common = rng.random()
    wordings = {}
    for seat in CRITICS:
        seen = common if rng.random() < setting.shared else rng.random()
        if seen < setting.skill.recall:
            wordings[seat] = _wording(setting, _misjudged(severity, rng), rng, true=True)
    return wordings


def _false(setting: Setting, rng: Random) -> Iterator[dict[str, Finding]]:
    """Yields the wordings of findings that are none: those that tempt everybody, and each critic's
    own.
    """
    for _ in range(_poisson(setting.shared * setting.skill.false, rng)):
        yield {s: _wording(setting, _severity(rng), rng, true=False) for s in CRITICS}
    for seat in CRITICS:
        for _ in range(_poisson((1 - setting.shared) * setting.skill.false, rng)):
            yield {seat: _wording(setting, _severity(rng), rng, true=False)}


def _wording(setting: Setting, severity: Severity, rng: Random, *, true: bool) -> Finding:
    sure = rng.random() < setting.sure(true=true)
    confidence = rng.uniform(0.6, 0.95) if sure else rng.uniform(0.3, 0.59)
    return Finding("", severity, round(confidence, 2), "", anchored=True)


def _placed(number: int, wording: Finding) -> Finding:
    """Returns a wording with the place and words of its issue, which no other issue shares."""
    title = f"fault{number} breaks call{number}"
    return Finding(
        "",
        wording.severity,
        wording.confidence,
        title,
        f"src/part{number}.py",
        10 + number,
        quote=f"call{number}()",
        anchored=True,
    )


def _severity(rng: Random) -> Severity:
    return rng.choices(SEVERITIES, SHARES)[0]


def _misjudged(severity: Severity, rng: Random) -> Severity:
    step = rng.choice((-1, 1)) if rng.random() < ONE_STEP_OFF else 0
    return SEVERITIES[max(0, min(len(SEVERITIES) - 1, severity.rank + step))]


def _poisson(mean: float, rng: Random) -> int:
    count, left, end = 0, rng.random(), exp(-mean)
    while left > end:
        count, left = count + 1, left * rng.random()
    return count


def debate(setting: Setting, issue: Issue, rounds: Rounds, rng: Random) -> Mapping[str, Position]:
    """Plays the rounds of a debate on the issue, each of which reads those before it, and returns
    where every seat stands in the end.
    """
    stands = dict.fromkeys(issue.raised, Position.AGREE)
    reconsidered: set[str] = set()
    for seats in rounds:
        positions: dict[str, Position] = {}
        for seat in seats:
            if seat not in issue.raised:
                position = _call(setting, issue, seat, stands, rng)
            elif seat in reconsidered or Position.DISPUTE not in stands.values():
                position = None
            else:
                reconsidered.add(seat)
                position = _reconsider(setting, issue, rng)
            if position is not None:
                positions[seat] = position
        stands |= positions
        issue.calls.append(positions)
    return stands


def _reconsider(setting: Setting, issue: Issue, rng: Random) -> Position | None:
    drops = setting.skill.drops_true if issue.true else setting.skill.drops_false
    return Position.WITHDRAW if rng.random() < drops else None


def _call(
    setting: Setting, issue: Issue, seat: str, stands: Mapping[str, Position], rng: Random
) -> Position | None:
    if rng.random() > TAKES_UP:
        return None
    others = [position for s, position in stands.items() if s != seat]
    lead = others.count(Position.AGREE) - others.count(Position.DISPUTE)
    if lead and rng.random() < setting.conformity:
        real = lead > 0
    else:
        skill = setting.skill
        willing = skill.judges_true if issue.true else 1 - skill.judges_false
        real = rng.random() < willing - UNWILLING * (seat == AUTHOR)
    return Position.AGREE if real else Position.DISPUTE
