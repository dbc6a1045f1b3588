"""Wires the runner of tests that the operator allows."""

from __future__ import annotations

from functools import partial

from adapters.proofs.local import SandboxProofs
from adapters.proofs.sandbox import find_sandbox
from bot.debates.advance import Prover
from bot.wire.base import Base
from core.material import Material
from core.ports import Proves


def make_prover(base: Base) -> Prover | None:
    """Returns the runner that DEBATE_PROVE names, None if it names none."""
    where, _, _ = base.settings.prove.partition(",")
    kind, _, image = where.partition(":")
    if kind != "sandbox":
        return None

    def prover(material: Material, place: str, files: bool) -> Proves:
        project = partial(base.library.project, material, place, files)
        return SandboxProofs(partial(find_sandbox, image), project)

    return prover
