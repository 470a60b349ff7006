"""Survey of the probabilities that people assign to words of estimative probability."""

import csv
import functools
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from inspect_confidence.arguments import read_text
from inspect_confidence.datasets.cache import SOURCES, fetch
from inspect_confidence.datasets.records import bundled_text, cell_number, csv_records
from inspect_confidence.errors import InvalidArgument

SURVEY = "wep/survey-results.csv"
"""Source of the respondents' rows, which the package doesn't include."""

Survey = Mapping[str, Mapping[float, int]]
"""Number of people by word and value in percent."""


@functools.cache
def surveyed_counts() -> Survey:
    """Return the number of people by word and value in percent: 123 people, 17 words."""
    counts: dict[str, dict[float, int]] = {}
    for row in csv_records(bundled_text("wep_survey.csv")):
        counts.setdefault(row["word"], {})[float(row["value"])] = int(row["people"])
    return counts


def phrases() -> list[str]:
    """Return the survey's words of estimative probability, most probable first."""
    return sorted(surveyed_counts(), key=median_of, reverse=True)


def median_of(phrase: str) -> float:
    """Return the median of the survey's answers for a phrase, in [0, 1]."""
    values = sorted(Counter(surveyed_counts()[phrase]).elements())
    middle = len(values) // 2
    # The mean of the two middle values, equal for an odd number of answers; they are in percent.
    return (values[middle] + values[-1 - middle]) / 200


def download_survey() -> Survey:
    """Count the survey's published rows, downloaded once.

    Raises:
        DataUnavailable: The rows could not be downloaded.
    """
    return read_survey(fetch(SOURCES[SURVEY], alternative="the counts that come with the package"))


def read_survey(path: Path) -> Survey:
    """Count the people by word and value in percent of a file: a column per word, a row per person.

    Columns without any number (such as a person's age range) are ignored. Empty cells are skipped.

    Raises:
        InvalidArgument: The file has no column of numbers, or a value is not from 0 to 100.
    """
    try:
        rows = list(csv.reader(StringIO(read_text(path), newline="")))
    except csv.Error as error:
        raise InvalidArgument(f"{path.name} can't be read: {error}.") from None
    if len(rows) < 2:
        raise InvalidArgument(
            f"{path.name} holds no answers; give one column per word and one row per person."
        )
    counts: dict[str, dict[float, int]] = {}
    for column, title in enumerate(rows[0]):
        cells = (row[column].strip() for row in rows[1:] if column < len(row))
        texts = list(filter(None, cells))
        values = list(map(cell_number, texts))
        if not any(value is not None for value in values):
            continue
        for text, value in zip(texts, values, strict=True):
            if value is None or not 0 <= value <= 100:
                raise InvalidArgument(
                    f"{path.name}, column {title}: {text!r} is not a number from 0 to 100."
                )
        word = plain_word(title)
        if word in counts:
            raise InvalidArgument(f"{path.name} has two columns for {word!r}.")
        counts[word] = dict(Counter(value for value in values if value is not None))
    if not counts:
        raise InvalidArgument(f"{path.name} has no column of numbers; give one column per word.")
    return counts


def plain_word(title: str) -> str:
    """Return a word of probability in small letters, without quotes and superfluous blanks.

    Example:
        >>> plain_word(' "Chances are  Slight"')
        'chances are slight'
    """
    return " ".join(title.replace('"', " ").split()).lower()
