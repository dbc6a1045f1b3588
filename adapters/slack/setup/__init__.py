"""What Slack must be told and asked before it works."""
