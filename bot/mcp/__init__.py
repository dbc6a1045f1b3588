"""Implements ``adapters.mcp.port.Debates``: for the person at this shell, and for whoever has a
token.
"""
