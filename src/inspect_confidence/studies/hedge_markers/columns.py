"""Columns of the judgments of hedge_markers and judge_check."""

from inspect_confidence.studies.columns import COUNT, NOT_NEGATIVE, SHARE, JudgmentColumn


def _draw_count_column(name: str, relation: str) -> JudgmentColumn:
    """Declare the number of further answers that stand in a relation to the sentence."""
    meaning = f"further answers (draws) that {relation}"
    return JudgmentColumn(name, "number", meaning, "count", NOT_NEGATIVE)


HEDGE_COLUMNS = (
    JudgmentColumn("sentence", "number", "the sentence's number in the reply", limit=NOT_NEGATIVE),
    JudgmentColumn("text", "text", "the sentence"),
    JudgmentColumn("marker", "text", "as written in the sentence; `<no_hedge>` if there is none"),
    JudgmentColumn("n_markers", "number", "markers in the sentence", "count", COUNT),
    JudgmentColumn(
        "confidence",
        "number",
        "internal confidence: (consistent + undecided / 2) / all draws judged",
        "share",
        SHARE,
    ),
    _draw_count_column("consistent", "agree with the sentence"),
    _draw_count_column("undecided", "neither agree with the sentence nor contradict it"),
    _draw_count_column("inconsistent", "contradict the sentence"),
    JudgmentColumn(
        "failed",
        "number",
        "further answers (draws) whose agreement could not be judged",
        "count",
        COUNT,
    ),
    JudgmentColumn(
        "foreign",
        "number",
        "markers that the judge lists but the sentence does not contain, left out",
        "count",
        COUNT,
    ),
    JudgmentColumn(
        "decisiveness",
        "number",
        "how sure the sentence's wording sounds, by the judge",
        "share",
        SHARE,
    ),
    JudgmentColumn("correct", "number", "whether the reply is right", "share", SHARE),
    JudgmentColumn("punt", "number", "whether the reply gives no answer", "share", SHARE),
    JudgmentColumn(
        "draws", "number", "number of draws that the reply was compared with", "count", COUNT
    ),
    JudgmentColumn(
        "empty_draws",
        "number",
        "draws left out because they were empty or withheld",
        "count",
        COUNT,
    ),
    JudgmentColumn(
        "cut", "number", "last sentences left out because they were cut off", "count", COUNT
    ),
    JudgmentColumn("judge", "text", "the judge's model, or the rules"),
)

CHECK_COLUMNS = (
    JudgmentColumn(
        "form",
        "text",
        "what was judged: `markers`, `decisiveness`, `sentence`, `consistency` or `correctness`",
    ),
    JudgmentColumn("word", "text", "the word of the survey, if it is the sentence's only marker"),
    JudgmentColumn("found", "number", "labelled markers that the judge found", "count", COUNT),
    JudgmentColumn("missed", "number", "labelled markers that it missed", "count", COUNT),
    JudgmentColumn(
        "false", "number", "markers that it named and that have no label", "count", COUNT
    ),
    JudgmentColumn("decisiveness", "number", "decisiveness by the judge", "share", SHARE),
    JudgmentColumn("labelled", "number", "decisiveness by the label", "share", SHARE),
    JudgmentColumn(
        "agreed",
        "number",
        "1 if the judge's decision on agreement equals the label, 0 otherwise",
        "share",
        SHARE,
    ),
    JudgmentColumn(
        "verdict",
        "number",
        "1 if the judge's decision on a reply's correctness equals the label, 0 otherwise",
        "share",
        SHARE,
    ),
    JudgmentColumn("label", "text", "label of the agreement or the reply's correctness"),
    JudgmentColumn("judged", "text", "the judge's word for what `label` names"),
    JudgmentColumn(
        "prompts",
        "text",
        "the judge's prompts: empty for this package's own, `in one call`, `study`, or a "
        "fingerprint of others",
    ),
)
