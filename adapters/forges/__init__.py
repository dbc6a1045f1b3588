"""Code hosts: links, reading, refusals."""
