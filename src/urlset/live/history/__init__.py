"""History of a site: snapshots of its sitemaps, which ``watch`` and ``sync`` write."""
