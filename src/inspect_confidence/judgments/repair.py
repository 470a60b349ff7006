"""Values in logs that cannot be used: only the judgment that has one becomes `scoring_failed`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from inspect_confidence.answers import STATUSES
from inspect_confidence.grades import is_missing, read_grade, read_number
from inspect_confidence.judgments.checks import shorten_value, violations
from inspect_confidence.printing import counted, excerpt
from inspect_confidence.studies import Kind, TaskTable

_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MAX_SAMPLES_LISTED = 5
"""Number of samples that the notices of a log name; the others are counted."""


@dataclass
class Repairs:
    """Samples of a log with values that were replaced or not used.

    Attributes:
        replaced: Keys of samples whose texts held lone surrogates.
        refused: Reason by key of each sample with a judgment that could not be used.
    """

    replaced: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    def notices(self) -> list[str]:
        """Return notices on the samples (epoch and id) with texts replaced or values refused."""
        notices = []
        if self.replaced:
            sample_keys = ", ".join(sorted(self.replaced)[:_MAX_SAMPLES_LISTED])
            notices.append(
                f"lone surrogates in texts of {counted(len(self.replaced), 'sample')} replaced by "
                f"U+FFFD; epoch and id: {readable_text(sample_keys)}"
            )
        for key, reason in list(self.refused.items())[:_MAX_SAMPLES_LISTED]:
            notices.append(f"sample {readable_text(key)} (epoch and id): {reason}")
        if (count := len(self.refused) - _MAX_SAMPLES_LISTED) > 0:
            samples = counted(count, "more sample has", "more samples have")
            notices.append(f"{samples} judgments that cannot be used")
        return notices


def readable_text(text: str) -> str:
    """Return the text with U+FFFD in the place of each lone surrogate, which no file can hold."""
    return text if text.isascii() else _SURROGATE.sub(_REPLACEMENT, text)


def repaired_rows(
    rows: Sequence[Mapping[str, Any]], key: str, table: TaskTable, repairs: Repairs
) -> list[dict[str, Any]]:
    """Return a sample's rows with only values that can be read as the kinds of their columns.

    Lone surrogates in texts become U+FFFD. A value of another kind or an infinite number becomes
    NaN (None for a flag), and the judgment `scoring_failed`; so does a judgment with an unknown
    status. Of several reasons the last is kept. Columns that the task does not have stay as they
    are.

    Args:
        rows: Judgments of the sample.
        key: Key of the sample: epoch and id.
        table: Table of the task.
        repairs: Receives the key if a text was changed or a value left out.
    """
    kinds = table.kinds
    repaired = []
    for row in rows:
        values, reason = dict(row), ""
        for name, value in row.items():
            kind = kinds.get(name)
            if kind is None or value is None:  # a column that the task lacks, or a missing value
                continue
            if kind == "text":
                is_nan = isinstance(value, float) and math.isnan(value)  # a missing text
                text = "" if is_nan else str(value)
                values[name] = readable_text(text)
                if values[name] != text:
                    repairs.replaced.add(key)
            elif not _suits_kind(value, kind):
                values[name] = math.nan if kind == "number" else None
                expected = "a finite number" if kind == "number" else "true or false"
                reason = f"{name}={readable_text(shorten_value(value))} is not {expected}"
        if values.get("status", "ok") not in STATUSES:
            reason = f"the status {excerpt(values['status'], 60)!r} is not known"
        if reason:
            repairs.refused[key] = reason
            values |= {"status": "scoring_failed", "reason": reason}
        repaired.append(values)
    return repaired


def _suits_kind(value: object, kind: Kind) -> bool:
    """Return whether a value is missing, or is a number or a flag, as `kind` says.

    `true` and `false` are numbers, too; infinity is none.
    """
    if is_missing(value):
        return True
    if kind == "flag":
        return read_grade(value, no_is_n=True) in (0, 1)  # "n" is no
    is_truth_word = str(value).strip().lower() in ("true", "false")
    return is_truth_word or not math.isnan(read_number(value))


def without_violations(
    frame: pd.DataFrame, keys: Sequence[str], table: TaskTable, repairs: Repairs
) -> pd.DataFrame:
    """Return judgments of a log with empty cells in place of impossible values.

    A judgment with such a value becomes `scoring_failed` if it was `ok`.

    Args:
        frame: Typed judgments; they are changed.
        keys: Key of each judgment's sample: epoch and id.
        table: Table of their task, with the rules.
        repairs: Receives the keys of samples with impossible values.
    """
    kinds = table.kinds
    empty_values: Mapping[Kind, Any] = {"number": math.nan, "text": "", "flag": None}
    for violation in violations(frame, table):
        for position, reason in violation.reasons.items():
            row = frame.index[position]
            repairs.refused.setdefault(keys[position], reason)
            if frame.loc[row, "status"] == "ok":
                frame.loc[row, "status"] = "scoring_failed"
                frame.loc[row, "reason"] = reason
            for name in violation.columns:
                frame.loc[row, name] = empty_values[kinds[name]]
    return frame
