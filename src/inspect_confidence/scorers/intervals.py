"""Scorers of intervals of exponents: stated, from repeated draws, or from log probabilities."""

import json

import numpy as np
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    NO_TOKENS,
    IntegerDistribution,
    ParseFailure,
    TokenChoice,
    read_exponent,
    read_integer_distribution,
    read_interval,
)
from inspect_confidence.metrics import (
    prediction_set,
    sampling_interval,
    tunnel_index,
    tunnel_interval,
)
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.scorers.explained import power, stated_interval, unread
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.parsed import (
    NAN,
    Draws,
    ParsedReply,
    interval_values,
    read_reply,
    values_by_level,
)
from inspect_confidence.solvers.draws import Draw, stored_draws


@scorer(metrics=INTERVAL_METRICS)
def interval() -> Scorer:
    """Score one stated interval against the sample's truth.

    The value is a dict of numbers: `covered` (0 or 1), `lower`, `upper`, `truth`, `width`
    (exponents of ten), `interval_score`, `level` (percent), `reversed` (1 if the bounds came in
    reverse order and were exchanged) and `format_ok`. A reply that cannot be read keeps the dict,
    with NaN for undefined numbers, `format_ok=0` and its status as the score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Score the one interval that the reply states; the target is the true exponent."""
        truth, level = float(target.text), float(state.metadata["level"])
        question = {"truth": truth, "level": level}
        answer = read_reply(state, read_interval)
        if isinstance(answer, ParseFailure):
            values = interval_values((NAN, NAN), truth, level)
            return ParsedReply({**values, **question, "reversed": NAN}, answer).score("interval")
        low, high = answer.lower, answer.upper
        values = interval_values((low, high), truth, level)
        sentence = stated_interval(level, low, high, truth, values["interval_score"])
        if answer.reversed:
            sentence += " The bounds came in reverse order and were exchanged."
        values = {**values, **question, "reversed": float(answer.reversed)}
        return ParsedReply(values, None, f"[{low:g}, {high:g}]", sentence).score("interval")

    return score


@scorer(metrics=INTERVAL_METRICS)
def repeated_points() -> Scorer:
    """Score the intervals between quantiles of repeated point answers, at every level.

    The value holds `truth`, `format_ok` (share of readable draws), `draws` and for each level
    `lower_90`, `upper_90`, `covered_90`, `width_90`, `interval_score_90`; NaN if no draw could be
    read. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Score the interval between quantiles of a sample's point answers, at each level.

        Answers are exponents of ten; the target is the true one. Without answers bounds are NaN.
        """
        truth = float(target.text)
        draws = Draws.from_state(state, read_exponent)
        points = [answer.value for answer in draws.answers]
        bounds = {level: sampling_interval(points, level) for level in state.metadata["levels"]}
        low, high = bounds[max(bounds)]  # the log shows one answer: that at the highest level
        span = f", from {power(min(points))} to {power(max(points))}" if points else ""
        return draws.score(
            {**values_by_level(bounds, truth), "truth": truth, **draws.counts},
            columns=lambda answer: {"point": answer.value},
            answer=f"[{low:g}, {high:g}]",
            sentence=draws.explain_interval(f"{span}; their quantiles", bounds, truth),
        )

    return score


@scorer(metrics=INTERVAL_METRICS)
def repeated_intervals() -> Scorer:
    """Score the interval that repeated intervals give together, at the sample's level.

    A model may see only a part of its own belief at a time (a perception tunnel): each stated
    interval is then too narrow. The scored interval, from a low quantile of the lower bounds to a
    high quantile of the upper bounds, corrects for that; it is NaN if no draw could be read.

    The value holds the keys of the scorer `interval`, with `format_ok` and `reversed` as shares of
    the draws, and `draws`. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score of the interval that a sample's stated intervals give together.

        The target is the true exponent. Bounds are NaN without a readable interval. The log has
        every stated interval, with the attributes `lower`, `upper` and `reversed` as columns.
        """
        truth, level = float(target.text), float(state.metadata["level"])
        draws = Draws.from_state(state, read_interval)
        intervals = draws.answers
        lower = [interval.lower for interval in intervals]
        upper = [interval.upper for interval in intervals]
        n_reversed = sum(interval.reversed for interval in intervals)
        low, high = tunnel_interval(lower, upper, level)
        method = "; the intervals together, as a tunnel estimate,"
        return draws.score(
            {
                **interval_values((low, high), truth, level),
                "truth": truth,
                "level": level,
                "reversed": n_reversed / len(intervals) if intervals else NAN,
                **draws.counts,
            },
            columns=vars,
            answer=f"[{low:g}, {high:g}]",
            sentence=draws.explain_interval(method, {level: (low, high)}, truth),
        )

    return score


