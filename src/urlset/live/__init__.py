"""Verbs that visit sites and follow them over time.

They are crawl, audit, diff, watch, submit, sync and report.
"""
