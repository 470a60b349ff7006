"""Words to numbers on frames made by hand: measures against loops, tests, notes and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, brunnermunzel, wasserstein_distance
from statsmodels.stats.multitest import multipletests

from build import column_of, copies_with, rows_with
from inspect_confidence.datasets.wep_contexts import SURVEYED
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.results import Condition
from inspect_confidence.studies import study_of
from studies.frames import Rows, keyed
from studies.frames import study_results as summarize


def word_rows(
    word: str,
    values: Sequence[float | str],
    setting: str = "concise",
    language: str = "en",
    model: str = "m",
    epoch: int = 1,
) -> list[dict[str, Any]]:
    """Judgments of one word, one a context; a text is the status of an unreadable one."""
    name = "gendered" if setting in ("female", "male") else setting
    rows: list[dict[str, Any]] = []
    for place, value in enumerate(values, 1):
        row = {"item": f"{setting}-{place:02d}", "context": f"{name}-{place:02d}"}
        status, probability = (value, np.nan) if isinstance(value, str) else ("ok", value)
        rows.append({**row, "status": status, "probability": probability})
    return copies_with(
        rows,
        task="wep_elicitation",
        model=model,
        dataset="bundled",
        setting=setting,
        language=language,
        word=word,
        epoch=epoch,
    )


def table_of(rows: list[dict[str, Any]]) -> list[tuple[frozenset[tuple[str, str]], Any]]:
    """Results with their decoded conditions, of several models."""
    records = summarize(pd.DataFrame(rows), resamples=30).to_dict("records")
    return [(frozenset(Condition.read(row["condition"]).items()), row) for row in records]


def table(rows: list[dict[str, Any]]) -> Rows:
    """Results of one model by decoded condition and metric."""
    return keyed(summarize(pd.DataFrame(rows), resamples=30))


def row_at(rows: Rows, metric: str, **condition: str) -> dict[str, Any]:
    """The one row of a condition, concise and English unless something else is said."""
    return rows[frozenset(({"language": "en", "setting": "concise"} | condition).items()), metric]


def rows_of_words(
    rows: Rows, metric: str, words: Sequence[str], **condition: str
) -> list[dict[str, Any]]:
    """The one row of a condition for each word."""
    return [row_at(rows, metric, word=word, **condition) for word in words]


def people(word: str) -> list[float]:
    """The 123 answers."""
    counts = surveyed_counts()[word]
    return list(np.repeat(list(counts), list(counts.values())))


def percents(rows: list[dict[str, Any]]) -> list[float]:
    """The probabilities of judgments in percent."""
    return list(np.round(100 * np.array(column_of(rows, "probability")), 9))


def theta(first: Sequence[float], second: Sequence[float]) -> float:
    """P(first > second) + P(equal)/2, over all pairs."""
    pairs = np.array(list(product(first, second)))
    wins = (np.sign(pairs[:, 0] - pairs[:, 1]) + 1) / 2
    return float(wins.mean())


def answers_near_people(
    seed: int = 0, words: Sequence[str] = SURVEYED, **more: str
) -> list[dict[str, Any]]:
    """15 answers in multiples of 5 a word, near what people say."""
    rng = np.random.default_rng(seed)
    rows = []
    for word in words:
        values = rng.choice(people(word), 15) + rng.choice([-5, 0, 5, 10], 15)
        rows += word_rows(word, (values.clip(0, 100) / 100).tolist(), **more)  # type: ignore[arg-type]
    return rows


def headings(rows: list[dict[str, Any]]) -> list[str]:
    """The columns of the first table of words against people."""
    results = summarize(pd.DataFrame(rows), resamples=30)
    return list(study_of("wep_elicitation").views(results)[0].table.columns)


def test_a_table_counts_the_contexts_of_a_single_setting_once() -> None:
    """With one setting its count is the column n; with two each has its own besides."""
    concise = answers_near_people(words=["likely"])
    names = ["word", "concise theta", "concise KL", "concise median", "n"]
    assert headings(concise) == names
    extended = answers_near_people(words=["likely"], setting="extended")
    both = headings([*concise, *extended])
    assert {"concise n", "extended n", "n"} <= set(both)


def test_measures_against_people_equal_loops() -> None:
    """Theta by all pairs, p and Wasserstein by scipy, medians and means by numpy."""
    rows = answers_near_people()
    results = table(rows)
    for word in SURVEYED:
        model_values = percents(rows_with(rows, word=word))
        human = people(word)
        condition = {"versus": "human", "word": word}
        assert row_at(results, "brunner_munzel_theta", **condition)["value"] == pytest.approx(
            theta(human, model_values), abs=1e-12
        )
        p = brunnermunzel(human, model_values).pvalue
        tested = row_at(results, "p_value", of="brunner_munzel_theta", **condition)
        assert tested["value"] == pytest.approx(p, rel=1e-9)
        distance = row_at(results, "wasserstein", **condition)["value"]
        assert distance == pytest.approx(wasserstein_distance(human, model_values), abs=1e-9)
        gap = row_at(results, "median_difference", **condition)["value"]
        assert gap == pytest.approx(np.median(human) - np.median(model_values), abs=1e-9)
        shares = np.array(model_values) / 100
        expected_values = [shares.mean(), np.median(shares), shares.std(ddof=1), 15]
        names = ("mean_probability", "median_probability", "probability_spread", "n")
        values = [row_at(results, metric, word=word)["value"] for metric in names]
        assert values == pytest.approx(expected_values, abs=1e-12)


def test_holm_over_the_words() -> None:
    """Adjusted p equal statsmodels' over the 17 raw ones; the counts are those below a level."""
    results = table(answers_near_people(2))
    condition = {"versus": "human", "of": "brunner_munzel_theta"}
    raw = column_of(rows_of_words(results, "p_value", SURVEYED, **condition), "value")
    adjusted = column_of(rows_of_words(results, "p_holm", SURVEYED, **condition), "value")
    assert adjusted == pytest.approx(multipletests(raw, method="holm")[1])
    for level in (90, 95, 99):
        for kind, values in (("none", raw), ("holm", adjusted)):
            row = row_at(results, "words_that_differ", level=str(level), adjusted=kind, **condition)
            assert row["value"] == np.count_nonzero(np.array(values) <= 1 - level / 100)
            assert row["n"] == 17


