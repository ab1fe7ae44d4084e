"""The modules of the project are imported by Django, after it is configured."""

collect_ignore_glob = ["*.py"]
