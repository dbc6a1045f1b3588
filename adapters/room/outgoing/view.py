"""The values that the page of one debate shows, made from the outcome document and the folded
events. The pages only arrange them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from markupsafe import Markup

from adapters.posts.cruxes import crux_picture
from adapters.posts.export.stances import Chart, chart
from adapters.posts.finding import keep_button, prove_button
from adapters.posts.verdict import record_button, review_buttons
from adapters.room.outgoing import display
from adapters.room.outgoing.change import ChangeRow, around
from adapters.room.settings import RoomSettings
from adapters.text.links import HOSTS, safe_url
from core.application.debates import RelatedDebate
from core.application.desk import Button
from core.debate.material import Coverage
from core.debate.material.plaintext import cut
from core.debate.script import TurnId
from core.debate.state import Debate
from core.debate.verdict.delta import StanceMove
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.unread import covered
from core.languages import say, speaking
from core.languages.stored import say_stored
from core.words.outcome import without_report
from core.words.outcome.appendix import scores_table
from core.words.outcome.report import as_asked
from core.words.views.course.argued import argument_in, proposes
from core.words.views.course.cost import estimated_line, spent_line
from core.words.views.course.invitations import can_be_known, judgement_counts
from core.words.views.course.progress import turns_taken, where_line
from core.words.views.documents.headings import DELETED, NOT_STARTED, labels_line, title_of
from core.words.views.documents.page import CHANGE, SEE_CHANGE, SEE_TEXT, TEXT
from core.words.views.documents.pill import colour_of
from core.words.views.language.grammar import capital, listed, uncapital
from core.words.views.language.people import person_name
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import SeatName, initials, models_hidden, seat_names
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.coverage import files_read, redacted_sentence
from core.words.views.verdict.cruxes import crux_lines
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import DissentView, dissent_views
from core.words.views.verdict.ending import unplayed, unplayed_lines, why_ended
from core.words.views.verdict.facts import Fact, first_facts
from core.words.views.verdict.findings import FindingView, deciding, finding_view, nowhere_words
from core.words.views.verdict.headline import is_change
from core.words.views.verdict.objection import objections
from core.words.views.verdict.rule import rule_lines
from core.words.views.verdict.stances import VoteRow, moves_in_words, people_shown, vote_rows

_MOST_DECIDING = 4
"""The most lines under the verdict; all findings follow below."""
_DOWNLOADS = (("md", "Markdown"), ("json", "JSON"), ("html", "HTML"))


@dataclass(frozen=True, slots=True)
class Reference:
    """The meaning of an id in a statement, and the place of its element on the page."""

    label: str
    anchor: str


@dataclass(frozen=True)
class DebateView:
    """``forks`` are related debates in the order in which they are shown. ``hosts`` may be linked
    to; ``receipts`` is True if they can be signed here.
    """

    debate: Debate
    document: Mapping[str, Any]
    forks: Sequence[RelatedDebate] = ()
    hosts: frozenset[str] = HOSTS
    receipts: bool = False

    @property
    def asks_useful(self) -> bool:
        return self.decided != "" and not self.debate.lost and judgement_counts(self.debate)

    def asks_held(self, now: datetime | None = None) -> bool:
        """True if people can know if the verdict held; the debate's age counts only if ``now``
        is given.
        """
        return self.decided != "" and not self.debate.lost and can_be_known(self.debate, now)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the verdict, in the page's language."""
        debate = self.debate
        if debate.opened is None or debate.deleted is not None:
            return tuple(self.document["warnings"])
        return warnings(debate, people_shown(debate))

    @property
    def downloads(self) -> tuple[tuple[str, str], ...]:
        """The forms in which the debate can be downloaded; SARIF if code was read."""
        if self.is_change and is_change(self.debate):
            return (*_DOWNLOADS, ("sarif", "SARIF"))
        return _DOWNLOADS

    @property
    def is_change(self) -> bool:
        """True if there are lines to look at, of a change or of a text."""
        return self.opened and bool(self.debate.open.material.hunks)

    @property
    def whole(self) -> str:
        """The words of the link to all of those lines."""
        if is_change(self.debate):
            return say(SEE_CHANGE)
        return say(SEE_TEXT)

    @property
    def lines_of(self) -> str:
        """The title of the page that shows them."""
        if is_change(self.debate):
            return say(CHANGE)
        return say(TEXT)

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
        """True if there is a review that could be posted to a pull request."""
        return self.opened and self.over and bool(review_buttons(self.debate))

    @property
    def recorded(self) -> bool:
        """True if there is a decision of which a record can be made."""
        return self.opened and self.over and bool(record_button(self.debate))

    @property
    def title(self) -> str:
        title = title_of(self.debate)
        return self.template if title == self.debate.request.template else title

    @property
    def template(self) -> str:
        opened = self.debate.opened
        if opened is not None:
            return say(opened.template.name)
        return capital(display.option(self.debate.request.template))

    @property
    def source(self) -> str:
        """The address of the material, if it may be linked to."""
        material = self.document["material"]
        return safe_url(material["source"] if material else self.debate.request.target, self.hosts)

    @cached_property
    def seats(self) -> Mapping[str, SeatName]:
        if self.opened:
            return seat_names(self.debate)
        return {}

    def seat(self, id: str) -> SeatName:
        return self.seats.get(id) or SeatName(id, id.replace("_", " "), initials(id), 0)

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
        """Describes the state of the debate in one line."""
        debate = self.debate
        if debate.nothing_because:
            return say(DELETED) if debate.deleted else say(NOT_STARTED)
        if debate.concluded is not None:
            return why_ended(debate)
        if debate.opened is None:
            return say("Reading the material.")
        at = where_line(debate)
        if debate.paused is not None:
            by = ""
            if debate.paused.by:
                by = say(" by {person}", person=person_name(debate.paused.by))
            why = ""
            if debate.paused.reason:
                why = f" ({say_stored(debate.paused.reason)})"
            return say("Paused{by}{why}. {at}", by=by, why=why, at=at)
        return at

    @property
    def takes_objections(self) -> bool:
        """True if a seat answers what a person says against it."""
        return not (self.over and self.opened and (self.debate.lost or self.debate.open.terms.demo))

    @property
    def turns_taken(self) -> str:
        return turns_taken(self.debate)

    @property
    def progress(self) -> tuple[int, int]:
        """The number of settled turns, and of all turns."""
        turns = self.debate.turns
        return sum(t.id in self.debate.settled for t in turns), len(turns)

    @property
    def has_receipt(self) -> bool:
        return self.receipts and self.debate.final and not self.debate.nothing_because

    @property
    def begun_at(self) -> str:
        return str(self.document["requested_at"])

    @property
    def seconds(self) -> float | None:
        """Seconds from the request to the last turn; None while the debate runs."""
        begun, ended = display.moment(self.begun_at), display.moment(self.document["concluded_at"])
        if begun and ended:
            return (ended - begun).total_seconds()
        return None

    @property
    def labels(self) -> str:
        """Department, priority and due day of the debate, as far as it has them."""
        return labels_line(self.debate.request.labels)

    @property
    def decided(self) -> str:
        """The decision in the sentence that every thread shows; empty while there is none."""
        if not self.over or self.debate.nothing_because:
            return ""
        return decision(self.debate).headline

    @property
    def tab(self) -> str:
        """The title of the page's tab: the verdict in a few words, once there is one, and the title
        of the debate.
        """
        return f"{decision(self.debate).label} · {self.title}" if self.decided else self.title

    @property
    def deciding(self) -> Sequence[MergedFinding]:
        """The first few findings behind the verdict."""
        if not self.decided:
            return ()
        return deciding(self.debate)[:_MOST_DECIDING]

    @property
    def first_facts(self) -> Sequence[Fact]:
        """The lines below the decision: its reason, and who disagrees."""
        return tuple(first_facts(self.debate)) if self.decided else ()

    @property
    def exchange(self) -> str:
        """The anchor of the last objection to the verdict; "" without any."""
        for last in objections(self.debate)[-1:]:
            return f"challenge-{last.challenge.id}"
        return ""

    def came_to(self, challenge: str) -> str:
        """Returns what an objection to the verdict came to, "" for any other challenge."""
        views = objections(self.debate) if self.opened else ()
        return next((view.line for view in views if view.challenge.id == challenge), "")

    @property
    def colour(self) -> str:
        """The verdict's colour, the same as its mark in a list; empty while there is none."""
        return colour_of(self.debate, self.document["verdict"]) if self.decided else ""

    @property
    def tallies(self) -> Sequence[VoteRow]:
        return vote_rows(self.debate)

    @property
    def files(self) -> Sequence[Coverage]:
        return covered(self.debate)

    @property
    def files_read(self) -> str:
        return capital(files_read(covered(self.debate)))

    @property
    def unplayed(self) -> Sequence[str]:
        """The rounds in which no seat had to speak, and the reason."""
        return unplayed_lines(self.debate) if self.opened else ()

    @property
    def redacted(self) -> str:
        return redacted_sentence(self.debate)

    @property
    def rule(self) -> Sequence[str]:
        return tuple(rule_lines(self.debate))

    @property
    def spent(self) -> str:
        return " · ".join(filter(None, (spent_line(self.debate), estimated_line(self.debate))))

    @property
    def voters(self) -> int:
        return sum(self.document["votes"]["final"].values())

    @cached_property
    def chart(self) -> Chart | None:
        if self.opened:
            return chart(self.debate, self.seats)
        return None

    @cached_property
    def cruxes(self) -> tuple[str, ...]:
        """The points that the verdict turns on, once there is a verdict."""
        return crux_lines(self.debate) if self.debate.concluded is not None else ()

    @cached_property
    def crux_picture(self) -> Markup:
        """The cruxes as a picture, whose texts are escaped."""
        return Markup(crux_picture(self.debate))  # noqa: S704  made of escaped texts

    @cached_property
    def moves(self) -> Sequence[tuple[StanceMove, str, str, str]]:
        return moves_in_words(self.debate) if self.opened else ()

    @cached_property
    def dissent(self) -> Sequence[DissentView]:
        """The seats that disagree with the verdict, once there is one."""
        return dissent_views(self.debate) if self.opened and self.over else ()

    def code(self, finding: Mapping[str, Any]) -> tuple[ChangeRow, ...]:
        """Returns the lines around a finding in the change."""
        if not finding["anchored"]:
            return ()
        material = self.debate.open.material
        last = finding["end"]
        return around(material, finding["path"], finding["line"], last, finding["side"])

    @cached_property
    def finding_views(self) -> Mapping[str, tuple[FindingView, str]]:
        """Each finding in words, with a note if it has no place in the material."""
        debate, findings = self.debate, merge_findings(self.debate) if self.opened else ()
        return {m.id: (finding_view(debate, m), nowhere_words(debate, m)) for m in findings}

    def proof_buttons(self, finding: Mapping[str, Any]) -> Sequence[Button]:
        """Returns the buttons that have a finding proven, or keep the test that proves it."""
        merged = next(m for m in merge_findings(self.debate) if m.id == finding["id"])
        return (*prove_button(self.debate, merged), *keep_button(self.debate, merged))

    def wordings(self, finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Returns the wordings of a finding, once for each seat and title."""
        once = {(one["seat"], one["title"]): one for one in reversed(finding["wordings"])}
        return [one for one in finding["wordings"] if one in once.values()]

    def challenges_of(self, finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Returns people's objections to this finding."""
        ids = {finding["id"], *(one["id"] for one in finding["wordings"])}
        return [c for c in self.document["challenges"] if c["text"].partition(":")[0][3:] in ids]

    def objection(self, challenge: Mapping[str, Any]) -> tuple[Reference | None, str]:
        """Returns the subject of a challenge, if it names one, and its text."""
        head, _, words = challenge["text"].partition(": ")
        about = self.references.get(head.removeprefix("On ")) if head.startswith("On ") else None
        return (about, words) if about else (None, challenge["text"])

    @cached_property
    def references(self) -> Mapping[str, Reference]:
        """The meaning of every id that a statement may name."""
        known: dict[str, Reference] = {}
        turns = [(n, t) for n, at in enumerate(self.document["rounds"], 1) for t in at["turns"]]
        for number, turn in turns:
            at = f"turn-{turn['id']}"
            who = self.seat(turn["seat"]).name
            known[turn["id"]] = Reference(
                say("{who} in round {number}", who=who, number=number), at
            )
            known |= {c["id"]: Reference(shortened(c["text"]), at) for c in turn["claims"]}
        for finding in self.document["findings"]:
            for one in (finding, *finding["wordings"]):
                known[one["id"]] = Reference(shortened(one["title"]), f"finding-{finding['id']}")
        for one in self.document["challenges"]:
            label = say("the challenge by {person}", person=person_name(one["author"]))
            known[one["id"]] = Reference(label, f"challenge-{one['id']}")
        return known

    def words(self, text: str) -> str:
        """Returns a seat's text, with ids and labels replaced by their meaning."""
        return spelled_out(self.debate, text) if self.opened else text

    def argument(self, made: Mapping[str, Any] | None) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Returns the type of a turn's argument, and its evidence and areas."""
        return argument_in(self.debate, made) if self.opened else ("", ())

    def proposes(self, turn: str) -> str:
        """Returns the type of argument that raising findings is; "" if the turn raises none."""
        if statement := self.debate.statement(turn):
            return uncapital(proposes(statement))
        return ""

    def refer(self, id: str) -> Reference:
        return self.references.get(id) or Reference(id, "")

    def moved_by(self, turn: str) -> Reference | None:
        """Returns the reason why a seat changed its mind in this turn."""
        statement = self.debate.statement(turn)
        if statement is None or statement.stance is None or not statement.stance.moved_by:
            return None
        return self.refer(statement.stance.moved_by)

    def model(self, turn: str) -> str:
        """Returns the model that spoke, if that is no secret."""
        if models_hidden(self.debate):
            return ""
        return self.debate.models.get(TurnId(turn), "")

    def played(self, number: int) -> bool:
        """True if someone had to speak in a round, by its 1-based number."""
        return number not in unplayed(self.debate)

    def begun(self, turn: str) -> bool:
        id = TurnId(turn)
        return id in self.debate.started or id in self.debate.settled


def view_of(settings: RoomSettings, debate: Debate, parent: Mapping[str, Any] | None) -> DebateView:
    """Returns the view of a debate; ``parent`` is the outcome of the debate that it was forked
    from.
    """
    with speaking(debate.language):
        written = _written(debate)
    document = without_report(debate, parent) | {"report": written}
    return DebateView(debate, document, hosts=settings.hosts, receipts=settings.receipts)


def _written(debate: Debate) -> str:
    if debate.opened is None or not debate.over or debate.lost:
        return ""
    text, scored = as_asked(debate), scores_table(debate)
    if text and scored:
        return f"{text}\n\n## {say('Scores')}\n\n{scored}"
    return text


def shortened(text: str, limit: int = 90) -> str:
    return cut(" ".join(text.split()), limit)
