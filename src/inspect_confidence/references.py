"""BibTeX of the package, the studies and the data: the entries of `references.bib`."""

import functools
import re
from collections.abc import Mapping
from importlib import resources

DATASETS: Mapping[str, tuple[str, ...]] = {
    "scioly": ("openscioly_fermi",),
    "mmlu": ("hendrycks2021mmlu",),
    "gsm8k": ("cobbe2021gsm8k",),
    "truthfulqa": ("lin2022truthfulqa",),
    "sciq": ("welbl2017sciq",),
    "lsat_ar": ("zhong2023agieval",),
    "sat_en": ("zhong2023agieval",),
    "boolq": ("clark2019boolq",),
    "halueval": ("li2023halueval",),
    "popqa": ("mallen2022popqa",),
    "selfaware": ("yin2023selfaware",),
    "simpleqa": ("wei2024simpleqa",),
    "ambignq": ("min2020ambigqa",),
    "arc_challenge": ("clark2018arc",),
    "superglue": (
        *("wang2019superglue", "clark2019boolq", "roemmele2011choice"),
        *("pilehvar2019wic", "levesque2012winograd"),
    ),
    "wnli": ("wang2019glue", "levesque2012winograd"),
    "ssa-2022": ("ssa2022life",),
}
"""Keys by data set; those with parts have the parts' references too."""

OWN = frozenset(
    (
        *("bundled", "knowledge", "misconceptions", "word_problems", "statements"),
        *("facts", "science", "commonsense", "design", "judge_check"),
    )
)
"""Data sets written for this project, and cited with it."""

SURVEY = "fagenulmschneider_probability"
"""Key of what people say that words mean: what answers of models are compared with."""

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def bibtex(key: str, *, version: str = "") -> str:
    """The entry with a key, with a version where it has a field for it and one is known.

    Raises:
        KeyError: There is no such entry.
    """
    field = f"  version = {{{escaped(version)}}},\n" if version else ""
    return entries()[key].replace("  version = {},\n", field)


@functools.cache
def entries() -> Mapping[str, str]:
    """All entries by key, in the file's order."""
    text = (resources.files("inspect_confidence") / "references.bib").read_text(encoding="utf-8")
    found = text.removesuffix("\n").split("\n\n")
    return {one[one.index("{") + 1 : one.index(",")]: one for one in found}


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it.

    Example:
        >>> print(escaped("inspect_confidence: 100% {sure}"))
        inspect\_confidence: 100\% \{sure\}
    """
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _ESCAPED[mark[0]], text)
