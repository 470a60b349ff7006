"""Scorers of one interval computed from repeated draws of points or intervals."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import read_exponent, read_interval
from inspect_confidence.metrics import sampling_interval, tunnel_interval
from inspect_confidence.scorers.explained import power
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Draws, interval_values, values_by_level


@scorer(metrics=INTERVAL_METRICS)
def repeated_points() -> Scorer:
    """Score the intervals between quantiles of repeated point answers, at every level.

    The value holds `truth`, `format_ok` (share of readable draws), `draws` and for each level
    `lower_90`, `upper_90`, `covered_90`, `width_90`, `interval_score_90`; NaN if no draw could be
    read. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth = float(target.text)
        draws = Draws.from_state(state, lambda draw: draw.read(read_exponent))
        points = [answer.value for answer in draws.answers]
        bounds = {level: sampling_interval(points, level) for level in state.metadata["levels"]}
        low, high = bounds[max(bounds)]
        span = f", from {power(min(points))} to {power(max(points))}" if points else ""
        return draws.score(
            {"truth": truth, **draws.counts, **values_by_level(bounds, truth)},
            lambda answer: {"point": answer.value},
            f"[{low:g}, {high:g}]",
            draws.explain_interval(f"{span}; their quantiles", bounds, truth),
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
        truth, level = float(target.text), float(state.metadata["level"])
        draws = Draws.from_state(state, lambda draw: draw.read(read_interval))
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
            lambda answer: {
                "lower": answer.lower,
                "upper": answer.upper,
                "reversed": answer.reversed,
            },
            f"[{low:g}, {high:g}]",
            draws.explain_interval(method, {level: (low, high)}, truth),
        )

    return score
