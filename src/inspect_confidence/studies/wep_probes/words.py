"""Words to numbers: every word of every condition, alone and against people and each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.wep_survey import Survey, read_survey, surveyed_counts
from inspect_confidence.metrics import ValueTables
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.estimate import Drawn, Number, left_out, noted
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
"""Which setting is compared with which."""

_BINNED = ("kl_divergence", "jensen_shannon")
_MEASURES = (*_BINNED, "ks_statistic", "wasserstein", "median_difference")


@dataclass(frozen=True)
class WepOptions:
    """Options of the study of words.

    Attributes:
        survey: What people say that words mean, counts by word and value, from a csv file with a
            column a word and values from 0 to 100; None is the 123 people surveyed by W.
            Fagen-Ulmschneider.
    """

    survey: Survey | None = option(None, lambda name, value: read_survey(user_path(name, value)))

    def people(self) -> Survey:
        """The survey that words are compared with."""
        return surveyed_counts() if self.survey is None else self.survey


@dataclass(frozen=True)
class Side:
    """The judgments of one way of asking one model.

    The condition has language, setting, which may be `all`, and the variant of the run.
    """

    key: Key
    condition: Condition
    rows: pd.DataFrame

    @property
    def who(self) -> tuple[str, str]:
        """Model and variant."""
        return self.key.model, self.condition.get("variant", "")

    @property
    def how(self) -> tuple[str, str]:
        """Language and setting."""
        return self.condition.get("language", ""), self.condition.get("setting", "")

    def words(self) -> dict[str, pd.DataFrame]:
        """The judgments of each word, in the order in which they were asked."""
        return {str(word): rows for word, rows in self.rows.groupby("word", sort=False)}


def read_statement(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a statement: the probability that its word means, or why there is none."""
    asked = ("item", "split", "context", "setting", "language", "word")
    score, became = sample.read("stated_probability")
    row = {name: sample.metadata[name] for name in asked}
    return [{**row, **score.only("probability"), **became}]


