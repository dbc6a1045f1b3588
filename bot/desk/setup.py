"""The desk's part for what a channel may see, what starts debates in it, and the end of a workspace
that removed the bot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.forges.links import name_of
from adapters.templates.catalogue import find
from bot.desk.channels import channel_named, shown_channel
from bot.desk.handlers import handles
from bot.desk.parts import DeskParts
from bot.forges.names import SITES, host_and_repo
from bot.forges.rules import Rules, checked, describe_rules, rules_of, stored
from bot.platforms import CHATS, WORKSPACE_GONE, workspace_of
from core.application.commands import Setup
from core.application.desk import Caller, DeskAnswer
from core.application.place import Place
from core.debate.commands import Stop
from core.debate.errors import BadInput, DebateError, Refused
from core.debate.status import LIVE
from core.languages import msgid, say, say_error
from core.words.views.documents.forge import BIND
from storage.places import Binding, repository_key

_MANY = 10_000
_SEES_NO_LONGER = msgid("{channel} no longer sees {repository}.")
_DID_NOT_SEE = msgid("{channel} did not see {repository}.")
_UNREAD = msgid("It can't be read yet, and nothing starts until it can: {why}")
_STARTS = ("comment", "opened", "drafts", "push")


@handles(Setup)
async def set_up(desk: DeskParts, request: Setup, caller: Caller) -> DeskAnswer:
    """Binds a channel to a repository, changes what starts debates there, or removes the
    binding; without a repository it shows the present state. Raises ``Refused``.
    """
    if request.app:
        if not caller.shell:
            raise Refused("The operator makes the GitHub App, in the shell of the bot.")
        links = [_making(host, desk.app.making_link(host)) for host in desk.app.hosts]
        return DeskAnswer("\n".join(links))
    if not request.repository:
        return await _show(desk, request, caller)
    if caller.shell and not request.channel and not request.off:
        raise BadInput(
            "A shell is no channel: name the channel for their debates, like --channel "
            "slack:T012AB/C034CD, or type it in the channel itself."
        )
    key, place = _key(desk, request), await _place(desk, request, caller)
    bound = await desk.stores.places.bindings(place=place, repository=key)
    if bound and bound[0].repository != key:  # which the request names as it was before
        key = bound[0].repository
        request = replace(request, repository=_name_in_requests(desk, key))
    name = say("This channel")
    if place != caller.place:
        name = await shown_channel(place, desk.chats)
    if request.off:
        was_bound = await desk.stores.places.unbind(place, key)
        sees = _SEES_NO_LONGER if was_bound else _DID_NOT_SEE
        return DeskAnswer(say(sees, channel=name, repository=request.repository))
    rules = checked(_changed(rules_of(bound[0].rules) if bound else Rules(), request))
    find(rules.template)
    unread = await _begin(desk, key, place)
    await desk.stores.places.bind(place, key, caller.person)
    await desk.stores.places.set_rules(place, key, stored(rules))
    there = f" --channel {place}" if request.channel else ""
    bound_now = say(
        "{channel} can now debate pull requests of {repository}.",
        channel=name,
        repository=request.repository,
    )
    command = f"setup {request.forge} {request.repository} off{there}"
    off = say("Take it back with: {command}", command=command)
    return DeskAnswer(f"{bound_now} {describe_rules(rules)}\n{unread}{off}")


async def _begin(desk: DeskParts, key: str, place: str) -> str:
    """Looks at a repository that no channel follows yet; if that fails, returns the line about
    it.
    """
    if await desk.stores.places.bindings(repository=key):
        return ""
    try:
        await desk.poll.begin(key, place)
    except DebateError as error:
        why = say_error(error)
        return f"{say(_UNREAD, why=why)}\n"
    return ""


async def _place(desk: DeskParts, request: Setup, caller: Caller) -> str:
    """Returns the channel that the request names, by default the caller's own. Raises
    ``BadInput``, and ``Refused`` for one in which they may not write.
    """
    if not request.channel:
        return caller.place
    where = channel_named(request.channel, caller, desk.chats)
    if not caller.shell and workspace_of(str(where)) != workspace_of(caller.place):
        raise Refused("Only an admin of that channel's own workspace can bind it.")
    if not desk.permissions.may_see_private(str(where)):
        raise Refused(
            "DEBATE_PRIVATE_WORKSPACES does not name {workspace}, so nothing is bound there. "
            "The operator writes DEBATE_PRIVATE_WORKSPACES={workspace} into its .env.",
            workspace=where.workspace_key,
        )
    await desk.permissions.require_post(caller, where)
    return str(where)


async def forget_workspace(desk: DeskParts, workspace: str) -> None:
    """Ends a workspace that removed the bot: its tokens, schedules and bindings are deleted,
    its debates come to their end, and their texts are deleted after some time
    (``bot.debates.retention``).
    """
    await desk.stores.places.forget_workspace(workspace)
    await desk.stores.forgetting.leave(workspace)
    going = await desk.stores.debates.find_recent(workspace=workspace, statuses=LIVE, limit=_MANY)
    for line in going:
        if Place.parse(line.place).workspace_key == workspace:  # no mirror of another one's
            stop = Stop("", detail=WORKSPACE_GONE)
            await desk.stores.queue.enqueue(line.id, stop, f"removed:{line.id}")


async def _show(desk: DeskParts, request: Setup, caller: Caller) -> DeskAnswer:
    bound = await _bound(desk, request, caller)
    lines = [
        f"{await _where(desk, one, caller)}{one.repository}: {describe_rules(rules_of(one.rules))}"
        for one in bound
    ]
    if request.forge == "github":
        links = [await _link(desk, host, caller) for host in desk.app.hosts]
        lines += dict.fromkeys(links)  # what is missing is often the same for all
    else:
        lines += _hosts_without_token(desk)
    where = " --channel slack:TEAM/CHANNEL" if caller.shell else ""
    form = f"{caller.prefix} setup {request.forge} OWNER/REPO --labels debate{where}"
    lines.append(f"{say(BIND)}: {form}")
    changes = [_present(desk, one, caller) for one in bound]
    new = _as_request(request.forge, "", Rules(), "")
    return DeskAnswer("\n".join(lines), changes=(*changes, new))


def _hosts_without_token(desk: DeskParts) -> Iterator[str]:
    """Yields, for each GitLab host without a token, what is not possible there yet and how to
    change that.
    """
    for host, one in desk.app.connections.library.hosts.items():
        if one.forge == "gitlab" and not one.token:
            own = "" if host in SITES else "_" + re.sub(r"[^A-Z0-9]", "_", host.upper())
            yield say(
                "{host}: only public projects, and nothing is posted. The operator sets "
                "{variable} (`debate docs gitlab`).",
                host=host,
                variable=f"GITLAB_TOKEN{own}",
            )


async def _where(desk: DeskParts, binding: Binding, caller: Caller) -> str:
    if binding.place == caller.place:
        return ""
    return f"{await shown_channel(binding.place, desk.chats)}, "


async def _bound(desk: DeskParts, request: Setup, caller: Caller) -> Sequence[Binding]:
    """Lists the bindings of the caller's channel; a person in no channel sees those of
    their workspace in which they may write, and the operator's shell sees all.
    """
    where = Place.parse(caller.place)
    if request.channel or where.platform in CHATS:
        return await desk.stores.places.bindings(place=await _place(desk, request, caller))
    known = await desk.stores.places.bindings()
    own = workspace_of(caller.place)
    if caller.shell:
        return known
    return [
        one
        for one in known
        if workspace_of(one.place) == own
        and await desk.permissions.may_write(caller.person, one.place)
    ]


def _present(desk: DeskParts, binding: Binding, caller: Caller) -> Setup:
    hosts = desk.app.connections.kinds
    host, _ = host_and_repo(binding.repository, hosts)
    name = _name_in_requests(desk, binding.repository)
    channel = ""
    if binding.place != caller.place:
        channel = binding.place
    return _as_request(name_of(hosts.get(host, "github")), name, rules_of(binding.rules), channel)


def _name_in_requests(desk: DeskParts, key: str) -> str:
    """Returns a bound repository's name as a request has it: on an own host with the host."""
    host, repo = host_and_repo(key, desk.app.connections.kinds)
    return repo if host in SITES else key


