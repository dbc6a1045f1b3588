"""The debate itself: pure rules, typed contracts and the one loop. It knows no platform, database
or model vendor.
"""
