"""A provider that answers, for commands that ask it before they show a price."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.end_to_end.shell import aside
from tests.standins.openai import OpenAI, openai


@pytest.fixture(scope="session")
def provider() -> Iterator[OpenAI]:
    with aside(openai()) as running:
        yield running


@pytest.fixture(autouse=True)
def openai_is_here(provider: OpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", provider.base)
