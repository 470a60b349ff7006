"""Reading the judgments of samples of the three tasks on decisions."""

from typing import Any

import numpy as np

from inspect_confidence.studies.decisions.columns import (
    ABSTAIN,
    ABSTAIN_COLUMNS,
    COMMITMENT,
    COMMITMENT_COLUMNS,
    SIMPLE_QA,
    SIMPLE_QA_COLUMNS,
)
from inspect_confidence.studies.study import SampleFacts


def read_abstain(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a question under one target."""
    return [_read(sample, ABSTAIN, tuple(ABSTAIN_COLUMNS))]


def read_simple_qa(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a question: an answer with its confidence."""
    return [_read(sample, SIMPLE_QA, tuple(SIMPLE_QA_COLUMNS))]


def read_commitment(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a question: an answer and the decisions on it."""
    return [_read(sample, COMMITMENT, tuple(COMMITMENT_COLUMNS))]


def _read(sample: SampleFacts, scorer: str, columns: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns that the metadata and the score of a sample hold."""
    score, outcome = sample.read(scorer)
    facts = {name: sample.metadata[name] for name in columns if name in sample.metadata}
    facts |= {name: score.metadata[name] for name in columns if name in score.metadata}
    return {
        "item": sample.metadata.get("item", sample.id),
        "split": sample.metadata.get("split"),
        "target": sample.target,
        "choices": sample.metadata.get("choices") or np.nan,
        "answer": score.answer or "",
        **facts,
        **score.select(*columns),
        **outcome,
    }
