"""What the page of one debate tells, as plain values: made from the outcome document and the folded
events, in the words that people read. The pages only arrange it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adapters.posts.decision import decision_sentence
from adapters.posts.verdict import review_buttons
from adapters.posts.words import current_round, listed, round_name, title_of
from adapters.room.outgoing import words as w
from adapters.room.outgoing.code import Shown, around
from adapters.room.outgoing.stances import Chart, chart
from adapters.room.settings import RoomSettings
from adapters.text.links import HOSTS, safe_url
from core.debate import Debate
from core.material.plaintext import cut
from core.outcome import without_report
from core.outcome.report import as_asked
from core.script import TurnId

POSITIONS = {
    "agree": "agrees",
    "dispute": "disputes it",
    "keep": "stands by it",
    "withdraw": "takes it back",
    "concede": "concedes it",
    "answered": "answers it",
}
ON_TURN = {
    "agree": "agrees with",
    "dispute": "disputes",
    "keep": "stands by",
    "withdraw": "takes back",
    "concede": "concedes",
    "answered": "answers",
}
STATES = {
    "open": "open",
    "withdrawn": "taken back by everybody who held it",
    "disputed": "people say it is not real",
    "resolved": "gone in a later revision",
}
_DOWNLOADS = (("md", "Markdown"), ("json", "JSON"), ("html", "HTML"))
READ = {"full": "read", "partial": "read in part", "left_out": "not read"}


@dataclass(frozen=True, slots=True)
class Reference:
    """What an id in a statement stands for, and where on the page that is."""

    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Fork:
    """A debate beside this one: its parent or what was forked from it."""

    id: str
    what: str
    document: Mapping[str, Any]


@dataclass(frozen=True)
class DebateView:
    """``forks`` stand beside this debate in the order in which they are shown. ``hosts`` may be
    linked to; ``receipts`` says whether they can be signed here.
    """

    debate: Debate
    document: Mapping[str, Any]
    forks: Sequence[Fork] = ()
    hosts: frozenset[str] = HOSTS
    receipts: bool = False

    @property
    def downloads(self) -> tuple[tuple[str, str], ...]:
        """Forms in which it can be taken along; SARIF where code was read."""
        code = self.opened and self.debate.open.material.hunks
        if code:
            return (*_DOWNLOADS, ("sarif", "SARIF"))
        return _DOWNLOADS

    @property
    def id(self) -> str:
        return self.debate.id

    @property
    def opened(self) -> bool:
        return self.debate.opened is not None

    @property
    def over(self) -> bool:
        return self.debate.over

    @property
    def reviewable(self) -> bool:
        """Whether there is a review that could be posted to a pull request."""
        return self.opened and self.over and bool(review_buttons(self.debate))

    @property
    def title(self) -> str:
        title = title_of(self.debate)
        return self.template if title == self.debate.request.template else title

    @property
    def template(self) -> str:
        opened = self.debate.opened
        if opened is not None:
            return opened.template.name
        return w.sentence(w.option(self.debate.request.template))

    @property
    def source(self) -> str:
        """The address of what is debated, where it is one that may be linked to."""
        material = self.document["material"]
        return safe_url(material["source"] if material else self.debate.request.target, self.hosts)

    @cached_property
    def seats(self) -> Mapping[str, w.SeatName]:
        if self.opened:
            return w.seat_names(self.debate)
        return {}

    def seat(self, id: str) -> w.SeatName:
        return self.seats.get(id) or w.SeatName(id, id.replace("_", " "), w.initials(id), 0)

    def seat_list(self, ids: Sequence[str]) -> str:
        return listed([self.seat(id).name for id in ids])

    @property
    def ballot(self) -> tuple[str, ...]:
        opened = self.debate.opened
        if opened is None:
            return ()
        return tuple(o.option for o in opened.template.ballot)

    @property
    def state(self) -> str:
        """One line: where the debate stands."""
        debate = self.debate
        if debate.nothing_because:
            return "Its texts were deleted." if debate.deleted else "It could not start."
        if debate.concluded is not None:
            return w.ENDED[debate.concluded.because.value]
        if debate.opened is None:
            return "Reading the material."
        at = round_name(debate, current_round(debate))
        if debate.paused is not None:
            by = ""
            if debate.paused.by:
                by = f" by {w.person(debate.paused.by)}"
            why = ""
            if debate.paused.reason:
                why = f" ({debate.paused.reason})"
            return f"Paused{by}{why}. {at}"
        return at

    @property
    def progress(self) -> tuple[int, int]:
        return w.turns_done(self.debate)

    @property
    def has_receipt(self) -> bool:
        return self.receipts and self.debate.final and not self.debate.nothing_because

    @property
    def begun_at(self) -> str:
        return str(self.document["requested_at"])

    @property
    def seconds(self) -> float | None:
        """How long it took from the request to the last turn; None while it lasts."""
        begun, ended = w.moment(self.begun_at), w.moment(self.document["concluded_at"])
        if begun and ended:
            return (ended - begun).total_seconds()
        return None

    @property
    def decided(self) -> str:
        """The verdict in the sentence that every thread reads, empty while there is none."""
        if not self.over or self.debate.status == "failed" or self.debate.nothing_because:
            return ""
        return decision_sentence(self.debate)

    @property
    def blocks(self) -> bool:
        """Whether the verdict is one that keeps a change from going in."""
        opened = self.debate.opened
        decision = self.document["verdict"]["decision"]
        return opened is not None and any(
            o.blocks and o.option == decision for o in opened.template.ballot
        )

    @property
    def tallies(self) -> Iterator[tuple[str, int, int, int | None]]:
        """Option, seats before the debate, seats after it, people (None: hidden until the end)."""
        votes = self.document["votes"]
        for name in votes["final"]:
            people = votes["people"].get(name, 0) if self.over else None
            yield (
                "no stance" if name == "none" else w.option(name),
                votes["independent"].get(name, 0),
                votes["final"][name],
                None if name == "none" and self.over else people,
            )

    @property
    def voters(self) -> int:
        return sum(self.document["votes"]["final"].values())

    @cached_property
    def chart(self) -> Chart | None:
        if self.opened:
            return chart(self.document, self.seats, self.ballot)
        return None

    def code(self, finding: Mapping[str, Any]) -> tuple[Shown, ...]:
        """The lines around a finding that stands in the change."""
        if not finding["anchored"]:
            return ()
        material = self.debate.open.material
        return around(material, finding["path"], finding["line"], finding["side"], finding["quote"])

    def challenges_of(self, finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """What people objected to in this finding."""
        ids = {finding["id"], *(one["id"] for one in finding["wordings"])}
        return [c for c in self.document["challenges"] if c["text"].partition(":")[0][3:] in ids]

    def objection(self, challenge: Mapping[str, Any]) -> tuple[Reference | None, str]:
        """What a challenge is about, where it names it, and its own words."""
        head, _, words = challenge["text"].partition(": ")
        about = self.references.get(head.removeprefix("On ")) if head.startswith("On ") else None
        return (about, words) if about else (None, challenge["text"])

    @cached_property
    def references(self) -> Mapping[str, Reference]:
        """What every id that a statement may name stands for."""
        known: dict[str, Reference] = {}
        turns = [(n, t) for n, at in enumerate(self.document["rounds"], 1) for t in at["turns"]]
        for number, turn in turns:
            at = f"turn-{turn['id']}"
            who = self.seat(turn["seat"]).name
            known[turn["id"]] = Reference(f"{who} in round {number}", at)
            known |= {c["id"]: Reference(shortened(c["text"]), at) for c in turn["claims"]}
        for found in self.document["findings"]:
            for one in (found, *found["wordings"]):
                known[one["id"]] = Reference(shortened(one["title"]), f"finding-{found['id']}")
        for one in self.document["challenges"]:
            label = f"the challenge by {w.person(one['author'])}"
            known[one["id"]] = Reference(label, f"challenge-{one['id']}")
        return known

    def refer(self, id: str) -> Reference:
        return self.references.get(id) or Reference(id, "")

    def moved_by(self, turn: str) -> Reference | None:
        """What changed a seat's mind in this turn."""
        said = self.debate.statement(turn)
        if said is None or said.stance is None or not said.stance.moved_by:
            return None
        return self.refer(said.stance.moved_by)

    def model(self, turn: str) -> str:
        """Who spoke, where that is no secret."""
        if w.secret(self.debate):
            return ""
        return self.debate.models.get(TurnId(turn), "")

    def begun(self, turn: str) -> bool:
        id = TurnId(turn)
        return id in self.debate.started or id in self.debate.settled


def view_of(settings: RoomSettings, debate: Debate, parent: Mapping[str, Any] | None) -> DebateView:
    """The view of a debate; ``parent`` is the outcome of the debate that it was forked from."""
    written = ""
    if debate.over and debate.opened is not None:
        written = as_asked(debate)
    document = without_report(debate, parent) | {"report": written}
    return DebateView(debate, document, hosts=settings.hosts, receipts=settings.receipts)


def shortened(text: str, limit: int = 90) -> str:
    return cut(" ".join(text.split()), limit)
