"""Counts the project's functions and files that run from ``/debate`` until the first post is sent:
``python -m tools.bench.flows``; ``--list`` prints them by file, ``--tree`` in the order in which
they are first entered, each below its caller. A profiler records an end-to-end test of Slack. The
loops of a process that no debate waits for do not count.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import pytest

from tests.project import ROOT

SCENE = "tests/end_to_end/test_slack_thread.py::test_a_whole_debate_word_for_word"
BEGIN = ("adapters/slack/incoming/messages.py", "slash")
END = ("adapters/slack/outgoing/chat.py", "send")
BESIDE = ("bot/jobs.py", "bot/work.py", "bot/forges/inbox.py", "bot/hooks/send.py")
"""The modules of loops that no debate waits for."""
LOOPS = ("Live._keep", "Live._keep_noting", "BotMetrics.measure_loop", "heartbeats.<locals>.beat")
"""Loops of other modules that no debate waits for."""
_OURS = tuple(str(ROOT / name) + "/" for name in ("adapters", "bot", "core", "storage"))


class FlowRecorder:
    """Records the functions that are entered between the first ``BEGIN`` and the next ``END``."""

    def __init__(self) -> None:
        self.entered: dict[CodeType, int] = {}
        """Each function, in the order of the first calls, with the number of its callers."""
        self.going, self.over = False, False

    def note(self, frame: FrameType, event: str, _arg: object) -> None:
        code = frame.f_code
        if event != "call" or self.over or not code.co_filename.startswith(_OURS):
            return
        if not code.co_flags & CO_OPTIMIZED or code.co_name.startswith("<"):
            return  # a module, a class or an expression
        place = str(Path(code.co_filename).relative_to(ROOT)), code.co_name
        self.going = self.going or place == BEGIN
        if self.going and code not in self.entered and not _is_beside(frame):
            self.entered[code] = sum(
                one.f_code.co_filename.startswith(_OURS) for one in _stack(frame)
            )
        if self.going:
            self.over = place == END

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> object:
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    """Yields a frame and those that called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_beside(frame: FrameType) -> bool:
    """True if one of the loops that run next to the flow called this frame."""
    codes = [one.f_code for one in _stack(frame)]
    return any(code.co_filename.endswith(BESIDE) or code.co_qualname in LOOPS for code in codes)


def main() -> int:
    recorder = FlowRecorder()
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", str(ROOT / SCENE)]
    failed = pytest.main(options, plugins=[recorder])
    functions = {(c.co_filename, c.co_firstlineno, c.co_qualname) for c in recorder.entered}
    files = {file for file, _, _ in functions}
    if "--list" in sys.argv[1:]:
        for file in sorted(files):
            entered = (name for where, _, name in sorted(functions) if where == file)
            print(f"{Path(file).relative_to(ROOT)}: {', '.join(entered)}")
    if "--tree" in sys.argv[1:]:
        for code, depth in recorder.entered.items():
            where = f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_firstlineno}"
            print(f"{'  ' * (depth - 1)}{code.co_qualname}  {where}")
    print(f"/debate to the first post: {len(functions)} functions in {len(files)} files")
    return int(failed) or int(not recorder.over)


if __name__ == "__main__":
    sys.exit(main())
