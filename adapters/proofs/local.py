"""Runs a proof on this machine: disposable copies of a project, each read by a sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from adapters.proofs.environment import tool_of, tools_of
from adapters.proofs.frameworks import KNOWN, Framework, framework_of
from adapters.proofs.sandbox import Box, Limits, Ran, Sandbox
from adapters.redaction import clean
from adapters.repository.snapshots import Entry, Project, Snapshot, write_copy
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.finding import Finding
from core.debate.material.escaping import show_hidden
from core.debate.proof import (
    SECONDS,
    Ending,
    Framing,
    ProofRuns,
    ProofTest,
    TestRun,
    TreeName,
    defect_of,
)
from core.debate.proof.trees import with_fix, with_lines_put_back
from core.debate.stored import stored

_OUTPUT = 4000
"""Characters of a run's output that are stored, its end first."""
_FORKS = stored(
    "the change comes from a fork: the operator allows its tests with ,forks in DEBATE_PROVE"
)


Projects = Callable[[], Awaitable[Project]]
"""Returns the project of a debate's change. Raises ``BadInput`` and ``CouldNotFinish``."""


class Prover(ABC):
    """The base of what implements ``Proves``, which adds ``where`` and how a test is run. ``forks``
    allows the tests of changes from forks.
    """

    where: str

    def __init__(self, project: Projects, *, forks: bool = False) -> None:
        self._read_project = project
        self._forks = forks

    async def prepare(self, near: str) -> Framing:
        try:
            project = await self._project()
            framework = framework_for(project, near)
            tools = await self._tools(framework, project)
        except (BadInput, CouldNotFinish) as error:
            return Framing(self.where, problem=clean(str(error)))
        return Framing(self.where, framework.name, framework.example, framework.endings, tools)

    async def run(self, test: ProofTest, finding: Finding) -> ProofRuns:
        try:
            project = await self._project()
            framework = framework_for(project, finding.path)
            if defect := defect_in(test, framework, project):
                return ProofRuns(self.where, framework.name, problem=defect, again=True)
            return await self._run(project, framework, test, finding)
        except (BadInput, CouldNotFinish) as error:
            return ProofRuns(self.where, problem=clean(str(error)))

    async def _project(self) -> Project:
        project = await self._read_project()
        if project.fork and not self._forks:
            raise BadInput(_FORKS)
        return project

    @abstractmethod
    async def _tools(self, framework: Framework, project: Project) -> str:
        """Returns what a test finds there. Raises ``CouldNotFinish`` without the framework."""

    @abstractmethod
    async def _run(
        self, project: Project, framework: Framework, test: ProofTest, finding: Finding
    ) -> ProofRuns: ...


class SandboxProofs(Prover):
    """Proves in a sandbox of this machine: in a container if there is an ``image``."""

    where = "sandbox"

    def __init__(
        self,
        sandbox: Callable[[], Sandbox],
        project: Projects,
        *,
        forks: bool = False,
        image: str = "",
    ) -> None:
        super().__init__(project, forks=forks)
        self._sandbox = sandbox
        self._image = image

    async def _project(self) -> Project:
        self._sandbox()  # without one, nothing is read
        return await super()._project()

    async def _tools(self, framework: Framework, project: Project) -> str:
        tool_of(framework, project, self._image)
        return await asyncio.to_thread(tools_of, framework, project, self._image)

    async def _run(
        self, project: Project, framework: Framework, test: ProofTest, finding: Finding
    ) -> ProofRuns:
        sandbox = self._sandbox()
        head, ignored = with_setups_of_base(framework, project.base, project.head)
        trees = trees_of(project.base, head, finding)
        result = ProofRuns(
            self.where,
            framework.name,
            " ".join((framework.tool.rpartition("/")[2], test.path)),
            commits={"base": project.base_commit, "head": project.head_commit},
            digests={"test": digest(test.text.encode())},
            ignored=ignored,
        )
        tool = tool_of(framework, project, self._image)
        usual = Limits()
        at, left = project.home or Path("/project"), SECONDS

        async def run_on(entries: Snapshot) -> tuple[Ran, TestRun]:
            nonlocal left
            limits = replace(usual, seconds=max(1.0, min(usual.seconds, left)))
            ran = await _ran(sandbox, tool, at, framework, test, entries, limits)
            left -= ran.seconds
            return ran, run_of(framework, test, ran)

        for tree, entries in trees:
            if not _needed(tree, result):
                continue
            ran, run = await run_on(entries)
            if tree is TreeName.PUT_BACK and run.ending in NO_PROGRAM:
                ran, run = await run_on({**head, finding.path: project.base[finding.path]})
            result = replace(
                result,
                runs={**result.runs, tree: run},
                digests={**result.digests, tree.value: digest(ran.output)},
            )
        return result


NO_PROGRAM = (Ending.RAISED, Ending.NOT_RUN)
"""Ends of a run with a finding's lines put back that often mean that other lines of the file need
them as they are: the whole file is put back then.
"""


def defect_in(test: ProofTest, framework: Framework, project: Project) -> str:
    """Returns why a test is not run in this project; empty if nothing is wrong."""
    if defect := defect_of(test) or framework.accepts(test.path):
        return defect
    above = {str(folder) for folder in PurePosixPath(test.path).parents}
    for path in (*project.base, *project.head):
        if path == test.path or path in above or path.startswith(f"{test.path}/"):
            return stored("there is a file already: {path}", path=path)
    return ""


