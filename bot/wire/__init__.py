"""Puts the parts together, the only place that does.

Nothing is read from the environment here and nothing happens at import. ``parts.open_parts`` is for
one command in a shell, ``bot.open_bot`` for the bot as it runs for weeks. Each part gets its
dependencies when it is made, and nothing is changed in it afterwards; only the top (the shell's
commands, and tests) sees all of them.
"""