@pytest.mark.parametrize("tested", [0, 2])
@pytest.mark.parametrize("epochs", [1, 2])
def test_words_that_differ_counts_the_tested_words_only(tested: int, epochs: int) -> None:
    """Words with two contexts have no test: none differs of none is undefined, not 0."""
    words = ["likely", "we doubt", "probable"]
    rows = []
    for epoch in range(1, epochs + 1):
        for number, word in enumerate(words):
            values: list[float | str] = [0.01, 0.02, "refusal"]
            if number < tested:
                values = [0.01] * 15
            rows += word_rows(word, values, epoch=epoch)
    results = table(rows)
    condition = {"versus": "human", "of": "brunner_munzel_theta", "level": "95"}
    for adjusted in ("none", "holm"):
        row = row_at(results, "words_that_differ", adjusted=adjusted, **condition)
        assert (row["n"], row["asked"]) == (tested, len(words))
        if tested:
            assert row["value"] == tested
            assert row["note"] == "over 2 words; 1 undefined"
        else:
            assert np.isnan(row["value"])
            assert row["note"].startswith("undefined: no word could be tested: too few contexts")


def test_sign_flip_over_shared_contexts() -> None:
    """P of female against male is the share of 2^n signs as far from 0; theta stands beside it."""
    female = [0.7, 0.6, 0.8, 0.7, 0.5, 0.9, 0.7, 0.6, 0.7, 0.7]
    male = [0.6, 0.6, 0.7, 0.75, 0.45, 0.8, 0.7, 0.5, 0.7, 0.6]
    results = table(word_rows("likely", female, "female") + word_rows("likely", male, "male"))
    condition = {"setting": "female", "versus": "male", "word": "likely"}
    gaps = np.round(100 * (np.array(male) - female), 9)
    assert row_at(results, "paired_difference", **condition)["value"] == pytest.approx(gaps.mean())
    signs = np.array(list(product([1, -1], repeat=10)))
    is_as_far = np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9
    tested = row_at(results, "p_value", of="paired_difference", **condition)
    assert tested["value"] == pytest.approx(np.mean(is_as_far))
    assert row_at(results, "brunner_munzel_theta", **condition)["value"] == theta(male, female)


