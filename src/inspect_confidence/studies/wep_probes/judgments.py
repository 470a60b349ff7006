"""The samples of both probes as rows of judgments."""

from typing import Any

from inspect_confidence.studies.study import SampleFacts


def read_statement(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a statement: the probability that its word means, or why there is none."""
    asked = ("item", "split", "context", "setting", "language", "word")
    score, became = sample.read("stated_probability")
    row = {name: sample.metadata[name] for name in asked}
    return [{**row, **score.only("probability"), **became}]


def read_sentence(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a sentence: the choice that completes it, or why there is none."""
    asked = ("item", "split", "scenario", "choice_set", "numbers", "point", "interval", "cot")
    score, became = sample.read("word_choice")
    row = {name: sample.metadata[name] for name in asked}
    return [
        {
            **row,
            "choice": score.answer or "",
            "reply": score.metadata.get("reply", ""),
            **became,
        }
    ]
