"""Columns of judgments: their kinds and meanings, and the values that users' files may have."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import BoolArray


@dataclass(frozen=True)
class Limit:
    """A condition that the values of a column must meet.

    Attributes:
        description: The condition in words; in messages it follows "is not".
        holds: Values, none of them missing or empty -> which of them meet the condition.
        remedy: Hint at what was probably meant, such as "70% is 0.7"; may be empty.
        remedy_if_rare: Hint if nearly all values of the column meet the condition; may be empty.
        remedy_if_negative: Hint for a number below 0; may be empty.
    """

    description: str
    holds: Callable[[pd.Series], BoolArray]
    remedy: str = ""
    remedy_if_rare: str = ""
    remedy_if_negative: str = ""


def _are_between(low: float, high: float, values: pd.Series, *, whole: bool = False) -> BoolArray:
    """Return which numbers lie in [low, high], and are whole if `whole` is true."""
    numbers = values.to_numpy(float)
    inside: BoolArray = (numbers >= low) & (numbers <= high)
    return inside & (numbers == np.floor(numbers)) if whole else inside


def _hold_for_texts(holds: Callable[[str], bool], values: pd.Series) -> BoolArray:
    """Return which texts meet a condition; `holds` is called once for each different text."""
    valid = set(filter(holds, values.unique()))
    return values.isin(valid).to_numpy(bool)


def _is_level(number: float) -> bool:
    """Return whether a number is a nominal level in percent; fractions such as 0.9 are not."""
    return 1 <= number < 100


def _are_levels(text: str) -> bool:
    """Return whether a text is a list of levels in percent, separated by commas; "" is not."""
    try:
        return all(map(_is_level, map(float, text.split(","))))
    except ValueError:
        return False


def _is_share(value: object) -> bool:
    """Return whether a value is a number in [0, 1]; true and false, and texts, are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_shares(text: str) -> bool:
    """Return whether a text is a JSON list of shares that are not all 0."""
    try:
        shares = json.loads(text)
    except (ValueError, RecursionError):  # deep nesting, or an integer of thousands of digits
        return False
    return isinstance(shares, list) and all(map(_is_share, shares)) and sum(shares) > 0


def _are_shares_of_integers(text: str) -> bool:
    """Return whether a text is a JSON object of shares, not all 0, named by integers up to 1e20."""
    try:
        shares = json.loads(text)
        if not isinstance(shares, dict):
            return False
        are_integers = all(abs(int(name)) <= _LARGEST_INTEGER for name in shares)
    except (ValueError, RecursionError):
        return False
    return are_integers and all(map(_is_share, shares.values())) and sum(shares.values()) > 0


_LARGEST_INTEGER = 10**20
"""Largest absolute integer in a distribution of exponents; no token is read as a larger one."""

_MISSING = "leave the cell empty if the value is missing"
SHARE = Limit("in [0, 1]", partial(_are_between, 0, 1), "70% is 0.7", remedy_if_negative=_MISSING)
LEVEL = Limit(
    "a percentage from 1 to below 100",
    lambda values: values.map(_is_level).to_numpy(bool),
    "levels are percentages: 90, not 0.9",
)
REPORTED = replace(
    SHARE,
    remedy="name their scale, as --confidence-scale 0-100, 0-10 or 1-5, or none if only their "
    "order counts",
    remedy_if_rare="nearly all others are: bring it to their scale, on which 70% is 0.7, or give "
    "--confidence-scale 0-1, on which it counts as a parse failure",
    remedy_if_negative=f"{_MISSING}, take exp(x) of log probabilities and 1/(1+exp(-x)) of logits, "
    "or give --confidence-scale none if only the order counts",
)
"""Limit of a confidence; a value outside it may be a report on another scale."""
COUNT = Limit("a whole number from 0 on", partial(_are_between, 0, np.inf, whole=True))
NOT_NEGATIVE = Limit("0 or more", partial(_are_between, 0, np.inf))

TARGET_SHARE = Limit("in [0, 1)", partial(_are_between, 0, np.nextafter(1, 0)), "75% is 0.75")
LEVELS = Limit(
    "percentages with commas, such as 80,90", partial(_hold_for_texts, _are_levels), LEVEL.remedy
)
SHARES = Limit(
    "a JSON list of numbers from 0 to 1 such as [0.7, 0.3]", partial(_hold_for_texts, _are_shares)
)
SHARES_OF_INTEGERS = Limit(
    'a JSON object of integers and numbers from 0 to 1 such as {"3": 0.7}',
    partial(_hold_for_texts, _are_shares_of_integers),
)

