"""The bot's access to forges: its GitHub Apps, how one is made, and the credential of a
connection.
"""
