"""The verdict as a thread's post: the decision in one sentence, its grounds, what the debate
changed, and who still disagrees. The report explains the rules behind it.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from adapters.ports.chat import Post, ReactionOption, Shape
from adapters.posts.brevity import LONGEST, characters, fitted, without_least
from adapters.posts.export import markdown
from adapters.posts.keys import challenge_key, post_key, verdict_key
from adapters.text.emoji import character
from adapters.text.pieces import TextSpan, coded
from core.application.desk import Button, ChatFile
from core.debate.material import ChangeState, MaterialKind
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.condition import is_for_show
from core.debate.verdict.findings.merged import MergedFinding
from core.languages import msgid, say
from core.words.views.course.cost import spent_line
from core.words.views.course.invitations import (
    AGAIN,
    CHALLENGE,
    HELD,
    NOT_HELD,
    NOT_USEFUL,
    OPEN_ISSUES,
    POST_REVIEW,
    RECORD,
    TRANSCRIPT,
    USEFUL,
    YOUR_VOTE,
    judgement_counts,
    known_at_once,
)
from core.words.views.course.progress import votes_count
from core.words.views.language.grammar import counted, uncapital
from core.words.views.language.people import people_in
from core.words.views.verdict.decision import decision
from core.words.views.verdict.facts import ATTACHED, heard_line, more_in_report, verdict_facts
from core.words.views.verdict.findings import FIX, PEOPLE, deciding, finding_view
from core.words.views.verdict.objection import NAMED, objections
from core.words.views.verdict.stances import NOBODY_VOTED, people_shown

_FINDINGS = 5
_TEXT = 130
"""Characters of a title and of a fix."""
_BAR = 8
"""Cells of the longest bar of people's votes."""

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _poll(debate: Debate) -> tuple[str, ...]:
    """Returns the options of the platform's poll, if the template asks for a poll and people have
    time to vote; the poll has the same emoji as the reactions.
    """
    template = debate.open.template
    if template.poll and votes_count(debate):
        return tuple(say(o.option.replace("_", " ")) for o in template.ballot)
    return ()


def verdict_post(debate: Debate) -> Post:
    """Returns the verdict's post, with the whole debate attached as a document."""
    return with_report(_shown(debate), debate)


def with_report(post: Post, debate: Debate) -> Post:
    """Returns a post with the whole debate as a document, and with the people in it."""
    file = ChatFile(f"debate-{debate.id}.md", markdown(debate))
    return replace(post, files=(file,), facts={**post.facts, "people": " ".join(people_in(debate))})


def _shown(debate: Debate) -> Post:
    headline, asks = decision(debate).headline, tuple[Button, ...]()
    if debate.over:  # else what reopened the verdict is being answered
        asks = (*useful_buttons(debate), *record_button(debate))
    post = Post(
        key=verdict_key(debate.id),
        debate=debate.id,
        shape=Shape.VERDICT,
        title=headline,
        lines=tuple(finding_lines(debate)),
        fields=tuple(verdict_facts(debate, people_bar(debate))),
        buttons=(
            *review_buttons(debate),
            Button("challenge", say(CHALLENGE), debate.id, form=True),
            *(held_buttons(debate) if known_at_once(debate) else ()),
            Button("transcript", say(TRANSCRIPT), debate.id, more=True),
            Button("rerun", say(AGAIN), debate.id, more=True),
            *asks,
        ),
        reaction_options=ballot_reactions(debate) if votes_count(debate) else (),
        poll=_poll(debate),
        subject="",
        broadcast=not debate.open.terms.quiet,
        facts={
            "question": say(YOUR_VOTE),
            "poll_hours": str(ceil(debate.open.terms.vote_window / 3600)),
        },
        small=" · ".join(filter(None, (spent_line(debate), heard_line(debate), say(ATTACHED)))),
        fallback=headline,
    )
    for fixes in (1, 0):  # the findings' own messages show them too
        if characters(without_least(post)) > LONGEST:
            post = replace(post, lines=tuple(finding_lines(debate, fixes)))
    return fitted(post)


def review_buttons(debate: Debate) -> tuple[Button, ...]:
    """Returns buttons that post the review and open issues, if the debate is about an open pull
    request.
    """
    material = debate.open.material
    lost = debate.lost or is_for_show(debate)
    if (
        debate.reopened is not None
        or material.kind is not MaterialKind.PULL_REQUEST
        or material.facts.get("state") != ChangeState.OPEN
        or lost
    ):
        return ()
    buttons = [Button("post", say(POST_REVIEW), debate.id)]
    if action_items(debate):
        buttons.append(Button("issues", say(OPEN_ISSUES), debate.id, more=True))
    return tuple(buttons)


