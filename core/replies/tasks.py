"""What a turn is asked to do: which prompt it gets, which fields its reply may hold and which it
must hold.

The reply schema of a task depends on nothing but the task and the ballot, so that all turns of a
round send the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Task:
    """``asks`` and ``requires`` name fields of ``core.replies.Statement``.

    ``whole`` tasks read the whole material, others only the disputed places.
    """

    name: str
    asks: tuple[str, ...]
    requires: tuple[str, ...] = ()
    whole: bool = False


TASKS = {
    t.name: t
    for t in (
        # phased (and shared by others)
        Task("open", ("stance", "claims", "findings"), ("stance",), whole=True),
        Task("respond", ("stance", "claims", "answers"), ("stance",), whole=True),
        Task("debate", ("stance", "claims", "findings", "answers"), ("stance",)),
        Task(
            "stand_in", ("stance", "claims", "findings", "answers"), ("stance",)
        ),  # debate in the role of Turn.about (rotation)
        Task(
            "rebut", ("stance", "answers"), ("answers",)
        ),  # the answer owed to a challenge (Turn.about)
        Task(
            "close", ("sections", "actions"), ("sections",), whole=True
        ),  # a seat that did not argue fills the report; what it reads, the judge's prompt repeats
        Task(
            "judge", ("scores", "ruling"), ("scores",), whole=True
        ),  # scores the rubric, rules where the mode asks for it
        Task(
            "chair", ("sections", "actions", "scores", "ruling"), ("sections", "scores"), whole=True
        ),  # both at once
        # triad
        Task("question", ("claims",)),  # to Turn.about, quoting its opening
        Task("answer", ("stance", "answers"), ("stance",)),
        Task("final", ("stance", "claims"), ("stance",)),
        # critique
        Task("propose", ("stance", "claims"), ("stance",), whole=True),
        Task(
            "criticise", ("stance", "claims", "answers"), ("stance",)
        ),  # Turn.about: the cognitive role of the round
        Task("revise", ("stance", "claims", "answers"), ("stance",)),
        # adversarial
        Task(
            "argue", ("stance", "claims", "argument"), ("argument", "stance"), whole=True
        ),  # Turn.about: the argument's type
        Task("measure", ("metrics",), ("metrics",)),
        # panel
        Task("assess", ("estimate",), ("estimate",), whole=True),
        Task("steer", ("called",)),
        Task("refine", ("claims",)),
        # gauntlet
        Task("claim", ("claims",), whole=True),
        Task("attack", ("findings", "claims"), whole=True),  # Turn.about: the category
        Task("defend", ("answers",), ("answers",)),
        Task("press", ("answers",), ("answers",)),
        Task("grade", ("grades", "sections", "actions", "scores"), ("grades",)),
    )
}


def with_earlier(task: Task) -> Task:
    """The same task where findings of an earlier run are to be answered: who reads the whole says
    whether they still hold.
    """
    if not task.whole or "findings" not in task.asks or "answers" in task.asks:
        return task
    return replace(task, asks=(*task.asks, "answers"))
