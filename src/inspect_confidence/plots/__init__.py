"""Figures: each function takes rows in the layout of results and gives a matplotlib Figure.

Rows come from `summarize` (estimates) and `detail` (bins, shares and curves, which only figures
draw); both may be given together: `pd.concat([summarize(logs), detail(logs)])`.
"""

from inspect_confidence.plots._coverage import coverage
from inspect_confidence.plots._style import style

__all__ = ["coverage", "style"]
