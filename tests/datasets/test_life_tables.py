"""Life tables: worked by hand, simulated life by life, in exact integers, and as published."""

from __future__ import annotations

import csv
import json
import math
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import inspect_confidence.datasets as package
from inspect_confidence import InvalidArgument
from inspect_confidence.datasets.life_tables import (
    SEXES,
    WINDOWS,
    BestAnswer,
    LifeTable,
    read_life_table,
)
from refusals import refused

BUNDLED = Path(package.__path__[0]) / "bundled" / "ssa_2022.csv"
AGES, RADII = range(101), (1, 5, 10, 20)

HAND = LifeTable("hand", {"male": (0.25, 0.5, 1.0), "female": (0.1, 0.2, 0.4)})
"""Men of 0 die at 0, 1, 2 with 1/4, 3/4 * 1/2 = 3/8 and 3/8; men of 1 with 1/2 and 1/2."""


def source_texts() -> dict[str, list[str]]:
    """The bundled probabilities by sex, as they stand in the file, read without the package."""
    with BUNDLED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = pd.DataFrame(rows)
    return {sex: table[sex].tolist() for sex in SEXES}


def test_shares_of_deaths_equal_those_by_hand() -> None:
    """Who dies when; the last row takes all who are left, though its q for women is 0.4."""
    assert HAND.deaths("male", 0) == pytest.approx([0.25, 0.375, 0.375])
    assert HAND.deaths("male", 1) == pytest.approx([0.5, 0.5])
    assert HAND.deaths("male", 2) == pytest.approx([1])
    assert HAND.deaths("female", 0) == pytest.approx([0.1, 0.18, 0.72])


def test_window_probabilities_equal_those_by_hand() -> None:
    """The ages of each window written beside it; `half-open` is what is meant by default."""
    for age, answer, radius, half_open, closed in [
        (0, 1, 1, 0.625, 1),  # 0, 1; 0, 1, 2
        (0, 2, 1, 0.75, 0.75),  # 1, 2; 1, 2, 3
        (0, 0, 1, 0.25, 0.625),  # -1, 0; -1, 0, 1
        (0, 1.5, 1, 1, 0.75),  # 0, 1, 2; 1, 2
        (0, 0.4, 1, 0.625, 0.625),  # 0 after -1, 1; 0, 1
        (0, 0.5, 0.5, 0.25, 0.625),  # 0; 0, 1
        (0, 1, 0.5, 0.625, 0.375),  # 0, 1; 1
        (0, 1, 0, 0, 0.375),  # none; 1
        (0, 1, 1e-300, 0.625, 0.375),  # 0, 1; 1
        (0, 0.4, 0, 0.25, 0),  # 0; none
        (0, 3, 1, 0.375, 0.375),  # 2, 3; 2, 3, 4
        (0, 4, 1, 0, 0),  # 3, 4; 3, 4, 5
        (0, -1, 1, 0, 0.25),  # -2, -1; -2, -1, 0
        (0, -2, 1, 0, 0),
        (0, 2.2, 1.2, 0.75, 0.75),  # 1, 2 after floor and ceil of exactly 1
        (0, 1, 50, 1, 1),
        (0, 1, 1e308, 1, 1),
        (0, 1e308, 1e308, 1, 1),
        (0, -1e308, 1, 0, 0),
        (0, math.inf, 20, 0, 0),
        (0, -math.inf, 20, 0, 0),
        (0, math.nan, 1, math.nan, math.nan),
        (1, 1, 1, 0.5, 1),  # 0 can't be any more
        (1, 0, 1, 0, 0.5),
        (1, 2, 1, 1, 1),
        (2, 2, 1, 1, 1),
        (2, 1, 1, 0, 1),
        (2, 0, 1, 0, 0),
    ]:
        for window, expected in zip(WINDOWS, (half_open, closed), strict=True):
            value = HAND.window_probability("male", age, answer, radius, window)
            assert value == pytest.approx(expected, abs=1e-15, nan_ok=True), age
            assert type(value) is float, age
        default = HAND.window_probability("male", age, answer, radius)
        assert default == pytest.approx(half_open, abs=1e-15, nan_ok=True)