async def _link(desk: DeskParts, host: str, caller: Caller) -> str:
    """Returns the link that makes a host's App (for an operator) or installs it for the
    caller's workspace, or names what is missing for it.
    """
    try:
        if caller.shell:
            return _making(host, desk.app.making_link(host))
        link = await desk.app.install_link(host, workspace_of(caller.place), caller.person)
    except BadInput as error:
        return say_error(error)
    return say("Install the GitHub App on {host} for this workspace: {link}", host=host, link=link)


def _key(desk: DeskParts, request: Setup) -> str:
    """Returns the repository's name in bindings. Raises ``BadInput`` for a host that is not
    configured as such a forge.
    """
    kind = {name: one.forge for name, one in desk.app.connections.library.hosts.items()}
    first, _, rest = request.repository.partition("/")
    if kind.get(first.lower()) == request.forge and "/" in rest:
        return repository_key(first.lower(), rest)
    if kind.get(first.lower()) or (request.forge == "github" and "/" in rest):
        own = f"DEBATE_{request.forge.upper()}_HOSTS"
        raise BadInput(
            "{host} is no {forge} that I know. Your own are in {own}.",
            host=first,
            forge=request.forge,
            own=own,
        )
    return repository_key(f"{request.forge}.com", request.repository)


def _making(host: str, link: str) -> str:
    return say(
        "Make the GitHub App on {host} within half an hour, while the bot runs: {link}",
        host=host,
        link=link,
    )


