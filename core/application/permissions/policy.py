"""The operator's configuration of who may use the bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.application.place import FORGES, Person

_ADMINS = "admins"
"""In ``DEBATE_STARTERS``, this word means the admins of a workspace."""
MACHINE = "this machine"
"""The workspace of the services that the person at this machine made."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's policy of who may use the bot. ``workspaces`` may use it; if none is named,
    all in which it is installed. ``private_workspaces`` may see private repositories; if none is
    named, the ``only_workspace`` may ("" if there are several). ``starters`` may start debates; if
    none is named, every full member may. ``allowed_models`` are the models that a chat may name.
    ``same_person`` lists accounts that count as one.
    """

    workspaces: frozenset[str] = frozenset()
    private_workspaces: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    moderators: frozenset[str] = frozenset()
    same_person: Mapping[str, str] = field(default_factory=dict)
    allowed_models: Callable[[], Sequence[str]] = tuple
    only_workspace: Callable[[], str] = str

    def __post_init__(self) -> None:
        same = {canonical(account): person for account, person in self.same_person.items()}
        object.__setattr__(self, "same_person", same)

    def admits(self, workspace: str) -> bool:
        """True if a workspace may use the bot at all; services that a shell of this machine made
        may.
        """
        return not self.workspaces or workspace in self.workspaces or workspace == MACHINE

    def may_bind(self, workspace: str) -> bool:
        """True if channels of a workspace may see private repositories."""
        if self.private_workspaces:
            return workspace in self.private_workspaces
        return bool(workspace) and workspace == self.only_workspace()

    def may_start(self, person: str, admin: bool) -> bool:
        if not self.starters:
            return True
        return person in self.starters or (admin and _ADMINS in self.starters)

    def person(self, account: str) -> str:
        """Returns the one name of a person: accounts that the configuration declares to be the same
        count as one voter.
        """
        return self.same_person.get(canonical(account)) or account

    def accounts(self, person: str) -> Sequence[str]:
        """Returns all names of a person, the given one first."""
        one = self.person(person)
        others = [account for account, same in self.same_person.items() if same == one]
        return tuple(dict.fromkeys((person, one, *others)))


def canonical(account: str) -> str:
    """Writes a person's name in one way: without capitals in a forge's login, and with its host:
    ``github:Octocat`` is ``github:github.com/octocat``.
    """
    person = Person.parse(account)
    if person.platform not in FORGES:
        return account
    host = person.workspace or f"{person.platform}.com"
    return str(Person(person.platform, host, person.account)).lower()