def test_settings_are_compared_and_pooled() -> None:
    """`all` holds the 45 contexts of the four settings; each pair of settings appears once."""
    rows = answers_near_people(1, ["likely"], setting="concise") + answers_near_people(
        2, ["likely"], setting="extended"
    )
    rows += answers_near_people(3, ["likely"], setting="female") + answers_near_people(
        4, ["likely"], setting="male"
    )
    results = table(rows)
    concise, extended, female, male = np.split(np.array(percents(rows)), 4)
    # Female and male contexts are the same 15 events, which count once.
    model_values = [*concise, *extended, *np.round((female + male) / 2, 9)]
    row = row_at(results, "brunner_munzel_theta", setting="all", versus="human", word="likely")
    assert (row["value"], row["n"]) == (pytest.approx(theta(people("likely"), model_values)), 45)
    pairs = set()
    for key, metric in results:
        if metric == "brunner_munzel_theta":
            parts = dict(key)
            pairs.add((parts["setting"], parts["versus"]))
    assert pairs == {
        *product(("concise", "extended", "female", "male", "all"), ["human"]),
        *product(("female", "male", "extended"), ["concise"]),
        ("female", "male"),
    }
    assert (
        row_at(results, "paired_difference", setting="female", versus="male", word="likely")["n"]
        == 15
    )


def test_languages_and_models_are_compared() -> None:
    """Chinese against English of one model, and a model against the one before it, per language."""
    rows = []
    for i, (model, language) in enumerate(product(["a", "b"], ["en", "zh"])):
        rows += answers_near_people(i, ["likely", "we doubt"], model=model, language=language)
    differences = {
        (dict(key)["language"], dict(key)["versus"], dict(key)["word"], row["model"]): row["value"]
        for key, row in table_of(rows)
        if row["metric"] == "paired_difference"
    }
    means = pd.DataFrame(rows).groupby(["model", "language", "word"])["probability"].mean()
    expected = {
        ("zh", "en", "a"): ("a", "en"),
        ("zh", "en", "b"): ("b", "en"),
        ("en", "a", "b"): ("a", "en"),
        ("zh", "a", "b"): ("a", "zh"),
    }
    for (language, versus, model), reference in expected.items():
        for word in ("likely", "we doubt"):
            gap = means[(*reference, word)] - means[model, language, word]
            assert differences.pop((language, versus, word, model)) == pytest.approx(100 * gap)
    assert not differences


def test_epochs_change_no_value() -> None:
    """Every judgment twice, as two epochs or as the same rows again, gives the same numbers."""
    rows = answers_near_people(5, SURVEYED[:4], setting="female") + answers_near_people(
        6, SURVEYED[:4], setting="male"
    )
    once = table(rows)
    for twice in (rows + rows, rows + copies_with(rows, epoch=2)):
        results = table(twice)
        assert results.keys() == once.keys()
        for key, row in results.items():
            if key[1] == "n":
                assert row["value"] == 2 * once[key]["value"]
            else:
                for name in ("value", "ci_low", "ci_high", "n"):
                    assert row[name] == pytest.approx(once[key][name], nan_ok=True), key


def test_epochs_and_unread_replies() -> None:
    """They count as a context's mean, and change n and notes of their own word alone."""
    # .6 and .8 in one context are one value of .7; an unreadable epoch is left out of it.
    rows = word_rows("likely", [0.6, 0.5, 0.5]) + word_rows(
        "likely", [0.8, "refusal", 0.5], epoch=2
    )
    row = row_at(table(rows), "mean_probability", word="likely")
    assert (row["value"], row["n"]) == (pytest.approx((0.7 + 0.5 + 0.5) / 3), 3)
    assert "1 of 6 judgments left out: 1 refusal" in str(row["note"])
    # They change n and the notes of all rows of their word, and no other word's.
    rows = word_rows("likely", [0.7, "refusal", 0.6, "ambiguous", "refusal", 0.8])
    results = table(rows + word_rows("we doubt", [0.3, 0.2]))
    note = "3 of 6 judgments left out: 1 ambiguous, 2 refusal"
    for metric in ("mean_probability", "n"):
        assert note in row_at(results, metric, word="likely")["note"]
        assert "left out" not in row_at(results, metric, word="we doubt")["note"]
    against = row_at(results, "brunner_munzel_theta", versus="human", word="likely")
    assert (against["n"], note in str(against["note"])) == (3, True)
    assert against["value"] == theta(people("likely"), [70, 60, 80])
    # It is noted; against people there is still a test.
    results = table(word_rows("likely", [0.7] * 15))
    row = row_at(results, "probability_spread", word="likely")
    assert row["value"] == 0
    assert row["note"].startswith("one value in all contexts; no interval: ")
    row = row_at(results, "mean_probability", word="likely")
    assert (row["value"], np.isnan(row["ci_low"])) == (pytest.approx(0.7), True)
    assert row["note"].endswith("no interval: every resample gave the same value")
    p = row_at(results, "p_value", of="brunner_munzel_theta", versus="human", word="likely")[
        "value"
    ]
    assert p == pytest.approx(brunnermunzel(people("likely"), [70] * 15).pvalue)


