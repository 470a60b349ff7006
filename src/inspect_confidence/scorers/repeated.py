"""Reads repeated draws of points or intervals and makes one interval of them."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    StatedExponent,
    StatedInterval,
    Unreadable,
    read_exponent,
    read_interval,
)
from inspect_confidence.metrics import sampling_interval, tunnel_interval
from inspect_confidence.scorers.explained import drawn_interval, power
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Draws, at_level
from inspect_confidence.solvers.draws import Draw


@scorer(metrics=INTERVAL_METRICS)
def repeated_points() -> Scorer:
    """Score the intervals between quantiles of repeated point answers, at every level.

    The value holds `truth`, `format_ok` (share of readable draws), `draws` and for each level
    `lower_90`, `upper_90`, `covered_90`, `width_90`, `interval_score_90`; NaN where no draw could
    be read. The draws themselves are in the score's metadata.
    """

    def read(draw: Draw) -> StatedExponent | Unreadable:
        return read_exponent(draw.text, truncated=draw.stop == "max_tokens")

    async def score(state: TaskState, target: Target) -> Score:
        truth, levels = float(target.text), state.metadata["levels"]
        draws = Draws.of(state, read)
        points = [one.value for one in draws.answers]
        values = {"truth": truth, **draws.counts}
        for level in levels:
            bounds = sampling_interval(points, level)
            values |= at_level(bounds, truth, level, f"_{level:g}")
        low, high = sampling_interval(points, max(levels))
        reach = f", from {power(min(points))} to {power(max(points))}" if points else ""
        return draws.score(
            values,
            lambda one: {"point": one.value},
            f"[{low:g}, {high:g}]",
            drawn_interval(
                f"{draws.said}{reach}; their quantiles",
                *(max(levels), low, high, truth, values[f"interval_score_{max(levels):g}"]),
            ),
        )

    return score


@scorer(metrics=INTERVAL_METRICS)
def repeated_intervals() -> Scorer:
    """Score the perception-tunnel estimate from repeated intervals at the sample's level.

    The value holds the keys of the scorer `interval`, `format_ok` and `reversed` as shares of the
    draws, and `draws`. The draws themselves are in the score's metadata.
    """

    def read(draw: Draw) -> StatedInterval | Unreadable:
        return read_interval(draw.text, truncated=draw.stop == "max_tokens")

    async def score(state: TaskState, target: Target) -> Score:
        truth, level = float(target.text), float(state.metadata["level"])
        draws = Draws.of(state, read)
        stated = draws.answers
        low, high = tunnel_interval(
            [one.lower for one in stated], [one.upper for one in stated], level
        )
        turned = sum(one.reversed for one in stated)
        values = {
            **at_level((low, high), truth, level),
            "truth": truth,
            "level": level,
            "reversed": turned / len(stated) if stated else NAN,
            **draws.counts,
        }
        return draws.score(
            values,
            lambda one: {"lower": one.lower, "upper": one.upper, "reversed": one.reversed},
            f"[{low:g}, {high:g}]",
            drawn_interval(
                f"{draws.said}; the intervals together, as a tunnel estimate,",
                *(level, low, high, truth, values["interval_score"]),
            ),
        )

    return score
