"""Rules about the pages of a site, which an audit evaluates, with a module for each subject."""

from __future__ import annotations

import urlset.checker.rules  # noqa: F401  (its catalogue imports the modules of this package)
