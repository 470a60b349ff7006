"""Words to numbers: the probabilities of each word, and comparisons with people and conditions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from inspect_confidence.printing import counted
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.compare import joined_reach
from inspect_confidence.studies.estimate import Estimate
from inspect_confidence.studies.notes import describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling, SampleFacts, option

TASK = "wep_elicitation"
ALL_SETTINGS = "all"
HUMAN = "human"
BINNING_NOTE = "20 bins from 0 to 100, 1e-10 in empty ones, natural logarithm"
LEVELS = (90, 95, 99)
"""Confidence levels in percent at which words are tested."""

SETTING_PAIRS = (
    ("female", "male"),
    ("female", "concise"),
    ("male", "concise"),
    ("extended", "concise"),
)
"""Pairs of settings that are compared: the one, and its reference."""

_BINNED_MEASURES = ("kl_divergence", "jensen_shannon")
_DISTANCE_MEASURES = (*_BINNED_MEASURES, "ks_statistic", "wasserstein")


@dataclass(frozen=True)
class WepOptions:
    """Options of the study of words.

    Attributes:
        survey: What people say that words mean, counts by word and value, from a csv file with a
            column for each word and values from 0 to 100; None is the 123 people surveyed by W.
            Fagen-Ulmschneider.
    """

    survey: Survey | None = option(
        None, lambda name, value: read_survey(user_path(name, value)), changes=["wep_elicitation"]
    )

    def people(self) -> Survey:
        """Return the survey that words are compared with."""
        return surveyed_counts() if self.survey is None else self.survey


Sample: TypeAlias = Mapping[str, float]
"""Probabilities of a word in percent, by context (of a model) or by person (of a survey)."""


def values_of(sample: Sample) -> FloatArray:
    """Return the values of a sample without their contexts or persons."""
    return np.array([*sample.values()], float)


@dataclass(frozen=True)
class Word:
    """One side's judgments of a word.

    Attributes:
        sample: Probability by context, averaged over epochs, then settings; unread ones are absent.
        n_asked: How many contexts the word was asked in.
        judgment_count: How many judgments there are, over contexts, epochs and settings.
        note: Note on the judgments left out.
    """

    sample: Sample
    n_asked: int
    judgment_count: int
    note: str


@dataclass(frozen=True)
class Side:
    """Judgments of one model on one data set, in one language and setting.

    The condition has the language, the setting (`all` for several settings together) and the
    variant of the run.
    """

    key: Key
    condition: Condition
    rows: pd.DataFrame

    @property
    def model_and_variant(self) -> tuple[str, str]:
        """Model and variant; the variant is empty if there is none."""
        return self.key.model, self.condition.get("variant", "")

    @property
    def language_and_setting(self) -> tuple[str, str]:
        """Language and setting; empty if the condition has none."""
        return self.condition.get("language", ""), self.condition.get("setting", "")

    @cached_property
    def words(self) -> "dict[str, Word]":
        """Judgments of each word, in the order of the rows.

        A word's sample has a probability in percent for each context with a readable judgment: the
        mean over epochs, then over settings.
        """
        by = ["word", "context"]
        contexts_asked = self.rows[by].drop_duplicates()["word"].value_counts()
        readable = self.rows[self.rows["status"] == "ok"]
        setting_means = readable.groupby([*by, "setting"], sort=True)["probability"].mean()
        # The settings of a context, such as female and male, are about one event: one value.
        # Rounded, because means of equal probabilities may differ from them in the last bit.
        means = (100 * setting_means.groupby(level=by).mean()).round(9)
        samples: dict[str, dict[str, float]] = {}  # in percent, by word and context
        for (word, context), value in zip(means.index, means.tolist(), strict=True):
            samples.setdefault(str(word), {})[str(context)] = value
        words = {}
        for word, rows in self.rows.groupby("word", sort=False):
            words[str(word)] = Word(
                sample=samples.get(str(word), {}),
                n_asked=int(contexts_asked[word]),
                judgment_count=len(rows),
                note=describe_left_out(rows["status"]),
            )
        return words


def read_statement(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a statement, the only one of its sample: what probability a word means.

    If none was read, there is no `probability`, and `status` and `reason` say why.
    """
    score, status_and_reason = sample.read("stated_probability")
    row = sample.metadata_columns("item", "split", "context", "setting", "language", "word")
    return [{**row, **score.select("probability"), **status_and_reason}]


