"""The application: reads the configuration, wires the parts, runs debates."""
