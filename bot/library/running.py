"""A debate from a program: one call that waits for the verdict, or one that is followed turn by
turn, with challenges and votes in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bot.library.results import Result, StoredDebate, Turn, result_of, turn_of

if TYPE_CHECKING:
    from bot.debates.advance import Inbox
    from bot.library.holding import Held, Play, Setting
    from bot.library.templates import DebateTemplate
    from bot.seats import AskModel, ScriptedSeats
    from core.debate.commands import Command
    from core.debate.events import DebateRequest, Event
    from core.debate.ports import Model
    from core.debate.state import Debate as State
    from core.debate.template import Template

    ModelChoice = str | AskModel | ScriptedSeats
    Models = ModelChoice | Sequence[ModelChoice]
    _Opening = AbstractAsyncContextManager[Held]
    _Open = Callable[[tuple[str, ...], Setting], _Opening]

T = TypeVar("T")
_CLOSED = "open it first: async with Debate(…) as d"


def debate(
    target: str | Path,
    *,
    template: str | Path | DebateTemplate = "",
    models: Models = (),
    budget: float | None = None,
    rounds: int | None = None,
    format: str = "",
    store: str = "",
    environ: Mapping[str, str] | None = None,
) -> Result:
    """Holds a debate and returns when it is over; ``Debate`` explains the parameters. Raises
    ``BadInput`` or ``CouldNotFinish``, whose message names the next step.
    """
    return _wait(
        Debate(
            target,
            template=template,
            models=models,
            budget=budget,
            rounds=rounds,
            format=format,
            store=store,
            environ=environ,
        )
    )


def resume(
    id: str, *, store: str, models: Models = (), environ: Mapping[str, str] | None = None
) -> Result:
    """Continues a stored debate, as ``Debate.resume`` does; a debate that is over is returned."""
    return _wait(Debate.resume(id, store=store, models=models, environ=environ))


def fork(
    id: str,
    *,
    store: str,
    at: int | None = None,
    without: str = "",
    assume: str = "",
    models: Models = (),
    environ: Mapping[str, str] | None = None,
) -> Result:
    """Holds a stored debate again under a changed condition, as ``Debate.fork`` does."""
    return _wait(
        Debate.fork(
            id, store=store, at=at, without=without, assume=assume, models=models, environ=environ
        )
    )


def list_debates(
    *, store: str, limit: int = 50, environ: Mapping[str, str] | None = None
) -> list[StoredDebate]:
    """Returns the newest debates of a store, the latest first."""
    from bot.library.holding import Setting, list_stored

    lines = _run(list_stored(Setting(store=store, environ=environ), limit))
    return [
        StoredDebate(one.id, one.title, one.template, one.status, one.created_at, one.cost)
        for one in lines
    ]


def _wait(begun: Debate) -> Result:
    async def ended() -> Result:
        async with begun as opened:
            return await opened.finish()

    return _run(ended())


def _run(work: Coroutine[Any, Any, T]) -> T:
    from core.debate.errors import BadInput

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise BadInput("An event loop runs here already: use `async with Debate(…) as d`.")


class Debate:
    """A debate that a program follows while it runs: ``async with Debate(…) as d`` opens it,
    ``async for turn in d`` gives each turn as it is settled, ``await d.finish()`` the result.

    ``target`` is a link, a file, a range of git, a question, or, if it has several lines, the
    material itself. ``template`` is a name, the path of your TOML file or a ``DebateTemplate``;
    without one a change is reviewed and a question goes to a panel. ``models`` are names, async
    functions that answer a ``Prompt``, or ``ScriptedSeats``; without any they are chosen as the
    command does. ``budget`` is in USD. Nothing is written unless ``store`` names a database (a
    file, or PostgreSQL's address): then the debate is there for ``debate show`` as well.
    ``environ`` replaces the process's environment, from which keys are read. No model is called
    while you hold a turn, so your challenge to it comes before the next one.
    """

    def __init__(
        self,
        target: str | Path,
        *,
        template: str | Path | DebateTemplate = "",
        models: Models = (),
        budget: float | None = None,
        rounds: int | None = None,
        format: str = "",
        store: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        def opening(names: tuple[str, ...], setting: Setting) -> _Opening:
            from bot.library.holding import hold
            from core.application.commands.options import enter
            from core.application.commands.requests import Start

            start = enter(Start(""), {"budget": budget, "rounds": rounds})
            request, own = _request(target, template, names)
            request = replace(request, budget=start.budget, rounds=start.rounds, format=format)
            return hold(request, own, setting)

        self._begin(opening, models, store, environ)

    @staticmethod
    def resume(
        id: str, *, store: str, models: Models = (), environ: Mapping[str, str] | None = None
    ) -> Debate:
        """Continues a stored debate. ``models`` are the debate's models that are your code."""

        def opening(_names: tuple[str, ...], setting: Setting) -> _Opening:
            from bot.library.holding import hold_stored

            return hold_stored(id, setting)

        return _StoredDebate(opening, models, store, environ)

    @staticmethod
    def fork(
        id: str,
        *,
        store: str,
        at: int | None = None,
        without: str = "",
        assume: str = "",
        models: Models = (),
        environ: Mapping[str, str] | None = None,
    ) -> Debate:
        """Begins a stored debate again under a changed condition: from its first ``at`` events, by
        default up to its end, ``without`` a seat, with something ``assume``d, or with other
        ``models``.
        """

        def opening(names: tuple[str, ...], setting: Setting) -> _Opening:
            from bot.library.holding import hold_fork
            from core.application.commands import ForkRequest

            wanted = ForkRequest(id, at=at, without=without, assume=assume, models=names)
            return hold_fork(wanted, setting)

        return _StoredDebate(opening, models, store, environ)

    def _begin(
        self,
        opening: _Open,
        models: Models,
        store: str,
        environ: Mapping[str, str] | None,
    ) -> None:
        self._opening = opening
        self._models = models
        self._store, self._environ = store, environ
        self._stack = AsyncExitStack()
        self._debate: State | None = None
        self._playing: asyncio.Task[State] | None = None
        self._turns: asyncio.Queue[Turn | None] = asyncio.Queue()
        self._finishing = False

    async def __aenter__(self) -> Debate:
        from bot.library.holding import Setting

        names, own = _named(self._models)
        setting = Setting(own, self._store, self._environ)
        self._gate: asyncio.Event = setting.gate
        self._gate.set()  # opening a panel asks a model how large it should be
        self._inbox: Inbox = asyncio.Queue()
        opening = self._opening(names, setting)
        self._debate, play = await self._stack.enter_async_context(opening)
        self._gate.clear()
        self._playing = asyncio.create_task(self._play(play), name="debate")
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self._playing is not None and not self._playing.done():
            self._playing.cancel()
            await asyncio.wait([self._playing])
        await self._stack.aclose()

    async def _play(self, play: Play) -> State:
        try:
            return await play(self._inbox, self._tell)
        finally:
            self._turns.put_nowait(None)

    def _tell(self, event: Event, after: State) -> None:
        from core.debate.events import TurnFailed, TurnFinished

        if isinstance(event, TurnFinished | TurnFailed):
            if not self._finishing:  # before the seats that speak next have begun
                self._gate.clear()
            self._turns.put_nowait(turn_of(after, after.script.turn(event.turn)))

    async def __aiter__(self) -> AsyncIterator[Turn]:
        while True:
            if self._turns.empty():
                self._gate.set()
            turn = await self._turns.get()
            if turn is None:
                self._turns.put_nowait(None)
                return
            yield turn

    async def challenge(self, text: str, *to: str) -> None:
        """Objects; the seats named (by role or label), or else those it is about, owe an answer.
        Raises ``Refused`` with the reason if no challenge is allowed now.
        """
        from core.debate.commands import RaiseChallenge

        await self._command(RaiseChallenge(self._person, text, to))

    async def hot_seat(self, about: str) -> None:
        """Makes the seat behind ``about`` (a turn's id or a finding's) answer the seats that
        disagree. Raises ``Refused`` if no seat disagrees, or it is too late.
        """
        from core.debate.commands import AskSeat

        await self._command(AskSeat(self._person, about, own=True))

    async def vote(self, option: str, finding: str = "", *, voter: str = "") -> None:
        """Votes on the verdict, or on a finding ("real", "not_real", "worse", "milder")."""
        from core.debate.commands import CastVote

        await self._command(CastVote(voter or self._person, option, finding))

    async def stop(self) -> None:
        """Lets the closing seats speak and ends the debate."""
        from core.debate.commands import Stop

        await self._command(Stop(self._person))

    async def finish(self) -> Result:
        """Returns the result once the debate is over; it waits for that if the program did not
        follow the turns.
        """
        if self._playing is None:
            raise RuntimeError(_CLOSED)
        self._finishing = True
        self._gate.set()
        return result_of(await asyncio.shield(self._playing))

    @property
    def id(self) -> str:
        """The debate's id, by which a store knows it."""
        return self._begun.id

    @property
    def _person(self) -> str:
        return self._begun.request.asker

    @property
    def _begun(self) -> State:
        if self._debate is None:
            raise RuntimeError(_CLOSED)
        return self._debate

    async def _command(self, command: Command) -> None:
        from core.debate.engine import InboxCommand
        from core.debate.errors import Refused

        playing = self._playing
        if playing is None or playing.done():
            raise Refused("The debate is over.")
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._inbox.put_nowait(InboxCommand(command, answer=answer))
        waited: set[asyncio.Future[Any]] = {answer, playing}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Refused("The debate ended before this arrived.")
        if refusal := answer.result():
            raise Refused(refusal)


class _StoredDebate(Debate):
    """A debate that continues from what a store holds."""

    def __init__(
        self, opening: _Open, models: Models, store: str, environ: Mapping[str, str] | None
    ) -> None:
        self._begin(opening, models, store, environ)


def _named(models: Models) -> tuple[tuple[str, ...], dict[str, Model]]:
    """Returns the names of the models, and those among them that are code."""
    from bot.seats import OwnModel, ScriptedSeats
    from core.debate.errors import BadInput

    given: Sequence[ModelChoice] = [models]  # type: ignore[list-item]  # checked below
    if isinstance(models, str):
        given = [name.strip() for name in models.split(",")]
    elif isinstance(models, Sequence):
        given = models
    own: dict[str, Model] = {}
    names: list[str] = []
    for one in given:
        if isinstance(one, str):
            names.append(one)
            continue
        if isinstance(one, ScriptedSeats):
            model: Model = one
        elif not callable(one):
            raise BadInput(f"models are names, async functions or ScriptedSeats, not {one!r:.60}.")
        else:
            model = OwnModel(f"own:{getattr(one, '__name__', 'model')}", one)
        name = model.name
        if name in own:
            name = f"{name}-{len(own) + 1}"
        own[name] = model
        names.append(name)
    return tuple(names), own


def _request(
    target: str | Path, template: str | Path | DebateTemplate, models: tuple[str, ...]
) -> tuple[DebateRequest, Template | None]:
    from bot.library.holding import ME
    from bot.library.templates import DebateTemplate, template_of
    from core.application.commands.parsing import is_change
    from core.debate.errors import BadInput
    from core.debate.events import DebateRequest

    if isinstance(target, Path):
        target = str(target)
    if not isinstance(target, str):
        raise BadInput(f"target is a link, a file or a text, not {target!r:.60}.")
    whole = "\n" in target.strip()
    own: Template | None = None
    if isinstance(template, DebateTemplate):
        own = template_of(template)
    elif str(template).endswith(".toml"):
        own = template_of(Path(template))
    name = own.id if own else str(template)
    if not name:
        diff = whole and target.lstrip().startswith(("diff --git ", "--- ", "From "))
        name = "code_review" if diff or (not whole and is_change(target)) else "panel"
    request = DebateRequest(
        template=name,
        target="material" if whole else target,
        asker=ME,
        place=ME,
        models=models,
        text=target if whole else "",
        files=not whole,
    )
    return request, own
