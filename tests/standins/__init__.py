"""Stand-ins for the services we talk to, over real sockets."""
