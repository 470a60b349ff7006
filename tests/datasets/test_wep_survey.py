"""What people say that words mean: the shipped counts, the people's rows, other surveys."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest

from build import map_values
from inspect_confidence import InvalidArgument, summarize
from inspect_confidence.datasets.wep_contexts import SURVEYED
from inspect_confidence.datasets.wep_survey import download_survey, read_survey, surveyed_counts
from inspect_confidence.results import Condition
from refusals import refused


def survey(folder: Path, text: str) -> Path:
    """A file with that text."""
    path = folder / "people.csv"
    path.write_text(text, "utf-8")
    return path


def test_the_survey_has_123_people_a_word() -> None:
    """123 on 17 words; only counts are shipped, which no longer say who answered what."""
    counts = surveyed_counts()
    assert list(counts) == list(SURVEYED)
    for word in SURVEYED:
        assert sum(counts[word].values()) == 123
        assert min(counts[word]) >= 0
        assert max(counts[word]) <= 100
        assert min(counts[word].values()) > 0
    import inspect_confidence.datasets as package  # noqa: PLC0415

    text = (Path(package.__path__[0]) / "bundled" / "wep_survey.csv").read_text("utf-8")
    assert text.splitlines()[0] == "word,value,people"


def test_shipped_counts_equal_the_downloaded_answers(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The downloaded rows, counted here by hand, give what comes with the package."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    downloaded = download_survey()
    assert map_values(dict, downloaded) == surveyed_counts()
    with (shared_data / "wep" / "survey-results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 123
    for column in rows[0]:
        word = column.strip().strip('"').lower()
        if word in SURVEYED:
            answers = pd.DataFrame(rows)[column].astype(float)
            assert answers.value_counts().to_dict() == surveyed_counts()[word]


def test_columns_of_a_survey_are_words_and_texts_are_left_out(tmp_path: Path) -> None:
    """Columns are words, whatever their case and quotes; empty answers and texts are left out."""
    path = survey(
        tmp_path, 'Age,Likely,"""Maybe"" ",Perhaps\n18-25,70,50.5,\n26-40,70,,\n,80,0,100\n'
    )
    assert read_survey(path) == {
        "likely": {70: 2, 80: 1},
        "maybe": {50.5: 1, 0: 1},
        "perhaps": {100: 1},
    }


def test_a_row_that_ends_early_has_no_answer_in_missing_columns(tmp_path: Path) -> None:
    """A row that ends early has no answer in the columns that it lacks."""
    assert read_survey(survey(tmp_path, "likely,maybe\n70\n60,50\n")) == {
        "likely": {70: 1, 60: 1},
        "maybe": {50: 1},
    }


def test_bad_surveys_name_file_column_and_value(tmp_path: Path) -> None:
    """Each is one error with what is wrong where."""
    for text, says in [
        ("likely\n", "people.csv holds no answers"),
        ("", "people.csv holds no answers"),
        ("age\n18-25\n", "people.csv has no column of numbers"),
        ("likely\n101\n", "people.csv, column likely: '101' is not a number from 0 to 100."),
        ("likely\n-1\n", "'-1' is not a number from 0 to 100"),
        ("likely\n70\nmany\n", "column likely: 'many' is not a number"),
        ("likely\nnan\n", "'nan' is not a number"),
        ("likely\n70%\n60\n", "'70%' is not a number"),
        ("likely\ninf\n", "'inf' is not a number"),
        ("likely\n70\n5_0\n", "'5_0' is not a number"),
    ]:
        assert says in refused(read_survey, survey(tmp_path, text)), text


def judgments_of_words(**values: list[float]) -> pd.DataFrame:
    """Judgments of words, each with its probabilities, one a context."""
    rows = pd.Series(values, name="probability").rename_axis("word").explode().reset_index()
    place = rows.groupby("word").cumcount().astype(str)
    constants = {"task": "wep_elicitation", "setting": "concise", "language": "en"}
    rows = rows.astype({"probability": float}).assign(item="concise-" + place)
    return pd.DataFrame({**rows, **constants})


def theta_by_word(results: pd.DataFrame) -> dict[str, float]:
    """Theta of every word that was compared with people."""
    thetas = results[results["metric"] == "brunner_munzel_theta"]
    parts = pd.DataFrame(map(dict, map(Condition.read, thetas["condition"])))
    assert set(parts["versus"]) == {"human"}
    return dict(zip(parts["word"], thetas["value"], strict=True))


def test_words_outside_the_survey_have_no_comparison_with_people() -> None:
    """They have numbers of their own and no row against people."""
    frame = judgments_of_words(maybe=[0.5, 0.4, 0.6], likely=[0.7, 0.8, 0.6])
    assert set(theta_by_word(summarize(frame, resamples=20))) == {"likely"}
    values_by_metric = summarize(judgments_of_words(maybe=[0.5, 0.4, 0.6]), resamples=20).set_index(
        "metric"
    )["value"]
    names = {"mean_probability", "median_probability", "probability_spread", "unread_share", "n"}
    assert set(values_by_metric.index) == names
    assert values_by_metric["mean_probability"] == pytest.approx(0.5)


def test_summarize_against_another_survey(tmp_path: Path) -> None:
    """With `survey` the people are those of the file, and only its words have any."""
    path = survey(tmp_path, "Maybe\n40\n50\n70\n")
    frame = judgments_of_words(maybe=[0.5, 0.4, 0.6], likely=[0.7, 0.8, 0.6])
    # Of nine pairs people are above in 0 + 1 + 3 and equal in 1 + 1 + 0.
    theta = pytest.approx((0 + 1 + 3 + 1) / 9)
    assert theta_by_word(summarize(frame, resamples=20, options={"wep_probes.survey": path})) == {
        "maybe": theta
    }


def test_two_columns_of_one_word_are_refused_or_counted_together(tmp_path: Path) -> None:
    """Two columns that name the same word are an error, or count both."""
    path = survey(tmp_path, "Likely,likely\n70,20\n80,30\n")
    try:
        counts = read_survey(path)
    except InvalidArgument:
        return
    assert sum(counts["likely"].values()) == 4
