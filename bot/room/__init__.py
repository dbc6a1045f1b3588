"""The browser room's reads of the store, for one person at a time."""
