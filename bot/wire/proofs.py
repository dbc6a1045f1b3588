"""Wires the runner of tests that the operator allows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from adapters.forges.github.proofs import GitHubPipeline
from adapters.forges.gitlab.proofs import GitLabPipeline
from adapters.forges.links import parse_change
from adapters.forges.pipelines import Pipeline
from adapters.proofs.local import SandboxProofs
from adapters.proofs.pipeline import PipelineProofs
from adapters.proofs.sandbox import find_sandbox
from bot.debates.advance import Prover
from bot.wire.base import Base
from core.debate.errors import BadInput
from core.debate.material import Material, MaterialKind
from core.debate.ports import Proves


def make_prover(base: Base) -> Prover | None:
    """Returns the runner that DEBATE_PROVE names, None if it names none."""
    where, _, forks = base.settings.prove.partition(",")
    kind, _, image = where.partition(":")
    if not kind:
        return None

    def prover(material: Material, place: str, files: bool) -> Proves:
        project = partial(base.library.project, material, place, files)
        if kind == "sandbox":
            return SandboxProofs(
                partial(find_sandbox, image), project, forks=bool(forks), image=image
            )
        return PipelineProofs(partial(_pipeline, base, material, place), project, forks=bool(forks))

    return prover


@asynccontextmanager
async def _pipeline(base: Base, material: Material, place: str) -> AsyncIterator[Pipeline]:
    """Opens the pipeline of the repository of a pull request, with the place's credential."""
    if material.kind is not MaterialKind.PULL_REQUEST:
        raise BadInput("a pipeline runs tests of pull requests only: set DEBATE_PROVE=sandbox")
    link = parse_change(material.source, base.connections.kinds)
    async with base.connections.api(link.host, link.repo, place) as api:
        if link.forge == "gitlab":
            yield GitLabPipeline(api, link.repo)
        else:
            yield GitHubPipeline(api, link.repo)
