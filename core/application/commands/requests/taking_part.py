"""Requests about one debate by its participants: objections, votes, proofs, control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from core.application.commands.actions import TYPED, Action
from core.application.commands.arguments import Arguments
from core.application.commands.kinds import TextKind
from core.application.commands.named import debate_id, is_finding, is_id, may_be_id
from core.application.commands.options import option
from core.application.commands.requests import shared
from core.application.commands.row import Group, Request, action_named, word
from core.debate.errors import BadInput

command = Group.TAKE_PART.command

CONTROLS: Mapping[str, Action] = {
    "pause": Action.PAUSE,
    "resume": Action.RESUME,
    "stop": Action.STOP,
}


@command(
    "challenge",
    "object to a statement or to the verdict; seats owe you an answer",
    "challenge [ID] [--yes] TEXT",
    examples=(
        "challenge The retry finding is wrong: line 42 is idempotent.",
        "challenge d4k7q2xy @security name the input that triggers it",
    ),
    more=(
        "Inside the debate's thread no ID is needed. Name a seat to have that one answer.",
        "After the verdict the seats concerned answer, and decide again.",
        "--yes agrees to the price, if it is not small. A person has three objections.",
    ),
    raw=True,
)
@dataclass(frozen=True, slots=True)
class Challenge(Request):
    """``challenge [ID] TEXT``: an objection, about the ``finding`` if one is named; ``yes`` agrees
    to the price of the answers, if there is one to agree to.
    """

    action = Action.CHALLENGE
    stored = "the objection"
    steers = True
    text: str = word("What the seats must answer", most=TYPED)
    debate: str = shared.a_debate(optional=True)
    yes: bool = False
    finding: str = ""

    @classmethod
    def read(cls, given: Arguments) -> Challenge:
        """Reads a challenge: everything behind the id is the objection, word for word."""
        debate, text = "", given.text()
        if given.words and is_id(given.words[0].text):
            debate, text = debate_id(given.words[0].text), given.text(1)
        if not text:
            raise BadInput("A challenge needs words: what is wrong, and with which point?")
        return cls(text, debate)


@command(
    "hotseat",
    "have a seat answer the seats that disagree with its statement or finding",
    "hotseat [ID] FINDING|SEAT",
    examples=("hotseat d4k7q2xy 2", "hotseat d4k7q2xy security critic"),
    more=(
        "The person who started the debate may ask; of others it takes two.",
        "In a chat: 🔥 on a statement or a finding.",
    ),
    subcommand=False,
)
@dataclass(frozen=True, slots=True)
class HotSeat(Request):
    """``hotseat [ID] WHAT``: the author of ``about``, a finding or the last words of a seat,
    answers those who disagree.
    """

    action = Action.HOT_SEAT
    stored = "who wants an answer"
    steers = True
    about: str = word("The number of a finding, or the name of a seat")
    debate: str = shared.a_debate(optional=True)

    @classmethod
    def read(cls, given: Arguments) -> HotSeat:
        words = [t.text for t in given.words]
        debate = ""
        if len(words) > 1 and (is_id(words[0]) or (may_be_id(words[0]) and is_finding(words[-1]))):
            debate = debate_id(words.pop(0))
        if not words:
            raise BadInput("The hot seat needs the number of a finding, or the name of a seat.")
        return cls(" ".join(words).lower().removeprefix("#"), debate)


@command(
    "prove",
    "have a finding proven by a test, if the operator lets tests run",
    "prove [ID] [FINDING]",
    examples=("prove d4k7q2xy 2", "prove d4k7q2xy"),
    more=("Without a number it is the gravest open one. No proof is never held against it.",),
    subcommand=False,
)
@dataclass(frozen=True, slots=True)
class Prove(Request):
    """``prove [ID] [FINDING]``: a finding is to be proven by a test."""

    action = Action.PROVE
    stored = "who wants a proof"
    steers = True
    debate: str = shared.a_debate(optional=True)
    finding: str = word("The number of a finding; the gravest open one without it", default="")

    @classmethod
    def read(cls, given: Arguments) -> Prove:
        words = [t.text for t in given.words]
        debate = ""
        if words and not is_finding(words[0]) and may_be_id(words[0]):
            debate = debate_id(words.pop(0))
        if len(words) > 1:
            raise BadInput("Prove takes one finding, by its number.")
        return cls(debate, "".join(words).lower().removeprefix("#"))


@command(
    "vote",
    "vote on the verdict or on a finding; your last vote counts",
    "vote [ID] OPTION",
    "vote [ID] FINDING real|not_real|worse|milder",
    examples=("vote approve", "vote d4k7q2xy request_changes", "vote d4k7q2xy 2 not_real"),
)
@dataclass(frozen=True, slots=True)
class Vote(Request):
    action = Action.VOTE
    stored = "the vote"
    steers = True
    option: str = word("Your choice")
    debate: str = shared.a_debate(optional=True)
    finding: str = word("Vote on this finding instead of the verdict", default="")

    @classmethod
    def read(cls, given: Arguments) -> Vote:
        words = [t.text for t in given.words]
        debate = finding = ""
        if words and (is_id(words[0]) or (len(words) > 1 and may_be_id(words[0]))):
            debate = debate_id(words.pop(0))
        if len(words) > 1 and is_finding(words[0]):
            finding = words.pop(0).lower().removeprefix("#")
        if not words:
            raise BadInput("A vote needs an option of the ballot.")
        return cls(" ".join(words), debate, finding)


@command("stop", "end it now, with the verdict so far", "stop [ID]", examples=("stop d4k7q2xy",))
@command(
    "resume", "continue where it stopped", "resume [ID] [--json]", examples=("resume d4k7q2xy",)
)
@command("pause", "pause a debate; nothing is lost", "pause [ID]", examples=("pause d4k7q2xy",))
@dataclass(frozen=True, slots=True)
class Control(Request):
    """Asks a debate to pause, to resume or to stop."""

    action = Action.PAUSE
    stored = "who did it"
    steers = True
    verb: str
    debate: str = shared.a_debate(optional=True)
    json: bool = shared.as_json()
    plain: bool = shared.plain()

    @classmethod
    def of(cls, command: str, **words: Any) -> Self:
        return cls(command, **words)

    def asks_for(self) -> Action:
        return action_named(CONTROLS, self.verb)


@command(
    "post",
    "the review as it would be posted to the pull request; post it",
    "post ID [--approve HASH]",
    examples=("post d4k7q2xy",),
)
@dataclass(frozen=True, slots=True)
class PostReview(Request):
    """``post ID [--approve HASH]``: the review of a pull request as it would be posted, or its
    approval.
    """

    action = Action.SEE
    stored = "who approved it"
    debate: str = shared.a_debate()
    approve: str = option(
        TextKind("the hash that was shown"), "post the text that has this hash", sign="HASH",
        of_debate=False,
    )  # fmt: skip

    def asks_for(self) -> Action:
        return Action.APPROVE if self.approve else self.action


@command(
    "held",
    "say later whether the verdict held; ratings learn from nothing else",
    "held ID yes|no [why]",
    examples=("held d4k7q2xy yes", "held d4k7q2xy no The cache served old rights for an hour."),
    raw=True,
)
@dataclass(frozen=True, slots=True)
class Held(Request):
    """``held ID yes|no [why]``: did the verdict hold? The only ground truth that ratings use."""

    action = Action.RESOLVE
    stored = "whether it held, and why"
    steers = True
    debate: str = shared.a_debate()
    held: bool = word("Did the verdict hold?")
    why: str = word("What became of it", default="", most=TYPED)

    @classmethod
    def read(cls, given: Arguments) -> Held:
        """Reads whether a verdict held; everything after the answer is the reason, word for
        word.
        """
        if len(given.words) < 2:
            raise BadInput("It needs the id of one debate and yes or no.")
        debate, answer = (token.text for token in given.words[:2])
        if answer.lower() not in ("yes", "no"):
            raise BadInput(
                "Did the verdict hold? yes or no, not {answer}.", answer=repr(answer[:40])
            )
        return cls(debate_id(debate), answer.lower() == "yes", given.text(2))


@command(
    "useful",
    "say whether the verdict was of use to you; your last word counts",
    "useful [ID] yes|no",
    examples=("useful yes", "useful d4k7q2xy no"),
    more=("Inside the debate's thread no ID is needed.",),
)
@dataclass(frozen=True, slots=True)
class Useful(Request):
    """``useful [ID] yes|no``: was the verdict of use to the caller?"""

    action = Action.RATE
    stored = "whether it helped"
    steers = True
    useful: bool = word("Was it of use to you?")
    debate: str = shared.a_debate(optional=True)

    @classmethod
    def read(cls, given: Arguments) -> Useful:
        *named, answer = given.exactly(1, 2, "yes or no, perhaps behind the id of one debate")
        if answer.lower() not in ("yes", "no"):
            raise BadInput(
                "Was the verdict useful? yes or no, not {answer}.", answer=repr(answer[:40])
            )
        return cls(answer.lower() == "yes", next(map(debate_id, named), ""))