def record_button(debate: Debate) -> tuple[Button, ...]:
    """Returns the button that shows the decision record, if the debate has a decision to record."""
    if is_for_show(debate) or not decision(debate).reached:
        return ()
    return (Button("record", say(RECORD), debate.id, more=True),)


def held_buttons(debate: Debate) -> tuple[Button, ...]:
    """Returns the buttons that ask whether the verdict held. If people can only know later, a
    follow-up asks them instead.
    """
    return (
        Button("held", say(HELD), f"{debate.id}:yes"),
        Button("held", say(NOT_HELD), f"{debate.id}:no"),
    )


def useful_buttons(debate: Debate) -> tuple[Button, ...]:
    """Returns the buttons that ask whether the verdict was useful, for models whose judgement
    counts.
    """
    if not judgement_counts(debate):
        return ()
    return (
        Button("useful", say(USEFUL), f"{debate.id}:yes", more=True),
        Button("useful", say(NOT_USEFUL), f"{debate.id}:no", more=True),
    )


def verdict_edit(debate: Debate, at: int) -> Post:
    post, facts = _shown(debate), dict[str, str]()
    if last := objections(debate)[-1:]:
        facts = {**objectors(debate), "exchange": challenge_key(debate.id, last[0].challenge.id)}
    return replace(
        post,
        key=post_key(debate, at, "verdict"),
        edits=post.key,
        reaction_options=(),
        poll=(),
        broadcast=False,
        facts=facts,
    )


def objectors(debate: Debate) -> dict[str, str]:
    """Returns the people whom the line about the last objection names."""
    last = objections(debate)[-1:]
    if not last:
        return {"person": ""}
    first, *others = last[0].authors[:NAMED]
    if not others:
        return {"person": first}
    return {"person": first, "people": " ".join(others)}


def finding_lines(debate: Debate, fixes: int = _FINDINGS) -> list[tuple[TextSpan, ...]]:
    """Returns lines on the findings behind the decision, each linked; the first ``fixes`` of them
    with their fix.
    """
    findings = deciding(debate)
    lines = [_finding_line(debate, m, fix=n < fixes) for n, m in enumerate(findings[:_FINDINGS])]
    if len(findings) > _FINDINGS:
        lines.append((TextSpan(more_in_report(len(findings) - _FINDINGS)),))
    return lines


def _finding_line(debate: Debate, m: MergedFinding, *, fix: bool) -> tuple[TextSpan, ...]:
    view = finding_view(debate, m, text=_TEXT)
    people = counted(m.people)
    spans = [
        TextSpan("• "),
        TextSpan(view.short_heading(_TEXT), bold=True),
        TextSpan(" · "),
        TextSpan(view.place, url=view.url),
        TextSpan(f" · {view.status}"),
    ]
    if people:
        spans.append(TextSpan(f" · {uncapital(say(PEOPLE))}: {people}"))
    if fix and m.blocking and view.fix:
        spans += coded(f" · {say(FIX)}: {view.fix}")
    return tuple(spans)


def people_bar(debate: Debate) -> str:
    """Returns people's votes as a small bar for each option, behind the emoji that votes for it."""
    people = people_shown(debate)
    most = max(people.values(), default=0)
    if not most:
        choices = [_choice(option) for option in ballot_reactions(debate)]
        nobody = say(msgid("nobody voted yet") if votes_count(debate) else NOBODY_VOTED)
        return f"{nobody}: {' · '.join(choices)}"
    parts = []
    for option in ballot_reactions(debate):
        votes = people.get(option.option, 0)
        bar = ""
        if votes:
            bar = "▇" * max(1, round(_BAR * votes / max(most, _BAR)))
        parts.append(" ".join(filter(None, (_choice(option), bar, str(votes)))))
    return " · ".join(parts)


def _choice(option: ReactionOption) -> str:
    return f"{character(option.emoji) or f':{option.emoji}:'} {option.label}"


def ballot_reactions(debate: Debate) -> tuple[ReactionOption, ...]:
    ballot = debate.open.template.ballot
    return tuple(
        ReactionOption(o.emoji or NUMBERS[n % 9], o.option, say(o.option.replace("_", " ")))
        for n, o in enumerate(ballot)
    )
