"""The debate's own message, edited in place as its status."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adapters.ports.chat import Post, ReactionOption, Shape
from adapters.posts.brevity import fitted
from adapters.posts.keys import post_key, root_key
from adapters.posts.statement import holders
from adapters.text.emoji import character
from adapters.text.pieces import TextSpan
from core.application.desk import Button
from core.debate.casting import left_out
from core.debate.material.addresses import source_url
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.languages import msgid, say, say_if
from core.languages.stored import say_stored
from core.words.views.course.cost import estimated_line, spent_line
from core.words.views.course.invitations import SHOW_WHOLE, STOP_SURE, unfolds_line
from core.words.views.course.progress import stage_line
from core.words.views.documents.forge import run_line
from core.words.views.documents.headings import labels_line, title_of
from core.words.views.language.grammar import option_words, shortened
from core.words.views.language.seats import models_line, nonvoting_line, seats_line
from core.words.views.verdict.coverage import coverage_line
from core.words.views.verdict.decision import DEMONSTRATION, decision
from core.words.views.verdict.facts import DECIDED_BY
from core.words.views.verdict.findings import deciding, finding_view, findings_line

UNFOLD = "eyes"
"""The emoji with which people ask for the whole of a quiet debate."""
_TITLE = 160
"""Characters of a finding's title."""


def root(debate: Debate, at: int) -> Post:
    """Returns the edited post in its present state."""
    title, material = title_of(debate), debate.open.material
    counted = findings_line(merge_findings(debate), blocked=_is_blocked(debate))
    status = " · ".join(filter(None, (stage_line(debate), counted, spent_line(debate))))
    fields = (
        (say("At the table"), seats_line(debate)),
        (say("Run"), run_line(material)),
        (say("Labels"), labels_line(debate.request.labels)),
        *((say("Note"), shortened(say_stored(note), 240)) for note in material.notes),
        (say("Note"), say_if(debate.open.terms.demo, DEMONSTRATION)),
    )
    post = Post(
        key=post_key(debate, at, "root"),
        debate=debate.id,
        shape=Shape.ROOT,
        title=shortened(title, 200),
        url=source_url(material),
        subtitle=(TextSpan(status),),
        lines=tuple(_deciding(debate)),
        fields=tuple(field for field in fields if field[1]),
        buttons=_root_buttons(debate),
        reaction_options=_unfolding(debate),
        subject="",
        edits=root_key(debate.id),
        small=_small(debate),
        fallback=f"{shortened(title, 200)}: {status} · {say('debate {id}', id=debate.id)}",
        facts={name: text for name, text in (("story", debate.request.story),) if text}
        | holders(debate),
    )
    return fitted(post)


def _unfolding(debate: Debate) -> tuple[ReactionOption, ...]:
    """Returns the reaction option that unfolds a quiet debate; none if its ballot uses the same
    emoji.
    """
    taken = any(option.emoji == UNFOLD for option in debate.open.template.ballot)
    if debate.quiet and not taken:
        return (ReactionOption(UNFOLD, "", say(SHOW_WHOLE)),)
    return ()


def unfolds(debate: Debate, key: str, emoji: str) -> bool:
    """True if a reaction on the message ``key`` asks for the whole of a quiet debate."""
    opened = debate.opened is not None and key == root_key(debate.id)
    return opened and any(option.emoji == emoji for option in _unfolding(debate))


def _is_blocked(debate: Debate) -> bool:
    return debate.over and decision(debate).blocks and decision(debate).reached


def _deciding(debate: Debate) -> Iterator[tuple[TextSpan, ...]]:
    findings = deciding(debate)
    if not (_is_blocked(debate) and findings and findings[0].blocking):
        return
    view = finding_view(debate, findings[0])
    yield (
        TextSpan(f"{say(DECIDED_BY)}: "),
        TextSpan(view.short_heading(_TITLE), bold=True),
        TextSpan(" · "),
        TextSpan(view.place, url=view.url),
    )


def _small(debate: Debate) -> str:
    revision = debate.open.material.revision
    if revision.startswith("sha256:"):
        revision = ""  # of a text that nobody can look up by it
    models, spare = models_line(debate), ", ".join(left_out(debate.open.cast))
    parts = (
        *(unfolds_line(character(o.emoji)) for o in _unfolding(debate)),
        option_words(debate.request.template),
        say_if(revision, msgid("revision {revision}"), revision=revision[:12]),
        coverage_line(debate),
        nonvoting_line(debate),
        say_if(models, msgid("models: {models}"), models=models),
        say_if(models and spare, msgid("left out: {spare}"), spare=spare),
        estimated_line(debate),
        say("debate {id}", id=debate.id),
    )
    return " · ".join(filter(None, parts))


def roots(debate: Debate, at: int, *, begins: bool = False) -> tuple[Post, ...]:
    """Returns the root post of the debate, new if it ``begins`` with that, else edited; and that of
    the first debate about the same change, edited, whose thread it continues: readers of the
    channel see the latest state there.
    """
    own = edited = root(debate, at)
    if begins:
        own = replace(edited, key=edited.edits, edits="")
    if not debate.request.story:
        return (own,)
    edits = root_key(debate.request.story)
    return (own, replace(edited, key=post_key(debate, at, "story"), edits=edits))


def _root_buttons(debate: Debate) -> tuple[Button, ...]:
    if debate.over:
        return (
            Button("rerun", say("Re-run"), debate.id),
            Button("fork", say("Fork"), debate.id, form=True),
            Button("export", say("Export"), debate.id),
        )
    pause = Button("pause", say("Pause"), debate.id)
    if debate.paused is not None:
        pause = Button("resume", say("Resume"), debate.id)
    stop = Button("stop", say("Stop"), debate.id, danger=True, confirm=say(STOP_SURE))
    return (stop, pause, Button("challenge", say("Challenge"), debate.id, form=True))
