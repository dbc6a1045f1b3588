"""Cases drawn by number, and a digest of everything that is made of each: what changes is noticed.

``python -m tests.corpora`` records the digests anew, after a change that is wanted;
``python -m tests.corpora FOLDER`` writes the texts themselves: do it before and after, and read the
difference.
"""
