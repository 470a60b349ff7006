"""Words to numbers: every word of every condition, alone and against people and each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.wep_survey import Survey, read_survey, surveyed_counts
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import (
    ValueTables,
    brunner_munzel,
    holm,
    jensen_shannon,
    kl_divergence,
    ks_statistic,
    median_difference,
    sign_flip_p,
    wasserstein,
)
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.estimate import Drawn, Number, results_of
from inspect_confidence.studies.intervals import left_out
from inspect_confidence.studies.study import Resampling, option

FloatArray = NDArray[np.float64]

BINS = "20 bins from 0 to 100, 1e-10 in empty ones, natural logarithm"

_NAN = float("nan")
_MEASURES = {
    "kl_divergence": kl_divergence.of,
    "jensen_shannon": jensen_shannon.of,
    "ks_statistic": ks_statistic.of,
    "wasserstein": wasserstein.of,
    "median_difference": median_difference.of,
}


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
class Sample:
    """What one side says that a word means.

    Attributes:
        values: In percent: one a context, the mean over its epochs; or one a person.
        contexts: Of the values, where they have one.
    """

    values: FloatArray
    contexts: Sequence[str] | None = None


def sample_of(rows: pd.DataFrame) -> Sample:
    """The readable judgments of one word, averaged over the epochs of a context."""
    read = rows[rows["status"] == "ok"]
    means = 100 * read.groupby(["setting", "context"], sort=True)["probability"].mean()
    # Female and male contexts share their names, to be paired; pooled they are two contexts.
    several = rows["setting"].nunique() > 1
    names = [
        f"{setting} {context}" if several else str(context) for setting, context in means.index
    ]
    return Sample(means.to_numpy(float), names)


def people_of(survey: Survey, word: str) -> Sample | None:
    """What the people surveyed said; None where nobody was asked about the word."""
    if word not in survey:
        return None
    counts = survey[word]
    return Sample(np.repeat(np.array(list(counts)), list(counts.values())))


def alone(
    sample: Sample,
    condition: Mapping[str, object],
    note: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> Drawn:
    """Mean, median and spread of one side."""
    n = len(sample.values)
    numbers = [
        Number(condition, name, n, note)
        for name in ("mean_probability", "median_probability", "probability_spread")
    ]
    if not n:
        return Drawn(numbers, np.full(3, _NAN), np.full((resampling.resamples, 3), _NAN))
    values = sample.values / 100
    drawn = values[rng.integers(n, size=(resampling.resamples, n))]

    def numbers_of(rows: FloatArray) -> FloatArray:
        spread = rows.std(axis=1, ddof=1) if n > 1 else np.full(len(rows), _NAN)
        spread = np.where(np.ptp(rows, axis=1) == 0, 0 * spread, spread)  # not 1e-17
        return np.column_stack([rows.mean(axis=1), np.median(rows, axis=1), spread])

    if n > 1 and np.ptp(values) == 0:
        numbers = [
            Number(condition, one.metric, n, _joined("one value in all contexts", note))
            for one in numbers
        ]
    return Drawn(numbers, numbers_of(values[None])[0], numbers_of(drawn))


@dataclass(frozen=True)
class Compared:
    """One word, one side against another.

    Attributes:
        drawn: The measures of how far they lie apart.
        p: Of the Brunner-Munzel test.
        paired_p: Of the sign-flip test over shared contexts; NaN where none is shared.
        shared: How many contexts that is.
        why: Why p is undefined.
    """

    drawn: Drawn
    p: float
    paired_p: float
    shared: int
    why: str


def compare_word(
    own: Sample,
    versus: Sample,
    condition: Mapping[str, object],
    note: str,
    rng: np.random.Generator,
    resampling: Resampling,
) -> Compared:
    """One side's probabilities against another's; the reference comes first in every measure.

    Args:
        own: The side that the row is about: the second sample.
        versus: The reference: the first sample.
        condition: Of the rows.
        note: What was left out.
        rng: Of the resamples.
        resampling: Number of them.
    """
    n = len(own.values)
    test = brunner_munzel(versus.values, own.values)
    interval = (test.ci_low, test.ci_high)
    said = _joined(f"{len(versus.values)} values against {n}", note)
    numbers = [
        Number(
            condition, "brunner_munzel_theta", n, _joined(test.reason, said), interval, test.reason
        )
    ]
    tables = ValueTables.pair(versus.values, own.values)
    values, draws = [test.theta], [np.full(resampling.resamples, _NAN)]
    drawn = [
        ValueTables(table.values, _resampled(table.mass[0], rng, resampling.resamples))
        for table in tables
    ]
    for metric, measure in _MEASURES.items():
        remark = BINS if metric in ("kl_divergence", "jensen_shannon") else ""
        numbers.append(Number(condition, metric, n, _joined(remark, said)))
        values.append(float(measure(*tables)[0]))
        draws.append(measure(*drawn))
    shared = _shared(own, versus)
    if len(shared):
        m = len(shared)
        numbers.append(Number(condition, "paired_difference", m, f"on {m} shared contexts"))
        values.append(float(shared.mean()))
        draws.append(shared[rng.integers(m, size=(resampling.resamples, m))].mean(axis=1))
    return Compared(
        Drawn(numbers, np.array(values), np.column_stack(draws)),
        test.p,
        sign_flip_p(shared, seed=resampling.seed),
        len(shared),
        test.reason,
    )


def _resampled(mass: FloatArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Bootstrap draws of a sample, as counts of its values."""
    n = int(mass.sum())
    if not n:
        return np.zeros((resamples, len(mass)))
    return rng.multinomial(n, mass / n, size=resamples).astype(float)


def _shared(own: Sample, versus: Sample) -> FloatArray:
    """Reference less own over the contexts that both have."""
    mine, theirs = (
        dict(zip(side.contexts or (), side.values, strict=False)) for side in (own, versus)
    )
    both = sorted(set(mine) & set(theirs))
    return np.array([theirs[name] - mine[name] for name in both], float)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


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
    survey = resampling.options(WepOptions).people()
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