def _as_request(forge: str, repository: str, rules: Rules, channel: str) -> Setup:
    """Returns the request that would leave a binding as it is."""
    on = {
        "comment": rules.comments,
        "opened": rules.opened,
        "drafts": rules.drafts,
        "push": rules.pushes,
    }
    return Setup(
        repository,
        forge=forge,
        labels=rules.labels or ("none",),
        on=tuple(word for word in _STARTS if on[word]) or ("none",),
        template=rules.template,
        budget=rules.budget,
        quiet=rules.quiet or "none",
        tz=rules.tz,
        request_changes="yes" if rules.request_changes else "no",
        language=rules.language,
        channel=channel,
    )


def _changed(rules: Rules, request: Setup) -> Rules:
    """Returns the rules with the request's changes; all others stay. Raises ``BadInput``."""
    if request.labels:
        rules = replace(rules, labels=_unless_none(request.labels))
    if request.on:
        wanted = _unless_none(request.on)
        if unknown := [word for word in wanted if word not in _STARTS]:
            raise BadInput(
                "--on takes {words} or none, not {word}.",
                words=", ".join(_STARTS),
                word=repr(unknown[0][:40]),
            )
        rules = replace(
            rules,
            comments="comment" in wanted,
            opened="opened" in wanted,
            drafts="drafts" in wanted,
            pushes="push" in wanted,
        )
    if request.budget is not None:
        rules = replace(rules, budget=request.budget)
    if request.quiet:
        rules = replace(rules, quiet="" if request.quiet == "none" else request.quiet)
    if request.request_changes:
        rules = replace(rules, request_changes=request.request_changes == "yes")
    if request.language:
        rules = replace(rules, language=request.language)
    return replace(rules, template=request.template or rules.template, tz=request.tz or rules.tz)


def _unless_none(words: tuple[str, ...]) -> tuple[str, ...]:
    if words == ("none",):
        return ()
    return words
