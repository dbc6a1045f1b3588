"""What is kept of forges: followed changes, installations of the App."""
