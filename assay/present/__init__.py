"""Figures, tables and words for the notebooks and the front page."""
