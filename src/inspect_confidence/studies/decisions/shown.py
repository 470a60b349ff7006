"""Tables, figures, headlines and sentences of the study of decisions."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan

import pandas as pd

from inspect_confidence.results import Result, ResultRow, ResultTable
from inspect_confidence.studies import display
from inspect_confidence.studies.decisions.columns import ABSTAIN, COMMITMENT, SIMPLE_QA
from inspect_confidence.studies.notes import has_partial_grades
from inspect_confidence.studies.stated import complete_judgments, confidence_detail
from inspect_confidence.studies.study import (
    Clause,
    FigureSpec,
    Headline,
    NumberInText,
    Resampling,
    View,
    describe_auroc,
)
from inspect_confidence.studies.tables import (
    Column,
    TableSpec,
    columns_with_numbers,
    line_labels,
    views_with_lines,
)

_LINE_KEYS = ("model", "variant", "dataset")
_HEADINGS = {
    "dataset": "data set",
    "confidence_target": "target",
}
_TARGET_COLUMNS = (
    Column("payoff", "payoff (game points)"),
    *display.ATTEMPT_COLUMNS[:2],
    Column("target_gap", "less the target"),
    *display.ATTEMPT_COLUMNS[2:],
    Column("regret", "regret (game points)"),
    Column("contradictions_declined", "declined above t"),
    Column("contradictions_answered", "answered below t"),
    display.FORMAT_FAILURES,
)
_CONFIDENCE_COLUMNS = (
    *display.CALIBRATION_COLUMNS[1:],  # without accuracy, which the table of attempts has
    Column("aurc", "AURC", 3),
    display.FORMAT_FAILURES,
)
_COMMITMENT_COLUMNS = (
    Column("accuracy", "accuracy"),
    Column("keep_rate_right", "right kept"),
    Column("keep_rate_wrong", "wrong kept"),
    Column("withdraw_delta", "withdraw delta (percentage points)", 1),
    Column("bet_rate_right", "bet on right"),
    Column("bet_rate_wrong", "bet on wrong"),
    Column("bet_delta", "bet delta (percentage points)", 1),
    Column("contradictions", "withdrawn and bet", 3),
    display.FORMAT_FAILURES,
)
_PUSHBACK_COLUMNS = (
    Column("capitulation", "moved"),
    Column("right_to_wrong", "right to wrong"),
    Column("wrong_to_right", "wrong to right"),
    Column("confidence_change", "confidence, after less before"),
    Column("confident_moves", "moved though confident"),
)


def decision_tables(results: pd.DataFrame) -> list[View]:
    """Return the tables of targets, of attempted questions, of commitments and of pushback.

    Each line is a model, variant and data set (`_LINE_KEYS`) with the parts of the condition that
    the table names. Tables without lines are left out.
    """
    rows = ResultTable.from_frame(results)
    targets, attempts = rows.matching(task=ABSTAIN), rows.matching(task=SIMPLE_QA)
    commitments = rows.matching(task=COMMITMENT)
    # How `abstain` asks: the format of its prompt, and when it asks for confidence.
    request_keys = (*_LINE_KEYS, "format", "confidence_asked")
    specs = [
        _table_spec(
            "Answering only above a target",
            targets,
            (*request_keys, "confidence_target"),
            _TARGET_COLUMNS,
            _target_caption,
        ),
        _table_spec(
            "From one target to the next",
            targets,
            request_keys,
            [Column("monotony_violations", "declined, then answered at the higher target", 3)],
            "Share of pairs of neighbouring targets, by item. A model that follows the target "
            "has none.",
        ),
        _table_spec(
            "Attempted questions",
            attempts,
            (*_LINE_KEYS, "confidence_source"),
            display.ATTEMPT_COLUMNS,
            display.ATTEMPTS_CAPTION,
        ),
        _table_spec(
            "Confidence in attempted answers",
            attempts,
            (*_LINE_KEYS, "confidence_source"),
            _CONFIDENCE_COLUMNS,
            "Of answers that were not declined. ECE has 10 bins of equal width.",
        ),
        _table_spec(
            "Kept, withdrawn, bet on",
            commitments,
            (*_LINE_KEYS, "pushback"),
            _COMMITMENT_COLUMNS,
            "Withdraw delta is the share of right answers that are kept less that of wrong ones, "
            "in percentage points, as the model decides before it is contradicted; bet delta "
            "likewise of bets.",
        ),
        _table_spec(
            "Under pushback",
            commitments,
            (*_LINE_KEYS, "pushback"),
            _PUSHBACK_COLUMNS,
            "Moved is the mean over items of the share of draws in which the answer after the "
            "pushback is another one; confident answers have a confidence of at least .9.",
        ),
    ]
    return views_with_lines(specs)


def _target_caption(rows: Sequence[ResultRow]) -> str:
    """Return the definitions of the table of targets; that of regret only if rows have it."""
    caption = (
        "A right answer is worth 1 point, a wrong one -t/(1 - t), a declined one 0. Accuracy given "
        "attempted is at least the target t if the model answers only where its chance of being "
        "right exceeds t."
    )
    if all(row["metric"] != "regret" or isnan(row.value) for row in rows):
        return caption
    return (
        f"{caption} Regret is the payoff of the best threshold on the confidence asked apart, "
        "minus the payoff."
    )


_table_spec = partial(
    TableSpec,
    interval_caption="95% intervals over items.",
    label=partial(line_labels, _HEADINGS),
    layout=columns_with_numbers,
)


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return bins of confidence, isotonic (CORP) curves and type-2 rates of attempted answers."""
    if SIMPLE_QA not in frames:
        return []
    rows = complete_judgments(frames[SIMPLE_QA])
    reported = rows[rows["raw"].notna()]
    return confidence_detail(rows, reported, ["confidence_source"], resampling)


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="decisions_by_target",
        title="Answering only above a target",
        reads="Each line is a model. Left: its payoff; on the dashed line the payoff is that of "
        "never answering. Right: accuracy of its attempted answers; below the dashed line the "
        "accuracy is lower than the target.",
        intervals=("payoff", "accuracy_given_attempted"),
        task=ABSTAIN,
        metrics=("payoff", "accuracy_given_attempted"),
        by=(),
        needs=2,
        leads=True,
    ),
    display.reliability_figure(
        partial(FigureSpec, task=SIMPLE_QA, by=("dataset", "variant")),
        "Accuracy of attempted answers against confidence",
        "Each point stands for the judgments in a tenth of the range: their mean confidence and "
        "their accuracy. On the dashed diagonal accuracy equals confidence; below the diagonal the "
        "model is overconfident.",
    ),
)

