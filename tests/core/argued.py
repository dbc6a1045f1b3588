"""A review of a few lines whose openings may contest something, with seats whose statements a test
chooses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from adapters.templates.catalogue import find, in_format
from core.debate import events as e
from core.debate.casting import ModelCandidate, cast
from core.debate.formats import FORMATS, Plan
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.ports import CallOptions, Message, OnWords, Reply, Source
from core.debate.state import Debate
from core.debate.template import Mode
from core.debate.usage import Usage
from tests.core.memory import START, MemoryLog, Voice, Voices, played

CODE = (
    "def rows(db, name):",
    "    if not name.isidentifier():",
    "        raise ValueError(name)",
    '    sql = f"select * from {name}"',
    "    return [row for row in db.execute(sql)]",
)
LINES = tuple(Line("+", text, None, n) for n, text in enumerate(CODE, 10))
MATERIAL = Material(
    MaterialKind.DIFF,
    "Read rows of a table",
    "=== app/db.py\n" + "\n".join(f"{line.new:5} + {line.text}" for line in LINES),
    hunks=(Hunk("app/db.py", "@@ -9,0 +10,5 @@", LINES),),
)
GUARD = {"path": "app/db.py", "line": 11, "quote": "if not name.isidentifier():"}
FIXED = {"trigger": "name='x; drop'", "fix": "bind the name"}
SEATS = (
    "correctness_critic",
    "security_critic",
    "performance_critic",
    "maintainability_critic",
    "reviewer",
)

Say = Callable[[str, Sequence[str]], Any]
"""A seat's answer, by its role and the ids of the findings that it is asked about."""


def a_finding(title: str = "The query is built from user input", **fields: Any) -> dict[str, Any]:
    """Returns a finding as a seat reports it: sure, high, where the query is built."""
    place = {"path": "app/db.py", "line": 13, "quote": CODE[3].strip()}
    return {"severity": "high", "confidence": 0.9, "title": title, **place, **FIXED, **fields}


SLOW: dict[str, Any] = {"line": 14, "quote": CODE[4].strip()}
SLOW |= {"title": "Every row is held in memory at once", "trigger": "ten million rows"}


def opens(option: str, *findings: Mapping[str, Any]) -> dict[str, Any]:
    held = {"option": option, "confidence": 0.8, "because": "as found", "moved_by": ""}
    return {"text": "I read it.", "stance": held, "claims": [], "findings": [*findings]}


def answering(position: str, **fields: Any) -> Say:
    return lambda _role, ids: {"answers": [{"to": i, "position": position, **fields} for i in ids]}


SHOWN = {"because": "the line shows it", **GUARD}
"""The members of an answer that quotes a line which code finds."""


def judging(position: str, option: str = "", **fields: Any) -> Say:
    """Returns an answer to every point, with the option that follows from it."""
    follows = option or ("request_changes" if position == "must_fix" else "approve")
    held = {"option": follows, "confidence": 0.8, "because": "as argued", "moved_by": ""}

    def say(_role: str, ids: Sequence[str]) -> Any:
        answers = [{"to": i, "position": position, **SHOWN, **fields} for i in ids]
        return {"stance": held, "answers": answers, "findings": []}

    return say


A_TEST = {"path": "tests/test_db.py", "name": "test_name", "text": "def test_name(): ..."}
HOLDS = [{"to": "prove1", "position": "agree", "because": "it calls rows"}]
CONCEDED, MINOR, UNREAL = judging("must_fix"), judging("need_not_block"), judging("not_real")


@dataclass
class Seats:
    """The answer to each task; ``openings`` by role, approval if none is given. ``ends`` is what
    all hold in the rounds of ``phased``, ``explained`` the objections that they answer in words,
    ``looked_up`` what each role read in the repository.
    """

    openings: Mapping[str, Any] = field(default_factory=dict)
    vouch: Say = UNREAL
    weigh: Say = CONCEDED
    reply: Say = CONCEDED
    decide: Say = CONCEDED
    reconsider: Say = CONCEDED
    prove: Say = lambda _role, _ids: {"text": "A test.", "test": A_TEST}
    audit: Say = lambda _role, _ids: {"text": "It holds.", "answers": HOLDS}
    explained: Sequence[str] = tuple(f"x{n}" for n in range(1, 13))
    ends: str = "approve"
    looked_up: Mapping[tuple[str, str], tuple[Source, ...]] = field(default_factory=dict)
    calls: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)

    def say(self, task: str, role: str, ids: Sequence[str]) -> Any:
        self.calls.append((task, role, tuple(ids)))
        match task:
            case "open":
                return self.openings.get(role, opens("approve"))
            case "locate":
                return {"findings": []}
            case "vouch" | "weigh" | "reply" | "decide" | "reconsider" | "prove" | "audit":
                return getattr(self, task)(role, ids)
            case "explain" | "rebut":
                words = {"position": "answered", "because": "it is not checked"}
                answers = [{"to": id, **words} for id in self.explained]
                return {"text": "I looked.", "answers": answers}
            case "judge":
                return {"scores": {"security_coverage": 0.5}, "ruling": "request_changes"}
            case "close" | "chair":
                return {"sections": {"consensus_notes": "done"}, "scores": {"consensus": 0.5}}
            case _:
                return opens(self.ends) | {"answers": []}

    def tasks(self) -> list[str]:
        return [task for task, _, _ in self.calls]

    def spoke(self, task: str) -> list[str]:
        return [role for each, role, _ in self.calls if each == task]


@dataclass
class Seated(Voice):
    seats: Seats = field(default_factory=Seats)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.seen.append(messages)
        at = max(n for n, m in enumerate(messages) if m.text.startswith("# You are"))
        role = _slug(messages[at].text.split("\n")[1].partition(":")[0])
        ids = re.findall(r"^\| (\S+) \S+:\d+ ", messages[at - 1].text, re.MULTILINE)
        answers = self.seats.say(asking.task, role, ids)
        if isinstance(answers, Exception):
            raise answers
        text = "\x00".join(m.text for m in messages)
        self.ledger.append(text)
        usage = Usage(100, 0, 20, self.usd, len(text))
        sources = self.seats.looked_up.get((asking.task, role), ())
        return Reply(json.dumps(answers), usage, self.name, sources=sources)


def _slug(words: str) -> str:
    return words.strip().lower().replace(" ", "_").rstrip(".")


def review(
    *,
    openings: int = 5,
    format: str = "contested",
    seed: int = 1,
    mode: Mode = Mode.MAJORITY,
    **terms: Any,
) -> list[e.Event]:
    """Returns the first two events of a review by models of two families."""
    template = in_format(find("code_review"), format)
    script = FORMATS[format].compile(template, Plan(openings=openings, mode=mode), Random(seed))
    seats = cast(
        script, [ModelCandidate("alpha/a", "a"), ModelCandidate("beta/b", "b")], Random(seed)
    )
    given = {"consensus": mode.value, "threshold": 0.7, "quorum": 1, **terms}
    request = e.DebateRequest("code_review", "x.diff", "ann", "shell:ann")
    opened = e.DebateOpened(template, script, seats, MATERIAL, e.Terms(**given), START, seed)
    return [e.DebateRequested("d1", request, START), opened]


async def reviewed(
    seats: Seats, events: list[e.Event] | None = None, usd: float = 0.0, **more: Any
) -> tuple[Debate, MemoryLog]:
    models = (("alpha/a", "a"), ("beta/b", "b"))
    voices = Voices([Seated(name, family, usd=usd, seats=seats) for name, family in models])
    return await played(events or review(), voices, **more)
