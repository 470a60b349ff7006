"""Finer rows of the study of words: distributions of what is stated, which only figures draw."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.metrics import clustered_wilson_interval
from inspect_confidence.studies._intervals import left_out
from inspect_confidence.studies._study import Resampling
from inspect_confidence.studies._wep_numbers import ALL_SETTINGS, TASK, Side, sides_of, stated
from inspect_confidence.studies._wep_words import Sample, people_of, sample_of

PEOPLE = "people surveyed"
"""What stands in `model` for what people say."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20

_NAN = float("nan")


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins and quantiles of the probabilities stated for each word, by models and by people.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    if TASK not in frames:
        return []
    frame = stated(frames[TASK])
    found: list[Result] = []
    for side in _with_all(sides_of(frame)):
        for word in side.words():
            rows = side.word(word)
            note = left_out(rows["status"])
            found += _distribution(sample_of(rows), side.run(), side.condition(word=word), note)
    survey = surveyed_counts() if resampling.survey is None else resampling.survey
    run = Result(TASK, PEOPLE, "survey", "", "", _NAN, _NAN, _NAN, 0, "")
    for word in map(str, frame["word"].unique()):
        sample = people_of(survey, word)
        if sample:
            found += _distribution(sample, run, {"word": word}, "")
    return found


def _with_all(sides: Sequence[Side]) -> Iterator[Side]:
    """The sides, and where a model was asked in one setting only that one as all of them too.

    What is drawn of all settings is then there for every model.
    """
    pooled = {_asked(side) for side in sides if side.setting == ALL_SETTINGS}
    for side in sides:
        yield side
        if side.setting and _asked(side) not in pooled:
            yield replace(side, setting=ALL_SETTINGS)


def _asked(side: Side) -> tuple[str, ...]:
    return side.model, side.variant, side.dataset, side.language


def _distribution(
    sample: Sample, run: Result, condition: Mapping[str, object], note: str
) -> Iterator[Result]:
    """The share of values in each bin, with its interval, and the quantiles."""
    values = sample.values / 100
    n, nothing = len(values), "undefined: no readable judgment"
    run = replace(run, n=n, note=note if n else "; ".join(filter(None, (nothing, note))))
    # 0.15 * 20 may be a little below 3: what is that close to an edge is on it.
    place = np.floor(values * BINS + 1e-9).clip(0, BINS - 1)
    for k in range(BINS):
        name = f"{k / BINS:g}-{(k + 1) / BINS:g}"
        inside = (place == k).astype(float)
        low, high = clustered_wilson_interval(inside, np.ones(n))
        yield replace(
            run,
            condition=encode_condition({**condition, "bin": name}),
            metric="value_share",
            value=float(inside.mean()) if n else _NAN,
            ci_low=low,
            ci_high=high,
        )
    for q in QUANTILES:
        yield replace(
            run,
            condition=encode_condition({**condition, "q": q}),
            metric="probability_quantile",
            value=float(np.quantile(values, q)) if n else _NAN,
        )
