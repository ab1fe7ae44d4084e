"""Detect the kind of files, decompress and decode them before they are parsed."""
