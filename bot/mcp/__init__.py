"""Implements ``adapters.mcp.port.Debates`` for the person at this shell, and for the holder of a
token.
"""