def test_best_answers_equal_those_by_hand() -> None:
    """The greatest probability, and the least of the answers that have it."""
    for age, radius, window, best in [
        (0, 1, "half-open", (2, 0.75)),  # 0, 1 have 0.625
        (0, 0.5, "half-open", (2, 0.75)),  # floor(1.5) = 1 to ceil(2.5) - 1 = 2
        (0, 2, "half-open", (1, 1)),  # -1 to 2; 0 to 3 is as good
        (0, 200, "half-open", (-197, 1)),  # up to -197 + 200 - 1 = 2
        (0, 1e17, "half-open", (3 - 10**17, 1)),
        (0, 1e300, "half-open", (3 - int(1e300), 1)),
        (0, 0, "half-open", (0, 0)),  # empty whatever the answer
        (1, 0, "half-open", (1, 0)),
        (0, 0, "closed", (1, 0.375)),  # 2 is as good
        (0, 0.5, "closed", (1, 0.375)),
        (0, 1, "closed", (1, 1)),
        (1, 0, "closed", (1, 0.5)),
        (2, 0, "closed", (2, 1)),
        (2, 1, "closed", (1, 1)),  # 2 and 3 are as good
        (0, 200, "closed", (-198, 1)),
    ]:
        answer = HAND.best_answer("male", age, radius, window)
        assert answer.answer == best[0]
        assert answer.probability == pytest.approx(best[1], abs=1e-15)
        assert type(answer.answer) is int, age
        assert type(answer.probability) is float, age


def test_equal_windows_are_ties_in_spite_of_rounding() -> None:
    """Where every age at death is as likely, the first window of full width is taken."""
    for rows in [3, 7, 10, 49, 110]:
        table = LifeTable("even", {"female": tuple(1 / (rows - age) for age in range(rows))})
        assert table.deaths("female", 0) == pytest.approx([1 / rows] * rows)
        for window, ages in zip(WINDOWS, (2, 3), strict=True):
            best = table.best_answer("female", 0, 1, window)
            assert best.answer == 1, rows
            assert best.probability == pytest.approx(ages / rows)


def test_the_bundled_table_has_the_digits_of_its_source(shared_data: Path) -> None:
    """All 240 probabilities are those of the Social Security Administration, as written there."""
    path = shared_data / "life_eval" / "PeriodLifeTable_2022_RawData.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    table = pd.DataFrame(rows)
    assert table["Age"].tolist() == list(map(str, range(120)))
    for sex, texts in source_texts().items():
        assert texts == table[f"Death probability ({sex.upper()})"].tolist()


def test_the_bundled_table_covers_ages_0_to_119_and_deaths_sum_to_1() -> None:
    """Ages 0 to 119, both sexes, read once; deaths sum to 1; what is given can be written to."""
    table = read_life_table("ssa-2022")
    assert (table.name, table.sexes, table.top) == ("ssa-2022", ("male", "female"), 119)
    for sex, texts in source_texts().items():
        assert table.death_probability[sex] == tuple(map(float, texts))
    assert read_life_table(" ssa-2022 ") is table
    assert BUNDLED.read_text("utf-8").startswith("age,male,female\n0,0.006064,0.005119\n")
    for table in (read_life_table("ssa-2022"), HAND):
        for sex in table.sexes:
            for age in range(table.top + 1):
                deaths = table.deaths(sex, age)
                assert deaths.shape == (table.top + 1 - age,)
                assert deaths.min() >= 0
                assert deaths.sum() == pytest.approx(1, abs=1e-12)
    HAND.deaths("male", 0)[:] = 7
    assert HAND.deaths("male", 0).sum() == pytest.approx(1)


