"""Reference engine in readable Python: :mod:`urlset.engine.reference.engine` is its contract."""
