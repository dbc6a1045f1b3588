"""Webhooks: messages to programs are stored in the commit of the events they are about
(``announce``) and leave through the outbox (``send``).
"""