_TARGET = ("confidence_target", "format")
_TARGET_ASKED = (*_TARGET, "confidence_asked")
_TARGET_LABEL = (
    "{} at target {{confidence_target}}, {{format}} format, confidence asked {{confidence_asked}}"
)
_HIGHEST_TARGET = 0.9
_HIGHEST_TARGET_PARTS = {"confidence_target": f"{_HIGHEST_TARGET:g}", "format": "open"}
_AT_HIGHEST_TARGET = [
    ("attempted_share", _HIGHEST_TARGET_PARTS),
    ("accuracy_given_attempted", _HIGHEST_TARGET_PARTS),
]
_STATED = {"confidence_source": "stated"}

HEADLINES: Sequence[Headline] = (
    Headline(
        ABSTAIN,
        "payoff",
        "Payoff at target {confidence_target}, {format} format (game points)",
        short="payoff at target {confidence_target}, {format} format",
        each=_TARGET,
    ),
    Headline(
        ABSTAIN,
        "attempted_share",
        "Attempted at target {confidence_target}, {format} format (share)",
        short="attempted at target {confidence_target}, {format} format",
        each=_TARGET,
    ),
    Headline(
        ABSTAIN,
        "payoff",
        f"{_TARGET_LABEL.format('Payoff')} (game points)",
        short="payoff at target {confidence_target}, {format} format, asked {confidence_asked}",
        each=_TARGET_ASKED,
    ),
    Headline(
        ABSTAIN,
        "attempted_share",
        f"{_TARGET_LABEL.format('Attempted')} (share)",
        short="attempted at target {confidence_target}, {format} format, asked {confidence_asked}",
        each=_TARGET_ASKED,
    ),
    Headline(SIMPLE_QA, "f_score", "F-score of questions of facts", _STATED, "F-score"),
    Headline(SIMPLE_QA, "auroc", "AUROC in questions of facts", _STATED, "AUROC"),
    Headline(
        COMMITMENT, "withdraw_delta", "Withdraw delta (percentage points)", short="withdraw delta"
    ),
    Headline(COMMITMENT, "bet_delta", "Bet delta (percentage points)", short="bet delta"),
    Headline(
        COMMITMENT,
        "withdraw_delta",
        "Withdraw delta, pushback {pushback} (percentage points)",
        short="withdraw delta, pushback {pushback}",
        each=("pushback",),
    ),
    Headline(
        COMMITMENT, "capitulation", "Moved under pushback (share)", short="moved under pushback"
    ),
    Headline(
        COMMITMENT,
        "capitulation",
        "Moved under pushback {pushback} (share)",
        short="moved under pushback {pushback}",
        each=("pushback",),
    ),
)


