"""Grades and numbers as logs and files write them, and an answer's correctness by its eval's score.

Scores are numbers by scorer and key; a score that is a single number has the key "".
"""

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Number

from inspect_confidence.answers import ParseFailure

MISSING = frozenset(
    {"", "-", "--", "none", "null", "nil", "nan", "na", "n/a", "n.a.", "#n/a", "<na>"}
)
"""Texts, in lower case, that stand for a missing grade or number."""

CORRECT, PARTIAL, INCORRECT = 1.0, 0.5, 0.0
_GRADES: Mapping[str, float] = {
    **dict.fromkeys(("c", "correct", "right", "true", "t", "yes", "y", "pass", "passed"), CORRECT),
    **dict.fromkeys(("i", "incorrect", "wrong", "false", "f", "no", "fail", "failed"), INCORRECT),
    **dict.fromkeys(("p", "partial", "partially correct", "partially_correct"), PARTIAL),
}
_DECLINED = frozenset(
    {
        "noanswer",
        "no answer",
        "no_answer",
        "not attempted",
        "not_attempted",
        "declined",
        "abstained",
    }
)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_DECIMAL_COMMA = re.compile(r"([-+]?\d*(?:\.\d{3})*),(\d+(?:[eE][-+]?\d+)?)")
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?")


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing grade or number: None, NaN, `N/A`, `-`.

    Example:
        >>> is_missing(" N/A "), is_missing("0")
        (True, False)
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    return value is None or (isinstance(value, Number) and value != value)  # noqa: PLR0124 # NaN


def read_number(value: object, *, decimal_comma: bool = False) -> float:
    """Return a value as a number; a percentage as a share.

    Args:
        value: A number or a text: `0.85`, `1,000`, `85%`, `0,85`.
        decimal_comma: Whether a comma that could part groups of thousands is a decimal one, as in
            files with semicolons.

    Returns:
        A finite number, or NaN if the value is missing or no number.

    Example:
        >>> [read_number(text) for text in ("85%", "1,000", "0,85", "1.50", "about 3")]
        [0.85, 1000.0, 0.85, 1.5, nan]
        >>> read_number("1,000", decimal_comma=True)
        1.0
    """
    if isinstance(value, str):
        return _text_number(value, decimal_comma)
    try:
        number = float(value)  # type: ignore[arg-type] # what is no number raises
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _text_number(text: str, decimal_comma: bool) -> float:
    digits = text.strip().replace("\N{MINUS SIGN}", "-")
    number = digits.removesuffix("%").rstrip()
    divisor = 100 if number != digits else 1
    if not decimal_comma and _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    elif comma := _DECIMAL_COMMA.fullmatch(number):
        number = f"{comma[1].replace('.', '')}.{comma[2]}"
    if not _PLAIN.fullmatch(number):
        return math.nan
    parsed = float(number) / divisor
    return parsed if math.isfinite(parsed) else math.nan


def read_grade(
    value: object, *, no_is_n: bool = False, decimal_comma: bool = False
) -> float | ParseFailure:
    """Read a grade: a word, a letter or a number; partial credit is a fraction.

    `C`, `I` and `P` are Inspect's letters. `N` is Inspect's "no answer", and so `declined`, unless
    it stands for no beside `Y`.

    Args:
        value: The grade as it was recorded.
        no_is_n: Whether `N` is "no", because other grades of the column are `Y`.
        decimal_comma: As in `read_number`.

    Returns:
        A number, 1 for right and 0 for wrong, whose range is not checked. Or a failure: `declined`
        if the model gave no answer, `scoring_failed` if the grade is missing or cannot be read.

    Example:
        >>> read_grade("yes"), read_grade("INCORRECT"), read_grade("P"), read_grade("50%")
        (1.0, 0.0, 0.5, 0.5)
        >>> read_grade("NOT_ATTEMPTED").status, read_grade("N/A").status
        ('declined', 'scoring_failed')
        >>> read_grade("N", no_is_n=True)
        0.0
    """
    if is_missing(value):
        return _failed("there is no grade")
    if isinstance(value, str):
        word = value.strip().lower()
        if word == "n" and no_is_n:
            return INCORRECT
        if word in _DECLINED or word == "n":
            return ParseFailure("declined", "the model gave no answer")
        if word in _GRADES:
            return _GRADES[word]
    number = read_number(value, decimal_comma=decimal_comma)
    return _failed(f"{value!s:.40} is no grade") if math.isnan(number) else number


Numbers = Mapping[str, float]
"""The numbers of one score by key."""


def base_name(scorer: str) -> str:
    """Return a scorer's name without the number that Inspect appends to repeated names."""
    return scorer.rstrip("0123456789")


def score_name(scorer: str, key: str) -> str:
    """Return the name of a score in arguments: `match`, or `grade.quality` if it has keys."""
    return f"{scorer}.{key}" if key else scorer


def unknown_score(scores: Mapping[str, Numbers], name: str | None) -> str:
    """Return why a sample has no score of that name; empty if it has one.

    A sample without any number, for example after a failed scorer, is not an error.

    Example:
        >>> unknown_score({"a": {"truth": 0.8}}, "a.trth")
        'the eval has no score a.trth; it has a.truth: name one of them by score= or --score'
        >>> unknown_score({"grade": {"": math.nan}}, "grade.truth")
        ''
    """
    scorer = name.partition(".")[0] if name else ""
    relevant = {scorer: scores.get(scorer, {})} if scorer else scores
    if all(map(math.isnan, _names(relevant).values())):
        return ""
    names = _names(scores)
    if name in names or (name is None and len(names) == 1):
        return ""
    return _unchosen(list(names), name)


def grade(scores: Mapping[str, Numbers], score_label: str | None = None) -> float | ParseFailure:
    """Return the correctness of an answer by a named score, or by the only score.

    Args:
        scores: The eval's own scores, by scorer.
        score_label: Name of a scorer, followed by a point and a key if its score has several
            numbers.

    Returns:
        A number in [0, 1], partial credit as a fraction; or `scoring_failed` if there is no such
        score, the choice is ambiguous, or the number is outside [0, 1].

    Example:
        >>> grade({"match": {"": 1.0}})
        1.0
        >>> grade({"match": {"": 1.0}, "f1": {"": 0.4}}).reason
        'the eval has the scores match, f1: name one of them by score= or --score'
        >>> grade({"grade": {"style": 0.2, "truth": 0.8}}, "grade.truth")
        0.8
    """
    numbers = _names(scores)
    if score_label not in numbers and (score_label or len(numbers) != 1):
        return _failed(_unchosen(list(numbers), score_label))
    name = score_label or next(iter(numbers))
    number = numbers[name]
    if math.isnan(number):
        return _failed(f"the eval's score {name} is no number")
    if not 0 <= number <= 1:
        return _failed(f"the eval's score {name}, {number:g}, is not between 0 and 1")
    return number


def _names(scores: Mapping[str, Numbers]) -> dict[str, float]:
    names: dict[str, float] = {}
    for scorer, numbers in scores.items():
        names |= {score_name(scorer, key): number for key, number in numbers.items()}
    return names


def _unchosen(names: Sequence[str], name: str | None) -> str:
    if not names:
        return f"the eval has no score {name or ''}".rstrip()
    has = f"the eval has no score {name}; it has" if name else "the eval has the scores"
    return f"{has} {', '.join(names)}: name one of them by score= or --score"


def _failed(reason: str) -> ParseFailure:
    return ParseFailure("scoring_failed", reason)
