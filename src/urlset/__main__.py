"""Run the command ``urlset`` as ``python -P -m urlset``."""

from __future__ import annotations

from _urlset_command import command

if __name__ == "__main__":
    command()
