"""Implements ``adapters.mcp.session.Host`` for the person at this shell, and for the holder
of a token.
"""