def test_deaths_and_windows_agree_with_a_million_simulated_lives() -> None:
    """Each year of each life drawn with the file's q: deaths and windows agree with the counts."""
    # Exact binomial tests, at 1 in 1,000 for all of them together (Bonferroni).
    lives, rng = 1_000_000, np.random.default_rng(2022)
    table = read_life_table("ssa-2022")
    counts, expected = [], []
    for sex, age in [("male", 0), ("female", 0), ("male", 65), ("female", 100)]:
        rates = list(map(float, source_texts()[sex]))
        at_death = []
        alive = lives
        for year in range(age, 120):
            dying = int((rng.random(alive) < rates[year]).sum())
            at_death.append(dying)
            alive -= dying
        assert alive == 0
        counts += at_death
        expected += table.deaths(sex, age).tolist()
        died = np.repeat(np.arange(age, 120), at_death)
        for answer in (70, 84, 90.5, 101.3):
            for radius in (1, 5, 20):
                low, high = answer - radius, answer + radius
                half_open = (died >= math.floor(low)) & (died < math.ceil(high))
                closed = (died >= low) & (died <= high)
                for window, inside in zip(WINDOWS, (half_open, closed), strict=True):
                    counts.append(int(inside.sum()))
                    value = table.window_probability(sex, age, answer, radius, window)
                    expected.append(value)
    observed, p = np.array(counts), np.array(expected)
    # At p = 1 and 0 the count is certain, and these are 1.
    at_most, at_least = binom.cdf(observed, lives, p), binom.sf(observed - 1, lives, p)
    assert 2 * np.minimum(at_most, at_least).min() > 0.001 / observed.size


def test_best_answers_of_all_items_equal_those_in_exact_integers() -> None:
    """All whole answers from -5 to 169 for 808 items and both windows, by plain loops."""
    # Probabilities are integers over a power of ten, so that equal ones are equal.
    table = read_life_table("ssa-2022")
    checked = 0
    for sex, texts in source_texts().items():
        dying = [int(Decimal(text).scaleb(6)) for text in texts]
        for age in AGES:
            share, alive = {}, 10 ** (6 * (120 - age))
            whole = alive
            for year in range(age, 120):
                share[year] = alive // 10**6 * dying[year]
                alive -= share[year]
            assert alive == 0
            for radius in RADII:
                for window in WINDOWS:
                    best_total, best_whole_answer = -1, None
                    for answer in range(-5, 170):
                        end = answer + radius + (window == "closed")
                        total = 0
                        for year in range(max(age, answer - radius), min(end, 120)):
                            total += share[year]
                        if total > best_total:
                            best_total, best_whole_answer = total, answer
                    best = table.best_answer(sex, age, radius, window)
                    assert best.answer == best_whole_answer, (sex, age, radius, window)
                    assert best.probability == pytest.approx(best_total / whole, abs=1e-13)
                    checked += 1
    assert checked == 2 * 808


def test_mean_greatest_scores_are_the_published_ones(shared_data: Path) -> None:
    """Over the study's 808 items and over the 751 that it kept; sex, age and radius by its csv."""
    for window, mean_of_all, mean_of_kept in [
        ("half-open", 0.5699, 0.5681),
        ("closed", 0.5977, 0.5957),
    ]:
        table, scores = read_life_table("ssa-2022"), {}
        with (shared_data / "life_eval" / "items.csv").open(
            encoding="utf-8-sig", newline=""
        ) as file:
            for row in csv.DictReader(file):
                person_match = re.search(
                    r"American (\w+) has lived at least (\d+)", row["Question Prompt"]
                )
                radius_match = re.search(r"within (\d+) years", row["Confidence Prompt"])
                assert person_match, window
                assert radius_match, window
                best = table.best_answer(
                    person_match[1], int(person_match[2]), int(radius_match[1]), window
                )
                scores[row["Question ID"]] = best.probability
        names = json.loads((shared_data / "life_eval" / "kept_items.json").read_text("utf-8"))
        assert (len(scores), len(names)) == (808, 751), window
        assert round(float(np.mean(list(scores.values()))), 4) == mean_of_all
        assert round(float(pd.Series(scores)[[*names]].mean()), 4) == mean_of_kept