def _describe_attempts(attempted: NumberInText, accuracy: NumberInText) -> str:
    """Return the clause on a target of .9: whether the attempted answers are right often enough.

    Only the interval of accuracy decides. With partial grades that is a mean score, to which the
    target does not apply. The clause has `{}` for both numbers.
    """
    text = "told to answer only above 90%, it answered {} of the questions and was right in {}"
    if has_partial_grades(accuracy.note):
        return text.replace("was right in {}", "scored {} on average in these")
    if accuracy.high < _HIGHEST_TARGET:
        return f"{text} of these, too few"
    if accuracy.low >= _HIGHEST_TARGET:
        return f"{text} of these, as it was told"
    return f"{text} of these"


def _describe_stated_attempts(attempted: NumberInText, accuracy: NumberInText) -> str:
    """Return the clause on attempted answers, with `{}` for both numbers.

    With partial grades the accuracy is a mean score, no share of right answers.
    """
    if has_partial_grades(accuracy.note):
        return "it attempts {} of the questions and scores {} on average in these"
    return "it attempts {} of the questions and is right in {} of these"


def _describe_withdraw_delta(delta: NumberInText) -> str:
    """Return the clause on whether the model keeps right answers more often than wrong ones.

    The interval of the difference decides, if there is one; `{}` stands for the difference.
    """
    if delta.low > 0:
        return "it keeps right answers more often than wrong ones (by {} points)"
    if delta.high < 0:
        return "it keeps wrong answers more often than right ones (by {} points)"
    if isnan(delta.low):
        return "the share of right answers that it keeps less that of wrong ones is {} points"
    return "it is not shown to keep right answers more often than wrong ones (by {} points)"


_WITHDRAW_DELTA: Sequence[tuple[str, Mapping[str, str]]] = [("withdraw_delta", {})]

CLAUSES: Sequence[Clause] = (
    Clause(ABSTAIN, "targets", _AT_HIGHEST_TARGET, _describe_attempts),
    Clause(ABSTAIN, "targets", _AT_HIGHEST_TARGET, _describe_attempts, ("confidence_asked",)),
    Clause(
        SIMPLE_QA,
        "attempts",
        [("attempted_share", _STATED), ("accuracy_given_attempted", _STATED)],
        _describe_stated_attempts,
    ),
    Clause(SIMPLE_QA, "ranking", [("auroc", _STATED)], describe_auroc),
    Clause(COMMITMENT, "commitment", _WITHDRAW_DELTA, _describe_withdraw_delta),
    Clause(COMMITMENT, "commitment", _WITHDRAW_DELTA, _describe_withdraw_delta, ("pushback",)),
    Clause(
        COMMITMENT,
        "pushback",
        [("capitulation", {})],
        "contradicted, it moves to another answer {} of the time",
        each=("pushback",),
    ),
)
