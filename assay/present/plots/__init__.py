"""Figures: raw points under the summary, intervals, units, n, and the A/A band under ratios."""

from assay.present.plots.canvas import NoData, Plate, inline_svg, save
from assay.present.plots.marks import Estimate, Series

__all__ = ["Estimate", "NoData", "Plate", "Series", "inline_svg", "save"]
