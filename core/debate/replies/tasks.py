"""Defines each task of a turn: its prompt, and the fields that its reply may and must hold.

The reply schema of a task depends on nothing but the task and the ballot, so that all turns of a
round send the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.replies import Position


@dataclass(frozen=True, slots=True)
class Task:
    """``asks`` and ``requires`` name fields of ``replies.Statement``. A ``whole`` task reads the
    whole material, others only the disputed places. ``max_tokens`` bounds the answer; a ``light``
    task needs little thought. ``positions`` are the positions that its answers may take, ``parts``
    the other members of an answer. A ``pointed`` task gets its findings one by one: it reads no
    transcript and writes no prose.
    """

    name: str
    asks: tuple[str, ...]
    requires: tuple[str, ...] = ()
    whole: bool = False
    max_tokens: int = 1400
    positions: tuple[Position, ...] = tuple(Position)
    parts: tuple[str, ...] = ("because",)
    pointed: bool = False
    light: bool = False

    @property
    def argues(self) -> bool:
        """Whether it argues without being ``whole``: it too reads a change and the code around
        it.
        """
        return not self.whole and self.name not in _STEERING

    @property
    def own_answers(self) -> bool:
        """Whether the task's answers have a form that no other task has."""
        return self.parts != ("because",) or self.positions != tuple(Position)


MOST_ANSWERS = 24
"""The most answers of one reply: as many as points can be open."""
OF_A_POINT = (Position.MUST_FIX, Position.NEED_NOT, Position.NOT_REAL)
"""The positions on a contested finding."""
ARGUING = ("vouch", "weigh", "reply", "decide")
"""The tasks of the argument over what the openings contest, in the order of play."""
_STEERING = frozenset({"measure", "steer", "refine", "grade"})
_EVIDENCE = ("because", "path", "line", "quote")

_POSITION = ("stance", "claims", "answers")
_REVIEW = ("stance", "claims", "findings", "answers")
_REPORT = ("sections", "actions")
_STANCE = ("stance",)


def _of_points(name: str, max_tokens: int, *more: str) -> Task:
    """Returns a task in which a seat decides about single findings, and then about the whole."""
    return Task(
        name,
        ("stance", "answers", *more),
        ("stance", "answers"),
        whole=True,
        max_tokens=max_tokens,
        positions=OF_A_POINT,
        parts=(*_EVIDENCE, "severity"),
        pointed=True,
    )


TASKS = {
    t.name: t
    for t in (
        # phased, and shared by others
        Task("open", ("stance", "claims", "findings", "untold"), _STANCE, whole=True),
        Task("read", ("findings",), whole=True),
        Task("respond", _POSITION, _STANCE, whole=True),
        Task("debate", _REVIEW, _STANCE),
        Task("stand_in", _REVIEW, _STANCE),
        Task("rebut", ("stance", "answers"), ("answers",)),
        # an objection to the verdict: the answer to the person, then the decision again
        Task(
            "explain",
            ("answers",),
            ("answers",),
            max_tokens=800,
            positions=(Position.ANSWERED, Position.CONCEDE, Position.DISPUTE),
            parts=_EVIDENCE,
        ),
        _of_points("reconsider", 1000, "findings"),
        Task("restate", ("stance", "findings"), _STANCE, max_tokens=1000),
        # the hot seat that people ask for
        Task("cross", ("claims",), max_tokens=500),
        Task("stand", ("stance", "answers"), ("answers",)),
        # the argument over what the openings contest
        Task(
            "vouch",
            ("answers",),
            ("answers",),
            whole=True,
            positions=OF_A_POINT,
            parts=_EVIDENCE,
            pointed=True,
        ),
        _of_points("weigh", 2000, "findings"),
        _of_points("reply", 1200),
        _of_points("decide", 1000),
        # a test that is to prove a finding, or its withdrawal; and what another seat says of it
        Task("prove", ("test", "withdraw"), ("test",), whole=True, max_tokens=2600),
        Task(
            "audit",
            ("answers",),
            ("answers",),
            max_tokens=500,
            positions=(Position.AGREE, Position.DISPUTE),
        ),
        # what the closing seat reads, the judge's prompt repeats
        Task("close", _REPORT, ("sections",), whole=True, max_tokens=3000),
        Task("judge", ("scores", "ruling"), ("scores",), whole=True, max_tokens=900),
        Task(
            "chair",
            (*_REPORT, "scores", "ruling"),
            ("sections", "scores"),
            whole=True,
            max_tokens=3200,
        ),
        # triad
        Task("question", ("claims",)),
        Task("answer", ("stance", "answers"), _STANCE),
        Task("final", ("stance", "claims"), _STANCE),
        # critique
        Task("propose", ("stance", "claims"), _STANCE, whole=True),
        Task("criticise", _POSITION, _STANCE),
        Task("revise", _POSITION, _STANCE),
        # adversarial
        Task("argue", ("stance", "claims", "argument"), ("argument", "stance"), whole=True),
        Task("measure", ("metrics",), ("metrics",), max_tokens=400, light=True),
        # panel
        Task("assess", ("estimate",), ("estimate",), whole=True, max_tokens=200, light=True),
        Task("steer", ("called",), max_tokens=400, light=True),
        Task("refine", ("claims",)),
        # gauntlet
        Task("claim", ("claims",), whole=True),
        Task("attack", ("findings", "claims"), whole=True),
        Task("defend", ("answers",), ("answers",), parts=_EVIDENCE),
        Task("press", ("answers",), ("answers",)),
        Task("grade", ("grades", *_REPORT, "scores"), ("grades",), max_tokens=3000),
    )
}


LOCATE = Task("locate", ("findings",), whole=True, max_tokens=1000, pointed=True)
"""Follows an opening that describes a defect and locates none, in the same turn."""
LOCATED = frozenset({"findings", "untold"})
"""The members of a reply that need a material with lines to quote."""


RETIRED = frozenset({"refute", "uphold", "justify", "mend"})
"""The tasks of formats that are no longer played: stored debates hold their turns and answers."""
TASKS |= {
    name: Task(name, ("stance", "answers"), whole=True, pointed=True) for name in sorted(RETIRED)
}


def asked_members(task: Task, *, lines: bool, ruling: bool) -> tuple[str, ...]:
    """Returns the members that a reply to the task is asked for, if the material has ``lines`` to
    quote and a judge has to give a ``ruling``.
    """
    left_out = set[str]()
    if not lines and task.name != "attack":
        left_out |= LOCATED
    if not ruling:
        left_out.add("ruling")
    return tuple(name for name in task.asks if name not in left_out)
