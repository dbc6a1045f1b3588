"""From a request to an opened debate.

Which template and material, who sits where, how large, on what terms, and whether somebody must
first agree to the price.
"""