def stated(frame: pd.DataFrame) -> pd.DataFrame:
    """The judgments; a context without a name is its item.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    estimate.refuse_outside(frame, ("probability",))
    named = frame["context"].where(frame["context"] != "", frame["item"])
    return frame.assign(context=named)


def sides_of(frame: pd.DataFrame) -> list[Side]:
    """Every model, variant, data set, language and setting, and the settings together."""
    found = []
    for key, condition, rows in estimate.runs(frame, ("model", "variant", "dataset", "language")):
        settings = list(rows.groupby("setting", sort=False))
        if len(settings) > 1:
            settings.append((ALL_SETTINGS, rows))
        found += [Side(key, condition.but(setting=name), some) for name, some in settings]
    return found


Sample: TypeAlias = "pd.Series[float]"
"""What a side says that a word means, in percent: a value a context, by its name, or a person."""


def sample_of(rows: pd.DataFrame) -> Sample:
    """The readable judgments of one word, averaged over the epochs of a context."""
    read = rows[rows["status"] == "ok"]
    means = 100 * read.groupby(["setting", "context"], sort=True)["probability"].mean()
    # Female and male contexts share their names, to be paired; pooled they are two contexts.
    several = rows["setting"].nunique() > 1
    return means.set_axis([" ".join(one) if several else one[1] for one in means.index])


def people_of(survey: Survey, word: str) -> "Sample | None":
    """What the people surveyed said; None where nobody was asked about the word."""
    if word not in survey:
        return None
    counts = survey[word]
    return pd.Series(np.repeat(np.array(list(counts)), list(counts.values())))


def words_to_numbers(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """All results of the elicitation."""
    survey = resampling.options(WepOptions).people()
    sides = sides_of(frame)
    rng = np.random.default_rng(resampling.seed)
    results: list[Result] = []
    for side in sides:
        results += _alone(side, rng, resampling)
        people = {word: people_of(survey, word) for word in side.words()}
        known = {word: sample for word, sample in people.items() if sample is not None}
        results += _against(side, known, HUMAN, rng, resampling)
    for one, other, name in _pairs(sides):
        samples = {word: sample_of(rows) for word, rows in other.words().items()}
        results += _against(one, samples, name, rng, resampling)
    return results


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side, str]]:
    """What differs in one thing only: setting, language, or model and variant."""
    for (i, one), (j, other) in product(enumerate(sides), repeat=2):
        if i == j or one.key.dataset != other.key.dataset:
            continue
        (language, setting), (its_language, its_setting) = one.how, other.how
        if one.who != other.who:
            if one.how == other.how and i > j:
                yield one, other, " ".join(filter(None, other.who))
        elif language == its_language:
            if (setting, its_setting) in SETTING_PAIRS:
                yield one, other, its_setting
        elif setting == its_setting and its_language == "en":
            yield one, other, its_language


def _alone(side: Side, rng: np.random.Generator, resampling: Resampling) -> Iterator[Result]:
    """Mean, median and spread of each word, and how many judgments there are."""
    for word, rows in side.words().items():
        at, note = side.condition.but(word=word), left_out(rows["status"])
        yield from estimate.results_of(
            _moments(sample_of(rows), at, note, rng, resampling), side.key
        )
        yield side.key.result(at, "n", len(rows), n=len(rows), note=note)


def _moments(
    sample: Sample,
    condition: Condition,
    note: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> Drawn:
    n, values = len(sample), sample.to_numpy(float) / 100
    same = n > 1 and np.ptp(values) == 0
    said = noted("one value in all contexts" if same else "", note)
    names = ("mean_probability", "median_probability", "probability_spread")
    numbers = [Number(condition, name, n, said) for name in names]
    if not n:
        return Drawn(numbers, np.full(3, np.nan), np.full((resampling.resamples, 3), np.nan), 0)
    drawn = values[rng.integers(n, size=(resampling.resamples, n))]

    def numbers_of(rows: FloatArray) -> FloatArray:
        spread = rows.std(axis=1, ddof=1) if n > 1 else np.full(len(rows), np.nan)
        spread = np.where(np.ptp(rows, axis=1) == 0, 0 * spread, spread)  # not 1e-17
        return np.column_stack([rows.mean(axis=1), np.median(rows, axis=1), spread])

    return Drawn(numbers, numbers_of(values[None])[0], numbers_of(drawn), n)


@dataclass(frozen=True)
class _Compared:
    """One word, one side against another: how far they lie apart.

    There are p-values, by the metric tested, of the Brunner-Munzel test and, where contexts are
    shared, of the sign-flip test over them; `why` says why the former is undefined.
    """

    drawn: Drawn
    p_values: Mapping[str, float]
    why: str


def _against(
    side: Side,
    reference: Mapping[str, Sample],
    versus: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> Iterator[Result]:
    """Every word against a reference; p adjusted over the words, and how many differ."""
    found: dict[str, _Compared] = {}
    against = side.condition.but(versus=versus)
    for word, rows in side.words().items():
        if word in reference:
            own, at = sample_of(rows), against.but(word=word)
            note = left_out(rows["status"])
            one = _compared(own, reference[word], at, note, rng, resampling)
            found[word] = one
            yield from estimate.results_of(one.drawn, side.key)
    for metric in ("brunner_munzel_theta", "paired_difference"):
        mine = {word: one for word, one in found.items() if metric in one.p_values}
        if mine:
            yield from _tests(mine, metric, side.key, against.but(of=metric))


def _compared(
    own: Sample,
    versus: Sample,
    condition: Condition,
    note: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> _Compared:
    """One side's probabilities against a reference, which comes first in every measure."""
    n, resamples = len(own), resampling.resamples
    test = metrics.brunner_munzel(versus, own)
    said = noted(f"{len(versus)} values against {n}", note)
    interval, theta = (test.ci_low, test.ci_high), "brunner_munzel_theta"
    numbers = [Number(condition, theta, n, noted(test.reason, said), interval, test.reason)]
    values, draws = [test.theta], [np.full(resamples, np.nan)]
    tables = ValueTables.pair(versus, own)
    drawn = [
        ValueTables(table.values, _resampled(table.mass[0], rng, resamples)) for table in tables
    ]
    for metric in _MEASURES:
        measure = getattr(metrics, metric).of
        remark = BINS if metric in _BINNED else ""
        numbers.append(Number(condition, metric, n, noted(remark, said)))
        values.append(float(measure(*tables)[0]))
        draws.append(measure(*drawn))
    p_values, shared = {theta: test.p}, _shared(own, versus)
    if m := len(shared):
        numbers.append(Number(condition, "paired_difference", m, f"on {m} shared contexts"))
        values.append(float(shared.mean()))
        draws.append(shared[rng.integers(m, size=(resamples, m))].mean(axis=1))
        p_values["paired_difference"] = metrics.sign_flip_p(shared, seed=resampling.seed)
    found = Drawn(numbers, np.array(values), np.column_stack(draws), n)
    return _Compared(found, p_values, test.reason)


def _resampled(mass: FloatArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Bootstrap draws of a sample, as counts of its values."""
    n = int(mass.sum())
    if not n:
        return np.zeros((resamples, len(mass)))
    return rng.multinomial(n, mass / n, size=resamples).astype(float)


def _shared(own: Sample, versus: Sample) -> FloatArray:
    """Reference less own over the contexts that both have."""
    both = sorted(set(own.index) & set(versus.index))
    return np.asarray(versus[both] - own[both], float)


def _tests(
    found: Mapping[str, _Compared], metric: str, key: Key, condition: Condition
) -> Iterator[Result]:
    """The p-value of each word, adjusted over the words, and how many words differ."""
    p = np.array([one.p_values[metric] for one in found.values()])
    known, adjusted = ~np.isnan(p), metrics.holm(p)
    over = f"over {known.sum()} words"
    over += f"; {(~known).sum()} undefined" if not known.all() else ""
    for (word, one), raw, holms in zip(found.items(), p, adjusted, strict=True):
        at, n = condition.but(word=word), one.drawn.numbers[0].n
        why = f"undefined: {one.why}" if np.isnan(raw) else ""
        yield key.result(at, "p_value", raw, n=n, note=why or _mark(raw))
        yield key.result(at, "p_holm", holms, n=n, note=why or noted(_mark(holms), over))
    for level, (name, values) in product(LEVELS, {"none": p, "holm": adjusted}.items()):
        differ = int((values[known] < 1 - level / 100 + 1e-12).sum())
        at = condition.but(adjusted=name, level=level)
        yield key.result(at, "words_that_differ", differ, n=len(p), note=over)


def _mark(p: float) -> str:
    """At which of the three levels p is significant."""
    reached = [level for level in LEVELS if p < 1 - level / 100 + 1e-12]
    return f"differs at {max(reached)}%" if reached else "no difference at 90%"
