"""What chats and desks look like to the rest of the program."""
