"""Replies of a small real model to this package's own prompts, and what a person reads in each.

The replies, 822 of SmolLM2-135M-Instruct at temperature 0.7, stand outside the repository, in
`../shared/data/real_replies`. The labels, `real_replies_labels.csv`, were written from prompt and
reply alone: a value, or `none` and what the reply has in its place. Where two careful people may
differ, `or_label` has the other reading, and neither counts as an error.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal

from answers.as_written import READERS, LabelledReply, Values
from build import attributes_of
from inspect_confidence import answers as readers
from inspect_confidence.datasets.wep_survey import phrases
from inspect_confidence.judges.markers import find_markers

LABELS = Path(__file__).parent / "real_replies_labels.csv"
FOLDER = Path(__file__).parents[3] / "shared" / "data" / "real_replies"

Outcome = Literal["read", "unread", "misread", "left", "open"]
"""What became of a value: read as labelled; left though a person reads it; read otherwise, or read
though a person can't; left by both; one of two readings that careful people take."""


@dataclass(frozen=True)
class RealReply:
    """A value that a reply was asked for, with what the readers and a person read."""

    file: str
    sample: str
    value: str
    reply: str
    label: str
    or_label: str
    parsed: object

    @property
    def outcome(self) -> Outcome:
        """What became of the value."""
        labels = [label for label in (self.label, self.or_label) if label]
        is_read = not isinstance(self.parsed, readers.ParseFailure)
        fits = any(_is_labelled(self.parsed, label) for label in labels)
        if len(labels) == 2 and fits:
            return "open"
        if fits:
            return "read" if is_read else "left"
        return "misread" if is_read else "unread"


def real_replies() -> Iterator[RealReply]:
    """The labelled values of all replies."""
    stored = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.jsonl")}
    rows = {}
    for file, text in stored.items():
        for line in text.splitlines():
            row = json.loads(line)
            rows[file, row["sample"]] = row
    with LABELS.open(encoding="utf-8", newline="") as lines:
        for label in csv.DictReader(lines):
            file, sample = label["file"], label["sample"]
            row = rows[file, sample]
            assert hashlib.sha256(row["reply"].encode()).hexdigest()[:12] == label["sha256"], sample
            parsed = _parsed(file, row)[label["value"]]
            yield RealReply(
                file,
                sample,
                label["value"],
                row["reply"],
                label["label"],
                label["or_label"],
                parsed,
            )


def _parsed(file: str, row: dict[str, Any]) -> Values:
    is_cut = row["stop"] == "max_tokens"
    if file in OWN_READERS:
        return OWN_READERS[file](row["reply"], is_cut)
    form = FORMS[file]
    if form == "scale" and not row["choices"]:
        form = "scale_math"
    asked = {
        "options": row["choices"],
        "choices": row["choices"],
        "low": row["low"],
        "high": row["high"],
        "cot": row["sample"].endswith("-cot"),
    }
    return READERS[form](LabelledReply(form, "", asked, row["reply"], None, is_cut))


def _confidence(reply: str, is_cut: bool) -> Values:
    read = readers.read_confidence(reply, 0, 100, is_whole_reply=True, truncated=is_cut)
    return {"confidence": read if isinstance(read, readers.ParseFailure) else read.raw}


def _phrase(reply: str, is_cut: bool) -> Values:
    read = readers.read_word_choice(reply, phrases(), truncated=is_cut)
    return {"phrase": read if isinstance(read, readers.ParseFailure) else read.index}


FORMS = {
    "fermi_eval-direct": "interval",
    "life_eval": "life",
    "question_sets": "options",
    "scale_variants": "scale",
    "wep_choice": "word",
    "wep_elicitation": "probability",
}
OWN_READERS: dict[str, Callable[[str, bool], Values]] = {
    "with_confidence-alone": _confidence,
    "with_confidence-stated": _confidence,
    "with_confidence-words": _phrase,
    "hedge_markers": lambda reply, _: {"markers": attributes_of(find_markers(reply), "standard")},
}


def _is_labelled(parsed: object, label: str) -> bool:
    """Whether a value is what its label says: a letter, a number, or two bounds."""
    if label.startswith("none"):
        return isinstance(parsed, readers.ParseFailure)
    if isinstance(parsed, readers.ParseFailure):
        return False
    if label.isalpha():
        return label == (ascii_uppercase[parsed] if isinstance(parsed, int) else parsed)
    if isinstance(parsed, dict):
        parsed = [parsed["lower"], parsed["upper"]]
    if isinstance(parsed, list):
        return bool(json.loads(label) == parsed)
    assert isinstance(parsed, int | float | Fraction)
    return abs(Fraction(parsed) - Fraction(label)) < Fraction(1, 10**6)
