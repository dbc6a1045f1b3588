"""From a request to an opened debate: its template and material, its seats, its size, its terms,
and whether somebody must first agree to the price.
"""
