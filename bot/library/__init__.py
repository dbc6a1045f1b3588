"""The interface for Python programs: a debate in ten lines. The public names are in ``debatebot``
itself; nothing here is imported before it is used.
"""
