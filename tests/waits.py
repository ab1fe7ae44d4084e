"""How long tests wait for what happens at once, whatever else the machine does."""

SOON_S = 8.0
"""Bound of what takes a second at most on an idle machine.

It is less than what ends the alternative: the ten seconds of an endless body of the site in a box,
and the timeouts of the HTTP client, of which the shortest is 30 s.
"""
