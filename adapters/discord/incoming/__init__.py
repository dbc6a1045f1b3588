"""What Discord sends, made into requests."""
