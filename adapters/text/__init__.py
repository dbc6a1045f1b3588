"""Text for every surface: Markdown, splitting, suggestions."""
