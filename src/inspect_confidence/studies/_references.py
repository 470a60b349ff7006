"""The studies, as BibTeX."""

FERMI_EVAL = ""

SCALE_VARIANTS = ""

WEP_PROBES = ""

LIFE_EVAL = ""

HEDGE_MARKERS = ""
