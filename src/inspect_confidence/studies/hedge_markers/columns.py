"""Columns of the judgments of hedge_markers and judge_check."""

from inspect_confidence.studies.columns import (
    NOT_NEGATIVE,
    JudgmentColumn,
    count_column,
    share_column,
)

_AGREEMENT_COUNTS = (
    "draws (further answers) that agree with the sentence, neither agree with nor contradict it, "
    "contradict it, or could not be judged"
)
_VERDICTS = "whether the reply is right, and whether it gives no answer"
_MARKER_COUNTS = (
    "labelled markers that the judge found, those that it missed, and markers without a label that "
    "it named"
)
_DECISIVENESS = "decisiveness by the judge and by the label"
_DECISIONS = "agreement or correctness by the label and by the judge"
_EQUALITY = (
    "1 if the judge's decision on agreement, or on a reply's correctness, equals the label, else 0"
)


HEDGE_COLUMNS = (
    JudgmentColumn("sentence", "number", "the sentence's number in the reply", limit=NOT_NEGATIVE),
    JudgmentColumn("text", "text", "the sentence"),
    JudgmentColumn("marker", "text", "as written in the sentence; `<no_hedge>` if there is none"),
    count_column("n_markers", "markers in the sentence"),
    share_column("confidence", "internal confidence: (consistent + undecided / 2) / draws judged"),
    JudgmentColumn("consistent", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    JudgmentColumn("undecided", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    JudgmentColumn("inconsistent", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    count_column("failed", _AGREEMENT_COUNTS),
    count_column(
        "foreign", "markers that the judge lists but the sentence does not contain, left out"
    ),
    share_column("decisiveness", "how sure the sentence's wording sounds, by the judge"),
    share_column("correct", _VERDICTS),
    share_column("punt", _VERDICTS),
    count_column("draws", "number of draws that the reply was compared with"),
    count_column("empty_draws", "draws left out as empty or withheld"),
    count_column("cut", "last sentences left out as cut off"),
    JudgmentColumn("judge", "text", "the judge's model, or the rules"),
)

CHECK_COLUMNS = (
    JudgmentColumn(
        "form",
        "text",
        "what was judged: `markers`, `decisiveness`, `sentence`, `consistency` or `correctness`",
    ),
    JudgmentColumn("word", "text", "the word of the survey, if it is the sentence's only marker"),
    count_column("found", _MARKER_COUNTS),
    count_column("missed", _MARKER_COUNTS),
    count_column("false", _MARKER_COUNTS),
    share_column("decisiveness", _DECISIVENESS),
    share_column("labelled", _DECISIVENESS),
    share_column("agreed", _EQUALITY),
    share_column("verdict", _EQUALITY),
    JudgmentColumn("label", "text", _DECISIONS),
    JudgmentColumn("judged", "text", _DECISIONS),
    JudgmentColumn(
        "prompts",
        "text",
        "the judge's prompts: empty for this package's own, `in one call`, `study`, or a "
        "fingerprint of others",
    ),
)