def fill_missing_contexts(frame: pd.DataFrame) -> pd.DataFrame:
    """Check probabilities, and fill in the item as the context where none is given.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    estimate.check_shares(frame, ("probability",))
    contexts = frame["context"].where(frame["context"] != "", frame["item"])
    return frame.assign(context=contexts)


def sides_of(frame: pd.DataFrame) -> list[Side]:
    """Return the judgments by side: a model, variant, data set, language and setting.

    Several settings of a language also have a side together, the setting `all`.
    """
    sides = []
    for key, condition, rows in estimate.condition_groups(
        frame, ("model", "variant", "dataset", "language")
    ):
        settings = list(rows.groupby("setting", sort=False))
        if len(settings) > 1:
            settings.append((ALL_SETTINGS, rows))
        for name, setting_rows in settings:
            sides.append(Side(key, condition.but(setting=name), setting_rows))
    return sides


def sample_of_people(survey: Survey, word: str) -> Sample:
    """Return the probabilities of a word, which the survey must have, in percent by person.

    A survey has the count of each value and names no persons, who are therefore numbered.
    """
    counts = survey[word]
    values = np.repeat(np.array(list(counts), float), list(counts.values()))
    return {f"person {i}": value for i, value in enumerate(values.tolist(), 1)}


def words_to_numbers(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """Return the results of words by side (a model in a language and setting) and comparison.

    Each side is compared with the people surveyed, then with other settings, languages and models.
    Words that the reference lacks are left out of a comparison.
    """
    survey = resampling.options(WepOptions).people()
    sides = sides_of(frame)
    words = map(str, frame["word"].unique())
    samples_of_people = {word: sample_of_people(survey, word) for word in words if word in survey}
    results: list[Result] = []
    for side in sides:
        for word, word_values in side.words.items():
            pairs = _word_estimates(word_values, side.condition.but(word=word))
            results += estimate.results_of(estimate.estimates_without_resamples(pairs), side.key)
        results += _comparison_results(side, samples_of_people, HUMAN, resampling)
    for compared, reference, name in _compared_sides(sides):
        samples = {word: word_values.sample for word, word_values in reference.words.items()}
        results += _comparison_results(compared, samples, name, resampling)
    return results


def _compared_sides(sides: Sequence[Side]) -> Iterator[tuple[Side, Side, str]]:
    """Yield a side, its reference and the reference's name, for sides that differ in one thing.

    That is the setting (`SETTING_PAIRS`, such as female against male), the language (against
    English), or model and variant (each pair once: the later against the earlier side). Both are of
    one data set.
    """
    for (i, first), (j, second) in product(enumerate(sides), repeat=2):
        if i == j or first.key.dataset != second.key.dataset:
            continue
        language, setting = first.language_and_setting
        reference_language, reference_setting = second.language_and_setting
        if first.model_and_variant != second.model_and_variant:
            if first.language_and_setting == second.language_and_setting and i > j:
                yield first, second, " ".join(filter(None, second.model_and_variant))
        elif language == reference_language:
            if (setting, reference_setting) in SETTING_PAIRS:
                yield first, second, reference_setting
        elif setting == reference_setting and reference_language == "en":
            yield first, second, reference_language


_ValuedEstimate: TypeAlias = tuple[Estimate, float]
"""Description of an estimate, and its value."""


def _word_estimates(word_values: Word, condition: Condition) -> Iterator[_ValuedEstimate]:
    """Yield mean, median and SD of a word's probabilities over contexts, and its judgments' number.

    Mean and median are NaN without readable judgments, the standard deviation with fewer than two.
    """
    values = values_of(word_values.sample) / 100  # percent -> probabilities
    n = len(values)
    is_constant = n > 1 and np.ptp(values) == 0
    # Used if `mean_interval` gives none.
    reason = "fewer than 5 contexts differ from the commonest value"
    mean = Estimate(
        condition,
        "mean_probability",
        n,
        join_notes("one value in all contexts" if is_constant else "", word_values.note),
        metrics.mean_interval(values),
        n_asked=word_values.n_asked,
        no_interval_reason=metrics.SAME if is_constant else reason,
    )
    yield mean, float(np.mean(values)) if n else np.nan
    spread = replace(mean, metric="probability_spread", interval=None, no_interval_reason="")
    median = replace(spread, metric="median_probability", interval=metrics.median_interval(values))
    yield median, float(np.median(values)) if n else np.nan
    if is_constant:  # the standard deviation of equal floats can be 1e-17
        yield spread, 0.0
    else:
        yield spread, float(values.std(ddof=1)) if n > 1 else np.nan
    count = word_values.judgment_count
    yield Estimate(condition, "n", count, word_values.note), count


@dataclass(frozen=True)
class _WordTests:
    """Tests of whether a word means the same to a side and its reference.

    Attributes:
        n: Number of contexts of the side.
        p_values: p-value by tested metric: of the Brunner-Munzel test and, if contexts are shared,
            of the sign-flip test.
        undefined_reason: Why the Brunner-Munzel test has no value; empty if it has one.
    """

    n: int
    p_values: Mapping[str, float]
    undefined_reason: str


def _comparison_results(
    side: Side, reference: Mapping[str, Sample], versus: str, resampling: Resampling
) -> Iterator[Result]:
    """Yield the comparison of each word with a reference, adjusted p, and how many words differ.

    Args:
        side: A model's judgments to compare: samples by word, and the condition of the results.
        reference: By word, the reference's probabilities in percent by context or person; words
            without any are left out.
        versus: Name of the reference, for the condition.
        resampling: Convention and seed.
    """
    comparisons: dict[str, _WordTests] = {}
    against = side.condition.but(versus=versus)
    for word, word_values in side.words.items():
        if word in reference:
            word_condition = against.but(word=word)
            rows, comparisons[word] = _compare_word(
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
            yield from _test_results(with_metric, metric, side.key, against.but(of=metric))


def _compare_word(
    condition: Condition, word_values: Word, reference: Sample, resampling: Resampling
) -> tuple[list[_ValuedEstimate], _WordTests]:
    """Return all measures of a word against a reference, each with its value, and its tests.

    Samples are probabilities in percent, by context or person. The reference comes first in every
    measure: differences are reference minus word. If both have contexts in common, their mean
    paired difference is one of the measures. The interval of Brunner and Munzel's theta,
    P(reference > word) + P(equal)/2, is a t interval by the convention `authors`, otherwise that of
    its logit, which stays in [0, 1].
    """
    sample = word_values.sample
    n = len(sample)
    both_values = values_of(reference), values_of(sample)
    interval_form: Literal["t", "logit"] = "t" if resampling.convention == "authors" else "logit"
    test = metrics.brunner_munzel(*both_values, interval=interval_form, seed=resampling.seed)
    described = Estimate(
        condition,
        "brunner_munzel_theta",
        n,
        note=join_notes(f"{counted(len(reference), 'value')} against {n}", word_values.note),
        n_asked=word_values.n_asked,
        unit_count=min(n, len(reference)),
    )
    theta = replace(
        described,
        interval=(test.ci_low, test.ci_high),
        undefined_reason=test.reason,  # empty if the test is defined
        no_interval_reason=test.reason,
    )
    differences = np.array([reference[name] - sample[name] for name in sample if name in reference])
    own_values = replace(described, metric="own_values", note=word_values.note, unit_count=None)
    rows = [
        (theta, test.theta),
        *_divergences(described, *both_values),
        _median_difference(described, *both_values, is_paired=len(differences) > 0),
        (own_values, n),
        (Estimate(condition, "reference_values", len(reference)), len(reference)),
    ]
    p_values = {theta.metric: test.p}
    if len(differences):
        p, interval = metrics.sign_flips(differences, seed=resampling.seed)
        paired = replace(
            own_values,
            metric="paired_difference",
            n=len(differences),
            note=f"on {len(differences)} shared contexts",
            interval=interval,
            no_interval_reason=metrics.SAME,  # too few contexts come first, by the registry's rule
        )
        rows.append((paired, float(differences.mean())))
        p_values[paired.metric] = p
    return rows, _WordTests(n, p_values, test.reason)


def _median_difference(
    described: Estimate, reference: FloatArray, sample: FloatArray, *, is_paired: bool
) -> _ValuedEstimate:
    """Return the median of `reference` less that of `sample`, with its interval.

    `described` is an estimate whose condition, counts and note the difference has too. If
    `is_paired`, both sides have common contexts. Then they are not independent, as the interval
    requires, and its ends are NaN, with that reason.
    """
    interval, reason = _difference_of_medians(reference, sample), ""
    if is_paired:
        interval, reason = NO_INTERVAL, "both sides share contexts"
    estimate = replace(
        described,
        metric="median_difference",
        interval=interval,
        undefined_reason="",
        no_interval_reason=reason,
    )
    return estimate, metrics.median_difference(reference, sample)


def _divergences(
    described: Estimate, reference: FloatArray, sample: FloatArray
) -> Iterator[_ValuedEstimate]:
    """Yield the measures of the distance of two samples of percentages, which have no interval.

    They are Kullback-Leibler and Jensen-Shannon divergence over 20 bins, the Kolmogorov-Smirnov
    statistic and the Wasserstein distance. `described` is an estimate whose condition, counts and
    note they have too; `reference` comes first.
    """
    tables = ValueTables.pair(reference, sample)
    for metric in _DISTANCE_MEASURES:
        remark = BINNING_NOTE if metric in _BINNED_MEASURES else ""
        note = join_notes(remark, described.note)
        value = float(metrics.TABLE_FUNCTIONS[metric](*tables)[0])
        yield replace(described, metric=metric, note=note), value


def _difference_of_medians(reference: FloatArray, sample: FloatArray) -> tuple[float, float]:
    """Return the interval of median(reference) - median(sample), by MOVER from both intervals.

    MOVER, the method of variance estimates recovery (Zou and Donner 2008), adds the squared
    distances of the limits from their medians, as variances of independent values add up. The ends
    are NaN if one of the medians has no interval.
    """
    ends, sample_ends = np.array([metrics.median_interval(side) for side in (reference, sample)])
    if np.isnan([ends, sample_ends]).any():
        return NO_INTERVAL
    median, sample_median = float(np.median(reference)), float(np.median(sample))
    below, above = joined_reach((median, sample_median), ends, sample_ends, biased=False)
    return median - sample_median - below, median - sample_median + above


def _test_results(
    comparisons: Mapping[str, _WordTests], metric: str, key: Key, condition: Condition
) -> Iterator[Result]:
    """Yield the p-value of each word, alone and by Holm's adjustment, and how many words differ.

    `metric` names the test in `p_values`. Words without a p-value count as untested, also in Holm's
    adjustment. Each word's rows come first, then the number of words that differ from the reference
    at each confidence level (`LEVELS`), without and with the adjustment.
    """
    p = np.array([comparison.p_values[metric] for comparison in comparisons.values()])
    is_defined, p_holm = ~np.isnan(p), metrics.holm(p)
    over = f"over {counted(is_defined.sum(), 'word')}"
    over += f"; {(~is_defined).sum()} undefined" if not is_defined.all() else ""
    for (word, comparison), word_p, adjusted_p in zip(comparisons.items(), p, p_holm, strict=True):
        row_condition, n = condition.but(word=word), comparison.n
        reason = f"undefined: {comparison.undefined_reason}" if np.isnan(word_p) else ""
        yield key.result(
            row_condition, "p_value", word_p, n=n, note=reason or _describe_significance(word_p)
        )
        yield key.result(
            row_condition,
            "p_holm",
            adjusted_p,
            n=n,
            note=reason or join_notes(_describe_significance(adjusted_p), over),
        )
    tested = int(is_defined.sum())
    note = over if tested else f"undefined: {metrics.METRICS['words_that_differ'].undefined}"
    for level, (name, values) in product(LEVELS, {"none": p, "holm": p_holm}.items()):
        largest_p = 1 - level / 100 + 1e-12  # a p on the border of a level may be rounded up
        differ = float((values[is_defined] < largest_p).sum()) if tested else np.nan
        row_condition = condition.but(adjusted=name, level=level)
        yield key.result(
            row_condition, "words_that_differ", differ, n=tested, asked=len(p), note=note
        )


def _describe_significance(p: float) -> str:
    """Describe the highest level at which p is significant, of 90, 95 and 99%.

    1e-12 allows for rounding: a p on the border of a level is significant.
    """
    reached = [level for level in LEVELS if p < 1 - level / 100 + 1e-12]
    return f"differs at {max(reached)}%" if reached else "no difference at 90%"
