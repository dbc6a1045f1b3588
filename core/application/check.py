"""Results of checks: of a platform's set-up, and of every part in the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DoctorState(StrEnum):
    OK = "ok"
    OFF = "off"  # not configured, and nothing is wrong with that
    CARE = "care"  # works, but look at it
    BROKEN = "broken"  # something that was configured cannot work


@dataclass(frozen=True, slots=True)
class PartCheck:
    """The state of one part of the installation, and the ``next`` step; empty if nothing needs
    doing.
    """

    part: str
    state: DoctorState
    what: str
    next: str = ""


def ok(part: str, what: str, next: str = "") -> PartCheck:
    return PartCheck(part, DoctorState.OK, what, next)


def off(part: str, what: str, next: str) -> PartCheck:
    return PartCheck(part, DoctorState.OFF, what, next)


def care(part: str, what: str, next: str) -> PartCheck:
    return PartCheck(part, DoctorState.CARE, what, next)


def broken(part: str, what: str, next: str) -> PartCheck:
    return PartCheck(part, DoctorState.BROKEN, what, next)
