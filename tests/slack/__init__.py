"""Slack: whole payloads against a stand-in over real HTTP and a real web socket."""
