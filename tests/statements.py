"""Compiles each SQL statement once for all tests of a process, whose databases each have engines of
their own: a dozenth of the processor time of a test that runs a bot.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from storage import database
from storage.database.engines import create_engine

_COMPILED: dict[Any, Any] = {}


class _Shared(dict[Any, Any]):
    """The statements of one engine, which it looks up by its dialect object."""

    def get(self, key: Any, default: Any = None) -> Any:
        return _COMPILED.get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        _COMPILED[type(key[0]), *key[1:]] = compiled


def _create_engine(*args: Any, **given: Any) -> sa.Engine:
    engine = create_engine(*args, **given)
    engine.update_execution_options(compiled_cache=_Shared())
    return engine


def share() -> None:
    vars(database)["create_engine"] = _create_engine
