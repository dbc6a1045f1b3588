"""Opens a debate for a request: its template and material, its seats, its size, its terms, and
whether someone must first agree to the price.
"""