# What is undefined


def test_means_over_epochs_that_differ_by_rounding_are_one_value() -> None:
    """The mean of three times .7 differs from .7 in its last bit; other contexts have one epoch."""
    rows = word_rows("likely", [0.7] * 16)
    for epoch in (2, 3):
        rows += word_rows("likely", [0.7] * 8, epoch=epoch)
    results = table(rows)
    spread = row_at(results, "probability_spread", word="likely")
    assert spread["value"] == 0
    assert spread["note"].startswith("one value in all contexts")
    mean = row_at(results, "mean_probability", word="likely")
    assert mean["note"].endswith("no interval: every resample gave the same value")


def test_tests_of_few_values() -> None:
    """Of fewer than five values p is NaN with the reason, and left out of Holm's adjustment."""
    cases: list[tuple[list[float | str], list[float | str], float, str]] = [
        ([0.1, 0.2, 0.3], [0.7, 0.8, 0.9], 1, "fewer than 5 values"),
        ([0.5] * 4, [0.5] * 9, 0.5, "fewer than 5 values"),
        ([0.5], [0.2, 0.8], 0.5, "fewer than 5 values"),
        (["refusal", "refusal"], [0.2, 0.8], np.nan, "no value in one of the samples"),
    ]
    condition = {"setting": "female", "versus": "male", "word": "likely"}
    for female, male, theta_is, reason in cases:
        results = table(word_rows("likely", female, "female") + word_rows("likely", male, "male"))
        row = row_at(results, "brunner_munzel_theta", **condition)
        assert row["value"] == pytest.approx(theta_is, nan_ok=True), (female, male)
        assert ("no interval: fewer than 15" in row["note"]) == (not np.isnan(theta_is))
        for metric in ("p_value", "p_holm"):
            tested = row_at(results, metric, of="brunner_munzel_theta", **condition)
            assert np.isnan(tested["value"]), (female, male)
            assert reason in tested["note"], (female, male)
    # A word of few values has no p, and the adjustment is over the others, which says so.
    words = ["likely", "we doubt", "probable"]
    rows = answers_near_people(7, words[:2], setting="female") + answers_near_people(
        8, words[:2], setting="male"
    )
    rows += word_rows("probable", [0.9] * 4, "female") + word_rows("probable", [0.1] * 4, "male")
    results = table(rows)
    condition = {"setting": "female", "versus": "male", "of": "brunner_munzel_theta"}
    raw = column_of(rows_of_words(results, "p_value", words[:2], **condition), "value")
    adjusted = rows_of_words(results, "p_holm", words[:2], **condition)
    assert column_of(adjusted, "value") == pytest.approx(multipletests(raw, method="holm")[1])
    assert "over 2 words; 1 undefined" in str(adjusted[0]["note"])


def test_complete_separation_differs() -> None:
    """Words at .9 and .7 always differ, by the exact p; theta has no interval and says why."""
    words = ["likely", "we doubt", "probable"]
    rows = []
    for word in words:
        rows += word_rows(word, [0.9] * 15, "female") + word_rows(word, [0.7] * 15, "male")
    results = table(rows)
    condition = {"setting": "female", "versus": "male"}
    for word in words:
        row = row_at(results, "brunner_munzel_theta", word=word, **condition)
        assert (row["value"], np.isnan(row["ci_low"])) == (0, True)
        assert row["note"].endswith("no interval: complete separation")
        tested = {"word": word, "of": "brunner_munzel_theta", **condition}
        # Of 155,117,520 ways to split 30 contexts in halves two separate them.
        assert row_at(results, "p_value", **tested)["value"] == pytest.approx(2 / 155_117_520)
        assert row_at(results, "p_holm", **tested)["value"] == pytest.approx(6 / 155_117_520)
    differ = {"of": "brunner_munzel_theta", "adjusted": "holm", "level": "99", **condition}
    assert row_at(results, "words_that_differ", **differ)["value"] == 3


