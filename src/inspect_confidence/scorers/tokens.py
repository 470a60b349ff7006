"""A scorer of sets of integers, from the token log probabilities of an integer."""

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
from inspect_confidence.scorers.reading import NAN, Draws, values_by_level
from inspect_confidence.solvers.draws import Draw

_NO_TOKENS = ParseFailure("scoring_failed", "the provider gave no log probabilities")


@scorer(metrics=INTERVAL_METRICS)
def token_distribution() -> Scorer:
    """Score the smallest sets of integers that exceed each level's probability.

    If there are several draws (reasoning traces), their mean distribution is scored. The value
    holds `truth`, `format_ok` (share of readable draws), `draws`, `unseen_mass`, `tunnel_index`
    (bits; 0 for one draw) and for each level the hull's `lower_90`, `upper_90`, `covered_90`,
    `width_90`, `interval_score_90`. A run without log probabilities is `scoring_failed`, and has no
    value.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, draws = float(target.text), Draws.from_state(state, _read)
        failures = [reply for reply in draws.replies if isinstance(reply, ParseFailure)]
        if failures and set(draws.statuses) == {"scoring_failed"}:
            detail = failures[0].reason
            return Score.unscored(
                reason="scoring_failed",
                explanation=unread("distribution", "scoring_failed", detail),
                metadata={"detail": detail},
            )
        distributions = [answer.probabilities for answer in draws.answers]
        mean = mean_distribution(distributions)
        sets: dict[float, list[int]] = {}
        hulls: dict[float, tuple[float, float]] = {}
        for level in state.metadata["levels"]:
            sets[level] = prediction_set(mean, level) if mean else []
            lower, upper = min(sets[level], default=NAN), max(sets[level], default=NAN)
            hulls[level] = float(lower), float(upper)
        masses = [answer.unseen_mass for answer in draws.answers]
        unseen_mass = float(np.mean(masses)) if masses else NAN
        widest = max(hulls)
        method = (
            f"; {len(sets[widest])} of the {len(mean)} exponents seen have {widest:g}% of the "
            "probability, and the least and greatest of them"
        )
        interval = draws.explain_interval(method, hulls, truth)
        return draws.score(
            {
                "truth": truth,
                **draws.counts,
                "unseen_mass": unseen_mass,
                "tunnel_index": tunnel_index(distribution_rows(distributions)),
                **values_by_level(hulls, truth),
            },
            _columns,
            str(max(mean, key=lambda exponent: mean[exponent], default="")),
            f"{interval} {unseen_mass:.2%} of the probability was on no integer seen.",
        )

    return score


def _read(draw: Draw) -> IntegerDistribution | ParseFailure:
    if draw.tokens is not None:
        return answers.read_integer_distribution([TokenChoice(*token) for token in draw.tokens])
    # A reply that is no integer is the model's failure, with or without log probabilities.
    as_text = answers.read_integer_distribution([TokenChoice(draw.text, 0.0, {})])
    return as_text if isinstance(as_text, ParseFailure) else _NO_TOKENS


def _columns(answer: IntegerDistribution) -> dict[str, object]:
    return {
        "point": answer.value,
        "probabilities": json.dumps({str(k): p for k, p in answer.probabilities.items()}),
        "unseen_mass": answer.unseen_mass,
        "answer_tokens": answer.tokens,
    }
