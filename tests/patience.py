"""The time for which a test waits for an expected event.

A test that waits ends as soon as the thing happens, so patience costs nothing on a quiet machine,
and on a busy one it keeps a right program from being called wrong. Whoever tests that something is
quick measures it and says so.
"""

PATIENCE = 100.0
"""Seconds."""

LONG = int(1000 * PATIENCE)
"""The same in milliseconds, for the locks of a database."""
