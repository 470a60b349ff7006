"""Columns of the judgments of fermi_eval."""

from inspect_confidence.studies.columns import (
    EXPONENT,
    LEVEL,
    LEVELS,
    NOT_NEGATIVE,
    SHARES_OF_INTEGERS,
    JudgmentColumn,
    count_column,
    share_column,
)

_TEMPERATURES = (
    "the temperature that was set, if it was sent, and if it was "
    "[not sent](reasoning-models.md#settings-that-are-not-sent)"
)
_BOUNDS = "the smaller and the greater stated bound; empty unless `ok` (`direct`, `tunnel`)"

COLUMNS = (
    JudgmentColumn(
        "method",
        "text",
        "`direct`, `tunnel`, `sampling`, `logprob` or `traces`; one row for each draw",
    ),
    JudgmentColumn("level", "number", "nominal level", "percent", LEVEL),
    JudgmentColumn(
        "levels",
        "text",
        "all levels, if one answer serves them",
        "percent",
        LEVELS,
    ),
    JudgmentColumn("lower", "number", _BOUNDS, EXPONENT, aliases=("low", "lower_bound")),
    JudgmentColumn("upper", "number", _BOUNDS, EXPONENT, aliases=("high", "upper_bound")),
    JudgmentColumn("reversed", "flag", "whether the bounds were stated in reverse order"),
    JudgmentColumn("truth", "number", "the true value", EXPONENT),
    JudgmentColumn(
        "point",
        "number",
        "the answer (`sampling`), or the stated integer (`logprob`, `traces`)",
        EXPONENT,
    ),
    JudgmentColumn("temperature", "number", _TEMPERATURES, limit=NOT_NEGATIVE),
    JudgmentColumn("unsent_temperature", "number", _TEMPERATURES, limit=NOT_NEGATIVE),
    JudgmentColumn(
        "probabilities",
        "text",
        "exponent -> probability, as JSON (`logprob`, `traces`)",
        limit=SHARES_OF_INTEGERS,
    ),
    share_column("unseen_mass", "probability on none of the integers in `probabilities`"),
    count_column("answer_tokens", "number of tokens of the answer"),
)
