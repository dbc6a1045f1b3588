"""Posts made into Discord messages."""
