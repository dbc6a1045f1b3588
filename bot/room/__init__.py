"""What the browser room reads of the store, for one person at a time."""
