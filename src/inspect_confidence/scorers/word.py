"""Reads probabilities stated for words, and words chosen for numbers."""

from functools import partial

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure, read_probability, read_word_choice
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import probability_read, right_or_wrong
from inspect_confidence.scorers.reading import NAN, Reading, no_reply, read_reply


@scorer(
    metrics=[
        logged.mean_probability(),
        logged.format_failure_rate(),
        logged.mean_probability_by_word(),
    ]
)
def stated_probability() -> Scorer:
    """Read the probability that a word means.

    The value is a dict: `word` and `setting`, which are the viewer's columns, `probability` (in
    [0, 1]; NaN where none could be read) and `format_ok`. What could not be read has its status as
    the score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        asked = {name: str(state.metadata.get(name, "")) for name in ("word", "setting")}
        answer = read_reply(state, read_probability)
        if isinstance(answer, ParseFailure):
            return Reading({**asked, "probability": NAN}, answer).score("probability")
        said = probability_read(answer.value, asked["word"])
        value: dict[str, float | str] = {**asked, "probability": answer.value}
        return Reading(value, answer=f"{answer.value:g}", said=said).score("probability")

    return score


@scorer(
    metrics=[
        logged.empirical_consistency(),
        logged.format_failure_rate(),
        logged.empirical_consistency_by_choices(),
    ]
)
def word_choice() -> Scorer:
    """Read which choice completes a sentence about numbers.

    The value is a dict of numbers: `choice` (its place, from 0), `right` (whether it is the choice
    whose range holds the share of numbers inside the interval) and `format_ok`. The reply stands in
    the score's metadata, so that the judgments can be read by another convention.
    """

    async def score(state: TaskState, target: Target) -> Score:
        kept = {"reply": "" if no_reply(state) else state.output.completion}
        choices = [choice.value for choice in state.choices]
        read = partial(read_word_choice, chain_of_thought=bool(state.metadata["cot"]))
        answer = read_reply(state, read, choices)
        if isinstance(answer, ParseFailure):
            return Reading({"choice": NAN, "right": NAN}, answer, kept=kept).score("choice")
        chosen = choices[answer.index]
        right = chosen == target.text
        value = {"choice": float(answer.index), "right": float(right)}
        said = f"{right_or_wrong(chosen, target.text, right)}."
        return Reading(value, answer=chosen, said=said, kept=kept).score("choice")

    return score
