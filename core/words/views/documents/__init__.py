"""Words the titles and sentences of pages, reports, reviews and lists."""
