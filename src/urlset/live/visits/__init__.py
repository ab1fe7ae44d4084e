"""Visit pages politely: robots.txt, pauses, limits, second visits; records of pages."""
