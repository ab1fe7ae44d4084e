"""Run the command ``urlset`` as ``python -P -m urlset``."""

from __future__ import annotations

import sys

from urlset.cli import main

if __name__ == "__main__":
    sys.exit(main())
