"""What Discord must be told and asked before it works."""
