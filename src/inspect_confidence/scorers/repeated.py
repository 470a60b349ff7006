"""Reads repeated draws of points or intervals and makes one interval of them."""

from collections.abc import Mapping

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import Unreadable, read_exponent, read_interval
from inspect_confidence.metrics import covered, interval_score, sampling_interval, tunnel_interval
from inspect_confidence.scorers.explained import drawn_interval, power
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
def repeated_points() -> Scorer:
    """Score the intervals between quantiles of repeated point answers, at every level.

    The value holds `truth`, `format_ok` (share of readable draws), `draws` and for each level
    `lower_90`, `upper_90`, `covered_90`, `width_90`, `interval_score_90`; NaN where no draw could
    be read. The draws themselves are in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, levels = float(target.text), state.metadata["levels"]
        reads = read_draws(stored_draws(state), _read_point)
        points = [float(str(read.numbers["point"])) for read in reads if read.status == "ok"]
        bounds = {level: sampling_interval(points, level) for level in levels}
        value = {"truth": truth, "format_ok": share_readable(reads), "draws": float(len(reads))}
        value |= at_levels(bounds, truth)
        if not points:
            return no_draw(reads, value)
        widest = max(levels)
        low, high = bounds[widest]
        return Score(
            value=value,
            answer=f"[{low:g}, {high:g}]",
            explanation=drawn_interval(
                f"{read_of(reads)}, from {power(min(points))} to {power(max(points))}; "
                "their quantiles",
                widest,
                *(low, high, truth, value[f"interval_score_{widest:g}"]),
            ),
            metadata=as_metadata(reads),
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
        reads = read_draws(stored_draws(state), _read_interval)
        read = [one.numbers for one in reads if one.status == "ok"]
        lower, upper = ([float(str(one[name])) for one in read] for name in ("lower", "upper"))
        low, high = tunnel_interval(lower, upper, level)
        turned = sum(bool(one["reversed"]) for one in read)
        value = {
            "covered": float(covered([low], [high], [truth])[0]),
            "lower": low,
            "upper": high,
            "truth": truth,
            "width": high - low,
            "interval_score": interval_score([low], [high], [truth], level),
            "level": level,
            "reversed": turned / len(read) if read else float("nan"),
            "format_ok": share_readable(reads),
            "draws": float(len(reads)),
        }
        if not read:
            return no_draw(reads, value)
        return Score(
            value=value,
            answer=f"[{low:g}, {high:g}]",
            explanation=drawn_interval(
                f"{read_of(reads)}; the intervals together, as a tunnel estimate,",
                *(level, low, high, truth, value["interval_score"]),
            ),
            metadata=as_metadata(reads),
        )

    return score


def _read_point(draw: Draw) -> Mapping[str, object] | Unreadable:
    answer = read_exponent(draw.text, truncated=draw.stop == "max_tokens")
    return answer if isinstance(answer, Unreadable) else {"point": answer.value}


def _read_interval(draw: Draw) -> Mapping[str, object] | Unreadable:
    answer = read_interval(draw.text, truncated=draw.stop == "max_tokens")
    if isinstance(answer, Unreadable):
        return answer
    return {"lower": answer.lower, "upper": answer.upper, "reversed": answer.reversed}
