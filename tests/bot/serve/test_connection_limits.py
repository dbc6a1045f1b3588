"""A process keeps no more connections than it may open files."""

from __future__ import annotations

import resource

import pytest

from bot.serve.connections import ConnectionLimits, fitting

NEVER = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [
        (1_024, 4_096, 4_096, 3_840),  # as far as this process may
        (1_024, NEVER, 8_192, 4_000),
        (1_024, 100_000, 8_192, 4_000),
        (8_192, 8_192, None, 4_000),  # that is enough
        (4_096, 4_096, None, 3_840),
        (NEVER, NEVER, None, 4_000),
        (256, 256, None, 16),  # a few at least
        (273, 273, None, 17),
        (271, 271, None, 16),
    ],
)
def test_a_limit_fits_the_files_of_the_process(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, raised: int | None, most: int
) -> None:
    changes: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: changes.append(limits))
    limits = fitting(ConnectionLimits())
    assert changes == ([] if raised is None else [(raised, hard)])
    assert (limits.most, limits.each) == (most, min(1_000, most))
    assert (limits.head, limits.idle, limits.taking) == (10.0, 150.0, 60.0)


def test_smaller_limits_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (8_192, 8_192))
    assert fitting(ConnectionLimits(most=9, each=20)) == ConnectionLimits(most=9, each=9)
