"""From events to posts, from posts to chats."""
