"""A costly property is asked about fewer cases in the gate; the search draws more in proportion."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL = 40
"""How many cases the gate draws of any other property."""


def drawn(cases: int, *ignored: HealthCheck) -> settings:
    profile = settings.get_profile(settings.get_current_profile_name())
    return settings(
        max_examples=max(1, profile.max_examples * cases // USUAL),
        suppress_health_check=[*profile.suppress_health_check, *ignored],
    )
