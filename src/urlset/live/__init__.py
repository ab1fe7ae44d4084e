"""Verbs that visit sites and follow them over time: crawl, audit, diff, watch, submit and sync."""
