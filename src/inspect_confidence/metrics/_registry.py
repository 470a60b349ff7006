"""What every metric in the results is: said once, for docs, report and export."""

from collections.abc import Mapping
from dataclasses import dataclass

_INFINITY = float("inf")


@dataclass(frozen=True)
class Metric:
    """One number of the results table.

    Attributes:
        name: As in the `metric` column.
        definition: One sentence.
        unit: Of the value.
        direction: `higher`, `lower`, `target=x` (nearer to x is better) or `none`.
        low: Least possible value.
        high: Greatest possible value.
        undefined: When the value is NaN.
        source: Where the definition comes from.
    """

    name: str
    definition: str
    unit: str
    direction: str
    low: float
    high: float
    undefined: str
    source: str


_ALL = (
    Metric(
        "coverage",
        "Share of intervals that hold the truth, bounds included.",
        "share",
        "target=level",
        0,
        1,
        "no readable interval",
        "Gneiting and Raftery (2007)",
    ),
    Metric(
        "coverage_gap",
        "Coverage less the nominal level; below 0 is overconfident.",
        "share",
        "target=0",
        -1,
        1,
        "no readable interval",
        "FermiEval",
    ),
    Metric(
        "interval_score",
        "Mean interval (Winkler) score: width plus 2/alpha times the distance of each miss.",
        "unit of the bounds",
        "lower",
        0,
        _INFINITY,
        "no readable interval; infinite where an interval is",
        "Winkler (1972); Gneiting and Raftery (2007)",
    ),
    Metric(
        "interval_score_change",
        "Interval score of a method, or after conformal adjustment, less that of the stated "
        "intervals, on the same test items.",
        "unit of the bounds",
        "lower",
        -_INFINITY,
        _INFINITY,
        "no readable interval in the test split",
        "FermiEval",
    ),
    Metric(
        "mean_width",
        "Mean width of the intervals.",
        "unit of the bounds",
        "none",
        0,
        _INFINITY,
        "no readable interval",
        "-",
    ),
    Metric(
        "median_width",
        "Median width of the intervals.",
        "unit of the bounds",
        "none",
        0,
        _INFINITY,
        "no readable interval",
        "-",
    ),
    Metric(
        "miss_below",
        "Share of judgments whose truth lies below the lower bound.",
        "share",
        "target=alpha/2",
        0,
        1,
        "no readable interval",
        "-",
    ),
    Metric(
        "miss_above",
        "Share of judgments whose truth lies above the upper bound.",
        "share",
        "target=alpha/2",
        0,
        1,
        "no readable interval",
        "-",
    ),
    Metric(
        "format_failure_rate",
        "Share of replies in which no answer could be read.",
        "share",
        "lower",
        0,
        1,
        "no reply",
        "-",
    ),
    Metric(
        "n",
        "Number of judgments elicited.",
        "count",
        "none",
        0,
        _INFINITY,
        "never",
        "-",
    ),
    Metric(
        "coverage_plateau",
        "Mean over levels of coverage divided by the nominal level: the perception tunnel's size.",
        "ratio",
        "target=1",
        0,
        _INFINITY,
        "no readable interval at any level",
        "FermiEval",
    ),
    Metric(
        "conformal_offset",
        "What split-conformal calibration on the train split adds to each side of an interval.",
        "unit of the bounds",
        "target=0",
        -_INFINITY,
        _INFINITY,
        "never; infinite where the train split is too small for the level",
        "Romano, Patterson and Candes (2019)",
    ),
    Metric(
        "set_coverage",
        "Share of smallest sets of integers with the level's probability that hold the truth.",
        "share",
        "target=level",
        0,
        1,
        "no readable distribution",
        "FermiEval",
    ),
    Metric(
        "mean_set_size",
        "Mean number of integers in the smallest sets.",
        "count",
        "none",
        1,
        _INFINITY,
        "no readable distribution",
        "-",
    ),
    Metric(
        "unseen_mass",
        "Mean probability that token log probabilities left on no integer seen.",
        "share",
        "lower",
        0,
        1,
        "no readable distribution",
        "-",
    ),
    Metric(
        "temperature_score",
        "Temperature T of p^(1/T) with the least mean interval score on the train items.",
        "temperature",
        "target=1",
        0,
        _INFINITY,
        "no readable train item",
        "FermiEval",
    ),
    Metric(
        "temperature_nll",
        "Temperature T of p^(1/T) with the greatest likelihood of the train items' truths.",
        "temperature",
        "target=1",
        0,
        _INFINITY,
        "no train item whose truth was seen",
        "Guo et al. (2017)",
    ),
    Metric(
        "decoding_temperature",
        "Decoding temperature, of those that were run, chosen on the train items.",
        "temperature",
        "none",
        0,
        _INFINITY,
        "never",
        "FermiEval",
    ),
    Metric(
        "tunnel_index",
        "Entropy of the mean over all traces less the mean entropy of one, mean over items.",
        "bits",
        "lower",
        0,
        _INFINITY,
        "fewer than two readable traces an item",
        "FermiEval",
    ),
    Metric(
        "residual_tunnel_index",
        "What is left of the Tunnel Index after averaging n traces, mean over items.",
        "bits",
        "lower",
        0,
        _INFINITY,
        "fewer than two readable traces an item",
        "FermiEval, Theorem 2",
    ),
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
"""Every metric by its name."""
