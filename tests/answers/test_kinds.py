"""Ten kinds of replies that a person reads at once are read, each in half of its examples unseen.

`kinds.jsonl` has examples of each kind. The readers were written with the `tuned` ones; the
`unseen` ones were kept for a last check.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from answers.as_written import READERS, LabelledReply, Values, read
from answers.as_written import outcome as outcome_of
from build import parse_jsonl
from inspect_confidence import answers as readers

FILE = Path(__file__).parent / "kinds.jsonl"
CASES = parse_jsonl(FILE.read_text(encoding="utf-8"))


def outcomes_of(case: dict[str, object]) -> dict[str, str]:
    """What became of each value of an example."""
    fields = {name: value for name, value in case.items() if name not in ("kind", "half")}
    labelled = LabelledReply(family="", **fields)  # type: ignore[arg-type]
    values = _confidence_alone(labelled) if labelled.form == "given_scale" else read(labelled)
    return {name: outcome_of(values[name], label) for name, label in labelled.labels.items()}


def _confidence_alone(case: LabelledReply) -> Values:
    low, high = case.asked["low"], case.asked["high"]
    parsed = readers.read_confidence(case.reply, low, high, is_whole_reply=True)
    return {case.form: parsed if isinstance(parsed, readers.ParseFailure) else parsed.raw}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["reply"][:40])
def test_an_example_is_read_as_labelled(case: dict[str, object]) -> None:
    """Each value of the reply."""
    assert set(outcomes_of(case).values()) == {"read"}


def test_each_kind_has_six_examples_half_of_them_unseen() -> None:
    """Every form has a reader."""
    table = pd.DataFrame(CASES)
    counts = table.value_counts(["kind", "half"])
    assert set(counts.index) == set(product(table["kind"].unique(), ("tuned", "unseen")))
    assert table["kind"].nunique() == 10
    assert counts.min() >= 3
    assert set(table["form"]) <= READERS.keys() | {"given_scale"}
