"""Adapters for frameworks and generators; each imports its host only in its own module."""
