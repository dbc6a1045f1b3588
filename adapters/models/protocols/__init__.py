"""How models are asked and their answers read: a module for each protocol."""
