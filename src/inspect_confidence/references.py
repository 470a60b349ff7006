"""BibTeX entries of the package, the studies and the data sets, from `references.bib`."""

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
"""BibTeX keys by data set; a collection has the keys of its parts too."""

OWN = frozenset(
    (
        *("bundled", "knowledge", "misconceptions", "word_problems", "statements"),
        *("facts", "science", "commonsense", "design", "judge_check"),
    )
)
"""Data sets written for this project, which need no reference of their own."""

SURVEY = "fagenulmschneider_probability"
"""BibTeX key of the survey of people's word meanings, with which models are compared."""

TASKS: Mapping[str, tuple[str, ...]] = {
    "wep_elicitation": (SURVEY,),
    "simple_qa": ("wei2024simpleqa",),
    "commitment": ("cacioli2026battery",),
}
"""BibTeX keys by task, beside that of its study."""

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def bibtex(key: str, *, version: str = "") -> str:
    """Return the entry of a key, with the version if it is known and the entry has a field for it.

    Raises:
        KeyError: There is no entry of that key.
    """
    field = f"  version = {{{escaped(version)}}},\n" if version else ""
    return entries()[key].replace("  version = {},\n", field)


@functools.cache
def entries() -> Mapping[str, str]:
    """Return all BibTeX entries of `references.bib` by key, in the order of the file."""
    text = (resources.files("inspect_confidence") / "references.bib").read_text(encoding="utf-8")
    # An entry begins with its key, as in "@article{key,"; a blank line ends it.
    blocks = text.removesuffix("\n").split("\n\n")
    return {block[block.index("{") + 1 : block.index(",")]: block for block in blocks}


def escaped(text: str) -> str:
    r"""Escape the special characters of LaTeX.

    Example:
        >>> print(escaped("inspect_confidence: 100% {sure}"))
        inspect\_confidence: 100\% \{sure\}
    """
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _ESCAPED[mark[0]], text)
