"""A Django project for tests: settings, an app with models, URLs."""
