"""Implements ``adapters.mcp.port.VisibleDebates`` for the person at this shell, and for the holder
of a token.
"""
