"""From events to posts, and from posts to chats."""