def _needed(tree: TreeName, result: ProofRuns) -> bool:
    """Return whether a run can still change the result: the others only if the test fails on the
    change.
    """
    head = result.runs.get(TreeName.HEAD)
    if head is None:
        return tree is TreeName.HEAD
    base = result.runs.get(TreeName.BASE)
    if tree is TreeName.PUT_BACK and (base is None or base.ending is not Ending.PASSED):
        return False
    return head.ending is Ending.FAILED


def trees_of(
    base: Snapshot, head: Snapshot, finding: Finding
) -> Sequence[tuple[TreeName, Snapshot]]:
    """Returns the trees on which the test is run, in that order; one that can't be made is left
    out.
    """
    trees = [(TreeName.HEAD, head), (TreeName.BASE, base)]
    old, new = base.get(finding.path), head.get(finding.path)
    if new is not None and finding.patch:
        text = with_fix(_text(new), finding.patch, finding.line)
        if text is not None:
            trees.append((TreeName.FIX, _changed(head, new, text)))
    if new is not None and old is not None:
        text = with_lines_put_back(_text(old), _text(new), finding.line, finding.side)
        if text is not None:
            trees.append((TreeName.PUT_BACK, _changed(head, new, text)))
    return trees


def with_setups_of_base(
    framework: Framework, base: Snapshot, head: Snapshot
) -> tuple[Snapshot, tuple[str, ...]]:
    """Returns the change with the files that set up its tests as the base has them: a change must
    not decide about its own tests. Those that it changed are named.
    """
    setups = {p for p in {*base, *head} if framework.setups.search(p)}
    changed = tuple(sorted(p for p in setups if base.get(p) != head.get(p)))
    if not changed:
        return head, ()
    kept = {p: entry for p, entry in head.items() if p not in changed}
    return {**kept, **{p: base[p] for p in changed if p in base}}, changed


async def _ran(
    sandbox: Sandbox,
    tool: tuple[Sequence[str], Sequence[Path]],
    at: Path,
    framework: Framework,
    test: ProofTest,
    entries: Snapshot,
    limits: Limits,
) -> Ran:
    """Runs the test on a copy that is deleted afterwards."""
    program, reads = tool
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="debate-proof-"))
    tree = folder / "tree"
    try:
        await asyncio.to_thread(_write, tree, at, entries, test, reads)
        environment = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "CI": "1"}
        command = (*program, *framework.command(test.path, test.name))
        return await sandbox(Box(tree, at, reads, environment), command, limits)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def run_of(framework: Framework, test: ProofTest, ran: Ran) -> TestRun:
    """Returns a run as data: redacted, spelled out, cut."""
    output = readable(ran.output)
    if ran.limit:
        return TestRun(Ending.LIMIT, f"it reached the limit of {ran.limit}", output, ran.seconds)
    reported = None
    if ran.report:
        reported = framework.read(ran.report, test.path, test.name)
    expected = {Ending.PASSED: ran.code == 0, Ending.FAILED: ran.code != 0}
    if reported is None or not expected.get(reported.ending, True):
        last = next((x.strip() for x in reversed(output.split("\n")) if x.strip()), "")
        return TestRun(Ending.NOT_RUN, last[:300], output, ran.seconds)
    return TestRun(reported.ending, readable(reported.error.encode()), output, ran.seconds)


def readable(data: bytes) -> str:
    """Returns foreign output as text: without secrets, unseen characters spelled out, its end."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    text = clean(show_hidden(text))
    if len(text) <= _OUTPUT:
        return text
    return f"[...]\n{text[-_OUTPUT:]}"


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _write(tree: Path, at: Path, entries: Snapshot, test: ProofTest, reads: Sequence[Path]) -> None:
    own = Entry(test.path, test.text.encode("utf-8", "replace"))
    tree.mkdir()
    mounts = [path.relative_to(at) for path in reads if path.is_relative_to(at)]
    rest = (e for p, e in entries.items() if not any(Path(p).is_relative_to(m) for m in mounts))
    for mount in mounts:
        (tree / mount).mkdir(parents=True)
    write_copy(tree, (own, *rest))


NO_FRAMEWORK = stored("its tests are in no framework known here")
"""The form in which earlier releases stored the reason below: it is still said in all languages."""


def framework_for(project: Project, near: str) -> Framework:
    """Returns the framework of a project's tests for code in the file ``near``. Raises
    ``CouldNotFinish`` if it is none that is known here.
    """

    def read(path: str) -> str:
        return _text(project.base.get(path) or project.head[path])

    framework = framework_of({*project.base, *project.head}, read, near)
    if framework is None:
        raise CouldNotFinish(
            stored("its tests are in no framework known here ({known})", known=KNOWN)
        )
    return framework


def _text(entry: Entry) -> str:
    return entry.data.decode("utf-8", "replace")


def _changed(tree: Snapshot, entry: Entry, text: str) -> Snapshot:
    return {**tree, entry.path: replace(entry, data=text.encode("utf-8", "replace"))}