def test_distances_have_no_interval_and_medians_have() -> None:
    """Identical samples are 0 apart with no interval; both medians' intervals are put together."""
    values = [0.5, 0.6, 0.6, 0.7, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9]
    results = table(word_rows("likely", values, "female") + word_rows("likely", values, "male"))
    condition = {"setting": "female", "versus": "male", "word": "likely"}
    for metric in ("kl_divergence", "jensen_shannon", "ks_statistic", "wasserstein"):
        row = row_at(results, metric, **condition)
        assert (row["value"], np.isnan(row["ci_low"])) == (pytest.approx(0, abs=1e-12), True)
        assert "no interval: " in row["note"]
    # Both have all contexts: they are no two independent samples of them.
    row = row_at(results, "median_difference", **condition)
    assert (row["value"], np.isnan(row["ci_low"])) == (0, True)
    assert row["note"].endswith("no interval: both sides share contexts")
    assert row_at(results, "paired_difference", **condition)["note"].endswith(
        "every resample gave the same value"
    )
    # People's median of 75 is [70, 75]; the model's of 70 is [60, 90], second to ninth of ten.
    row = row_at(results, "median_difference", setting="female", versus="human", word="likely")
    low, high = np.sort(people("likely"))[[50, -51]]
    assert binom.cdf(50, 123, 0.5) <= 0.025 < binom.cdf(51, 123, 0.5)
    gap = float(np.median(people("likely"))) - 70
    assert row["value"] == gap
    below = np.hypot(np.median(people("likely")) - low, 90 - 70)
    above = np.hypot(high - np.median(people("likely")), 70 - 60)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([gap - below, gap + above])


def test_both_sides_say_how_many_values_they_have() -> None:
    """Contexts read, contexts asked, and the values of the reference."""
    rows = word_rows("likely", [0.7, "refusal", 0.6, "ambiguous", 0.9, 0.8])
    results = table(rows + word_rows("likely", [0.7, "refusal", 0.6, 0.7, 0.9, 0.8], epoch=2))
    condition = {"versus": "human", "word": "likely"}
    row = row_at(results, "own_values", **condition)
    assert (row["value"], row["n"], row["asked"]) == (5, 5, 6)
    assert row_at(results, "reference_values", **condition)["value"] == 123
    for metric in ("brunner_munzel_theta", "wasserstein", "median_difference"):
        assert (
            row_at(results, metric, **condition)["n"],
            row_at(results, metric, **condition)["asked"],
        ) == (5, 6)
    row = row_at(results, "mean_probability", word="likely")
    assert (row["n"], row["asked"]) == (5, 6)


answers = st.one_of(
    st.sampled_from([0.05, 0.5, 0.7, 0.75, 0.9, 1.0]), st.just("refusal"), st.just("ambiguous")
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.lists(st.lists(answers, min_size=17, max_size=17), min_size=4, max_size=4))
def test_intervals_hold_their_values(replies: list[list[float | str]]) -> None:
    """Whatever two epochs of two settings say; and p is there where both sides have five values."""
    rows = []
    for values, (setting, epoch) in zip(replies, product(("female", "male"), (1, 2)), strict=True):
        rows += word_rows("likely", values, setting, epoch=epoch)
    results = table(rows)
    sizes: dict[frozenset[tuple[str, str]], float] = {}
    for (condition, metric), row in results.items():
        if not np.isnan(row["ci_low"]):
            assert row["ci_low"] <= row["value"] <= row["ci_high"], (condition, metric)
            assert row["ci_low"] < row["ci_high"]
        if metric in ("own_values", "reference_values"):
            sizes[condition] = min(row["value"], sizes.get(condition, np.inf))
    for condition, n in sizes.items():
        theta = frozenset({*condition, ("of", "brunner_munzel_theta")})
        assert np.isnan(results[theta, "p_value"]["value"]) == (n < 5), condition
        paired = frozenset({*condition, ("of", "paired_difference")})
        assert (paired, "p_value") not in results or not np.isnan(
            results[paired, "p_value"]["value"]
        )


def test_models_are_paired_over_all_contexts_of_all_settings() -> None:
    """Two models that answered 15 contexts in female and male wordings share 15."""
    rows = []
    for i, (model, setting) in enumerate(product(["a", "b"], ["female", "male"])):
        rows += answers_near_people(i, ["likely"], model=model, setting=setting)
    pooled = [
        row["n"]
        for key, row in table_of(rows)
        if row["metric"] == "paired_difference" and {("setting", "all"), ("versus", "a")} <= key
    ]
    assert pooled == [15]
