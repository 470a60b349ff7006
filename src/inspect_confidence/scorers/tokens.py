"""Reads token log probabilities of an integer and scores sets of them."""

import json
from collections.abc import Mapping

import numpy as np
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import TokenChoice, Unreadable, read_integer_distribution
from inspect_confidence.metrics import prediction_set, tunnel_index
from inspect_confidence.scorers.explained import drawn_interval, unread
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import (
    as_metadata,
    at_levels,
    no_draw,
    read_draws,
    read_of,
    share_readable,
)
from inspect_confidence.solvers.draws import Draw, stored_draws


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
        draws = stored_draws(state)
        if draws and all(draw.tokens is None and draw.stop != "content_filter" for draw in draws):
            return Score.unscored(
                reason="scoring_failed",
                explanation=unread(
                    "distribution", "scoring_failed", "the provider gave no log probabilities"
                ),
                metadata={"detail": "the provider gave no log probabilities"},
            )
        reads = read_draws(draws, _read)
        seen = [_probabilities(one.numbers) for one in reads if one.status == "ok"]
        mean = mean_distribution(seen)
        sets = {level: prediction_set(mean, level) if mean else [] for level in levels}
        bounds = {
            level: (float(min(held)), float(max(held))) if held else (float("nan"),) * 2
            for level, held in sets.items()
        }
        unseen = [float(str(one.numbers["unseen_mass"])) for one in reads if one.status == "ok"]
        value = {
            "truth": truth,
            "format_ok": share_readable(reads),
            "draws": float(len(reads)),
            "unseen_mass": float(np.mean(unseen)) if unseen else float("nan"),
            "tunnel_index": tunnel_index(as_rows(seen)),
            **at_levels(bounds, truth),
        }
        if not mean:
            return no_draw(reads, value)
        widest = max(levels)
        return Score(
            value=value,
            answer=str(max(mean, key=lambda one: mean[one])),
            explanation=drawn_interval(
                f"{read_of(reads)}; {len(sets[widest])} of the {len(mean)} exponents seen have "
                f"{widest:g}% of the probability, and the least and greatest of them",
                *(widest, *bounds[widest], truth, value[f"interval_score_{widest:g}"]),
            )
            + f" {value['unseen_mass']:.2%} of the probability was on no integer seen.",
            metadata=as_metadata(reads),
        )

    return score


def mean_distribution(distributions: list[dict[int, float]]) -> dict[int, float]:
    """The mean of distributions, integers that one has not seen counting 0 in it."""
    values = sorted({value for one in distributions for value in one})
    return {
        value: sum(one.get(value, 0.0) for one in distributions) / len(distributions)
        for value in values
    }


def as_rows(distributions: list[dict[int, float]]) -> np.ndarray:
    """Distributions as rows over the integers that any of them has seen."""
    values = sorted({value for one in distributions for value in one})
    rows = [[one.get(value, 0.0) for value in values] for one in distributions]
    return np.array(rows, float).reshape(len(distributions), len(values))


def _read(draw: Draw) -> Mapping[str, object] | Unreadable:
    answer = read_integer_distribution([TokenChoice(*token) for token in draw.tokens or []])
    if isinstance(answer, Unreadable):
        return answer
    return {
        "point": answer.value,
        "probabilities": json.dumps({str(k): p for k, p in answer.probabilities.items()}),
        "unseen_mass": answer.unseen_mass,
        "answer_tokens": answer.tokens,
    }


def _probabilities(numbers: Mapping[str, object]) -> dict[int, float]:
    read = json.loads(str(numbers["probabilities"]))
    return {int(value): float(mass) for value, mass in read.items()}