TABLES = st.lists(st.floats(0, 1), min_size=1, max_size=40).map(
    lambda rates: LifeTable("random", {"female": tuple(rates)})
)
PLACES = st.integers(0, 39)
WHOLE_ANSWERS = st.integers(-60, 100)
ANSWERS = st.floats(-60, 100) | WHOLE_ANSWERS
LENGTHS = st.integers(0, 50) | st.floats(0, 50)


@given(TABLES, PLACES, WHOLE_ANSWERS, LENGTHS, st.sampled_from(WINDOWS))
def test_no_whole_answer_beats_the_best(
    table: LifeTable, place: int, answer: int, radius: float, window: str
) -> None:
    """0 <= p <= the maximum achievable score <= 1, which the best answer itself has."""
    age = place % (table.top + 1)
    best = table.best_answer("female", age, radius, window)
    value = table.window_probability("female", age, answer, radius, window)
    assert 0 <= value <= best.probability <= 1
    best_probability = table.window_probability("female", age, best.answer, radius, window)
    assert best_probability == pytest.approx(best.probability, abs=2e-12)
    if value > 0 and answer < best.answer:
        assert value < best.probability


@given(TABLES, PLACES, WHOLE_ANSWERS, st.integers(0, 50))
def test_a_closed_window_is_never_less_probable_than_the_half_open_one(
    table: LifeTable, place: int, answer: int, radius: int
) -> None:
    """One age more for whole answers and radii, so never less."""
    age = place % (table.top + 1)
    half_open, closed = (
        table.window_probability("female", age, answer, radius, window) for window in WINDOWS
    )
    assert closed >= half_open


@given(TABLES, PLACES, ANSWERS, LENGTHS, LENGTHS, st.sampled_from(WINDOWS))
def test_a_larger_radius_is_never_less_probable(
    table: LifeTable,
    place: int,
    answer: float,
    first_radius: float,
    second_radius: float,
    window: str,
) -> None:
    """Whatever the answer, also one that is not whole."""
    age = place % (table.top + 1)
    small, large = sorted((first_radius, second_radius))
    assert table.window_probability(
        "female", age, answer, small, window
    ) <= table.window_probability("female", age, answer, large, window)


