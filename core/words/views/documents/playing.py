"""Words the playback of a debate: its titles, and the verdict under other votes of people."""

from __future__ import annotations

from collections.abc import Iterator

from core.debate import events as e
from core.debate.state import Debate, evolve
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.votes import FINDING_BALLOT
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import option_words, quoted, shortened
from core.words.views.language.people import person_name
from core.words.views.language.references import finding_title
from core.words.views.verdict.decision import decision
from core.words.views.verdict.findings import place_words

PLAY, STOP, BACK, ON = msgid("Play"), msgid("Stop"), msgid("Back"), msgid("Next")
SPEED, THE_STEP, STEPS = (
    msgid("Speed"),
    msgid("The step that is shown"),
    msgid("The debate, step by step"),
)
IF_VOTED = msgid("If people had voted otherwise")
COMPUTED = msgid(
    "Computed by the same rule when this page was made; choosing one asks nobody and "
    "changes nothing."
)
AS_IT_WAS = msgid("As people voted")
THE_VERDICT, VOTED, RESUMED = msgid("The verdict"), msgid("A vote"), msgid("It goes on")
_PEOPLE = 3
"""The number of people whose votes are supposed to be different."""


def vote_words(debate: Debate, event: e.VoteCast) -> str:
    """Lists the voters by option, on the verdict or on a finding."""
    who, option = person_name(event.voter), option_words(event.option)
    on = {id: finding_title(m.wording) for m in merge_findings(debate) for id in m.ids}.get(
        event.subject, ""
    )
    vote = say("{who} votes {option}", who=who, option=option)
    return vote + say_if(on, msgid(" on “{on}”"), on=shortened(on, 90))


def otherwise(debate: Debate) -> Iterator[tuple[str, str]]:
    """Yields the condition and the headline of the verdict as it was, then under the votes of three
    people for each option, and for each vote on an open finding.
    """
    yield say(AS_IT_WAS), decision(debate).headline
    bare = _without_votes(debate)
    yield say("If nobody had voted"), decision(bare).headline
    for option in debate.open.template.ballot:
        label = say(
            "If {people} people had voted {option}",
            people=_PEOPLE,
            option=option_words(option.option),
        )
        yield label, decision(_voted(bare, "", option.option)).headline
    for finding in merge_findings(debate)[:6]:
        named = quoted(shortened(finding_title(finding.wording), 60))
        named += f" ({place_words(finding.wording)})"
        for option in FINDING_BALLOT[:2]:
            label = say(
                "If {people} people had called {named} {option}",
                people=_PEOPLE,
                named=named,
                option=option_words(option.option),
            )
            yield label, decision(_voted(bare, finding.id, option.option)).headline


def _voted(debate: Debate, subject: str, option: str) -> Debate:
    for number in range(_PEOPLE):
        debate = evolve(debate, e.VoteCast(say("person {number}", number=number), option, subject))
    return debate


def _without_votes(debate: Debate) -> Debate:
    for subject, voter in tuple(debate.votes):
        debate = evolve(debate, e.VoteWithdrawn(voter, "", subject))
    return debate
