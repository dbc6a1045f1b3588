"""The protocols of models, a module for each."""
