"""Engines from sources to binaries that are known to be right, kept by content."""
