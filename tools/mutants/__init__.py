"""Small faults put into the rules, one at a time: each must make a test fail."""
