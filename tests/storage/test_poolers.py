"""A pooler that lends connections is known by the numbers of the server's processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from core.debate.errors import BadInput
from storage.database.servers import require_session

URL = sa.make_url("postgresql+psycopg://ann@db.example/debates")


class Client:
    """A client's connection, which is served by these processes one after another."""

    def __init__(self, served_by: Sequence[int]) -> None:
        self._numbers: Iterator[int] = chain(served_by, repeat(served_by[-1]))

    def execute(self, _statement: str) -> Client:
        return self

    def fetchone(self) -> tuple[int]:
        return (next(self._numbers),)

    def transaction(self) -> AbstractContextManager[None]:
        return nullcontext()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        """Does nothing: nothing is open."""


@pytest.mark.parametrize(
    ("one", "two", "lent"),
    [
        ([1], [2], False),
        ([1, 3], [2], True),  # another process serves the first client
        ([1], [1], True),  # one process serves both
        ([1, 1, 1, 4], [2], True),  # it shows later
        ([1], [2, 1], True),
    ],
)
def test_lent_connections_are_refused_whichever_way_they_show(
    monkeypatch: pytest.MonkeyPatch, one: Sequence[int], two: Sequence[int], lent: bool
) -> None:
    clients = [Client(one), Client(two)]
    monkeypatch.setattr(psycopg, "connect", lambda *_, **__: clients.pop(0))
    driver = SimpleNamespace(info=SimpleNamespace(backend_pid=7))
    conn: Any = SimpleNamespace(
        connection=SimpleNamespace(driver_connection=driver), scalar=lambda _: 8
    )
    if lent:
        with pytest.raises(BadInput, match=r"^THE_URL leads through a pooler"):
            require_session(conn, URL, "THE_URL")
    else:
        require_session(conn, URL, "THE_URL")
    assert clients == []
