"""The 360 prompts of the choice experiment against their design, counted independently."""

from __future__ import annotations

from collections import Counter
from itertools import product
from operator import attrgetter

import pytest
from scipy.stats import norm

from build import record_table
from inspect_confidence.datasets.wep_choices import (
    COMPLEMENTS,
    INTERVALS,
    NUMBERS,
    POINTS,
    RANGES,
    ChoicePrompt,
    design,
    right_choice,
)

PROMPTS = list(design())

# From the study, as read off its published files: not imported.
DRAWN = {
    "narrow": "116 93 94 89 108 76 117 92 103 97 114 79 96 96 111 89 98 91 100 105",
    "wide": "55 145 136 120 136 72 95 62 89 121 72 84 72 66 73 99 55 109 166 129",
}
DEVIATION = {"narrow": 10, "wide": 40}
BOUNDS = {
    "narrow": ["99/100", "96/103", "93/106", "89/110", "80/119"],
    "wide": ["97/102", "85/114", "73/126", "56/143", "21/178"],
}
LEVELS = [0.05, 0.275, 0.5, 0.725, 0.95]
KINDS = ["below_low", "above_low", "between", "outside", "below_high", "above_high"]


def inside(kind: str, low: int, high: int, x: int) -> bool:  # one a kind
    """Whether a number lies in the interval."""
    if kind == "below_low":
        return x < low
    if kind == "above_low":
        return x > low
    if kind == "between":
        return low < x < high
    if kind == "outside":
        return x < low or x > high
    if kind == "below_high":
        return x < high
    return x > high


def count_inside(prompt: ChoicePrompt) -> int:
    """How many of the 20 numbers lie in a prompt's interval."""
    low, high = map(int, BOUNDS[prompt.numbers][LEVELS.index(prompt.point)].split("/"))
    total = 0
    for text in DRAWN[prompt.numbers].split():
        if inside(prompt.interval, low, high, int(text)):
            total += 1
    return total


def fits(count_of_20: int, size: int) -> str:
    """The word whose range holds a share of so many twentieths."""
    percent = 5 * count_of_20
    if size == 3:
        return "likely" if percent > 61 else "maybe" if percent >= 41 else "unlikely"
    if percent > 92:
        return "almost certainly"
    if percent > 61:
        return "likely"
    if percent >= 41:
        return "maybe"
    return "unlikely" if percent >= 13 else "almost certainly not"


def test_numbers_and_points_equal_those_of_the_study() -> None:
    """20 numbers each; points are those published and int(100 -+ z * sd) of the central levels."""
    for name, text in DRAWN.items():
        assert list(NUMBERS[name]) == list(map(int, text.split()))
        assert len(NUMBERS[name]) == 20
        published = [tuple(map(int, pair.split("/"))) for pair in BOUNDS[name]]
        assert list(POINTS[name].items()) == list(zip(LEVELS, published, strict=True))
        for level, (low, high) in POINTS[name].items():
            z = norm.ppf((1 + level) / 2)
            assert (low, high) == (int(100 - z * DEVIATION[name]), int(100 + z * DEVIATION[name]))


def test_the_design_has_360_distinct_balanced_prompts() -> None:
    """Every combination of the five factors stands once, with an id of its own that names it."""
    table = record_table(PROMPTS)
    assert len(PROMPTS) == table["id"].nunique() == 360
    everything = product(["height", "score", "sound"], [5, 3], ["narrow", "wide"], LEVELS, KINDS)
    factors = table[["scenario", "choice_set", "numbers", "point", "interval"]]
    assert Counter(factors.itertuples(index=False, name=None)) == Counter(everything)
    assert PROMPTS[0].id == "height-5-narrow-0.05-below_low"
    for prompt in PROMPTS:
        parts = (
            prompt.scenario,
            str(prompt.choice_set),
            prompt.numbers,
            f"{prompt.point:g}",
            prompt.interval,
        )
        assert prompt.id == "-".join(parts)
    assert set(table["scenario"].value_counts()) == {120}
    assert set(table["numbers"].value_counts()) == {180}


def test_intervals_are_worded_as_in_the_study() -> None:
    """The interval reads as the study's does; scenario and choices don't change it."""
    read = {(prompt.numbers, prompt.point, prompt.interval): prompt.text for prompt in PROMPTS}
    assert len(read) == 60
    # A bound of one point may be that of another: still every interval has words of its own.
    assert len({(key[0], text) for key, text in read.items()}) == 60
    assert [read["narrow", 0.5, kind] for kind in KINDS] == [
        "below 93",
        "above 93",
        "between 93 and 106",
        "below 93 or above 106",
        "below 106",
        "above 106",
    ]
    assert read["wide", 0.95, "outside"] == "below 21 or above 178"


def test_shares_and_right_choices_equal_independent_counts() -> None:
    """Complementary pairs hold all kinds; shares and choices equal loops and move one way."""
    assert sorted([*COMPLEMENTS, *COMPLEMENTS.values()]) == sorted(KINDS) == sorted(INTERVALS)
    keys = map(attrgetter("numbers", "point", "interval"), PROMPTS)
    by_key = dict(zip(keys, PROMPTS, strict=True))
    for name, point, (kind, complement) in product(DRAWN, LEVELS, COMPLEMENTS.items()):
        total = count_inside(by_key[name, point, kind]) + count_inside(
            by_key[name, point, complement]
        )
        edges = [POINTS[name][point][0], POINTS[name][point][1]]
        on_edge = sum(map(NUMBERS[name].count, set(edges)))
        assert 20 - on_edge <= total <= 20
    for prompt in PROMPTS:
        words = (
            ["almost certainly", "likely", "maybe", "unlikely", "almost certainly not"]
            if prompt.choice_set == 5
            else ["likely", "maybe", "unlikely"]
        )
        assert prompt.share == count_inside(prompt) / 20
        assert words[prompt.right] == fits(count_inside(prompt), prompt.choice_set)
    # Shares of above low, between and below high rise over the points; the others fall.
    for name, kind in product(DRAWN, KINDS):
        shares = [by_key[name, point, kind].share for point in LEVELS]
        rises = kind in ("above_low", "between", "below_high")
        assert shares == sorted(shares, reverse=not rises)


def test_every_share_has_a_choice_and_no_other_number_has() -> None:
    """Every share in thousandths has a choice, more never less; what is no probability has none."""
    # (.92, 1], (.61, .92], [.41, .61], [.13, .41), [0, .13); (.61, 1], [.41, .61], [0, .41).
    for share, five, three in [
        (1, 0, 0),
        (0.93, 0, 0),
        (0.92, 1, 0),
        (0.62, 1, 0),
        (0.61, 2, 1),
        (0.5, 2, 1),
        (0.41, 2, 1),
        (0.4, 3, 2),
        (0.13, 3, 2),
        (0.12, 4, 2),
        (0, 4, 2),
    ]:
        assert (right_choice(share, 5), right_choice(share, 3)) == (five, three)
    for share in [-0.01, 1.01, float("nan")]:
        with pytest.raises(ValueError, match="is not a probability"):
            right_choice(share, 5)
    for size, ranges in RANGES.items():
        places = [right_choice(i / 1000, size) for i in range(1001)]
        assert places == sorted(places, reverse=True)
        assert set(places) == set(range(len(ranges)))
