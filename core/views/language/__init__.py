"""How words are joined, and how people, seats, times and ids are named."""
