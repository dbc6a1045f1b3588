"""Runs the tests that seats write: in a sandbox on this machine, or in the team's own pipeline."""
