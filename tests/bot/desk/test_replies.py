"""A reply to the bot in a debate's thread is a command on this debate, or an objection to it."""

from __future__ import annotations

import pytest

from core.application.commands.replies import parse_reply
from core.debate.errors import BadInput

ID = "rnng5t8w"
TEMPLATES = ("code_review", "panel", "critique")


def reply(text: str) -> object:
    return parse_reply(text, ID, templates=TEMPLATES, prefix="@Debatebot")


@pytest.mark.parametrize(
    "text",
    [
        "prove that the input reaches this line", "compare this with the fix of last week",
        "stop using mutable defaults", "replay attacks are possible", "receipt handling is wrong",
        "schedule is too tight", "language is ambiguous here", "post-mortems say otherwise",
        "fork bombs are possible too", "critique is too mild", "the retry finding is wrong",
    ],
)  # fmt: skip
def test_a_sentence_that_begins_with_a_commands_name_is_an_objection(text: str) -> None:
    assert reply(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("receipt", "ReceiptRequest"), ("Replay", "ReplayRequest"), ("post", "PostReview"),
        ("show", "Show"), ("export html", "Export"), ("held no it was slow", "Held"),
        ("fork --without author", "ForkRequest"), ("mirror slack:C2", "Mirror"),
    ],
)  # fmt: skip
def test_a_command_that_needs_a_debate_means_the_threads(text: str, kind: str) -> None:
    request = reply(text)
    assert type(request).__name__ == kind
    assert getattr(request, "debate", "") == ID
    name, _, rest = text.partition(" ")
    other = reply(f"{name} d4k7q2xy {rest}")
    assert getattr(other, "debate", "") == "d4k7q2xy", "an id that is named is meant"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hotseat 2", "HotSeat"),
        ("prove 1", "Prove"),
        ("leaderboard", "Leaderboard"),
        ("schedule list", "ScheduleDo"),
        ("code_review https://github.com/o/r/pull/7", "Start"),
    ],
)
def test_other_commands_are_commands_in_a_thread_too(text: str, kind: str) -> None:
    assert type(reply(text)).__name__ == kind


def test_a_challenge_holds_only_its_words_and_a_vote_names_a_finding_by_its_number() -> None:
    request = reply("challenge the retry finding is wrong")
    assert getattr(request, "text", "") == "the retry finding is wrong"
    request = reply("vote 2 not_real")
    assert (getattr(request, "finding", ""), getattr(request, "option", "")) == ("2", "not_real")


@pytest.mark.parametrize("text", ["vote", "hotseat", "challenge", "held", "search"])
def test_a_slip_in_a_command_is_no_objection(text: str) -> None:
    with pytest.raises(BadInput, match="Like this: @Debatebot"):
        reply(text)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("stop please", "stop"), ("Please stop it now!", "stop"), ("bitte pause", "pause"),
        ("resume, prosím", "resume"), ("show this debate.", "show"), ("help please", "help"),
        ("stop.", "stop"),
    ],
)  # fmt: skip
def test_polite_words_around_a_command_change_nothing(text: str, command: str) -> None:
    assert reply(text) == reply(command) is not None


@pytest.mark.parametrize("text", ["please", "vote now", "search it", "please stop these writes"])
def test_words_that_mean_something_stay(text: str) -> None:
    try:
        request = reply(text)
    except BadInput:
        return
    assert request is None or text.rsplit(maxsplit=1)[-1] in repr(request)
