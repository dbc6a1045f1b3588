"""Puts a debate into words, once: every sentence that people read about a verdict is made here, and
posts, pages, terminals, reports and reviews only lay it out.

Each module is one view: a typed part of a debate with its words and values. All of it is pure: the
same events give the same words.
"""
