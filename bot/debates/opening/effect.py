"""Refuses an option that would change nothing in the debate that it is given for, with the reason
and what to give instead.
"""

from __future__ import annotations

from core.application.commands.options import CommandOption, options_of
from core.application.commands.requests import Start
from core.debate.errors import BadInput
from core.debate.events import DebateRequest
from core.debate.formats.phased import RING_FROM, phases_of
from core.debate.script import CONTESTED
from core.debate.template import Mode, Template, Turns
from core.languages import msgid, percent, say

_LEAST_SHARE = {Mode.SUPERMAJORITY: 2 / 3}
"""The share of the seats that a mode demands whatever the threshold is; else more than half."""
_JUDGED = (Mode.JUDGE, Mode.HYBRID)
_NEVER_CONVERGES = ("adversarial", CONTESTED, "gauntlet", "triad")


def require_effect(request: DebateRequest, template: Template) -> None:
    """Raises ``BadInput`` for the first option without an effect on ``template``, which has the
    format and the mode of this debate.
    """
    for option in options_of(Start):
        if option.formats and option.name in request.extras:
            _require_format(option, template)
    small = all(len(phase.roles_active) < RING_FROM for phase in phases_of(template))
    if request.extras.get("turns") == Turns.RING and small:
        raise BadInput(
            "--turns ring is --turns all here: in phases of fewer than {least} seats everybody "
            "hears everybody.",
            least=RING_FROM,
        )
    if request.consensus:
        _require_vote(template, "--consensus")
        if template.findings and template.consensus not in _JUDGED:
            raise BadInput(
                "--consensus {mode} changes nothing in a review: one rule over its findings and "
                "votes decides (`debate docs judgement`). --consensus judge or hybrid adds judges.",
                mode=request.consensus,
            )
    if request.threshold is not None:
        _require_vote(template, "--threshold")
        _require_threshold(request.threshold, template)
    if "convergence" in request.extras and not converges(request, template):
        raise BadInput(
            "--convergence changes nothing here: of {debate} no round is left out because it "
            "repeats earlier ones.",
            debate=_played(request, template),
        )


def converges(request: DebateRequest, template: Template) -> bool:
    """Return whether a round of this debate can be the last because little in it was new."""
    if template.findings and request.format == "phased":
        return False  # a person asked for all phases
    return template.format not in _NEVER_CONVERGES


def _played(request: DebateRequest, template: Template) -> str:
    if not request.format:
        return f"{template.id} ({template.format})"
    if request.format != template.format:
        return f"--format {request.format} ({template.format})"
    return f"--format {request.format}"


def _require_format(option: CommandOption, template: Template) -> None:
    if template.format not in option.formats:
        raise BadInput(
            "--{option} is for the format {other}; {template} is played as {format} here (--format "
            "{other} changes that).",
            option=option.name,
            other=option.formats[0],
            template=template.id,
            format=template.format,
        )


def _require_vote(template: Template, option: str) -> None:
    if template.format == "gauntlet":
        raise BadInput(
            "{option} changes nothing in a gauntlet: how its attacks end decides, not a vote.",
            option=option,
        )


def _require_threshold(share: float, template: Template) -> None:
    mode = template.consensus
    if template.format == "adversarial":
        return  # the judge's measurement is compared with it
    if template.findings and mode is not Mode.HYBRID:
        raise BadInput(
            "--threshold changes nothing in a review: one rule over its findings and votes decides "
            "(`debate docs judgement`)."
        )
    if mode is Mode.UNANIMOUS:
        raise BadInput(
            "--threshold changes nothing with --consensus unanimous: all seats must agree."
        )
    if mode is Mode.JUDGE and template.format != "panel":
        raise BadInput("--threshold changes nothing with --consensus judge: the judges decide.")
    if share < _LEAST_SHARE.get(mode, 0.5):
        least = msgid("more than half")
        if mode in _LEAST_SHARE:
            least = msgid("two thirds")
        raise BadInput(
            "--threshold {share} changes nothing: {least} of the seats must agree anyway.",
            share=percent(share),
            least=say(least),
        )
