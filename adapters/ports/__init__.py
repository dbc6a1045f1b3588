"""The ports through which chats, forges and desks meet the rest of the program."""
