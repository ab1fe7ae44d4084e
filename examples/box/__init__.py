"""Sites in a box: three sites with planted faults, as data, and a server for them on loopback."""
