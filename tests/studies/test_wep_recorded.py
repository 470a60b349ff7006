"""The study's own answers: its published figures, and an independent count of the same replies."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import product
from math import floor, log10
from pathlib import Path

import pandas as pd
import pytest

from inspect_confidence import InvalidArgument
from studies.frames import Rows as Table
from studies.frames import keyed as by_condition
from studies.frames import study_results as summarize
from studies.frames import without_choice
from studies.recorded import recorded_sentences, recorded_statements

PC, MC, EC, EMC = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
)

# The published t and d: 5 vs 3 choices, narrow vs wide, then without vs with reasoning by scenario.
CONTRASTS = (
    {"choice_set": "5", "versus": "3"},
    {"numbers": "narrow", "versus": "wide"},
    *(
        {"cot": "without", "versus": "with", "scenario": name}
        for name in ("height", "score", "sound")
    ),
)
T = {
    PC: (6.48, -0.411, -2.013, -0.851, 0.942),
    MC: (0.705, -0.575, 0.0, 2.005, 1.813),
    EC: (-2.35, -0.478, -4.156, -2.823, -2.618),
    EMC: (-4.153, 0.936, -0.159, 0.712, 1.238),
}
D = {
    PC: (0.673, -0.034, -0.301, -0.135, 0.135),
    MC: (0.093, -0.093, 0.0, 0.645, 0.74),
    EC: (-0.128, -0.028, -0.358, -0.268, -0.234),
    EMC: (-0.283, 0.07, -0.021, 0.104, 0.168),
}
FREEDOM = {PC: (179, 59), MC: (71, 23), EC: (359, 119), EMC: (287, 95)}

# An independent derivation's counts: all, three scenarios, 5 and 3 choices, narrow, wide.
SLICES: tuple[dict[str, str], ...] = (
    {},
    {"scenario": "height"},
    {"scenario": "score"},
    {"scenario": "sound"},
    {"choice_set": "5"},
    {"choice_set": "3"},
    {"numbers": "narrow"},
    {"numbers": "wide"},
)
AUTHORS = {
    ("without", PC): "74/180 26/60 22/60 26/60 57/90 17/90 37/90 37/90",
    ("without", MC): "69/72 22/24 23/24 24/24 34/36 35/36 35/36 34/36",
    ("without", EC): "166/360 58/120 53/120 55/120 85/180 81/180 85/180 81/180",
    ("without", EMC): "169/288 57/96 53/96 59/96 78/144 91/144 85/144 84/144",
    ("with", PC): "83/180 35/60 26/60 22/60 50/90 33/90 40/90 43/90",
    ("with", MC): "61/72 22/24 18/24 21/24 32/36 29/36 29/36 32/36",
    ("with", EC): "217/360 79/120 69/120 69/120 95/180 122/180 104/180 113/180",
    ("with", EMC): "157/288 58/96 48/96 51/96 65/144 92/144 83/144 74/144",
}
# Echoes are no choice, nor are six "A.is unlikely to be", whose letter is another word's (that
# derivation counted their letter: 161 of 313 prompts, 77 of 140 pairs).
TEXT = {
    ("without", PC): "77/135 28/48 22/36 27/51 57/90 20/45 38/67 39/68",
    ("without", MC): "44/46 16/17 11/12 17/17 34/36 10/10 23/23 21/23",
    ("without", EC): "161/307 57/107 49/89 55/111 85/180 76/127 83/153 78/154",
    ("without", EMC): "128/221 46/79 32/59 50/83 78/144 50/77 64/110 64/111",
    ("with", PC): "108/180 42/60 34/60 32/60 50/90 58/90 51/90 57/90",
    ("with", MC): "62/72 22/24 19/24 21/24 32/36 30/36 29/36 33/36",
    ("with", EC): "217/360 79/120 69/120 69/120 95/180 122/180 104/180 113/180",
    ("with", EMC): "156/288 58/96 47/96 51/96 65/144 91/144 83/144 73/144",
}


@pytest.fixture(scope="module")
def sentences(shared_data: Path) -> pd.DataFrame:
    """GPT-4's 720 recorded replies as judgments."""
    parts = [
        recorded_sentences(shared_data / "wep" / f"choice_gpt-4_{name}.txt", model="gpt-4", cot=cot)
        for name, cot in (("standard", False), ("cot", True))
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def authors(sentences: pd.DataFrame) -> Table:
    """Results by the authors' convention."""
    return by_condition(without_choice(summarize(sentences, resamples=20, convention="authors")))


@pytest.fixture(scope="module")
def text(sentences: pd.DataFrame) -> Table:
    """Results by the text's convention."""
    return by_condition(summarize(sentences, resamples=20))


@pytest.fixture(scope="module")
def words(shared_data: Path) -> Table:
    """Results of GPT-4's recorded probabilities in the concise setting, as the study has them."""
    frame = recorded_statements(shared_data / "wep" / "cnc_gpt-4.csv", model="gpt-4")
    assert len(frame) == 17 * 15
    return by_condition(without_choice(summarize(frame, resamples=20, convention="authors")))


def published(shared_data: Path) -> Iterator[dict[str, str]]:
    """Rows of the published table."""
    path = shared_data / "wep" / "published_human_vs_gpt-4_cnc.csv"
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def cut(value: float, digits: int = 4) -> float:
    """A positive number cut, not rounded, to significant digits."""
    scale: float = 10.0 ** (digits - 1 - floor(log10(value)))
    return floor(value * scale) / scale


# Words to numbers


def test_published_table_of_people_against_gpt4(words: Table, shared_data: Path) -> None:
    """All 17 words: theta, its interval, p, KL, median difference and KS to the printed digits."""
    rows = list(published(shared_data))
    assert len(rows) == 17
    for row in rows:
        base = {"language": "en", "setting": "concise", "versus": "human", "word": row["word"]}
        numbers = {
            metric: number
            for (condition, metric), number in words.items()
            if condition == frozenset(base.items())
        }
        theta = numbers["brunner_munzel_theta"]
        assert round(theta["value"], 3) == float(row["BM_Theta"]), row
        low, high = map(float, re.findall(r"[\d.]+", row["BM_CI"]))
        assert (round(theta["ci_low"], 2), round(theta["ci_high"], 2)) == (low, high), row
        tested = frozenset({**base, "of": "brunner_munzel_theta"}.items())
        assert round(words[tested, "p_value"]["value"], 3) == float(row["BM_P_Value"]), row
        assert cut(numbers["kl_divergence"]["value"]) == float(row["KL_Divergence"]), row
        assert numbers["median_difference"]["value"] == float(row["Median_Difference"]), row
        assert round(numbers["ks_statistic"]["value"], 2) == float(row["KS_Statistic"]), row


def test_words_that_differ_of_the_recorded_table(words: Table) -> None:
    """Counts at 90, 95 and 99% are those of the published p; Holm's adjustment lowers them."""
    base = {"language": "en", "setting": "concise", "versus": "human", "of": "brunner_munzel_theta"}
    counts = {}
    for level, kind in product(("90", "95", "99"), ("none", "holm")):
        condition = frozenset({**base, "level": level, "adjusted": kind}.items())
        counts[level, kind] = words[condition, "words_that_differ"]["value"]
    # .678, .037, .964, .109 and .907 are the published p above .01.
    assert [counts["90", "none"], counts["95", "none"], counts["99", "none"]] == [13, 13, 12]
    # Holm: .037 is the fifth largest, times 5; .007 the sixth, .004 the seventh.
    assert [counts["90", "holm"], counts["95", "holm"], counts["99", "holm"]] == [12, 12, 10]


def test_recorded_values(tmp_path: Path) -> None:
    """Dropped ones are judgments that could not be read; what is no probability is an error."""
    path = tmp_path / "answers.csv"
    for value in ("1.2", "-0.1", "maybe"):
        path.write_text(f",1,2\nlikely,0.5,{value}\n", "utf-8")
        with pytest.raises(InvalidArgument, match=f"answers.csv: '{value}' is not a probability"):
            recorded_statements(path, model="m")
    path.write_text(",,\nlikely,0.5,0.6\n", "utf-8")
    frame = recorded_statements(path, model="m")
    with pytest.raises(InvalidArgument):
        summarize(frame.assign(probability=100 * frame["probability"]), resamples=20)
    path = tmp_path / "answers.csv"
    path.write_text(",,,\nlikely,0.5,,NA\n", "utf-8")
    results = by_condition(summarize(recorded_statements(path, model="m"), resamples=20))
    condition = frozenset({"language": "en", "setting": "concise", "word": "likely"}.items())
    number = results[condition, "mean_probability"]
    assert (number["value"], number["n"]) == (0.5, 1)
    assert "2 of 3 judgments left out" in str(number["note"])


# Numbers to words


def test_echoes_and_replies_without_a_letter(sentences: pd.DataFrame) -> None:
    """Of 180 three-choice replies 47 repeat the list: none is a choice."""
    # 47 of 180 three-choice replies without reasoning repeat the list: none is a choice. 43 stop
    # there. Four repeat it from the least likely on and then choose "A. is unlikely to be", which
    # is C as it was shown: ambiguous, as are six replies that say that and nothing else.
    replies = sentences[~sentences["cot"].astype(bool)]
    repeats_list = [len(set(re.findall(r"\b([A-E])\.", reply))) > 1 for reply in replies["reply"]]
    repeated = replies[repeats_list]
    assert (len(repeated), set(repeated["choice_set"])) == (47, {3})
    assert repeated["status"].value_counts().to_dict() == {"echo": 47}
    assert sentences["status"].value_counts().to_dict() == {"ok": 667, "echo": 47, "ambiguous": 6}
    unclear = sentences[sentences["status"] == "ambiguous"]
    assert set(unclear["reason"]) == {"letter and text disagree"}
    assert unclear["reply"].str.contains(r"A\.\s?is unlikely to be").all()
    assert not sentences[sentences["status"] != "ok"]["choice"].any()
    # With reasoning all replies are read; two name their choice, maybe, by its text alone.
    replies = sentences[sentences["cot"].astype(bool)]
    names_choice = replies["reply"].str.contains(r'I choose: *"?[A-E]\b')
    assert replies[~names_choice]["choice"].tolist() == ["is maybe"] * 2


def test_published_t_and_d(authors: Table) -> None:
    """Five published t values and five effect sizes of each score, to three digits."""
    for metric, i in product((PC, MC, EC, EMC), range(len(CONTRASTS))):
        condition = frozenset({**CONTRASTS[i], "of": metric}.items())
        assert round(authors[condition, "t_statistic"]["value"], 3) == T[metric][i], (
            metric,
            condition,
        )
        assert round(authors[condition, "cohens_d"]["value"], 3) == D[metric][i], (
            metric,
            condition,
        )
        freedom = FREEDOM[metric][i > 1]
        assert authors[condition, "degrees_of_freedom"]["value"] == freedom, (metric, condition)


def test_scores_are_those_counted_independently(authors: Table, text: Table) -> None:
    """Each score of each slice, hit by hit: by the authors, and without what isn't readable."""
    for table, counts in ((authors, AUTHORS), (text, TEXT)):
        for (mode, metric), fractions in counts.items():
            for part, fraction in zip(SLICES, fractions.split(), strict=True):
                hits, units = map(int, fraction.split("/"))
                row = table[frozenset({**part, "cot": mode}.items()), metric]
                assert row["n"] == units, (mode, metric, part)
                expected = pytest.approx(hits / units, abs=1e-12)
                assert row["value"] == expected, (mode, metric, part)
