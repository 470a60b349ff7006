"""Columns of the judgments of hedge_markers and judge_check."""

from inspect_confidence.studies.columns import COUNT, NOT_NEGATIVE, SHARE, JudgmentColumn

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
    JudgmentColumn("n_markers", "number", "markers in the sentence", "count", COUNT),
    JudgmentColumn(
        "confidence",
        "number",
        "internal confidence: (consistent + undecided / 2) / draws judged",
        "share",
        SHARE,
    ),
    JudgmentColumn("consistent", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    JudgmentColumn("undecided", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    JudgmentColumn("inconsistent", "number", _AGREEMENT_COUNTS, "count", NOT_NEGATIVE),
    JudgmentColumn("failed", "number", _AGREEMENT_COUNTS, "count", COUNT),
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
    JudgmentColumn("correct", "number", _VERDICTS, "share", SHARE),
    JudgmentColumn("punt", "number", _VERDICTS, "share", SHARE),
    JudgmentColumn(
        "draws", "number", "number of draws that the reply was compared with", "count", COUNT
    ),
    JudgmentColumn(
        "empty_draws",
        "number",
        "draws left out as empty or withheld",
        "count",
        COUNT,
    ),
    JudgmentColumn("cut", "number", "last sentences left out as cut off", "count", COUNT),
    JudgmentColumn("judge", "text", "the judge's model, or the rules"),
)

CHECK_COLUMNS = (
    JudgmentColumn(
        "form",
        "text",
        "what was judged: `markers`, `decisiveness`, `sentence`, `consistency` or `correctness`",
    ),
    JudgmentColumn("word", "text", "the word of the survey, if it is the sentence's only marker"),
    JudgmentColumn("found", "number", _MARKER_COUNTS, "count", COUNT),
    JudgmentColumn("missed", "number", _MARKER_COUNTS, "count", COUNT),
    JudgmentColumn("false", "number", _MARKER_COUNTS, "count", COUNT),
    JudgmentColumn("decisiveness", "number", _DECISIVENESS, "share", SHARE),
    JudgmentColumn("labelled", "number", _DECISIVENESS, "share", SHARE),
    JudgmentColumn("agreed", "number", _EQUALITY, "share", SHARE),
    JudgmentColumn("verdict", "number", _EQUALITY, "share", SHARE),
    JudgmentColumn("label", "text", _DECISIONS),
    JudgmentColumn("judged", "text", _DECISIONS),
    JudgmentColumn(
        "prompts",
        "text",
        "the judge's prompts: empty for this package's own, `in one call`, `study`, or a "
        "fingerprint of others",
    ),
)
