"""bot.runtime."""
