"""Titles and sentences of pages, reports, reviews and lists."""
