"""Package of the command ``manage.py urlset``, where Django looks for it."""
