"""The tests of a security review of the bot: one file for each fault that such a review found, with
at least one test through the surface on which it was found. SECURITY.md has the table of both.
"""
