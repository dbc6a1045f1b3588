"""The steps before the bot works in Discord: manifest, diagnosis, trial."""
