"""Of the replies of a small real model what a person reads is read, and nothing else.

The replies stand outside the repository (`../shared/data/real_replies`); their labels are in
`real_replies_labels.csv`.
"""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache

import pytest

from answers.real_replies import FOLDER, LABELS, Outcome, RealReply, real_replies
from build import attributes_of, column_of

needs_replies = pytest.mark.skipif(not FOLDER.exists(), reason="no ../shared/data/real_replies")
UNREAD = 0.02
DISPUTABLE = {
    # Labelled as no interval, since both bounds are called an order; as values they are one.
    ("fermi_eval-direct", "astronomy-18@80"),
    # Labelled as two ages: "the answer is 28 + 39 = 56", and then "28 + 39 = 67" without a word.
    ("life_eval", "male-045-r1"),
    # Labelled as ambiguous: "A)" with the text of B, and lines later "Answer: A)".
    ("question_sets", "history-hard-3"),
}
"""Read otherwise than labelled, by file and sample, with the reason."""


@cache
def replies() -> tuple[RealReply, ...]:
    """All labelled values, read once."""
    return tuple(real_replies())


@needs_replies
def test_no_real_reply_is_misread_but_the_disputable_ones() -> None:
    """Nothing is read that is not there."""
    wrong = {(reply.file, reply.sample) for reply in replies() if reply.outcome == "misread"}
    assert wrong <= DISPUTABLE


@needs_replies
def test_at_most_2_percent_of_the_readable_values_of_real_replies_are_unread() -> None:
    """Over all tasks."""
    counts: Counter[Outcome] = Counter(attributes_of(replies(), "outcome"))
    assert counts["unread"] <= UNREAD * (counts["read"] + counts["unread"])


def test_822_real_replies_are_labelled() -> None:
    """Each has at least one label."""
    with LABELS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len({(row["file"], row["sample"]) for row in rows}) == 822
    assert all(column_of(rows, "label"))
