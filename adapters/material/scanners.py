"""Runs scanners that are code on a change, within bounds; their answers are read like any SARIF
file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from core.debate.engine import is_ending
from core.debate.errors import CouldNotFinish, DebateError
from core.debate.material import Material

GITHUB: Final = "github"
"""GitHub's own code scanning, as ``--evidence`` names it."""
Scan = Callable[[Material], Awaitable[bytes | str]]
"""Answers with SARIF 2.1.0 on the lines of a change."""
SECONDS = 300.0
LARGEST = 20_000_000  # bytes


async def scanned(scan: Scan, name: str, material: Material) -> bytes:
    """Returns a scanner's answer on the change.

    Raises ``CouldNotFinish`` if it fails, because the debate was asked for with its results.
    """
    try:
        async with asyncio.timeout(SECONDS):
            answer: object = await scan(material)
    except DebateError:
        raise
    except TimeoutError as error:
        raise CouldNotFinish(f"The scanner {name} took more than {SECONDS:g} s.") from error
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        if is_ending(error):
            raise
        raise CouldNotFinish(f"The scanner {name} failed: {type(error).__name__}.") from error
    data = answer
    if isinstance(answer, str):
        data = answer.encode("utf-8", "replace")
    if not isinstance(data, bytes) or len(data) > LARGEST:
        raise CouldNotFinish(f"The scanner {name} gave no SARIF of at most {LARGEST:,} bytes.")
    return data
