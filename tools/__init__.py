"""Programs that measure, search for faults, check, build and release."""
