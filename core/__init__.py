"""The debate itself: pure rules, typed contracts and the one loop.

Knows no platform, database or model vendor.
"""
