"""Words to numbers: every word of every condition, alone and against people and each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.wep_survey import Survey, read_survey, surveyed_counts
from inspect_confidence.metrics import ValueTables
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.estimate import Estimate
from inspect_confidence.studies.notes import describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling, SampleFacts, option

TASK = "wep_elicitation"
ALL_SETTINGS = "all"
HUMAN = "human"
BINS = "20 bins from 0 to 100, 1e-10 in empty ones, natural logarithm"
LEVELS = (90, 95, 99)

SETTING_PAIRS = (
    ("female", "male"),
    ("female", "concise"),
    ("male", "concise"),
    ("extended", "concise"),
)
"""Pairs of compared settings."""

_BINNED = ("kl_divergence", "jensen_shannon")
_MEASURES = (*_BINNED, "ks_statistic", "wasserstein")


@dataclass(frozen=True)
class WepOptions:
    """Options of the study of words.

    Attributes:
        survey: What people say that words mean, counts by word and value, from a csv file with a
            column a word and values from 0 to 100; None is the 123 people surveyed by W.
            Fagen-Ulmschneider.
    """

    survey: Survey | None = option(
        None,
        lambda name, value: read_survey(user_path(name, value)),
        changes=["wep_elicitation"],
    )

    def people(self) -> Survey:
        """Return the survey that words are compared with."""
        return surveyed_counts() if self.survey is None else self.survey


Sample: TypeAlias = Mapping[str, float]
"""Probabilities in percent that a side gives to a word, by context or by person."""


def values_of(sample: Sample) -> FloatArray:
    """Return the values of a sample without their contexts or persons."""
    return np.array([*sample.values()], float)


@dataclass(frozen=True)
class Word:
    """One side's judgments of a word.

    Attributes:
        sample: The readable judgments, averaged over the epochs and settings of a context.
        n_asked: How many contexts it was asked in.
        judgments: How often it was asked.
        note: What was left out.
    """

    sample: Sample
    n_asked: int
    judgments: int
    note: str


@dataclass(frozen=True)
class Side:
    """The judgments of one way of asking one model.

    The condition has language, setting, which may be `all`, and the variant of the run.
    """

    key: Key
    condition: Condition
    rows: pd.DataFrame

    @property
    def model_and_variant(self) -> tuple[str, str]:
        """Model and variant."""
        return self.key.model, self.condition.get("variant", "")

    @property
    def language_and_setting(self) -> tuple[str, str]:
        """Language and setting."""
        return self.condition.get("language", ""), self.condition.get("setting", "")

    @cached_property
    def words(self) -> "dict[str, Word]":
        """The words, in the order in which they were asked."""
        by = ["word", "context"]
        asked = self.rows[by].drop_duplicates()["word"].value_counts()
        read = self.rows[self.rows["status"] == "ok"]
        setting_means = read.groupby([*by, "setting"], sort=True)["probability"].mean()
        # A context in several settings, such as female and male, is asked about one event.
        means = 100 * setting_means.groupby(level=by).mean()
        values: dict[str, dict[str, float]] = {}
        for (word, context), value in zip(means.index, means.tolist(), strict=True):
            values.setdefault(str(word), {})[str(context)] = value
        return {
            str(word): Word(
                values.get(str(word), {}),
                int(asked[word]),
                len(rows),
                describe_left_out(rows["status"]),
            )
            for word, rows in self.rows.groupby("word", sort=False)
        }


def read_statement(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a statement: the probability that its word means, or the failure."""
    names = ("item", "split", "context", "setting", "language", "word")
    score, outcome = sample.read("stated_probability")
    row = {name: sample.metadata[name] for name in names}
    return [{**row, **score.select("probability"), **outcome}]


def with_contexts(frame: pd.DataFrame) -> pd.DataFrame:
    """Check judgments and name their contexts; a context without a name is its item.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    estimate.check_shares(frame, ("probability",))
    contexts = frame["context"].where(frame["context"] != "", frame["item"])
    return frame.assign(context=contexts)


def sides_of(frame: pd.DataFrame) -> list[Side]:
    """Return every model, variant, data set, language and setting, and the settings together."""
    sides = []
    for key, condition, rows in estimate.condition_groups(
        frame, ("model", "variant", "dataset", "language")
    ):
        settings = list(rows.groupby("setting", sort=False))
        if len(settings) > 1:
            settings.append((ALL_SETTINGS, rows))
        sides += [
            Side(key, condition.but(setting=name), setting_rows) for name, setting_rows in settings
        ]
    return sides


def people_of(survey: Survey, word: str) -> Sample | None:
    """Return the answers of the people surveyed; None if the word wasn't in the survey."""
    if word not in survey:
        return None
    counts = survey[word]
    values = np.repeat(np.array(list(counts), float), list(counts.values()))
    return {f"person {i}": value for i, value in enumerate(values.tolist(), 1)}


