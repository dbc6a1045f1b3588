"""The tests of what reviews by attack found, with at least one test through the surface on which
each fault was found.
"""
