"""Words to numbers: every word of every condition, alone and against people and each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import Result, encode_condition
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.metrics import holm
from inspect_confidence.studies._estimates import results_of
from inspect_confidence.studies._intervals import left_out
from inspect_confidence.studies._study import Resampling
from inspect_confidence.studies._wep_words import (
    Compared,
    Sample,
    alone,
    compare_word,
    people_of,
    sample_of,
)

TASK = "wep_elicitation"
ALL_SETTINGS = "all"
HUMAN = "human"

SETTING_PAIRS = (
    ("female", "male"),
    ("female", "concise"),
    ("male", "concise"),
    ("extended", "concise"),
)
"""Which setting is compared with which."""

LEVELS = (90, 95, 99)

_NAN = float("nan")


@dataclass(frozen=True)
class Side:
    """One way of asking one model.

    Attributes:
        model: As Inspect names it.
        variant: Of its run.
        dataset: As the log names it.
        language: Of the statements.
        setting: Of the contexts, or `all`.
        rows: Its judgments.
    """

    model: str
    variant: str
    dataset: str
    language: str
    setting: str
    rows: pd.DataFrame

    def words(self) -> list[str]:
        """In the order in which they were asked."""
        return list(map(str, self.rows["word"].unique()))

    def word(self, word: str) -> pd.DataFrame:
        """The judgments of one word."""
        return self.rows[self.rows["word"] == word]

    def condition(self, **more: object) -> dict[str, object]:
        """What its rows of results have in common."""
        parts = {"language": self.language, "setting": self.setting, "variant": self.variant}
        return {**parts, **more}

    def run(self) -> Result:
        """A row of results that names it."""
        return Result(TASK, self.model, self.dataset, "", "", _NAN, _NAN, _NAN, 0, "")


def stated(frame: pd.DataFrame) -> pd.DataFrame:
    """The judgments; a context without a name is its item.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    outside = frame.loc[(frame["probability"] < 0) | (frame["probability"] > 1), "probability"]
    if len(outside):
        raise InvalidArgument(f"probability={outside.iloc[0]:g} is not in [0, 1]; 70% is 0.7.")
    named = frame["context"].where(frame["context"] != "", frame["item"])
    return frame.assign(context=named)


def sides_of(frame: pd.DataFrame) -> list[Side]:
    """Every model, variant, data set, language and setting, and the settings together."""
    found = []
    keys = ["model", "variant", "dataset", "language"]
    for key, rows in frame.groupby(keys, sort=False):
        model, variant, dataset, language = map(str, key)
        for setting, part in rows.groupby("setting", sort=False):
            found.append(Side(model, variant, dataset, language, str(setting), part))
        if rows["setting"].nunique() > 1:
            found.append(Side(model, variant, dataset, language, ALL_SETTINGS, rows))
    return found


def words_to_numbers(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """All results of the elicitation."""
    survey = surveyed_counts() if resampling.survey is None else resampling.survey
    sides = sides_of(frame)
    rng = np.random.default_rng(resampling.seed)
    results: list[Result] = []
    for side in sides:
        results += _alone(side, rng, resampling)
        people = {word: people_of(survey, word) for word in side.words()}
        known = {word: sample for word, sample in people.items() if sample}
        if known:
            results += _against(side, known, HUMAN, rng, resampling)
    for one, other, name in _pairs(sides):
        samples = {word: sample_of(other.word(word)) for word in other.words()}
        results += _against(one, samples, name, rng, resampling)
    return results


def _pairs(sides: list[Side]) -> Iterator[tuple[Side, Side, str]]:
    """What differs in one thing only: setting, language, or model and variant."""
    for i, one in enumerate(sides):
        for j, other in enumerate(sides):
            if one.dataset != other.dataset or i == j:
                continue
            same_model = (one.model, one.variant) == (other.model, other.variant)
            if same_model and one.language == other.language:
                if (one.setting, other.setting) in SETTING_PAIRS:
                    yield one, other, other.setting
            elif same_model and one.setting == other.setting and other.language == "en":
                yield one, other, other.language
            elif (one.language, one.setting) == (other.language, other.setting) and i > j:
                yield one, other, " ".join(filter(None, (other.model, other.variant)))


def _alone(side: Side, rng: np.random.Generator, resampling: Resampling) -> Iterator[Result]:
    for word in side.words():
        rows = side.word(word)
        where = side.condition(word=word)
        note = left_out(rows["status"])
        yield from results_of(alone(sample_of(rows), where, note, rng, resampling), side.run())
        yield replace(
            side.run(),
            condition=encode_condition(where),
            metric="n",
            value=len(rows),
            n=len(rows),
            note=note,
        )


def _against(
    side: Side,
    reference: Mapping[str, Sample],
    versus: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> Iterator[Result]:
    """Every word against a reference; p adjusted over the words, and how many differ."""
    found: dict[str, Compared] = {}
    for word in side.words():
        if word in reference:
            rows = side.word(word)
            where = side.condition(versus=versus, word=word)
            note = left_out(rows["status"])
            found[word] = compare_word(
                sample_of(rows), reference[word], where, note, rng, resampling
            )
            yield from results_of(found[word].drawn, side.run())
    tests = {
        "brunner_munzel_theta": {word: one.p for word, one in found.items()},
        "paired_difference": {word: one.paired_p for word, one in found.items() if one.shared},
    }
    for metric, p_values in tests.items():
        if p_values:
            yield from _tests(side, versus, metric, p_values, found)


def _tests(
    side: Side,
    versus: str,
    metric: str,
    p_values: Mapping[str, float],
    found: Mapping[str, Compared],
) -> Iterator[Result]:
    p = np.array(list(p_values.values()))
    known = ~np.isnan(p)
    adjusted_p = holm(p)
    undefined = f"; {(~known).sum()} undefined" if not known.all() else ""
    over = f"over {known.sum()} words{undefined}"
    for word, raw, adjusted in zip(p_values, p, adjusted_p, strict=True):
        where = encode_condition(side.condition(of=metric, versus=versus, word=word))
        row = replace(side.run(), condition=where, n=found[word].drawn.numbers[0].n)
        why = f"undefined: {found[word].why}" if np.isnan(raw) else ""
        yield replace(row, metric="p_value", value=float(raw), note=why or _mark(raw))
        yield replace(
            row, metric="p_holm", value=float(adjusted), note=why or _mark(adjusted, over)
        )
    for level in LEVELS:
        for adjustment, values in (("none", p), ("holm", adjusted_p)):
            parts = side.condition(adjusted=adjustment, level=level, of=metric, versus=versus)
            yield replace(
                side.run(),
                condition=encode_condition(parts),
                metric="words_that_differ",
                value=float((values[known] < 1 - level / 100 + 1e-12).sum()),
                n=len(p),
                note=over,
            )


def _mark(p: float, *more: str) -> str:
    """At which of the three levels p is significant."""
    reached = [level for level in LEVELS if p < 1 - level / 100 + 1e-12]
    return "; ".join([f"differs at {max(reached)}%" if reached else "no difference at 90%", *more])
