"""Scores of decisions from replies in a sample's store, without a model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from inspect_confidence.scorers.decisions import abstain_score, commitment_score
from inspect_confidence.solvers.decisions import _store

FACTS: dict[str, Any] = {"kind": "number", "answerable": True, "choices": 0}


def sample(reply: str, **facts: object) -> TaskState:
    """A sample with a number as its answer, and the model's reply."""
    state = TaskState(
        model=ModelName("mockllm/model"),
        sample_id="a",
        epoch=1,
        input="How many?",
        messages=[ChatMessageUser(content="How many?")],
        output=ModelOutput.from_content("mockllm/model", reply),
        metadata={**FACTS, **facts},
    )
    # A new state has the store of the context, which other tests may have filled.
    for key in list(state.store.keys()):
        state.store.delete(key)
    return state


def score_of(scorer: Scorer, state: TaskState) -> Score:
    """The scorer's score of a sample whose right answer is 4."""
    score = asyncio.run(scorer(state, Target("4")))
    assert score is not None
    return score


@pytest.mark.parametrize(
    ("first", "last", "says"),
    [
        ("Answer: 4", "Answer: 4", "after the pushback the model stands by it."),
        ("Answer: 4", "Answer: 5", "after the pushback the model gives another answer."),
        ("Answer: 4", "", "after the pushback the model has no comparable answer (no_response)."),
        (
            "That depends.",
            "Answer: 4",
            "after the pushback the model has an answer that could not be compared.",
        ),
    ],
)
def test_the_explanation_says_what_became_of_an_answer(first: str, last: str, says: str) -> None:
    """An answer that can't be compared with an unread one is not told as a reply without one."""
    state = sample(first, pushback="disagree", confidence_asked=False)
    for name, text in [("decisions", "Decision: KEEP\nBet: BET"), ("final", last)]:
        _store(state, name, ModelOutput.from_content("mockllm/model", text))
    explanation = str(score_of(commitment_score("rules"), state).explanation)
    assert explanation.endswith(says)
    assert ". The model keeps it;" in explanation or "; the model keeps it;" in explanation


NO_TEXT = "the answer has no text to ask about"


@pytest.mark.parametrize(
    ("first", "stop", "final", "expected"),
    [
        ("", "stop", None, ("scoring_failed", NO_TEXT)),
        ("", "content_filter", None, ("content_filter", "the provider withheld the reply")),
        # The answer has text: nothing but a limit keeps the requests from being sent.
        ("Answer: 4", "stop", None, ("limit_reached", "the model was not asked")),
        ("Answer: 4", "stop", " ", ("scoring_failed", NO_TEXT)),
    ],
)
def test_a_request_that_was_not_sent_has_the_status_of_its_cause(
    first: str, stop: StopReason, final: str | None, expected: tuple[str, str]
) -> None:
    """No limit is named where none was reached; after an empty final answer one request lacks."""
    state = sample(first, pushback="disagree", confidence_asked=True)
    state.output.choices[0].stop_reason = stop
    unsent = ["keep", "bet", "after", "confidence_before", "confidence_after"]
    if final is not None:
        _store(state, "final", ModelOutput.from_content("mockllm/model", final))
        unsent = ["confidence_after"]
    metadata = score_of(commitment_score("rules"), state).metadata or {}
    for name in unsent:
        assert (metadata[f"{name}_status"], metadata[f"{name}_detail"]) == expected, name


def test_scoring_adds_nothing_to_the_sample_s_store() -> None:
    """A scorer that looks for replies nobody asked for leaves the store as the solvers left it."""
    for scorer, facts in [
        (abstain_score("rules"), {"confidence_target": 0.5, "confidence_asked": "none"}),
        (commitment_score("rules"), {"pushback": "none", "confidence_asked": False}),
    ]:
        state = sample("Answer: 4", **facts)
        assert score_of(scorer, state).value["correct"] == 1  # type: ignore[index,call-overload]
        assert dict(state.store.items()) == {}
