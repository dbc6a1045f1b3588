"""How the bot gets at forges: its GitHub Apps, how one is made, the credential of a connection."""
