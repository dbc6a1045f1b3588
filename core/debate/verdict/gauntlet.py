"""The gauntlet's one scale: PASS, CONDITIONAL, FAIL, or NO_EVIDENCE when too few attacks were
really made.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.finding import Severity
from core.debate.replies import Grade
from core.debate.script import Turn
from core.debate.state import Debate

PASS, CONDITIONAL, FAIL, NO_EVIDENCE = "PASS", "CONDITIONAL", "FAIL", "NO_EVIDENCE"


@dataclass(frozen=True, slots=True)
class GauntletResult:
    """The count of attacks: ``planned`` ones were in the script; ``real`` ones were made and graded
    other than void; ``ungraded`` ones were made and never graded.
    """

    decision: str
    planned: int
    real: int
    ungraded: int
    defended: int
    partly: int
    broken: int

    @property
    def evidence(self) -> bool:
        return self.decision != NO_EVIDENCE


def gauntlet_result(debate: Debate) -> GauntletResult:
    """Computes how the attacks ended.

    FAIL: a critical attack broke through, or more than two severe ones, or more than half of all.
    CONDITIONAL: anything else that is not fully defended or not graded. PASS: every real attack was
    defended. Less than half of the planned attacks made for real is NO_EVIDENCE, unless one broke
    through.
    """
    attacks = tuple(t for t in debate.turns if t.task == "attack")
    graded = graded_attacks(debate)
    made = [t for t in attacks if t.id in debate.finished]
    real = {t.id: graded[t.id] for t in made if graded.get(t.id, Grade.VOID) is not Grade.VOID}
    ungraded = sum(t.id not in graded for t in made)
    broken = [t for t in made if real.get(t.id) is Grade.BROKEN]
    partly = sum(g is Grade.PARTLY for g in real.values())
    severities = [_severity(debate, t) for t in broken]
    if (
        Severity.CRITICAL in severities
        or sum(s.severe for s in severities) > 2
        or 2 * len(broken) > len(real)
    ):
        decision = FAIL
    elif broken:
        decision = CONDITIONAL
    elif not real or 2 * len(real) < len(attacks):
        decision = NO_EVIDENCE
    else:
        decision = PASS
        if partly or ungraded:
            decision = CONDITIONAL
    defended = len(real) - len(broken) - partly
    return GauntletResult(
        decision, len(attacks), len(real), ungraded, defended, partly, len(broken)
    )


def graded_attacks(debate: Debate) -> dict[str, Grade]:
    """Returns the last grade of each attack by a seat that does not vote; a grade of a turn that
    made no attack is ignored.
    """
    given: dict[str, Grade] = {}
    attacks = {t.id for t in debate.turns if t.task == "attack"}
    for turn, statement in debate.statements():
        if turn.seat not in debate.voters:
            given |= {
                attack: grade for attack, grade in statement.grades.items() if attack in attacks
            }
    return given


def _severity(debate: Debate, attack: Turn) -> Severity:
    """Returns the severity of the attack's worst finding; medium for an attack without findings."""
    return max(
        (f.severity for f in debate.finished[attack.id].findings),
        key=lambda s: s.rank,
        default=Severity.MEDIUM,
    )