def words_to_numbers(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """Return all results of the elicitation."""
    survey = resampling.options(WepOptions).people()
    sides = sides_of(frame)
    people = {word: people_of(survey, word) for word in map(str, frame["word"].unique())}
    samples_of_people = {word: sample for word, sample in people.items() if sample is not None}
    results: list[Result] = []
    for side in sides:
        results += estimate.results_of(
            estimate.estimates_without_resamples(_single_values(side)), side.key
        )
        results += _comparison_results(side, samples_of_people, HUMAN, resampling)
    for compared, versus, name in _pairs(sides):
        samples = {word: word_values.sample for word, word_values in versus.words.items()}
        results += _comparison_results(compared, samples, name, resampling)
    return results


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side, str]]:
    """Yield pairs of sides that differ in one thing only: setting, language, or model."""
    for (i, first), (j, second) in product(enumerate(sides), repeat=2):
        if i == j or first.key.dataset != second.key.dataset:
            continue
        (language, setting), (its_language, its_setting) = (
            first.language_and_setting,
            second.language_and_setting,
        )
        if first.model_and_variant != second.model_and_variant:
            if first.language_and_setting == second.language_and_setting and i > j:
                yield first, second, " ".join(filter(None, second.model_and_variant))
        elif language == its_language:
            if (setting, its_setting) in SETTING_PAIRS:
                yield first, second, its_setting
        elif setting == its_setting and its_language == "en":
            yield first, second, its_language


_Value: TypeAlias = tuple[Estimate, float]
"""An estimate and its value."""


def _single_values(side: Side) -> Iterator[_Value]:
    """Yield mean, median and spread of each word, and the number of judgments."""
    for word, word_values in side.words.items():
        condition, values = side.condition.but(word=word), values_of(word_values.sample) / 100
        n = len(values)
        # Rounding leaves a spread of 1e-17.
        is_constant = n > 1 and np.ptp(values) == 0
        spread = np.nan if n < 2 else 0.0 if is_constant else values.std(ddof=1)
        note = join_notes("one value in all contexts" if is_constant else "", word_values.note)
        reason = (
            metrics.SAME if is_constant else "fewer than 5 contexts differ from the commonest value"
        )
        for metric, value, ends in (
            ("mean_probability", _or_nan(np.mean, values), metrics.mean_interval(values)),
            ("median_probability", _or_nan(np.median, values), metrics.median_interval(values)),
            ("probability_spread", spread, None),
        ):
            no_interval_reason = reason if metric == "mean_probability" else ""
            yield (
                Estimate(
                    condition,
                    metric,
                    n,
                    note,
                    ends,
                    n_asked=word_values.n_asked,
                    no_interval_reason=no_interval_reason,
                ),
                value,
            )
        yield (
            Estimate(condition, "n", word_values.judgments, word_values.note),
            word_values.judgments,
        )


def _or_nan(statistic: Callable[[FloatArray], Any], values: FloatArray) -> float:
    return float(statistic(values)) if len(values) else np.nan


@dataclass(frozen=True)
class _WordTests:
    """The distance of one word between one side and another.

    p-values are by the tested metric: of the Brunner-Munzel test and, if contexts are shared, of
    the test with exchanged signs. `undefined_reason` says why the Brunner-Munzel test has no value.
    """

    n: int
    p_values: Mapping[str, float]
    undefined_reason: str


def _comparison_results(
    side: Side, reference: Mapping[str, Sample], versus: str, resampling: Resampling
) -> Iterator[Result]:
    """Yield every word's comparison with a reference, adjusted p, and how many words differ."""
    comparisons: dict[str, _WordTests] = {}
    against = side.condition.but(versus=versus)
    for word, word_values in side.words.items():
        if word in reference:
            word_condition = against.but(word=word)
            rows, comparisons[word] = _compared(
                word_condition, word_values, reference[word], resampling
            )
            yield from estimate.results_of(estimate.estimates_without_resamples(rows), side.key)
    for metric in ("brunner_munzel_theta", "paired_difference"):
        with_metric = {
            word: comparison
            for word, comparison in comparisons.items()
            if metric in comparison.p_values
        }
        if with_metric:
            yield from _tests(with_metric, metric, side.key, against.but(of=metric))


