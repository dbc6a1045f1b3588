"""Code hosts: their links, readers, writers, events and refusals."""
