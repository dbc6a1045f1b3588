"""The steps before the bot works in Slack: manifest, installing, diagnosis, trial."""
