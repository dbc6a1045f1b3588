"""Gives seats to people and programs, as ``--seats`` names them: ``person:me``, ``person:U1`` (an
account of the asker's platform) or ``token:NAME`` (a program's), each with ``ROLE=`` before it if
it must be a certain seat.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from core.application.place import SHELL, Person, platform_of
from core.debate.errors import BadInput
from core.debate.events import DebateRequest, Holder
from core.debate.script import Script, SeatId
from core.languages import say

FindToken = Callable[[str, str, str], Awaitable[str]]
"""Returns the id of the token with a name that a person at a place may name; "" if there is none.
Arguments: the name, the person, the place (``bot.wire.parts``).
"""
Wish = tuple[str, Holder]
"""A wish for a seat: the role, "" for any that argues, and who is to hold it."""
PERSON, TOKEN = "person:", "token:"
ME = "me"


async def held_seats(request: DebateRequest, find_token: FindToken | None) -> list[Wish]:
    """Reads the request's seats. Raises ``BadInput`` for a seat that nobody can hold."""
    wishes = [await _wish(text, request, find_token) for text in request.seats]
    if len({holder.id for _, holder in wishes}) < len(wishes):
        raise BadInput("--seats names somebody twice; a person or program holds one seat.")
    return wishes


async def _wish(text: str, request: DebateRequest, find_token: FindToken | None) -> Wish:
    role, _, who = text.rpartition("=")
    who = who.strip()
    if who.startswith(PERSON):
        holder = Holder(_person(who.removeprefix(PERSON).strip(), request))
    elif who.startswith(TOKEN):
        holder = await _program(who.removeprefix(TOKEN).strip(), request, find_token)
    else:
        raise BadInput(
            "--seats takes person:me, person:ACCOUNT or token:NAME, not {who}; ROLE= before it "
            "names the seat.",
            who=repr(who[:60]),
        )
    return role.strip().lower().replace(" ", "_"), holder


def _person(account: str, request: DebateRequest) -> str:
    """Returns the person with an account of the asker's own platform and workspace."""
    asker = Person.parse(request.asker)
    if account.lower() == ME:
        return request.asker
    if platform_of(request.place) == SHELL:
        raise BadInput("A shell reaches only you: in --seats the only person is person:me.")
    account = account.strip("<@!>")
    if not account or not account.replace("_", "").replace("-", "").isalnum():
        raise BadInput(
            "--seats needs the id of an account after {prefix}, like {prefix}U1.", prefix=PERSON
        )
    return str(replace(asker, account=account))


async def _program(name: str, request: DebateRequest, find_token: FindToken | None) -> Holder:
    if find_token is None or request.files:
        raise BadInput(
            "Only a running bot can reach a program: start this debate in a chat, in the "
            "browser or through the API."
        )
    id = await find_token(name, request.asker, request.place)
    if not id:
        raise BadInput(
            "No token of yours or of a service here is called {name}.", name=repr(name[:60])
        )
    return Holder(f"{TOKEN}{id}", name)


def assign(script: Script, wishes: Sequence[Wish], rng: Random) -> Mapping[SeatId, Holder]:
    """Returns who holds which seat: the named ones first, then any that argues, drawn. Raises
    ``BadInput`` if a role has no free seat, and if no seat is left to a model.
    """
    free = [seat for seat in script.seats if seat.argues]
    everybody = [seat for seat in free if seat.votes]
    held: dict[SeatId, Holder] = {}
    for role, holder in sorted(wishes, key=lambda wish: not wish[0]):
        fitting = [seat for seat in free if role in (seat.id, seat.role)]
        if not role:
            fitting = rng.sample([seat for seat in free if seat.votes], k=1) if free else []
        if not fitting:
            names = ", ".join(dict.fromkeys(seat.role for seat in script.seats if seat.argues))
            raise BadInput(
                "--seats: no seat is free for {role}. Seats: {names}.",
                role=role or say("that"),
                names=names,
            )
        held[fitting[0].id] = holder
        free.remove(fitting[0])
    if everybody and all(seat.id in held for seat in everybody):
        raise BadInput("--seats leaves no voting seat to a model; at least one must be a model's.")
    return held
