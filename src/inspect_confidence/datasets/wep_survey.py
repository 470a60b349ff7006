"""What people say that words of estimative probability mean: counts, rows, or a user's survey."""

import csv
import functools
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from inspect_confidence.arguments import read_text
from inspect_confidence.datasets.cache import SOURCES, fetch
from inspect_confidence.datasets.records import bundled_text, csv_records
from inspect_confidence.errors import InvalidArgument

SURVEY = "wep/survey-results.csv"
"""The people's rows, which aren't shipped."""

Survey = Mapping[str, Mapping[float, int]]
"""By word: how many people gave each value, in percent."""


@functools.cache
def surveyed_counts() -> Survey:
    """The counts of that survey, which come with the package: 123 people, 17 words."""
    counts: dict[str, dict[float, int]] = {}
    for row in csv_records(bundled_text("wep_survey.csv")):
        counts.setdefault(row["word"], {})[float(row["value"])] = int(row["people"])
    return counts


def phrases() -> list[str]:
    """The words of estimative probability that are offered: the survey's, the likeliest first."""
    return sorted(surveyed_counts(), key=median_of, reverse=True)


def median_of(phrase: str) -> float:
    """What people mean by a phrase, in [0, 1]: the median of the survey's answers."""
    said = sorted(
        value for value, people in surveyed_counts()[phrase].items() for _ in range(people)
    )
    middle = len(said) // 2
    return (said[middle] + said[-1 - middle]) / 200


def download_survey() -> Survey:
    """The same counts from the people's rows, downloaded once.

    Raises:
        DataUnavailable: They could not be downloaded.
    """
    return read_survey(fetch(SOURCES[SURVEY], instead="the counts that come with the package"))


def read_survey(path: Path) -> Survey:
    """Counts of a survey with a column a word and a row a person, values from 0 to 100.

    Columns without a single number (such as a person's age range) are no words. Empty answers are
    left out.

    Raises:
        InvalidArgument: The file holds no word, or a value that is not a percentage.
    """
    try:
        rows = list(csv.reader(StringIO(read_text(path), newline="")))
    except csv.Error as error:
        raise InvalidArgument(f"{path.name} can't be read: {error}.") from None
    if len(rows) < 2:
        raise InvalidArgument(
            f"{path.name} holds no answers; give a column a word, a row a person."
        )
    counts: dict[str, dict[float, int]] = {}
    for column, title in enumerate(rows[0]):
        given = [text for row in rows[1:] if column < len(row) and (text := row[column].strip())]
        values = [_number(text) for text in given]
        if not any(value is not None for value in values):
            continue
        for text, value in zip(given, values, strict=True):
            if value is None or not 0 <= value <= 100:
                raise InvalidArgument(
                    f"{path.name}, column {title}: {text!r} is not a number from 0 to 100."
                )
        word = title.strip().strip('"').lower()
        if word in counts:
            raise InvalidArgument(f"{path.name} has two columns for {word!r}.")
        counts[word] = dict(Counter(value for value in values if value is not None))
    if not counts:
        raise InvalidArgument(f"{path.name} has no column of numbers; give a column a word.")
    return counts


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