@scorer(metrics=INTERVAL_METRICS)
def token_distribution() -> Scorer:
    """Score, at each level, the fewest integers whose probabilities together exceed the level.

    They are scored as an interval, from the least to the greatest of them. Of several draws
    (reasoning traces) the mean distribution is scored. The value holds `truth`, `format_ok` (share
    of readable draws), `draws`, `unseen_mass` (probability on no integer), `tunnel_index` (how much
    the draws differ, in bits; 0 for one draw) and for each level the interval's `lower_90`,
    `upper_90`, `covered_90`, `width_90`, `interval_score_90`. A run without log probabilities is
    `scoring_failed`, and has no value.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return _score_distributions(state, target)

    return score


def _score_distributions(state: TaskState, target: Target) -> Score:
    """Return the score of the sets of likeliest integers at all levels of a sample.

    The target is the true exponent. A reply gives a distribution, the probability of each integer;
    of several draws the mean distribution counts. The set of a level has the likeliest integers
    that reach it; the hull of a set, from its least to its greatest integer, is scored as an
    interval. Without a readable draw the sets are empty and the bounds NaN.
    """
    truth, draws = float(target.text), Draws(list(map(_read_distribution, stored_draws(state))))
    failures = [reply for reply in draws.replies if isinstance(reply, ParseFailure)]
    # No draw has usable log probabilities, for instance because the provider returns none.
    if failures and set(draws.statuses) == {"scoring_failed"}:
        detail = failures[0].reason
        return Score.unscored(
            reason="scoring_failed",
            explanation=unread("distribution", "scoring_failed", detail),
            metadata={"detail": detail},
        )
    distributions = [answer.probabilities for answer in draws.answers]
    mean_shares = mean_distribution(distributions)  # by integer; empty without a readable draw
    sets: dict[float, list[int]] = {}
    hulls: dict[float, tuple[float, float]] = {}
    for level in state.metadata["levels"]:
        sets[level] = prediction_set(mean_shares, level) if mean_shares else []
        lower, upper = min(sets[level], default=NAN), max(sets[level], default=NAN)
        hulls[level] = float(lower), float(upper)
    masses = [answer.unseen_mass for answer in draws.answers]
    unseen_mass = float(np.mean(masses)) if masses else NAN
    widest_level = max(hulls)
    method = (
        f"; {len(sets[widest_level])} of the {len(mean_shares)} exponents seen have "
        f"{widest_level:g}% of the probability, and the least and greatest of them"
    )
    interval = draws.explain_interval(method, hulls, truth)
    return draws.score(
        {
            **values_by_level(hulls, truth),
            "truth": truth,
            **draws.counts,
            "unseen_mass": unseen_mass,
            "tunnel_index": tunnel_index(distribution_rows(distributions)),
        },
        columns=_distribution_columns,
        # The likeliest exponent.
        answer=str(max(mean_shares, key=lambda exponent: mean_shares[exponent], default="")),
        sentence=f"{interval} {unseen_mass:.2%} of the probability was on no integer seen.",
    )


def _read_distribution(draw: Draw) -> IntegerDistribution | ParseFailure:
    """Read the probabilities of integers from a reply's tokens, or the failure of reply or run."""
    if draw.failure:
        return draw.failure
    if draw.token_choices is not None:
        return read_integer_distribution(draw.token_choices)
    # A reply that is no integer is the model's failure, with or without log probabilities.
    as_text = read_integer_distribution([TokenChoice(draw.text, 0.0, {})])
    return as_text if isinstance(as_text, ParseFailure) else NO_TOKENS


def _distribution_columns(answer: IntegerDistribution) -> dict[str, object]:
    """Return the columns of a draw in the score's metadata."""
    return {
        "point": answer.value,
        "probabilities": json.dumps(dict(answer.probabilities)),
        "unseen_mass": answer.unseen_mass,
        "answer_tokens": answer.tokens,
    }
