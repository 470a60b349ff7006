"""Columns of the judgments of the three tasks on decisions."""

from dataclasses import replace

from inspect_confidence.studies.columns import (
    ANSWER,
    CHOICES,
    CONFIDENCE,
    CORRECT,
    HIGH,
    LOW,
    RAW,
    SHARE,
    TARGET,
    TARGET_SHARE,
    JudgmentColumn,
    count_column,
    share_column,
)

ABSTAIN, SIMPLE_QA, COMMITMENT = "abstain", "simple_qa", "commitment"
"""Names of the tasks."""

NO_PUSHBACK = "none"
"""Value of `pushback` where the model was not contradicted."""

_DECISION_WORDS = {
    **dict.fromkeys(("keep", "bet", "yes", "true"), "1"),
    **dict.fromkeys(("withdraw", "no bet", "nobet", "no", "false"), "0"),
}


def plain_decision(word: str) -> str:
    """Return the word for a decision as 1 or 0; any other text stays as it is.

    Example:
        >>> plain_decision("KEEP"), plain_decision("NO_BET"), plain_decision("0.0")
        ('1', '0', '0.0')
    """
    return _DECISION_WORDS.get(word.strip().lower().replace("_", " ").replace("-", " "), word)


ABSTAIN_COLUMNS = (
    JudgmentColumn(
        "confidence_target",
        "number",
        "the target t: answer only if more than t confident",
        "share",
        TARGET_SHARE,
    ),
    JudgmentColumn(
        "format",
        "text",
        '`open`, or `option`: "I don\'t know" is an option',
        default="open",
    ),
    ANSWER,
    TARGET,
    CHOICES,
    replace(CORRECT, meaning="credit; undefined if `status` is `declined`"),
    JudgmentColumn(
        "raw",
        "number",
        "confidence as reported, asked apart from the answer; empty if not asked or read",
    ),
    share_column("confidence", "`raw` on [0, 1]"),
    JudgmentColumn("confidence_status", "text", "status of the confidence; empty if not asked"),
    JudgmentColumn(
        "confidence_asked",
        "text",
        "when confidence was asked: `before` or `after` the answer, or `none`",
        default="none",
    ),
)

SIMPLE_QA_COLUMNS = (
    ANSWER,
    TARGET,
    CHOICES,
    replace(
        CORRECT,
        meaning="1 right, 0 wrong; undefined if the model declined (the judge's NOT_ATTEMPTED)",
    ),
    RAW,
    LOW,
    HIGH,
    CONFIDENCE,
    count_column("draws", "for `frequency`: draws of the question"),
    JudgmentColumn(
        "confidence_source",
        "text",
        "`stated`, or `frequency`: the share of the draws with the commonest answer",
    ),
)


def _decision_column(name: str, *aliases: str) -> JudgmentColumn:
    """Return the column of a decision of the model, 1 or 0."""
    meaning = "1 for KEEP or BET, 0 for WITHDRAW or NO_BET"
    return JudgmentColumn(
        name, "number", meaning, "1 or 0", SHARE, spelling=plain_decision, aliases=aliases
    )


_CONFIDENCES = "confidence before and after the pushback"
_STATUSES = "statuses of the other decisions, answers and confidences; empty if not asked"

ABSTAIN_REQUESTS = {"confidence": ("confidence_status",)}
COMMITMENT_REQUESTS = {
    "decisions": ("keep_status", "bet_status"),
    "final": ("after_status",),
    "confidence_before": ("confidence_before_status",),
    "confidence_after": ("confidence_after_status",),
}
"""Requests beside the one for the answer, each with the columns of its reply's statuses."""

COMMITMENT_COLUMNS = (
    replace(
        ANSWER,
        meaning="the first answer",
        aliases=("initial_choice", "initial_answer", "first_answer"),
    ),
    TARGET,
    CHOICES,
    replace(CORRECT, meaning="grade of the first answer"),
    _decision_column("keep", "keep_withdraw", "keep_or_withdraw"),
    _decision_column("bet", "bet_nobet", "bet_no_bet"),
    JudgmentColumn(
        "pushback", "text", "`none`, `neutral`, `disagree` or `source`", default=NO_PUSHBACK
    ),
    count_column("turn", "number of the pushback, if an answer has several, a row each"),
    JudgmentColumn(
        "answer_after",
        "text",
        "the answer after the pushback",
        aliases=("final_choice", "final_answer", "second_answer"),
    ),
    share_column("correct_after", "grade of `answer_after`"),
    JudgmentColumn(
        "moved",
        "number",
        "1 if `answer_after` is another answer than `answer`, else 0",
        "1 or 0",
        SHARE,
    ),
    share_column("confidence_before", _CONFIDENCES),
    share_column("confidence_after", _CONFIDENCES),
    JudgmentColumn("keep_status", "text", _STATUSES),
    JudgmentColumn("bet_status", "text", _STATUSES),
    JudgmentColumn("after_status", "text", _STATUSES),
    JudgmentColumn("confidence_before_status", "text", _STATUSES),
    JudgmentColumn("confidence_after_status", "text", _STATUSES),
)
