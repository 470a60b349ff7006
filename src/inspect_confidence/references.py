"""BibTeX of the package, the studies and the data."""

import re
from collections.abc import Mapping, Sequence

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
_VERBATIM = ("url", "doi", "eprint")
"""Fields that styles set as they stand."""


def reference(
    kind: str,
    key: str,
    *,
    authors: Sequence[str] = (),
    organization: str = "",
    **fields: object,
) -> str:
    r"""An entry; every field is escaped, and a title keeps its capitals.

    Args:
        kind: As `misc` or `inproceedings`.
        key: Of the entry.
        authors: People, first names first.
        organization: An author that is no person, and keeps its name as it is.
        **fields: In the order wanted; empty ones are left out. With `eprint` it is on arXiv.

    Example:
        >>> print(reference("misc", "a2026", organization="R&D", title="On AI", year=2026))
        @misc{a2026,
          author = {{R\&D}},
          title = {{On AI}},
          year = {2026},
        }
    """
    named = {"author": f"{{{escaped(organization)}}}" if organization else _people(authors)}
    if eprint := fields.get("eprint"):
        fields |= {"archiveprefix": "arXiv", "url": f"https://arxiv.org/abs/{eprint}"}
    for name, value in fields.items():
        text = str(value) if name in _VERBATIM else escaped(str(value))
        named[name] = f"{{{text}}}" if name == "title" and text else text
    lines = [f"  {name} = {{{text}}}," for name, text in named.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it.

    Example:
        >>> print(escaped("inspect_confidence: 100% {sure}"))
        inspect\_confidence: 100\% \{sure\}
    """
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _ESCAPED[mark[0]], text)


def _people(names: Sequence[str]) -> str:
    return " and ".join(map(escaped, names))


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


OWN = frozenset(
    (
        *("bundled", "knowledge", "misconceptions", "word_problems", "statements"),
        *("facts", "science", "commonsense", "design", "judge_check"),
    )
)
"""Written for this project, and cited with it."""

SURVEY = reference(
    "misc",
    "fagenulmschneider_probability",
    authors=("Wade Fagen-Ulmschneider",),
    title="Perception of Probability Words",
    note="123 responses to an internet survey",
    url="https://github.com/wadefagen/datasets/tree/master/Perception-of-Probability-Words",
)
"""What people say that words mean: what answers of models are compared with."""

_AGIEVAL = reference(
    "misc",
    "zhong2023agieval",
    authors=(
        *("Wanjun Zhong", "Ruixiang Cui", "Yiduo Guo", "Yaobo Liang", "Shuai Lu"),
        *("Yanlin Wang", "Amin Saied", "Weizhu Chen", "Nan Duan"),
    ),
    title="AGIEval: A Human-Centric Benchmark for Evaluating Foundation Models",
    year=2023,
    eprint="2304.06364",
)
_BOOLQ = reference(
    "inproceedings",
    "clark2019boolq",
    authors=(
        *("Christopher Clark", "Kenton Lee", "Ming-Wei Chang", "Tom Kwiatkowski"),
        *("Michael Collins", "Kristina Toutanova"),
    ),
    title="BoolQ: Exploring the Surprising Difficulty of Natural Yes/No Questions",
    booktitle="NAACL",
    year=2019,
    eprint="1905.10044",
)
_WINOGRAD = reference(
    "inproceedings",
    "levesque2012winograd",
    authors=("Hector Levesque", "Ernest Davis", "Leora Morgenstern"),
    title="The Winograd Schema Challenge",
    booktitle=(
        "Thirteenth International Conference on the Principles of Knowledge Representation and "
        "Reasoning"
    ),
    year=2012,
)
_SUPERGLUE = reference(
    "misc",
    "wang2019superglue",
    authors=(
        *("Alex Wang", "Yada Pruksachatkun", "Nikita Nangia", "Amanpreet Singh"),
        *("Julian Michael", "Felix Hill", "Omer Levy", "Samuel R. Bowman"),
    ),
    title="SuperGLUE: A Stickier Benchmark for General-Purpose Language Understanding Systems",
    year=2019,
    eprint="1905.00537",
)
_COPA = reference(
    "inproceedings",
    "roemmele2011choice",
    authors=("Melissa Roemmele", "Cosmin Adrian Bejan", "Andrew S. Gordon"),
    title="Choice of Plausible Alternatives: An Evaluation of Commonsense Causal Reasoning",
    booktitle="2011 AAAI Spring Symposium Series",
    year=2011,
)
_WIC = reference(
    "inproceedings",
    "pilehvar2019wic",
    authors=("Mohammad Taher Pilehvar", "Jose Camacho-Collados"),
    title=(
        "WiC: the Word-in-Context Dataset for Evaluating Context-Sensitive Meaning Representations"
    ),
    booktitle="Proceedings of NAACL-HLT",
    year=2019,
    pages="1267--1273",
    doi="10.18653/v1/N19-1128",
)

DATASETS: Mapping[str, tuple[str, ...]] = {
    "scioly": (
        reference(
            "misc",
            "openscioly_fermi",
            title="Fermi Questions Practice Website",
            note="Science Olympiad questions; repository landy8697/open-scioly-fermi",
            url="https://github.com/landy8697/open-scioly-fermi",
        ),
    ),
    "mmlu": (
        reference(
            "inproceedings",
            "hendrycks2021mmlu",
            authors=(
                *("Dan Hendrycks", "Collin Burns", "Steven Basart", "Andy Zou"),
                *("Mantas Mazeika", "Dawn Song", "Jacob Steinhardt"),
            ),
            title="Measuring Massive Multitask Language Understanding",
            booktitle="Proceedings of the International Conference on Learning Representations",
            year=2021,
            eprint="2009.03300",
        ),
    ),
    "gsm8k": (
        reference(
            "misc",
            "cobbe2021gsm8k",
            authors=(
                *("Karl Cobbe", "Vineet Kosaraju", "Mohammad Bavarian", "Mark Chen"),
                *("Heewoo Jun", "Lukasz Kaiser", "Matthias Plappert", "Jerry Tworek"),
                *("Jacob Hilton", "Reiichiro Nakano", "Christopher Hesse", "John Schulman"),
            ),
            title="Training Verifiers to Solve Math Word Problems",
            year=2021,
            eprint="2110.14168",
        ),
    ),
    "truthfulqa": (
        reference(
            "inproceedings",
            "lin2022truthfulqa",
            authors=("Stephanie Lin", "Jacob Hilton", "Owain Evans"),
            title="TruthfulQA: Measuring How Models Mimic Human Falsehoods",
            booktitle=(
                "Proceedings of the 60th Annual Meeting of the Association for Computational "
                "Linguistics (Volume 1: Long Papers)"
            ),
            year=2022,
            pages="3214--3252",
            doi="10.18653/v1/2022.acl-long.229",
            eprint="2109.07958",
        ),
    ),
    "sciq": (
        reference(
            "inproceedings",
            "welbl2017sciq",
            authors=("Johannes Welbl", "Nelson F. Liu", "Matt Gardner"),
            title="Crowdsourcing Multiple Choice Science Questions",
            booktitle="Proceedings of the 3rd Workshop on Noisy User-generated Text",
            year=2017,
            pages="94--106",
            eprint="1707.06209",
        ),
    ),
    "lsat_ar": (_AGIEVAL,),
    "sat_en": (_AGIEVAL,),
    "boolq": (_BOOLQ,),
    "halueval": (
        reference(
            "inproceedings",
            "li2023halueval",
            authors=(
                *("Junyi Li", "Xiaoxue Cheng", "Wayne Xin Zhao", "Jian-Yun Nie"),
                "Ji-Rong Wen",
            ),
            title=(
                "HaluEval: A Large-Scale Hallucination Evaluation Benchmark for Large Language "
                "Models"
            ),
            booktitle=(
                "Proceedings of the 2023 Conference on Empirical Methods in Natural Language "
                "Processing"
            ),
            year=2023,
            eprint="2305.11747",
        ),
    ),
    "popqa": (
        reference(
            "misc",
            "mallen2022popqa",
            authors=(
                *("Alex Mallen", "Akari Asai", "Victor Zhong", "Rajarshi Das"),
                *("Hannaneh Hajishirzi", "Daniel Khashabi"),
            ),
            title=(
                "When Not to Trust Language Models: Investigating Effectiveness and Limitations "
                "of Parametric and Non-Parametric Memories"
            ),
            year=2022,
            eprint="2212.10511",
        ),
    ),
    "selfaware": (
        reference(
            "inproceedings",
            "yin2023selfaware",
            authors=(
                *("Zhangyue Yin", "Qiushi Sun", "Qipeng Guo", "Jiawen Wu", "Xipeng Qiu"),
                "Xuanjing Huang",
            ),
            title="Do Large Language Models Know What They Don't Know?",
            booktitle="Findings of the Association for Computational Linguistics: ACL 2023",
            year=2023,
            pages="8653--8665",
            eprint="2305.18153",
        ),
    ),
    "simpleqa": (
        reference(
            "misc",
            "wei2024simpleqa",
            authors=(
                *("Jason Wei", "Nguyen Karina", "Hyung Won Chung", "Yunxin Joy Jiao"),
                *("Spencer Papay", "Amelia Glaese", "John Schulman", "William Fedus"),
            ),
            title="Measuring short-form factuality in large language models",
            year=2024,
            eprint="2411.04368",
        ),
    ),
    "ambignq": (
        reference(
            "inproceedings",
            "min2020ambigqa",
            authors=("Sewon Min", "Julian Michael", "Hannaneh Hajishirzi", "Luke Zettlemoyer"),
            title="AmbigQA: Answering Ambiguous Open-domain Questions",
            booktitle=(
                "Proceedings of the 2020 Conference on Empirical Methods in Natural Language "
                "Processing (EMNLP)"
            ),
            year=2020,
            pages="5783--5797",
            doi="10.18653/v1/2020.emnlp-main.466",
            eprint="2004.10645",
        ),
    ),
    "arc_challenge": (
        reference(
            "misc",
            "clark2018arc",
            authors=(
                *("Peter Clark", "Isaac Cowhey", "Oren Etzioni", "Tushar Khot"),
                *("Ashish Sabharwal", "Carissa Schoenick", "Oyvind Tafjord"),
            ),
            title=(
                "Think you have Solved Question Answering? Try ARC, the AI2 Reasoning Challenge"
            ),
            year=2018,
            eprint="1803.05457",
        ),
    ),
    "superglue": (_SUPERGLUE, _BOOLQ, _COPA, _WIC, _WINOGRAD),
    "wnli": (
        reference(
            "inproceedings",
            "wang2019glue",
            authors=(
                *("Alex Wang", "Amanpreet Singh", "Julian Michael", "Felix Hill"),
                *("Omer Levy", "Samuel R. Bowman"),
            ),
            title=(
                "GLUE: A Multi-Task Benchmark and Analysis Platform for Natural Language "
                "Understanding"
            ),
            booktitle="International Conference on Learning Representations (ICLR)",
            year=2019,
            eprint="1804.07461",
        ),
        _WINOGRAD,
    ),
    "ssa-2022": (
        reference(
            "misc",
            "ssa2022life",
            organization="U.S. Social Security Administration",
            title="Period Life Table, 2022",
            note="As used in the 2025 Trustees Report",
            url="https://www.ssa.gov/oact/STATS/table4c6.html",
        ),
    ),
}
"""By name; those with parts have the parts' references too."""
