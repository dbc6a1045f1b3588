"""Outages as figures: real processes, real sockets, real disks."""
