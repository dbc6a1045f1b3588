"""Webhooks: what programs hear of debates goes into the commit of what happened (``announce``) and
leaves through the outbox (``send``).
"""
