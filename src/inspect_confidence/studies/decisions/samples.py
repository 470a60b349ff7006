"""Reading the judgments of samples of the three tasks on decisions."""

from typing import Any

from inspect_confidence.studies.study import SampleFacts, ScoreFacts


def read_abstain(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a question under one confidence target; it may have no answer."""
    row, score, status_and_reason = sample.read_answer("abstain_score")
    row |= sample.metadata_columns("confidence_target", "format", "confidence_asked")
    row |= _texts(score, "confidence_status")
    return [{**row, **score.select("correct", "raw", "confidence"), **status_and_reason}]


def read_simple_qa(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a question: one of the stated confidence, one of the frequency if any.

    The frequency is the share of several draws with the commonest answer, which has a grade of its
    own.
    """
    row, score, status_and_reason = sample.read_answer("simple_qa_score")
    names = ("correct", "raw", "low", "high", "confidence")
    stated_row = {**row, "confidence_source": "stated", **score.select(*names), **status_and_reason}
    if "frequency" not in score.value:
        return [stated_row]
    metadata = score.metadata
    status, reason = metadata["frequency_status"], metadata["frequency_detail"]
    frequency = {
        **row,
        "confidence_source": "frequency",
        "answer": metadata["frequency_answer"],
        "correct": score.value["frequency_correct"],
        "confidence": score.value["frequency"],
        "draws": score.value["draws"],
        **sample.status_columns(status, reason),
    }
    return [stated_row, frequency]


def read_commitment(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a question: an answer, the decisions on it, and the final answer.

    Decisions are to keep the answer and to bet on it; the final answer is that after pushback.
    Parts that were not requested are left out or empty.
    """
    row, score, status_and_reason = sample.read_answer("commitment_score")
    row["pushback"] = sample.metadata["pushback"]
    row |= _texts(
        score,
        "answer_after",
        "keep_status",
        "bet_status",
        "after_status",
        "confidence_before_status",
        "confidence_after_status",
    )
    numbers = score.select(
        "correct", "keep", "bet", "correct_after", "moved", "confidence_before", "confidence_after"
    )
    return [{**row, **numbers, **status_and_reason}]


def _texts(score: ScoreFacts, *names: str) -> dict[str, str]:
    """Return the texts with these names in the score's metadata; a missing text is empty."""
    return {name: str(score.metadata.get(name, "")) for name in names}
