"""Counts the project's functions and files that run from ``/debate`` until the first post is sent:
``python -m tools.bench.flows``. A profiler records an end-to-end test of Slack.
"""

from __future__ import annotations

import sys
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import pytest

from tests.project import ROOT

SCENE = "tests/end_to_end/test_slack_thread.py::test_everything_works_over_signed_http_too"
BEGIN = ("adapters/slack/incoming/commands.py", "slash")
END = ("adapters/slack/outgoing/chat.py", "send")
_OURS = tuple(str(ROOT / name) + "/" for name in ("adapters", "bot", "core", "storage"))


class FlowRecorder:
    """Records the functions that are entered between the first ``BEGIN`` and the next ``END``."""

    def __init__(self) -> None:
        self.entered: set[CodeType] = set()
        self.going, self.over = False, False

    def note(self, frame: FrameType, event: str, _arg: object) -> None:
        code = frame.f_code
        if event != "call" or self.over or not code.co_filename.startswith(_OURS):
            return
        if not code.co_flags & CO_OPTIMIZED or code.co_name.startswith("<"):
            return  # a module, a class or an expression
        place = str(Path(code.co_filename).relative_to(ROOT)), code.co_name
        self.going = self.going or place == BEGIN
        if self.going:
            self.entered.add(code)
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


def main() -> int:
    recorder = FlowRecorder()
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", str(ROOT / SCENE)]
    failed = pytest.main(options, plugins=[recorder])
    functions = {(code.co_filename, code.co_firstlineno) for code in recorder.entered}
    files = {file for file, _ in functions}
    print(f"/debate to the first post: {len(functions)} functions in {len(files)} files")
    return int(failed) or int(not recorder.over)


if __name__ == "__main__":
    sys.exit(main())
