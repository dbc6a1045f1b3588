"""The positions in recorded reviews of real changes, and the rule of a review applied to them.

    python -m tools.bench.positions
    python -m tools.bench.positions EVAL SET CLONES [LATER ...]

The first prints the rule's decisions on the recorded positions, next to the vote of the openings.
The second writes ``answers/positions.jsonl`` and ``answers/reviews.csv`` from the folder of a
measurement (``debate eval --set SET --clones CLONES --out EVAL``). Rows hold each seat's vote, the
findings that it wants fixed, and whether a finding is the known defect: no code and no sentence of
any project.
"""

from __future__ import annotations

import asyncio
import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.evaluation.clones import find_clone
from adapters.evaluation.manifest import cases_of, read_set
from bot import settings
from bot.wire.parts import open_parts
from core.debate.replies.tasks import ARGUING
from core.debate.state import Debate
from core.debate.verdict.findings import blocking_votes, merge_findings
from core.debate.verdict.findings.contested import before_the_argument
from core.debate.verdict.findings.rule import Point, Ruling, Votes, decide, most_block
from core.evaluation import Case
from core.evaluation.arms import names
from core.words.views.course.cost import cost

ANSWERS = Path(__file__).parent / "answers"
POSITIONS, REVIEWS = ANSWERS / "positions.jsonl", ANSWERS / "reviews.csv"
CHOSEN = ANSWERS / "chosen.jsonl"
"""Further reviews, of changes that were chosen because readers may differ over them."""
_SEATS = ("fix", "minor", "unreal", "silent")


@dataclass(frozen=True, slots=True)
class Stage:
    """The votes and points at one moment; ``known`` has the numbers of the points that are the
    known defect.
    """

    votes: Votes
    points: tuple[Point, ...]
    known: frozenset[int]

    @property
    def ruling(self) -> Ruling:
        return decide(self.votes, self.points)

    @property
    def vote(self) -> bool:
        """Whether more than half of the votes block."""
        return most_block(self.votes.values())

    def rightly(self, ruling: Ruling) -> bool:
        """Return whether the known defect is a reason to block: it must be fixed, or a seat that
        votes for a block wants it fixed.
        """
        asking = {seat for seat, blocks in self.votes.items() if blocks}
        wanted = {n for n in self.known if asking & self.points[n].fix}
        return bool(self.known & set(ruling.points)) or (ruling.voted and bool(wanted))


@dataclass(frozen=True, slots=True)
class Review:
    """One review: ``first`` after the openings, ``last`` at its end. ``calls`` are its turns,
    ``requests`` what was sent for them, look-ups and repairs counted.
    """

    change: str
    clean: bool
    argued: bool
    calls: int
    requests: int
    decision: str
    first: Stage
    last: Stage