def test_bad_arguments_of_a_life_table_are_refused() -> None:
    """The same by the probability, also of NaN, and by the best answer; by the deaths too."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"sex": "men"}, "sex=men is not in the life table hand; it has: male, female."),
        ({"age": -1}, "age=-1 is not in the life table hand; give a whole number from 0 to 2."),
        ({"age": 3}, "age=3 is not in the life table hand; give a whole number from 0 to 2."),
        ({"age": 0.5}, "age=0.5 is not in the life table hand"),
        ({"age": math.nan}, "age=nan is not in the life table hand"),
        ({"radius": -1}, "radius=-1 is not a number of years; give 0 or more."),
        ({"radius": math.nan}, "radius=nan is not a number of years"),
        ({"radius": math.inf}, "radius=inf is not a number of years"),
        ({"window": "close"}, "window=close is not known. Did you mean 'closed'?"),
        ({"window": "half_open"}, "window=half_open is not known. Did you mean 'half-open'?"),
    ]
    for changed, says in cases:
        arguments: dict[str, object] = {"sex": "male", "age": 0, "radius": 1, **changed}
        for answer in (1.0, math.nan):
            with pytest.raises(InvalidArgument, match=re.escape(says)):
                HAND.window_probability(answer=answer, **arguments)  # type: ignore[arg-type] # wrong
        with pytest.raises(InvalidArgument, match=re.escape(says)):
            HAND.best_answer(**arguments)  # type: ignore[arg-type] # on purpose
        if changed.keys() & {"sex", "age"}:
            with pytest.raises(InvalidArgument, match=re.escape(says)):
                HAND.deaths(arguments["sex"], arguments["age"])  # type: ignore[arg-type] # on purpose


def test_numpy_numbers_are_accepted_and_equal_tables_hash_alike() -> None:
    """Numbers from numpy and pandas are as good, tables are keys; a sex that lacks is said."""
    men = LifeTable("men.csv", {"male": (0.5, 1.0)})
    with pytest.raises(InvalidArgument, match=r"sex=female .* men\.csv; it has: male\."):
        men.best_answer("female", 0, 1)
    age, answer = np.int64(1), np.float64(2)
    assert HAND.window_probability("male", age, answer, np.int64(1)) == 1.0  # type: ignore[arg-type]
    assert HAND.window_probability("male", 1.0, 1, 1) == 0.5  # type: ignore[arg-type]
    assert HAND.best_answer("male", 1.0, 1.0, "closed") == BestAnswer(1, 1.0)  # type: ignore[arg-type]
    assert HAND.deaths("male", 1.0) == pytest.approx([0.5, 0.5])  # type: ignore[arg-type]
    equal_table = LifeTable("hand", dict(HAND.death_probability))
    other_table = LifeTable("hand", {"male": (0.5, 1.0)})
    assert len({HAND, equal_table, other_table}) == 2


def test_a_table_of_one_sex_with_columns_in_any_order_is_read(home: Path) -> None:
    """One sex is enough; columns in any order and case, others ignored, as spreadsheets save."""
    (home / "mine.csv").write_bytes(
        '\ufeffMale, Age ,lives\r\n0.25,0,"100,000"\r\n5e-1,1.0,"75,000"\r\n\r\n1,2\r\n'.encode()
    )
    table = read_life_table("mine.csv")
    assert (table.name, table.sexes, table.top) == ("mine.csv", ("male",), 2)
    assert table.death_probability == {"male": (0.25, 0.5, 1.0)}
    assert read_life_table(home / "mine.csv") == table


def test_fingerprints_follow_the_numbers_and_not_names_or_columns(home: Path) -> None:
    """They follow the figures: not the file's name, nor the order of its columns."""
    (home / "one.csv").write_text("age,male,female\n0,0.5,0.25\n1,1,1\n", "utf-8")
    (home / "two.csv").write_text("female,male,age\n0.250,0.5,0\n1,1,1\n", "utf-8")
    (home / "three.csv").write_text("age,male,female\n0,0.25,0.5\n1,1,1\n", "utf-8")
    (home / "four.csv").write_text("age,male\n0,0.5\n1,1\n", "utf-8")
    first = read_life_table("one.csv").fingerprint
    same_numbers = read_life_table("two.csv").fingerprint
    swapped = read_life_table("three.csv").fingerprint
    men_only = read_life_table("four.csv").fingerprint
    assert first == same_numbers
    assert len({first, swapped, men_only, read_life_table("ssa-2022").fingerprint}) == 4
    assert re.fullmatch("[0-9a-f]{12}", first)


