"""What people ask, from any surface."""
