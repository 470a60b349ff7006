"""M-ratio: 1 for the ideal observer of its own model, and no other."""

import math

import numpy as np
import pytest

from inspect_confidence.metrics import m_ratio
from inspect_confidence.metrics.efficiency import Type1Model
from metrics.strategies import FloatArray

NAN = float("nan")
BATCHES, TRIALS = 16, 40_000


def observer(
    alternatives: int, d_prime: float, rng: np.random.Generator, noise: float = 0
) -> tuple[FloatArray, FloatArray]:
    """Confidence and correctness of the m-alternative observer who reports the posterior.

    Evidence is N(d', 1) for the right alternative, the first, and N(0, 1) for the others; noise
    is added to the log odds of the report, which is rounded down to a multiple of 0.05.
    """
    evidence = rng.normal(size=(TRIALS, alternatives))
    evidence[:, 0] += d_prime
    likelihood = np.exp(d_prime * evidence)
    odds = likelihood.max(axis=1) / (likelihood.sum(axis=1) - likelihood.max(axis=1))
    odds *= np.exp(noise * rng.normal(size=TRIALS))
    return np.floor(20 * odds / (1 + odds)) / 20, (evidence.argmax(axis=1) == 0).astype(float)


def ratios(
    type1: Type1Model,
    alternatives: int,
    d_prime: float,
    threshold: float,
    *,
    noise: float = 0,
    named: int | None = None,
) -> tuple[float, float]:
    """Mean and standard error of the ratio over independent batches of an observer's trials."""
    rng = np.random.default_rng([alternatives, int(100 * threshold)])
    found = [
        m_ratio(
            *observer(alternatives, d_prime, rng, noise),
            type1=type1,
            alternatives=named,
            threshold=threshold,
        )
        for _ in range(BATCHES)
    ]
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(BATCHES))


@pytest.mark.parametrize(
    ("type1", "alternatives", "named"),
    [
        ("two_z", 2, None),
        ("two_z", 2, 2),
        ("two_afc", 2, 2),
        ("m_afc", 2, 2),
        ("m_afc", 4, 4),
        ("m_afc", 5, 5),
    ],
)
@pytest.mark.parametrize("threshold", [0.6, 0.8])
def test_an_ideal_observer_has_one(
    type1: Type1Model, alternatives: int, named: int | None, threshold: float
) -> None:
    """The ratio of a simulated ideal observer is 1 within 4.5 Monte-Carlo errors.

    With 15 degrees of freedom one of twelve is further off by chance in 0.5% of seeds; 0.003 is
    what the table of d' adds at d' = 1.4.
    """
    mean, error = ratios(type1, alternatives, 1.4, threshold, named=named)
    assert error < 0.006
    assert mean == pytest.approx(1, abs=4.5 * error + 0.003)


@pytest.mark.parametrize(
    ("type1", "alternatives"), [("two_z", 2), ("two_afc", 2), ("m_afc", 4), ("m_afc", 5)]
)
def test_noise_in_the_report_lowers_it(type1: Type1Model, alternatives: int) -> None:
    """An observer whose report has noise that its choice has not is clearly below 1, above 0."""
    mean, error = ratios(type1, alternatives, 1.4, 0.7, noise=1.5, named=alternatives)
    assert 0 < mean < 0.9 - 4.5 * error


@pytest.mark.parametrize("threshold", [0.6, 0.8])
def test_mixed_models_do_not_give_one(threshold: float) -> None:
    """The ideal observer of four alternatives has no ratio of 1 in the model of two."""
    for type1 in ("two_z", "two_afc"):
        mean, error = ratios(type1, 4, 1.4, threshold)
        assert abs(mean - 1) > 0.05 + 4.5 * error


def judged(right: int, wrong: int) -> tuple[FloatArray, FloatArray]:
    """Judgments of so many right and wrong answers, most of the right ones confident."""
    confidence = np.where(np.arange(right + wrong) % 3 == 0, 0.2, 0.9)
    confidence[right:] = np.where(np.arange(wrong) % 3 == 0, 0.9, 0.2)
    return confidence, np.repeat([1.0, 0], [right, wrong])