def _compared(
    condition: Condition, word_values: Word, versus: Sample, resampling: Resampling
) -> tuple[list[_Value], _WordTests]:
    """Compare one side's probabilities with a reference, which comes first in every measure."""
    sample, theta = word_values.sample, "brunner_munzel_theta"
    n, units = len(sample), min(len(sample), len(versus))
    form: Literal["t", "logit"] = "t" if resampling.convention == "authors" else "logit"
    sides = values_of(versus), values_of(sample)
    test = metrics.brunner_munzel(*sides, interval=form, seed=resampling.seed)
    shared = np.array([versus[name] - value for name, value in sample.items() if name in versus])
    note = join_notes(f"{len(versus)} values against {n}", word_values.note)

    def number(
        metric: str,
        interval: tuple[float, float] | None,
        no_interval_reason: str = "",
        remark: str = "",
    ) -> Estimate:
        about = join_notes(remark, note), interval, no_interval_reason, word_values.n_asked, units
        return Estimate(condition, metric, n, *about, no_interval_reason=no_interval_reason)

    rows = [(number(theta, (test.ci_low, test.ci_high), test.reason), test.theta)]
    tables = ValueTables.pair(*sides)
    for metric in _MEASURES:
        value = float(metrics.TABLE_FUNCTIONS[metric](*tables)[0])
        rows.append((number(metric, None, remark=BINS if metric in _BINNED else ""), value))
    difference = number("median_difference", _difference_of_medians(*sides))
    if len(shared):
        difference = number("median_difference", NO_INTERVAL, "both sides share contexts")
    rows.append((difference, metrics.median_difference(*sides)))
    rows.append(
        (Estimate(condition, "own_values", n, word_values.note, n_asked=word_values.n_asked), n)
    )
    rows.append((Estimate(condition, "reference_values", len(versus)), len(versus)))
    p_values = {theta: test.p}
    if m := len(shared):
        p, ends = metrics.sign_flips(shared, seed=resampling.seed)
        about = f"on {m} shared contexts", ends, "", word_values.n_asked
        paired = Estimate(
            condition, "paired_difference", m, *about, no_interval_reason=metrics.SAME
        )
        rows.append((paired, float(shared.mean())))
        p_values["paired_difference"] = p
    return rows, _WordTests(n, p_values, test.reason)


def _difference_of_medians(versus: FloatArray, sample: FloatArray) -> tuple[float, float]:
    """Return the interval of a difference of medians from both intervals (MOVER)."""
    (low, high), (its_low, its_high) = map(metrics.median_interval, (versus, sample))
    if np.isnan(low) or np.isnan(its_low):
        return NO_INTERVAL
    median, its = np.median(versus), np.median(sample)
    below, above = np.hypot(median - low, its_high - its), np.hypot(high - median, its - its_low)
    return float(median - its - below), float(median - its + above)


def _tests(
    comparisons: Mapping[str, _WordTests], metric: str, key: Key, condition: Condition
) -> Iterator[Result]:
    """Yield the p-value of each word, adjusted over the words, and how many words differ."""
    p = np.array([comparison.p_values[metric] for comparison in comparisons.values()])
    defined, adjusted = ~np.isnan(p), metrics.holm(p)
    over = f"over {defined.sum()} words"
    over += f"; {(~defined).sum()} undefined" if not defined.all() else ""
    for (word, comparison), raw, holms in zip(comparisons.items(), p, adjusted, strict=True):
        where_condition, n = condition.but(word=word), comparison.n
        reason = f"undefined: {comparison.undefined_reason}" if np.isnan(raw) else ""
        yield key.result(where_condition, "p_value", raw, n=n, note=reason or _mark(raw))
        yield key.result(
            where_condition, "p_holm", holms, n=n, note=reason or join_notes(_mark(holms), over)
        )
    tested = int(defined.sum())
    note = over if tested else f"undefined: {metrics.METRICS['words_that_differ'].undefined}"
    for level, (name, values) in product(LEVELS, {"none": p, "holm": adjusted}.items()):
        differ = float((values[defined] < 1 - level / 100 + 1e-12).sum()) if tested else np.nan
        where_condition = condition.but(adjusted=name, level=level)
        yield key.result(
            where_condition, "words_that_differ", differ, n=tested, asked=len(p), note=note
        )


def _mark(p: float) -> str:
    """Return the mark of the strictest of three levels at which p is significant."""
    reached = [level for level in LEVELS if p < 1 - level / 100 + 1e-12]
    return f"differs at {max(reached)}%" if reached else "no difference at 90%"
