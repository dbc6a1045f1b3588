"""Reading what is to be debated."""