def recorded(path: Path = POSITIONS) -> list[Review]:
    """Returns the recorded reviews."""
    return [_review(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _review(row: Mapping[str, Any]) -> Review:
    first, last = _stage(row["first"]), _stage(row["last"])
    about = (row["change"], row["clean"], row["argued"], row["calls"], row["requests"])
    return Review(*about, row["decision"], first, last)


def _stage(given: Mapping[str, Any]) -> Stage:
    points, known = [], set()
    for number, one in enumerate(given["points"]):
        fix, minor, unreal, silent = (frozenset[str](one.get(side, ())) for side in _SEATS)
        flags = (one["argued"], one["located"], one["settled"])
        points.append(Point(fix, minor, unreal, silent, *flags))
        if one["known"]:
            known.add(number)
    return Stage(given["votes"], tuple(points), frozenset(known))


def summary(reviews: Sequence[Review]) -> Iterator[str]:
    """Yields what the rule decides on the recorded positions, line by line."""
    bad, clean = [r for r in reviews if not r.clean], [r for r in reviews if r.clean]
    yield f"{len(bad)} changes with a known defect, {len(clean)} clean ones"
    for name, way in _WAYS.items():
        blocked = sum(way(r)[0] for r in bad)
        rightly = sum(way(r)[1] for r in bad)
        false = sum(way(r)[0] for r in clean)
        yield (
            f"{name}: blocks {blocked} of {len(bad)} defects, {rightly} for the known one, and "
            f"{false} of {len(clean)} clean changes"
        )
    argued = [r for r in reviews if r.argued]
    right = [r.change for r in argued if _turned(r) and _is_right(r)]
    wrong = [r.change for r in argued if _turned(r) and not _is_right(r)]
    yield f"argued: {len(argued)} of {len(reviews)}"
    yield f"turned rightly: {len(right)} ({', '.join(sorted(right))})"
    yield f"turned wrongly: {len(wrong)} ({', '.join(sorted(wrong))})"
    yield f"calls: {_calls(reviews)}"
    for name, some in (("nothing", False), ("something", True)):
        yield f"calls where {name} was argued: {_calls([r for r in reviews if r.argued is some])}"


def _calls(reviews: Sequence[Review]) -> str:
    calls, requests = [r.calls for r in reviews], [r.requests for r in reviews]
    return (
        f"{_mean(calls):.1f} a review, at most {max(calls, default=0)}; {_mean(requests):.1f} "
        "requests with look-ups"
    )


def _by_vote(stage: Stage) -> tuple[bool, bool]:
    """Return whether the votes without the rule block, and whether for the known defect."""
    return stage.vote, stage.vote and stage.rightly(Ruling(True, (), True))


def _by_rule(stage: Stage) -> tuple[bool, bool]:
    return stage.ruling.blocks, stage.ruling.blocks and stage.rightly(stage.ruling)


_WAYS: Mapping[str, Callable[[Review], tuple[bool, bool]]] = {
    "vote of the openings": lambda r: _by_vote(r.first),
    "rule, openings only": lambda r: _by_rule(r.first),
    "rule, at the end": lambda r: _by_rule(r.last),
}


def _turned(review: Review) -> bool:
    """Return whether the argument ended otherwise than the vote of the openings."""
    return review.first.vote is not review.last.ruling.blocks


def _is_right(review: Review) -> bool:
    return review.last.ruling.blocks is not review.clean


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def positions_of(case: Case, debate: Debate) -> dict[str, Any]:
    """Returns the row of a finished review."""
    end = debate.closed or debate.concluded
    return {
        "change": case.id,
        "clean": case.clean,
        "argued": any(t.task in ARGUING and t.id in debate.finished for t in debate.turns),
        "calls": len([t for t in debate.turns if t.id in debate.finished]),
        "requests": cost(debate)["calls"],
        "decision": end.decision if end else "",
        "first": _positions(case, before_the_argument(debate)),
        "last": _positions(case, debate),
    }


def _positions(case: Case, debate: Debate) -> dict[str, Any]:
    findings = merge_findings(debate)
    material = debate.open.material
    rows = []
    for finding in findings:
        point = finding.point
        sides = {side: sorted(getattr(point, side)) for side in _SEATS}
        known = any(names(finding, case.defects[n], material) for n in case.located)
        flags = {"argued": point.argued, "located": point.located, "settled": point.settled}
        rows.append({**{k: v for k, v in sides.items() if v}, **flags, "known": known})
    votes = {str(seat): blocks for seat, blocks in blocking_votes(debate, findings).items()}
    return {"votes": votes, "points": rows}


async def _written(folder: Path, given: Path, clones: Path) -> None:
    report = json.loads((folder / "report.json").read_text("utf-8"))
    cases: dict[str, Case] = {}
    for row in read_set(str(given)).rows:
        past = await find_clone(clones, row.repo)
        if past is not None:
            cases |= {case.id: case for case in await cases_of(row, past)}
    ids = {r["case"]: r["debate"] for r in report["readings"] if r["arm"] == "debate"}
    rows = []
    made = settings.read({"DEBATE_DATABASE_URL": f"sqlite:///{(folder / 'eval.db').resolve()}"})
    async with open_parts(made) as parts:
        for change, id in sorted(ids.items()):
            if id:
                rows.append(positions_of(cases[change], await parts.service.load(id)))
    ANSWERS.mkdir(exist_ok=True)
    POSITIONS.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    with REVIEWS.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("change", "known", "arm", "seat", "decision", "found", "rightly", "calls"))
        clean = {c["id"]: c["clean"] for c in report["cases"]}
        for r in report["readings"]:
            known = "clean" if clean[r["case"]] else "defect"
            decision = r["failed"] or ("blocked" if r["blocked"] else "passed")
            hits = int(bool(r["found"]))
            seat = r["seat"] or ""
            about = (r["case"], known, r["arm"], seat)
            out.writerow((*about, decision, hits, int(r["rightly"]), r["calls"]))


def report() -> Iterator[str]:
    """Yields the summary of the drawn changes, then that of all that were argued."""
    drawn, chosen = recorded(), recorded(CHOSEN)
    yield from summary(drawn)
    yield f"with {len(chosen)} changes that were chosen because readers may differ, those argued:"
    yield from summary([r for r in (*drawn, *chosen) if r.argued])


def main() -> int:
    if len(sys.argv) > 3:
        asyncio.run(_written(*map(Path, sys.argv[1:4])))
    print("\n".join(report()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
