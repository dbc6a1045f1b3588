"""What people read of debates and templates, from any surface."""
