"""Assay: a benchmark laboratory for storage and data engines."""