def test_bad_tables_name_file_line_and_value(home: Path) -> None:
    """One error with what is wrong where, and what to do."""
    for text, says in [
        ("", "mine.csv, line 1: the file is empty; give columns age and male or female"),
        ("\n\n", "mine.csv, line 1: the file is empty"),
        ("age,male\n", "mine.csv: there are no rows after line 1; give columns age"),
        ("male\n0.1\n", "mine.csv, line 1: there is no column age among 'male'; give columns age"),
        ("age,q\n0,1\n", "mine.csv, line 1: there is no column male or female among 'age', 'q'"),
        ("age;male\n0;1\n", "line 1: there is no column age among 'age;male'; give columns age"),
        ("age,male,Male\n0,1,1\n", "mine.csv, line 1 has two columns male; keep one of them."),
        ("age,age,male\n0,1,1\n", "mine.csv, line 1 has two columns age"),
        ("age,male\n1,0.1\n", "mine.csv, line 2: age 1 stands where age 0 should; give every age"),
        ("age,male\n0,0.1\n2,1\n", "mine.csv, line 3: age 2 stands where age 1 should"),
        ("age,male\n0,0.1\n1,0\n1,1\n", "mine.csv, line 4: age 1 stands where age 2 should"),
        ("age,male\n0,0.1\n\n2,1\n1,1\n", "mine.csv, line 4: age 2 stands where age 1 should"),
        ("age,male\n-1,0.1\n0,1\n", "mine.csv, line 2: age -1 stands where age 0 should"),
        ("age,male\n0,0.1\n0.5,1\n", "mine.csv, line 3: age '0.5' is not a whole number; write"),
        ("age,male\n0,0.1\n1+,1\n", "mine.csv, line 3: age '1+' is not a whole number"),
        ("age,male\n0,0.1\n,1\n", "mine.csv, line 3: age '' is not a whole number"),
        ("age,male\nnan,0.1\n", "mine.csv, line 2: age 'nan' is not a whole number"),
        ("age,male\ninf,0.1\n", "mine.csv, line 2: age 'inf' is not a whole number"),
        (
            "age,male,female\n0,0.1,0.1\n1,1,1.5\n",
            "mine.csv, line 3, column female: '1.5' is not a probability from 0 to 1; give the "
            "share of those alive at this age who die before the next",
        ),
        ("age,male\n0,-0.1\n", "mine.csv, line 2, column male: '-0.1' is not a probability"),
        ("age,male\n0,6.064\n", "line 2, column male: '6.064' is not a probability"),
        ("age,male\n0,low\n", "mine.csv, line 2, column male: 'low' is not a probability"),
        ("age,male\n0,1%\n", "mine.csv, line 2, column male: '1%' is not a probability"),
        ("age,male\n0,0_1\n", "mine.csv, line 2, column male: '0_1' is not a probability"),
        ("age,male\n0,\n", "mine.csv, line 2, column male: '' is not a probability"),
        ("age,male\n0,nan\n", "mine.csv, line 2, column male: 'nan' is not a probability"),
        ("age,male\n0,inf\n", "mine.csv, line 2, column male: 'inf' is not a probability"),
        ("age,male,female\n0,0.1\n", "mine.csv, line 2, column female: '' is not a probability"),
        ("age,male\n0,0,1\n", "mine.csv, line 2 has 3 fields, the header 2; write decimals with"),
        ('age,male\n0,0.1\n"1,1\n', "mine.csv, line 3: unexpected end of data; close every quote"),
    ]:
        (home / "mine.csv").write_text(text, "utf-8")
        assert says in refused(read_life_table, "mine.csv"), text


def test_an_unknown_table_is_refused_with_the_known_ones(home: Path) -> None:
    """Neither the bundled one nor a csv file."""
    for table, says in [
        ("ssa-2021", "table=ssa-2021 is not known. Did you mean 'ssa-2022'?"),
        ("japan", "table=japan is not known. Known: a .csv file, ssa-2022."),
        ("none.csv", "table=none.csv: there is no file"),
        ("mine.xlsx", "table=mine.xlsx: a life table is a .csv file with the columns age, male"),
    ]:
        (home / "mine.xlsx").write_text("no table", "utf-8")
        with pytest.raises(InvalidArgument, match=re.escape(says)):
            read_life_table(table)


def test_a_table_that_is_not_utf_8_is_refused_by_name(home: Path) -> None:
    """It is refused by name."""
    (home / "mine.csv").write_bytes(b"age,male,caf\xe9\n0,1,1\n")
    with pytest.raises(InvalidArgument, match=r"mine\.csv is not UTF-8"):
        read_life_table("mine.csv")
