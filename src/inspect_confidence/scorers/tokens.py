"""Reads token log probabilities of an integer and scores sets of them."""

import json

import numpy as np
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    IntegerDistribution,
    TokenChoice,
    Unreadable,
    read_integer_distribution,
)
from inspect_confidence.metrics import prediction_set, tunnel_index
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.scorers.explained import drawn_interval, unread
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Draws, at_level
from inspect_confidence.solvers.draws import Draw, stored_draws

_NO_TOKENS = "the provider gave no log probabilities"


@scorer(metrics=INTERVAL_METRICS)
def token_distribution() -> Scorer:
    """Score the smallest sets of integers that hold each level's probability.

    Of several draws (reasoning traces) the mean distribution is scored. The value holds `truth`,
    `format_ok` (share of readable draws), `draws`, `unseen_mass`, `tunnel_index` (bits; 0 for one
    draw) and for each level the hull's `lower_90`, `upper_90`, `covered_90`, `width_90`,
    `interval_score_90`. A run without log probabilities is `scoring_failed`, and has no value.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, levels = float(target.text), state.metadata["levels"]
        there = stored_draws(state)
        if there and all(one.tokens is None and one.stop != "content_filter" for one in there):
            return Score.unscored(
                reason="scoring_failed",
                explanation=unread("distribution", "scoring_failed", _NO_TOKENS),
                metadata={"detail": _NO_TOKENS},
            )
        draws = Draws.of(state, _read)
        seen = [one.probabilities for one in draws.answers]
        mean = mean_distribution(seen)
        sets = {level: prediction_set(mean, level) if mean else [] for level in levels}
        unseen = [one.unseen_mass for one in draws.answers]
        values = {
            "truth": truth,
            **draws.counts,
            "unseen_mass": float(np.mean(unseen)) if unseen else NAN,
            "tunnel_index": tunnel_index(distribution_rows(seen)),
        }
        hulls = {level: _hull(held) for level, held in sets.items()}
        for level, hull in hulls.items():
            values |= at_level(hull, truth, level, f"_{level:g}")
        widest = max(levels)
        return draws.score(
            values,
            _columns,
            str(max(mean, key=lambda one: mean[one], default="")),
            drawn_interval(
                f"{draws.said}; {len(sets[widest])} of the {len(mean)} exponents seen have "
                f"{widest:g}% of the probability, and the least and greatest of them",
                *(widest, *hulls[widest], truth, values[f"interval_score_{widest:g}"]),
            )
            + f" {values['unseen_mass']:.2%} of the probability was on no integer seen.",
        )

    return score


def _hull(held: list[int]) -> tuple[float, float]:
    return (float(min(held)), float(max(held))) if held else (NAN, NAN)


def _read(draw: Draw) -> IntegerDistribution | Unreadable:
    return read_integer_distribution([TokenChoice(*token) for token in draw.tokens or []])


def _columns(answer: IntegerDistribution) -> dict[str, object]:
    return {
        "point": answer.value,
        "probabilities": json.dumps({str(k): p for k, p in answer.probabilities.items()}),
        "unseen_mass": answer.unseen_mass,
        "answer_tokens": answer.tokens,
    }
