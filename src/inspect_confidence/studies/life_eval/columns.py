"""Columns of the judgments of life_eval and question_sets."""

from inspect_confidence.studies.columns import (
    CHOICES,
    CORRECT,
    NOT_NEGATIVE,
    SHARES,
    TARGET,
    JudgmentColumn,
    share_column,
)

LIFE, SETS = "life_eval", "question_sets"
"""The tasks."""

STATED, TOKEN = "stated", "token"
"""Sources of a confidence: the reply's statement, or the answer's token."""

_SOURCE = JudgmentColumn(
    "source", "text", f"where the confidence comes from: `{STATED}` or `{TOKEN}`", default=STATED
)

_SCORING = "life table and window by which the answer was scored; `dataset` is the table, too"


LIFE_COLUMNS = (
    JudgmentColumn("sex", "text", "sex of the person in the question"),
    JudgmentColumn("age", "number", "age of the person in the question", "years", NOT_NEGATIVE),
    JudgmentColumn("radius", "number", "half-width of the window", "years", NOT_NEGATIVE),
    _SOURCE,
    JudgmentColumn(
        "answer", "number", "the age at death; empty if none was read", "years", NOT_NEGATIVE
    ),
    share_column("confidence", "the stated confidence"),
    share_column("score", "the true probability of dying within the window around the answer"),
    share_column("mas", "the maximum achievable score: the greatest of any whole answer"),
    JudgmentColumn(
        "best_answer", "number", "the lowest answer with the score `mas`", "years", NOT_NEGATIVE
    ),
    share_column("unseen_mass", "for `token`: the probability on no listed whole age"),
    JudgmentColumn("table", "text", _SCORING),
    JudgmentColumn("window", "text", _SCORING),
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
        "letter, or True or False; `target` says whether a prepared answer is right",
    ),
    JudgmentColumn(
        "probabilities",
        "text",
        "JSON list of each option's probability, divided by their sum",
        limit=SHARES,
    ),
    JudgmentColumn(
        "raw_sum",
        "number",
        "sum of the probabilities as reported; 1 is 100%",
        "share",
        NOT_NEGATIVE,
    ),
    share_column("unseen_mass", "for `token`: the probability on no option"),
    share_column("confidence", "the answer's probability"),
    CORRECT,
)
