"""The studies, as BibTeX."""

from inspect_confidence._bibtex import reference

FERMI_EVAL = reference(
    "misc",
    "epstein2025fermieval",
    authors=("Elliot L. Epstein", "John Winnicki", "Thanawat Sornwanee", "Rajat Dwaraknath"),
    title=("LLMs are Overconfident: Evaluating Confidence Interval Calibration with FermiEval"),
    year=2025,
    eprint="2510.26995",
)

SCALE_VARIANTS = reference(
    "misc",
    "dai2026rescaling",
    authors=("Yuyang Dai",),
    title="Rescaling Confidence: What Scale Design Reveals About LLM Metacognition",
    year=2026,
    eprint="2603.09309",
)

WEP_PROBES = reference(
    "misc",
    "tang2024estimative",
    authors=("Zhisheng Tang", "Ke Shen", "Mayank Kejriwal"),
    title="An Evaluation of Estimative Uncertainty in Large Language Models",
    year=2024,
    eprint="2405.15185",
    note="Published version: doi 10.1038/s44260-026-00070-6",
)

LIFE_EVAL = reference(
    "misc",
    "michael2026confidence",
    authors=("Noam Michael", "Daniel BenShushan", "Jacob Bien", "Don A. Moore"),
    title="Confidence Calibration in Large Language Models",
    year=2026,
    eprint="2605.23909",
)

HEDGE_MARKERS = reference(
    "misc",
    "liu2026markers",
    authors=("Gabrielle Kaili-May Liu", "Arman Cohan"),
    title="Can LLMs Use Linguistic Uncertainty Markers to Reliably Reflect Intrinsic Confidence?",
    year=2026,
    eprint="2605.28778",
)