@pytest.mark.parametrize(
    ("type1", "alternatives", "right", "wrong", "undefined"),
    [
        ("two_z", 2, 50, 50, True),  # chance
        ("two_z", 2, 40, 60, True),
        ("two_z", 2, 517, 483, True),  # 2 z(.517) = .085
        ("two_z", 2, 530, 470, False),  # 2 z(.53) = .151
        ("two_afc", 2, 526, 474, True),  # sqrt(2) z(.526) = .092
        ("two_afc", 2, 540, 460, False),
        ("m_afc", 2, 50, 50, True),
        ("m_afc", 4, 25, 75, True),
        ("m_afc", 4, 20, 80, True),
        ("m_afc", 4, 40, 60, False),  # above the chance of four
        ("m_afc", 5, 20, 80, True),
        ("m_afc", 5, 30, 70, False),
        ("two_z", 2, 100, 0, True),
        ("m_afc", 4, 0, 100, True),
    ],
)
def test_at_chance_there_is_no_ratio(
    type1: Type1Model, alternatives: int, right: int, wrong: int, undefined: bool
) -> None:
    """Where d' is at most 0.1, or all answers are alike, the ratio is NaN."""
    got = m_ratio(*judged(right, wrong), type1=type1, alternatives=alternatives)
    assert math.isnan(got) == undefined


def test_the_two_models_of_two_choices_have_one_ratio() -> None:
    """2 z and sqrt(2) z differ in units only, and m_afc with two alternatives is the latter."""
    confidence, right = judged(70, 30)
    expected = m_ratio(confidence, right, type1="two_z")
    assert m_ratio(confidence, right, type1="two_afc") == pytest.approx(expected, rel=1e-12)
    table = m_ratio(confidence, right, type1="m_afc", alternatives=2)
    assert table == pytest.approx(expected, rel=1e-5)


def test_a_ratio_by_hand() -> None:
    """At H2 = .8 and F2 = .35 meta-d' is 2.117, and at accuracy .8 2 z is 1.6832."""
    # so many judgments that half a judgment more changes the rates by less than 1e-5
    confidence = np.repeat([0.9, 0.1, 0.9, 0.1], [64_000, 16_000, 7_000, 13_000])
    right = np.repeat([1, 0], [80_000, 20_000])
    got = m_ratio(confidence, right, type1="two_z")
    assert got == pytest.approx(2.117 / 1.6832, abs=5e-4)


def test_missing_and_undefined_judgments() -> None:
    """NaN is left out; probable outcomes and one-sided confidence give NaN."""
    confidence, right = judged(70, 30)
    full = m_ratio([*confidence, NAN, 0.4], [*right, 1, NAN], type1="two_z")
    assert full == m_ratio(confidence, right, type1="two_z")
    assert math.isnan(m_ratio(confidence, right, type1="two_z", threshold=0.1))
    assert math.isnan(m_ratio(confidence, right, type1="two_z", threshold=1))
    assert math.isnan(m_ratio(confidence, right * 0.9, type1="two_z"))
    assert math.isnan(m_ratio([], [], type1="m_afc", alternatives=4))


def test_models_need_their_number_of_choices() -> None:
    """m_afc without a number, a model of two with four, and an unknown model raise an error."""
    confidence, right = judged(7, 3)
    with pytest.raises(ValueError, match="alternatives=None: m_afc needs"):
        m_ratio(confidence, right, type1="m_afc")
    with pytest.raises(ValueError, match="alternatives=1: m_afc needs"):
        m_ratio(confidence, right, type1="m_afc", alternatives=1)
    with pytest.raises(ValueError, match="alternatives=4: two_z is for two choices"):
        m_ratio(confidence, right, type1="two_z", alternatives=4)
    with pytest.raises(ValueError, match="'sdt' is not one of two_z, two_afc, m_afc"):
        m_ratio(confidence, right, type1="sdt")  # type: ignore[arg-type]
