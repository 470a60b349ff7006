"""Columns of the judgments of life_eval and question_sets."""

from inspect_confidence.studies.columns import (
    CHOICES,
    CORRECT,
    NOT_NEGATIVE,
    SHARE,
    SHARES,
    TARGET,
    JudgmentColumn,
)

STATED, TOKEN = "stated", "token"
"""Sources of a confidence: the reply's statement, or the answer's token."""

_SOURCE = JudgmentColumn(
    "source", "text", f"where the confidence comes from: `{STATED}` or `{TOKEN}`", default=STATED
)
_CONFIDENCE = JudgmentColumn("confidence", "number", "the stated confidence", "share", SHARE)

LIFE_COLUMNS = (
    JudgmentColumn("sex", "text", "sex of the person in the question"),
    JudgmentColumn("age", "number", "age of the person in the question", "years", NOT_NEGATIVE),
    JudgmentColumn("radius", "number", "half-width of the window", "years", NOT_NEGATIVE),
    _SOURCE,
    JudgmentColumn(
        "answer", "number", "the age at death; empty if none was read", "years", NOT_NEGATIVE
    ),
    _CONFIDENCE,
    JudgmentColumn(
        "score",
        "number",
        "the true probability of dying within the window around the answer",
        "share",
        SHARE,
    ),
    JudgmentColumn(
        "mas",
        "number",
        "the maximum achievable score: the greatest that any whole answer has",
        "share",
        SHARE,
    ),
    JudgmentColumn(
        "best_answer", "number", "the lowest answer with the score `mas`", "years", NOT_NEGATIVE
    ),
    JudgmentColumn(
        "unseen_mass",
        "number",
        "for `token`: the probability that is on no listed whole age",
        "share",
        SHARE,
    ),
    JudgmentColumn(
        "table", "text", "the life table by which the answer was scored; `dataset` is the table too"
    ),
    JudgmentColumn("window", "text", "the window by which the answer was scored"),
)

OPTIONS_COLUMNS = (
    JudgmentColumn("kind", "text", "`options`, `true_false` or `given`"),
    JudgmentColumn(
        "given",
        "text",
        "which of a question's prepared answers is judged (HaluEval: `r` right, `h` hallucinated)",
    ),
    _SOURCE,
    CHOICES,
    TARGET,
    JudgmentColumn(
        "answer",
        "text",
        "letter, or True and False; for a prepared answer `target` says whether it is right",
    ),
    JudgmentColumn(
        "probabilities",
        "text",
        "probability of each option, divided by their sum, as a JSON list",
        limit=SHARES,
    ),
    JudgmentColumn(
        "raw_sum",
        "number",
        "sum of the probabilities as reported; 1 is 100%",
        "share",
        NOT_NEGATIVE,
    ),
    JudgmentColumn(
        "unseen_mass", "number", "for `token`: the probability that is on no option", "share", SHARE
    ),
    JudgmentColumn("confidence", "number", "the answer's probability", "share", SHARE),
    CORRECT,
)
