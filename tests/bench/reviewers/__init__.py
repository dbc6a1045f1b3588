"""Stored public reviews of real tools as facts: which tool raised which known defect of a change,
how severe that is, and which of the other comments of two tools mean one thing.

The facts are derived from withmartian/code-review-benchmark (MIT): fifty pull requests, twelve
tools, three judges. No sentence and no code of it is kept (``tests.bench.reviewers.derive``).
"""
