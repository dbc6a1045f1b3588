"""Discord: the same debate in a channel's message and its thread, with real command options,
buttons, forms, reactions and polls.

Everything lives in messages that the bot writes through its own permissions; nothing depends on an
interaction's token once a command has been answered, so a debate may take as long as it takes.
Buttons and forms carry their meaning in their ids, so they outlive a restart.
"""
