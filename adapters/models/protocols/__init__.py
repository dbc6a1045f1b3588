"""The protocols by which models are asked and their answers read, a module for each."""
