"""Slack: debates in its threads, with slash commands, forms, buttons and reactions."""
