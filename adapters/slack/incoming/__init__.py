"""What Slack sends, made into requests."""
