"""The desk's part for what a channel may see and what starts debates in it, and for a workspace
that lets us go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.commands import Setup
from adapters.ports.desk import Answer, Caller
from adapters.templates.catalogue import find
from bot.desk.lookup import LIVE
from bot.forges.names import repository_key
from bot.forges.rules import Rules, checked, rules_of, stored, told
from bot.forges.setup import AppSetup
from bot.permissions import Action, Permissions
from bot.platforms import workspace_of
from core.commands import Stop
from core.errors import BadInput
from storage.commands import CommandQueue
from storage.debates import Debates
from storage.places import Places

_MANY = 10_000
_STARTS = ("comment", "opened", "drafts", "push")


@dataclass(frozen=True, slots=True)
class SetupDesk:
    places: Places
    permissions: Permissions
    app: AppSetup
    debates: Debates
    queue: CommandQueue

    async def set_up(self, request: Setup, caller: Caller) -> Answer:
        """Binds a channel to a repository, changes what starts debates there, or takes it back;
        without a repository it shows how things are. Raises ``Refused``.
        """
        await self.permissions.require(caller, Action.BIND)
        if not request.repository:
            return await self._show(request, caller)
        key = self._key(request)
        if request.off:
            was_bound = await self.places.unbind(caller.place, key)
            sees = "no longer sees" if was_bound else "did not see"
            return Answer(f"This channel {sees} {request.repository}.")
        bound = await self.places.bindings(place=caller.place, repository=key)
        rules = checked(_changed(rules_of(bound[0].rules) if bound else Rules(), request))
        find(rules.template, None)
        await self.places.bind(caller.place, key, caller.person)
        await self.places.set_rules(caller.place, key, stored(rules))
        return Answer(
            f"This channel can now debate pull requests of {request.repository}. {told(rules)}\n"
            f"Take it back with: setup {request.forge} {request.repository} off"
        )

    async def forget_workspace(self, workspace: str) -> None:
        """It removed us: its tokens, schedules and bindings go, and its debates come to their
        end.
        """
        await self.places.forget_workspace(workspace)
        going = await self.debates.find_recent(workspace=workspace, statuses=LIVE, limit=_MANY)
        for line in going:
            stop = Stop("", detail="the workspace removed the bot")
            await self.queue.enqueue(line.id, stop, f"removed:{line.id}")

    async def _show(self, request: Setup, caller: Caller) -> Answer:
        if caller.shell and request.forge == "github":
            links = [f"{host}: {self.app.making_link(host)}" for host in self.app.hosts]
            return Answer(
                "Follow the link within half an hour to make the GitHub App "
                "(the bot must be running).\n" + "\n".join(links)
            )
        bound = await self.places.bindings(place=caller.place)
        lines = [f"{one.repository}: {told(rules_of(one.rules))}" for one in bound]
        if request.forge == "github":
            lines += [await self._install(host, caller) for host in self.app.hosts]
        lines.append(f"Bind a repository: setup {request.forge} OWNER/REPO --labels debate")
        return Answer("\n".join(lines))

    async def _install(self, host: str, caller: Caller) -> str:
        """The link that installs the App of a host for the caller's workspace, or what is missing
        for it.
        """
        try:
            link = await self.app.install_link(host, workspace_of(caller.place), caller.person)
        except BadInput as error:
            return str(error)
        return f"Install the GitHub App on {host} for this workspace: {link}"

    def _key(self, request: Setup) -> str:
        """The repository as bindings name it. Raises ``BadInput`` for a host that is not configured
        as such a forge.
        """
        kind = {name: one.forge for name, one in self.app.connections.library.hosts.items()}
        first, _, rest = request.repository.partition("/")
        if kind.get(first.lower()) == request.forge and "/" in rest:
            return repository_key(first.lower(), rest)
        if kind.get(first.lower()) or (request.forge == "github" and "/" in rest):
            own = f"DEBATE_{request.forge.upper()}_HOSTS"
            raise BadInput(f"{first} is no {request.forge} that I know. Your own are in {own}.")
        return repository_key(f"{request.forge}.com", request.repository)


def _changed(rules: Rules, request: Setup) -> Rules:
    """The rules with what was said; what was not stays. Raises ``BadInput``."""
    if request.labels:
        rules = replace(rules, labels=() if request.labels == ("none",) else request.labels)
    if request.on:
        wanted = () if request.on == ("none",) else request.on
        if unknown := [word for word in wanted if word not in _STARTS]:
            raise BadInput(f"--on takes {', '.join(_STARTS)} or none, not {unknown[0][:40]!r}.")
        rules = replace(
            rules,
            comments="comment" in wanted,
            opened="opened" in wanted,
            drafts="drafts" in wanted,
            pushes="push" in wanted,
        )
    return replace(
        rules,
        template=request.template or rules.template,
        budget=request.budget if request.budget is not None else rules.budget,
        quiet="" if request.quiet == "none" else request.quiet or rules.quiet,
        tz=request.tz or rules.tz,
        request_changes=request.request_changes == "yes"
        if request.request_changes
        else rules.request_changes,
    )