Kind = Literal["number", "text", "flag"]
EXPONENT = "exponent of ten"
"""Unit of numbers that are written as a power of ten."""


@dataclass(frozen=True)
class JudgmentColumn:
    """A column of the judgments of a task.

    Attributes:
        name: Name of the column.
        kind: Kind of its values; a flag is true or false. Missing numbers are NaN, missing texts
            empty, missing flags None.
        meaning: Meaning of its values, in Markdown, for the table of columns in docs/judgments.md,
            where neighbours with the same meaning share a row.
        unit: Unit of a number.
        limit: Condition that values in users' files must meet; None allows all of the kind.
        default: Value of a text column that a file lacks.
        spelling: Text of a file -> the same in this package's spelling; None leaves it.
        aliases: Names of the column in other people's files, in lower case with underscores.
    """

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    limit: Limit | None = None
    default: str = ""
    spelling: Callable[[str], str] | None = None
    aliases: Sequence[str] = ()


def count_column(name: str, meaning: str) -> JudgmentColumn:
    """Declare a column of whole numbers from 0 on."""
    return JudgmentColumn(name, "number", meaning, "count", COUNT)


def share_column(name: str, meaning: str) -> JudgmentColumn:
    """Declare a column of numbers in [0, 1]."""
    return JudgmentColumn(name, "number", meaning, "share", SHARE)


_VERSIONS = "versions of the task and of this package"
_IDS = "Inspect's ids of the run and of the sample"
_REPETITIONS = "which repetition within a sample, and which repetition of the sample"

SAMPLE_KEYS = ("run", "item", "epoch")
"""Columns that identify a sample: runs that are pooled may have equal epochs of an item."""

COMMON_COLUMNS: Sequence[JudgmentColumn] = (
    JudgmentColumn("task", "text", "the task"),
    JudgmentColumn("task_version", "text", _VERSIONS),
    JudgmentColumn("package_version", "text", _VERSIONS),
    JudgmentColumn("run", "text", _IDS),
    JudgmentColumn("uuid", "text", _IDS),
    JudgmentColumn("model", "text", "the model, by Inspect's name"),
    JudgmentColumn(
        "variant",
        "text",
        "task arguments, model arguments and "
        "[sent](reasoning-models.md#settings-that-are-not-sent) generation settings that differ "
        "between the runs, as `key=value` pairs; always the `prompts` of `life_eval` and "
        "`question_sets`",
    ),
    JudgmentColumn("dataset", "text", "the data set of the question"),
    JudgmentColumn("split", "text", "the part of the data set"),
    JudgmentColumn("item", "text", "the question"),
    JudgmentColumn(
        "cluster",
        "text",
        "the passage, template or document that the item [shares with "
        "others](metrics.md#items-in-clusters)",
    ),
    count_column("draw", _REPETITIONS),
    count_column("epoch", _REPETITIONS),
    JudgmentColumn(
        "status",
        "text",
        "`ok`, or why there is no answer ([`unread`](unread.md) lists the replies)",
    ),
    JudgmentColumn("reason", "text", "details of a status other than `ok`"),
)
"""The columns that the judgments of every task have."""

ANSWER = JudgmentColumn("answer", "text", "the answer as read; empty if none was read")
TARGET = JudgmentColumn("target", "text", "the right answer")
CHOICES = count_column("choices", "number of choices; empty for a free answer")
CORRECT = share_column(
    "correct",
    "1 right, 0 wrong, between them partial credit or a probability of being right; empty if no "
    "answer was read",
)
_ENDS = "ends of the scale"
LOW = JudgmentColumn("low", "number", _ENDS, "steps of the scale")
HIGH = JudgmentColumn("high", "number", _ENDS, "steps of the scale")
RAW = JudgmentColumn(
    "raw", "number", "confidence as reported, also out of range", "steps of the scale"
)
CONFIDENCE = JudgmentColumn(
    "confidence",
    "number",
    "(raw - low) / (high - low); empty if the judgment does not count",
    "share",
    REPORTED,
)
CLIPPED = JudgmentColumn(
    "clipped",
    "flag",
    "whether `raw` was outside the scale by at most 5% of its width; `confidence` is then that of "
    "the scale's end",
)
DRAWS = count_column("draws", "number of further answers that were compared")
