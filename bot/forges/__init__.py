"""Pull requests that places follow: the events of forges, the runs that they lead to, and the texts
that are written back.
"""
