"""Reads token log probabilities of an integer and scores sets of them."""

import json

import numpy as np
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence import answers
from inspect_confidence.answers import IntegerDistribution, ParseFailure, TokenChoice
from inspect_confidence.metrics import prediction_set, tunnel_index
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.scorers.explained import unread
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Draws, at_levels
from inspect_confidence.solvers.draws import Draw

_NO_TOKENS = ParseFailure("scoring_failed", "the provider gave no log probabilities")


@scorer(metrics=INTERVAL_METRICS)
def token_distribution() -> Scorer:
    """Score the smallest sets of integers that exceed each level's probability.

    Of several draws (reasoning traces) the mean distribution is scored. The value holds `truth`,
    `format_ok` (share of readable draws), `draws`, `unseen_mass`, `tunnel_index` (bits; 0 for one
    draw) and for each level the hull's `lower_90`, `upper_90`, `covered_90`, `width_90`,
    `interval_score_90`. A run without log probabilities is `scoring_failed`, and has no value.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, draws = float(target.text), Draws.of(state, _read)
        failures = [reply for reply in draws.replies if isinstance(reply, ParseFailure)]
        if failures and set(draws.statuses) == {"scoring_failed"}:
            detail = failures[0].reason
            return Score.unscored(
                reason="scoring_failed",
                explanation=unread("distribution", "scoring_failed", detail),
                metadata={"detail": detail},
            )
        seen = [one.probabilities for one in draws.answers]
        mean = mean_distribution(seen)
        levels = state.metadata["levels"]
        sets = {level: prediction_set(mean, level) if mean else [] for level in levels}
        hulls = {
            level: (float(min(held, default=NAN)), float(max(held, default=NAN)))
            for level, held in sets.items()
        }
        masses = [one.unseen_mass for one in draws.answers]
        unseen = float(np.mean(masses)) if masses else NAN
        widest = max(levels)
        made = (
            f"; {len(sets[widest])} of the {len(mean)} exponents seen have {widest:g}% of the "
            "probability, and the least and greatest of them"
        )
        return draws.score(
            {
                "truth": truth,
                **draws.counts,
                "unseen_mass": unseen,
                "tunnel_index": tunnel_index(distribution_rows(seen)),
                **at_levels(hulls, truth),
            },
            _columns,
            str(max(mean, key=lambda one: mean[one], default="")),
            f"{draws.interval_of(made, hulls, truth)} {unseen:.2%} of the probability was on no "
            "integer seen.",
        )

    return score


def _read(draw: Draw) -> IntegerDistribution | ParseFailure:
    if draw.tokens is not None:
        return answers.read_integer_distribution([TokenChoice(*token) for token in draw.tokens])
    # What is no integer is the model's failure, whether log probabilities came with it or not.
    as_text = answers.read_integer_distribution([TokenChoice(draw.text, 0.0, {})])
    return as_text if isinstance(as_text, ParseFailure) else _NO_TOKENS


def _columns(answer: IntegerDistribution) -> dict[str, object]:
    return {
        "point": answer.value,
        "probabilities": json.dumps({str(k): p for k, p in answer.probabilities.items()}),
        "unseen_mass": answer.unseen_mass,
        "answer_tokens": answer.tokens,
    }
