"""The desk's parts by which people take part in a debate: challenges, votes, reactions, the hot
seat, pause and stop.
"""
