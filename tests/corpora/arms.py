"""What a measurement reads off debates whose defects are known."""

from __future__ import annotations

import json
from itertools import product
from random import Random

from core.evaluation import Arm, Case, Defect, Spot
from core.evaluation.arms import readings
from core.evaluation.figures import MEASURES, failures, parts_of
from core.evaluation.hits import at_it
from core.verdict.findings import merge_findings
from tests.corpora.small import small, whole


def _arms(number: int) -> str:
    """What each arm of a measurement reads off some small debates whose defects are known."""
    rng, made, cases, read = Random(f"arms {number}"), [], [], []
    for n in range(4):
        debate = small(rng.randrange(200)).concluded().debate
        defects = tuple(
            Defect(
                "it is wrong",
                (Spot("app/db.py", line, line + rng.choice((0, 4))),) * (rng.random() < 0.8),
                rng.choice(((), ("query",), ("Memory", "user text"))),
            )
            for line in rng.sample((7, 10, 13, 17), rng.randint(1, 3))
        )
        clean = rng.random() < 0.3
        case = Case(f"c{n}", "T", "", b"", () if clean else defects, clean)
        cases.append(case)
        for arm, repeat in product(Arm, (1, 2)):
            each = readings(case, arm, repeat, debate if repeat == 1 else small(n).debate)
            made.append(json.dumps(each, default=whole))
            read += each
        made += [json.dumps(at_it(f, d, debate.open.material))
                 for d in defects for m in merge_findings(debate) for f in [m.wording]]  # fmt: skip
    for measure, arm in product(MEASURES, Arm):
        made.append(f"{measure.key} {arm} {parts_of(measure, arm, cases, read)}")
    made += [f"{arm} {failures(arm, read)}" for arm in Arm]
    return "\n".join(made)


CORPORA = {"arms": (5, _arms)}
