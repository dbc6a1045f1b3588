"""Where events, calls, posts, commands and schedules are kept."""
