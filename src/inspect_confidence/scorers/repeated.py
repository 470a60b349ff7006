"""Reads repeated draws of points or intervals and makes one interval of them."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import read_exponent, read_interval
from inspect_confidence.metrics import sampling_interval, tunnel_interval
from inspect_confidence.scorers.explained import power
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Draws, at_level, at_levels


@scorer(metrics=INTERVAL_METRICS)
def repeated_points() -> Scorer:
    """Score the intervals between quantiles of repeated point answers, at every level.

    The value holds `truth`, `format_ok` (share of readable draws), `draws` and for each level
    `lower_90`, `upper_90`, `covered_90`, `width_90`, `interval_score_90`; NaN where no draw could
    be read. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth = float(target.text)
        draws = Draws.of(state, lambda draw: draw.read(read_exponent))
        points = [one.value for one in draws.answers]
        bounds = {level: sampling_interval(points, level) for level in state.metadata["levels"]}
        low, high = bounds[max(bounds)]
        reach = f", from {power(min(points))} to {power(max(points))}" if points else ""
        return draws.score(
            {"truth": truth, **draws.counts, **at_levels(bounds, truth)},
            lambda one: {"point": one.value},
            f"[{low:g}, {high:g}]",
            draws.interval_of(f"{reach}; their quantiles", bounds, truth),
        )

    return score


@scorer(metrics=INTERVAL_METRICS)
def repeated_intervals() -> Scorer:
    """Score the perception-tunnel estimate from repeated intervals at the sample's level.

    The value holds the keys of the scorer `interval`, `format_ok` and `reversed` as shares of the
    draws, and `draws`. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, level = float(target.text), float(state.metadata["level"])
        draws = Draws.of(state, lambda draw: draw.read(read_interval))
        stated = draws.answers
        low, high = tunnel_interval(
            [one.lower for one in stated], [one.upper for one in stated], level
        )
        made = "; the intervals together, as a tunnel estimate,"
        return draws.score(
            {
                **at_level((low, high), truth, level),
                "truth": truth,
                "level": level,
                "reversed": sum(one.reversed for one in stated) / len(stated) if stated else NAN,
                **draws.counts,
            },
            lambda one: {"lower": one.lower, "upper": one.upper, "reversed": one.reversed},
            f"[{low:g}, {high:g}]",
            draws.interval_of(made, {level: (low, high)}, truth),
        )

    return score
