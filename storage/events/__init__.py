"""The log of events, and what a release must know to read a debate."""
