"""Detect, decompress and decode files, before they are parsed."""
