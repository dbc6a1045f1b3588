"""Thin translations between the core and the outside: chats, forges, models, terminals."""
