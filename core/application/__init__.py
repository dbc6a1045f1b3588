"""What people and programs can ask of the bot, from any surface, and who may."""
