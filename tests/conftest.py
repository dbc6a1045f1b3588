"""The rules for every test: a clean environment, nothing outside this machine, the same hypothesis
settings.
"""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
from collections.abc import Iterator
from itertools import count
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from adapters.ports import asker
from tests import network_guard, statements
from tests.new_files import databases_are_copied
from tests.patience import PATIENCE

__all__ = ["databases_are_copied"]

for _name in ("LC_ALL", "LC_MESSAGES"):
    os.environ.pop(_name, None)
os.environ["LANG"] = "C.UTF-8"  # what a shell prints is in the language of the machine's locale
network_guard.install()
statements.share()
vars(asker)["PATIENCE"] = PATIENCE  # a busy machine names a person's language late
_NUMBERS = count()
gc.set_threshold(200_000, 20, 20)  # what is imported and collected stays; see the end of that

# Deadlines and the check for slow draws fail on a busy machine, not on wrong code; what hangs ends
# at pytest's time limit. The gate draws the same examples for the same code, so that it speaks of
# the change at hand; the search, with which `make test-faults` begins, draws many new ones.
_TIMELESS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", _TIMELESS, max_examples=40, derandomize=True)
settings.register_profile("search", _TIMELESS, max_examples=600, print_blob=True)
settings.load_profile("gate")

OURS = ("DEBATE_", "SLACK_", "DISCORD_", "GITHUB_", "GITLAB_")
PROVIDERS = (
    "ANTHROPIC_", "AWS_", "AZURE_", "CEREBRAS_", "CLAUDE_", "COHERE_", "CO_API_", "DATABRICKS_",
    "DEEPSEEK_", "FIREWORKS_",
    "GEMINI_", "GOOGLE_", "GROQ_", "HF_", "HUGGINGFACE_", "LITELLM_", "LM_STUDIO_", "MISTRAL_",
    "NVIDIA_NIM_", "OLLAMA_",
    "OPENAI_", "OPENROUTER_", "PERPLEXITYAI_", "REPLICATE_", "TOGETHERAI_", "TOGETHER_",
    "VERTEXAI_", "VERTEX_", "WATSONX_", "XAI_",
)  # fmt: skip
SUFFIXES = ("_API_KEY", "_API_BASE", "_API_URL", "_ACCESS_TOKEN", "_PROXY", "_proxy")


def is_setting(name: str) -> bool:
    """Says whether an environment variable configures this project, a platform, a model provider or
    a proxy.
    """
    return name.startswith(OURS + PROVIDERS) or name.endswith(SUFFIXES)


def pytest_sessionstart() -> None:
    """Ends the tests at an interrupt in a way of its own. Where Python's stands, every run of a
    loop asks for its handler twice and so writes all that the run returned, often a whole debate,
    into the words of an error that nobody sees: a twenty-fifth of the processor time.
    """
    signal.signal(signal.SIGINT, _interrupted)
    # The gate would draw constants of whatever modules are loaded: its examples would depend on the
    # tests that ran before.
    if settings.get_current_profile_name() == "gate":
        vars(providers)["_get_local_constants"] = Constants


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def pytest_collection_finish() -> None:
    """Takes the six thousand collected tests out of the garbage collector's sight, which would look
    at them again and again: a sixth of the processor time, measured over 862 of them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows a test only the settings that it makes itself, never a developer's keys."""
    for name in [name for name in os.environ if is_setting(name)]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def data_folder_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Gives a test a data folder, which is where a command keeps debates unless a database is
    named.
    """
    folder = tmp_path_factory.getbasetemp() / f"data-{next(_NUMBERS)}"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    yield
    if folder.exists():
        shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Resets logging after each test, because a command that a test runs in this process sets it up
    for a program of its own.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(autouse=True)
def only_this_machine() -> Iterator[list[str]]:
    """Fails a test that tried to reach another machine, even when the code under test swallowed the
    refusal.

    The value is the live list of attempts, for the guard's own test.
    """
    network_guard.GUARD.take()
    yield network_guard.GUARD.attempts
    attempts = network_guard.GUARD.take()
    if attempts:
        pytest.fail("reached outside this machine: " + ", ".join(attempts), pytrace=False)
