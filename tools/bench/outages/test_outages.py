"""The outages in short; ``python -m tools.bench.outages`` is the long form."""

from __future__ import annotations

import os
import subprocess

import pytest

from tools.bench.outages import clock, disk, failover, kills, partition

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]


def without_networks() -> str:
    """Returns the reason why this machine can't make a separate network, "" if there is none."""
    if os.geteuid():
        return "a network of its own needs root's rights"
    tried = subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "one", "type", "veth", "peer", "name", "two"],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    return tried.stderr.strip()


def test_kills_at_random_moments() -> None:
    assert kills.main(["--kills", "20"]) == 0


def test_the_clock_jumps() -> None:
    if clock.library() is None:
        pytest.skip("libfaketime is not here (Debian: apt-get install faketime)")
    assert clock.main([]) == 0


def test_the_database_fails_over_to_its_standby() -> None:
    assert failover.main([]) == 0


@pytest.mark.parametrize("name", ["survivor", "platform"])
def test_the_network_swallows_everything(name: str) -> None:
    if why := without_networks():
        pytest.skip(why)
    assert partition.main([name]) == 0


@pytest.mark.parametrize("name", ["full", "immutable", "broken"])
def test_the_disk_takes_nothing(name: str) -> None:
    if why := disk.missing():
        pytest.skip(why)
    assert disk.main([name]) == 0
