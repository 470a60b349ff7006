"""Scorers of probabilities stated for words, and of words chosen for numbers."""

from functools import partial

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure, read_probability, read_word_choice
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import probability_read, right_or_wrong
from inspect_confidence.scorers.parsed import NAN, ParsedReply, no_reply, read_reply
from inspect_confidence.solvers.draws import choice_texts


@scorer(
    metrics=[
        logged.mean_probability(),
        logged.format_failure_rate(),
        logged.mean_probability_by_word(),
    ]
)
def stated_probability() -> Scorer:
    """Read the probability that a word means.

    The value is a dict: `word` and `setting`, for the viewer's columns, `probability` (in [0, 1];
    NaN if none could be read) and `format_ok`. The status of a reply that could not be read is the
    score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score of a sample, whose reply states what a word means."""
        columns = {name: str(state.metadata.get(name, "")) for name in ("word", "setting")}
        answer = read_reply(state, read_probability)
        if isinstance(answer, ParseFailure):
            return ParsedReply({**columns, "probability": NAN}, answer).score("probability")
        sentence = probability_read(answer.value, columns["word"])
        value: dict[str, float | str] = {**columns, "probability": answer.value}
        reply = ParsedReply(value, answer=f"{answer.value:g}", sentence=sentence)
        return reply.score("probability")

    return score


@scorer(
    metrics=[
        logged.empirical_consistency(),
        logged.format_failure_rate(),
        logged.empirical_consistency_by_choices(),
    ]
)
def word_choice() -> Scorer:
    """Read which word of a prompt's choices completes a sentence about 20 numbers.

    The sentence says how probable a number in an interval is. The value is a dict of numbers:
    `choice` (its position, from 0), `right` (whether it is the sample's target: the word whose
    range of probabilities holds the share of the numbers in the interval) and `format_ok`. The
    reply is in the score's metadata, so that judgments can be read by another convention.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score of the choice that a reply makes; the target is the right one's text."""
        metadata = {"reply": "" if no_reply(state) else state.output.completion}
        choices = choice_texts(state)
        read = partial(read_word_choice, chain_of_thought=bool(state.metadata["cot"]))
        answer = read_reply(state, read, choices)
        if isinstance(answer, ParseFailure):
            value = {"choice": NAN, "right": NAN}
            return ParsedReply(value, answer, metadata=metadata).score("choice")
        word = choices[answer.index]
        right = word == target.text
        value = {"choice": float(answer.index), "right": float(right)}
        sentence = f"{right_or_wrong(word, target.text, right)}."
        reply = ParsedReply(value, answer=word, sentence=sentence, metadata=metadata)
        return reply.score("choice")

    return score
