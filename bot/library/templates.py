"""Templates for programs: shipped ones to look up and change, and new ones, with the fields of a
template file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.debate.template import Template

_PARTS = ("roles", "phases")


@dataclass(frozen=True, slots=True)
class DebateRole:
    """One place at the table."""

    name: str
    description: str = ""
    objectives: Sequence[str] = ()
    evaluation_criteria: Sequence[str] = ()
    example_prompts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DebatePhase:
    """Some rounds of a debate. ``turns`` is all, round_robin or ring, None the template's usual
    order; ``after`` names the phases before it, None the one before.
    """

    name: str
    description: str = ""
    duration_rounds: int = 1
    roles_active: Sequence[str] = ()
    objectives: Sequence[str] = ()
    outputs: Sequence[str] = ()
    turns: str | None = None
    after: Sequence[str] | None = None
    rotate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateTemplate:
    """A kind of debate. The fields are the same as in a template file; None means the default.

    ``dataclasses.replace`` changes a template. It is checked when a debate is opened with it, as a
    file is.
    """

    template_id: str
    name: str | None = None
    description: str | None = None
    domain: str | None = None
    roles: Sequence[DebateRole] = ()
    phases: Sequence[DebatePhase] = ()
    format: str | None = None
    ballot: Sequence[str | Mapping[str, Any]] | None = None
    rubric: Mapping[str, float] | None = None
    output_format: str | None = None
    max_rounds: int | None = None
    consensus: str | None = None
    consensus_threshold: float | None = None
    recommended_agents: int | None = None
    difficulty: float | None = None
    tags: Sequence[str] | None = None
    evidence_policy: str | None = None
    people: str | None = None
    quorum: float | None = None
    material: str | None = None
    poll: bool | None = None
    findings: bool | None = None
    timeout: float | None = None
    temperature: float | None = None
    convergence_threshold: float | None = None
    follow_up_days: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def get_template(name: str) -> DebateTemplate:
    """Returns a shipped template. Raises ``BadInput`` with the nearest names."""
    import msgspec

    from adapters.templates.catalogue import find

    known = msgspec.to_builtins(find(str(name)), enc_hook=_as_dict)
    roles = tuple(DebateRole(**role) for role in known.pop("roles"))
    phases = tuple(DebatePhase(**phase) for phase in known.pop("phases"))
    return DebateTemplate(template_id=known.pop("id"), roles=roles, phases=phases, **known)


def list_templates() -> list[dict[str, Any]]:
    """Returns the shipped templates as ``debate templates --json`` does, with the number of
    ``agents`` that each recommends.
    """
    from adapters.templates.catalogue import describe, read_catalogue

    templates = read_catalogue()
    return [{**describe(each), "agents": each.recommended_agents} for each in templates]


def template_of(template: Path | DebateTemplate) -> Template:
    """Returns the template in a file, or one made in code. Raises ``BadInput`` with every problem
    and its remedy.
    """
    from adapters.templates.loading import load

    if isinstance(template, Path):
        return load(template)
    document = _given(template)
    return load(document | {part: [_given(each) for each in document[part]] for part in _PARTS})


def _given(part: DebateTemplate | DebateRole | DebatePhase) -> dict[str, Any]:
    named = {each.name: getattr(part, each.name) for each in fields(part)}
    return {name: _plain(value) for name, value in named.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple | list) else value


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError
