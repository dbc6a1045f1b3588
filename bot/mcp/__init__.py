"""Implements ``adapters.mcp.port.Host`` for the person at this shell, and for the holder
of a token.
"""
