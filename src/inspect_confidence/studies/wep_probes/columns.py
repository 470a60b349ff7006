"""Columns of the judgments of wep_elicitation and wep_choice."""

from inspect_confidence.datasets.wep_survey import plain_word
from inspect_confidence.studies.columns import (
    NOT_NEGATIVE,
    JudgmentColumn,
    count_column,
    share_column,
)

_PROMPT = "setting and language of the prompt"

ELICITATION_COLUMNS = (
    JudgmentColumn("word", "text", "the word of estimative probability", spelling=plain_word),
    JudgmentColumn("context", "text", "the event, which several settings or languages may share"),
    JudgmentColumn("setting", "text", _PROMPT),
    JudgmentColumn("language", "text", _PROMPT),
    share_column("probability", "the stated probability; empty unless `ok`"),
)

CHOICE_COLUMNS = (
    JudgmentColumn(
        "scenario", "text", "scenario of the prompt ([design](wep_probes.md#numbers-to-words))"
    ),
    count_column("choice_set", "number of words to choose from"),
    JudgmentColumn("numbers", "text", "`narrow` or `wide` numbers"),
    JudgmentColumn("point", "number", "level of the central interval", limit=NOT_NEGATIVE),
    JudgmentColumn("interval", "text", "which of the six intervals"),
    JudgmentColumn("cot", "flag", "whether the prompt asks for a chain of thought"),
    JudgmentColumn("reply", "text", "the whole reply, which `--convention authors` reads again"),
    JudgmentColumn("choice", "text", "the text of the choice; empty unless `ok`"),
)
