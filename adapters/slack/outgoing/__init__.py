"""Posts made into Slack messages."""
