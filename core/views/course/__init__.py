"""A debate on its way in words: what happens, how far it is, what it costs, what people may do."""
