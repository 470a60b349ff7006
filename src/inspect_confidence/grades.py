"""Grades and numbers as logs and files write them, and an answer's correctness by its eval's score.

Scores are numbers by scorer and key; a score that is a single number has the key "".
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Number

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.amount import exact_number_in
from inspect_confidence.answers.clean import plain_value

MISSING = frozenset(
    {"", "-", "--", "none", "null", "nil", "nan", "na", "n/a", "n.a.", "#n/a", "<na>"}
    | {"missing", "empty", "cell_empty", "no_confidence"}
)
"""Texts, in lower case, that stand for a missing grade or number."""

CORRECT, PARTIAL, INCORRECT = 1.0, 0.5, 0.0
_GRADES: Mapping[str, float] = {
    **dict.fromkeys(("c", "correct", "right", "true", "t", "yes", "y", "pass", "passed"), CORRECT),
    **dict.fromkeys(("i", "incorrect", "wrong", "false", "f", "no", "fail", "failed"), INCORRECT),
    **dict.fromkeys(("p", "partial", "partially correct"), PARTIAL),
}
_DECLINED = frozenset(
    {"noanswer", "no answer", "not attempted", "not answered", "unanswered", "unattempted"}
    | {"declined", "abstain", "abstained", "abstention"}
)
_DECLINED_REASON = "the model gave no answer"
DECLINED_ANSWERS = frozenset({"idk", "i don't know", "i dont know", "i do not know", "don't know"})
"""Answers, in lower case, that decline to answer."""
WHOLE_DECIMAL = re.compile(r"\A([-+]?[0-9]+)\.0\Z")
"""A whole number with the decimal that a column of floats gives it: group 1 of `12.0` is `12`."""
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_DECIMAL_COMMA = re.compile(r"([-+]?\d*(?:\.\d{3})*),(\d+(?:[eE][-+]?\d+)?)")
_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?")


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing grade or number: None, NaN, text in `MISSING`.

    Example:
        >>> is_missing(" N/A "), is_missing("0")
        (True, False)
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    # NaN is the number that differs from itself.
    return value is None or (isinstance(value, Number) and value != value)  # noqa: PLR0124


def read_number(value: object, *, decimal_comma: bool = False) -> float:
    """Return a value as a number; a percentage as a share.

    Args:
        value: A number or a text: `0.85`, `1,000`, `85%`, `0,85`.
        decimal_comma: Whether a comma that could part groups of thousands is a decimal one, as in
            files with semicolons.

    Returns:
        A finite number, 1 for True and 0 for False; NaN for a missing, infinite or other value.

    Example:
        >>> [read_number(text) for text in ("85%", "1,000", "0,85", "1.50", "about 3")]
        [0.85, 1000.0, 0.85, 1.5, nan]
        >>> read_number("1,000", decimal_comma=True)
        1.0
    """
    if isinstance(value, str):
        return _parse_text_number(value, decimal_comma)
    try:
        number = float(value)  # type: ignore[arg-type] # what is no number raises
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _parse_text_number(text: str, decimal_comma: bool) -> float:
    """Return the number of a text such as `1,000.5`, `0,5` or `80%`; NaN for another text.

    With `decimal_comma` the comma of `1,000` is a decimal sign, too.
    """
    digits = text.strip().replace("\N{MINUS SIGN}", "-")
    number = digits.removesuffix("%").rstrip()
    divisor = 100 if digits.endswith("%") else 1
    if not decimal_comma and _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif comma := _DECIMAL_COMMA.fullmatch(number):  # "0,5", or "1.234,5" with points in 1234
        number = f"{comma[1].replace('.', '')}.{comma[2]}"
    if not _PLAIN_NUMBER.fullmatch(number):
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
        word = _grade_word(value)
        if word == "n" and no_is_n:
            return INCORRECT
        if word in _DECLINED or word == "n":
            return ParseFailure("declined", _DECLINED_REASON)
        if word in _GRADES:
            return _GRADES[word]
    number = read_number(value, decimal_comma=decimal_comma)
    return _failed(f"{value!s:.40} is no grade") if math.isnan(number) else number


def _grade_word(text: str) -> str:
    """Return a grade in lower case, its words with a blank between them."""
    return re.sub(r"[\s_-]+", " ", text.lower()).strip()


NO_SHARE = "is not between 0 and 1"
"""End of the reason of a grade outside [0, 1]."""

Grade = float | ParseFailure
"""Grade of an answer in a score: a number, or why there is none, such as `declined`."""

Grades = Mapping[str, Grade]
"""The grades of one score by key."""

_CONFIDENCE = re.compile(r"(?:.*_)?confidence(?:_score)?", re.I)
_ABSTENTION = re.compile(r"abst(?:ain|ention)|refus", re.I)


def is_confidence_name(name: str) -> bool:
    """Return whether a field's name says that it holds a confidence.

    Example:
        >>> is_confidence_name("Verbalized_Confidence"), is_confidence_name("confidence_interval")
        (True, False)
    """
    return bool(_CONFIDENCE.fullmatch(name))


_PUNCTUATION = r"[\s()\[\]{}*_\"'`.,:;]*"
_LETTER = re.compile(
    rf"{_PUNCTUATION}(?:(?:option|choice|answer)\b{_PUNCTUATION})?(?P<letter>[a-z]){_PUNCTUATION}"
    r"|[\s(\[*\"']*(?P<leading>[a-z])[)\].:](?P<text>\s+\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_EDGES = " .,;:!?\"'`*_()[]{}"
_AMOUNT = re.compile(r"[-+]?[$€£¥]?[-+]?\.?\d.{0,40}")


def same_answers(answers: "pd.Series[str]", targets: "pd.Series[str]") -> NDArray[np.bool_]:
    """Return whether each answer equals its target, in the order of the rows.

    Rows with the same answer and target are compared once, because a comparison is slow. Missing
    texts are empty, not NaN, as in typed judgments.
    """
    pairs = pd.DataFrame({"answer": answers, "target": targets})
    # By row, the number of its distinct pair, in the order of first occurrence, which is also that
    # of `drop_duplicates`.
    pair_numbers = pairs.groupby(["answer", "target"], sort=False).ngroup().to_numpy()
    equal = []
    for answer, target in pairs.drop_duplicates().itertuples(index=False):
        equal.append(is_same_answer(str(answer), str(target)))
    return np.array(equal, bool)[pair_numbers]


def is_same_answer(answer: str, target: str) -> bool:
    """Return whether an answer equals a target as the readers of replies compare them.

    Letters are equal in any case and with marks (`b`, `(B)`, `B. Paris`), numbers by value
    (`1,000` and `1000`, `$18` and `18.0`, LaTeX's fractions and boxes), and texts without case,
    blanks and marks around them.

    Example:
        >>> [is_same_answer(answer, "B") for answer in ("b", "(B)", "B.", "B) Paris", "C")]
        [True, True, True, True, False]
        >>> is_same_answer("1,000", "1000"), is_same_answer(" paris.", "Paris")
        (True, True)
    """
    if answer == target or _plain_text(answer) == _plain_text(target):
        return True
    answer, target = plain_value(answer), plain_value(target)
    # The group `letter` is a letter alone, `(B)`; `leading` is one before a text, `B) Paris`. If
    # both sides have a text, letters do not count: the texts were compared above, and differ.
    answer_match, target_match = _LETTER.fullmatch(answer), _LETTER.fullmatch(target)
    if answer_match and target_match and (answer_match["letter"] or target_match["letter"]):
        answer_letter = answer_match["letter"] or answer_match["leading"]
        target_letter = target_match["letter"] or target_match["leading"]
        return bool(answer_letter.lower() == target_letter.lower())
    return bool(_exact_amounts(answer) & _exact_amounts(target))  # an amount in common


def is_exact(target: str) -> bool:
    """Return whether a target is a letter or a number, which only one answer equals."""
    return bool(_LETTER.fullmatch(target)) or not math.isnan(read_number(target))


def _plain_text(text: str) -> str:
    """Return a text in lower case, without needless blanks and marks around it, to compare it.

    A text of marks alone keeps them.
    """
    plain = " ".join(plain_value(text).casefold().split())
    return plain.strip(_EDGES) or plain


def _exact_amounts(text: str) -> set[Fraction]:
    """Return the number that a text such as `$18` states; for `80%` both 80 and 4/5.

    The set is empty unless the text begins with a digit, after a sign or currency at most, and
    states one exact number; units may follow it, as in `18 dollars`.
    """
    amount = exact_number_in(text) if _AMOUNT.fullmatch(text.strip()) else None
    if not isinstance(amount, Fraction):
        return set()
    return {amount, amount / 100} if "%" in text else {amount}


def base_name(scorer: str) -> str:
    """Return a scorer's name without the number that Inspect appends to repeated names."""
    return scorer.rstrip("0123456789")


def score_name(scorer: str, key: str) -> str:
    """Return the name of a score in arguments: `match`, or `grade.quality` if it has keys."""
    return f"{scorer}.{key}" if key else scorer


def split_score_name(name: str, scorers: Iterable[str]) -> tuple[str, str]:
    """Return the scorer, which may have points in its name, and the key of a score or field."""
    prefixes = [scorer for scorer in scorers if f"{name}.".startswith(f"{scorer}.")]
    scorer = max(prefixes, key=len, default=name.partition(".")[0])
    return scorer, name[len(scorer) + 1 :]


def read_three_way(value: Mapping[str, object]) -> Grade | None:
    """Read a score with a key for each grade, as SimpleQA writes it; None for another score.

    The keys are `correct`, `incorrect` and one for declined answers (`not_attempted`), all with or
    without `is_`. Unless one of their values is 1 (or true) and the other two are 0, the result is
    a failure.

    Example:
        >>> read_three_way({"correct": 1.0, "incorrect": 0.0, "not_attempted": 0.0})
        1.0
        >>> read_three_way({"is_correct": False, "is_incorrect": False, "is_not_attempted": True})
        ParseFailure(status='declined', reason='the model gave no answer')
    """
    keys: dict[str, str] = {}
    for key in value:
        word = _grade_word(key.lower().removeprefix("is_"))
        keys["declined" if word in _DECLINED else word] = key
    if not {"correct", "incorrect", "declined"} <= keys.keys():
        return None
    right, wrong, declined = (
        read_number(value[keys[kind]]) for kind in ("correct", "incorrect", "declined")
    )
    if sorted([right, wrong, declined]) != [0, 0, 1]:
        return _failed(f"not exactly one of {', '.join(value)} is 1")
    return ParseFailure("declined", _DECLINED_REASON) if declined else right


def unknown_score(scores: Mapping[str, Grades], name: str | None) -> str:
    """Return why a sample has no score of that name; empty if it has one.

    `scores` has the grades by scorer and key; the name is `scorer` or `scorer.key`, or None for
    the only score. The text is also empty if the scorer (without a name: every scorer) gave no
    grade: it may have failed on this sample, and the name may be right.

    Example:
        >>> unknown_score({"a": {"truth": 0.8}}, "a.trth")
        'the eval has no score a.trth; it has a.truth: name one of them by score= or --score'
        >>> unknown_score({"grade": {"": ParseFailure("grader_failed", "")}}, "grade.truth")
        ''
    """
    scorer = split_score_name(name, scores)[0] if name else ""
    relevant = {scorer: scores.get(scorer, {})} if scorer else scores
    if not any(map(_is_graded, _grades_by_score_name(relevant).values())):
        return ""
    choice = _choose_score(scores, name)
    return choice.reason if isinstance(choice, ParseFailure) else ""


def _is_graded(grade_of_score: Grade) -> bool:
    """Return whether a score gives a grade: a number, or that the model declined to answer."""
    return not isinstance(grade_of_score, ParseFailure) or grade_of_score.status == "declined"


def grade(scores: Mapping[str, Grades], score_label: str | None = None) -> Grade:
    """Return the correctness of an answer by a named score, or by the only score.

    Keys that are named as a confidence are no candidate for the only score. A scorer whose name
    says that it judges abstention has to be named.

    Args:
        scores: The eval's own scores: by scorer, its grades by key; a single grade has the key "".
        score_label: Name of a scorer, followed by a point and a key if its score has several
            grades.

    Returns:
        A number in [0, 1], partial credit as a fraction; or a failure with the status `declined`;
        the one by which the eval left the answer unscored, such as `grader_failed`; or
        `scoring_failed` if there is no such score, the choice is ambiguous, or the number is
        outside [0, 1].

    Example:
        >>> grade({"match": {"": 1.0}})
        1.0
        >>> grade({"match": {"": 1.0}, "f1": {"": 0.4}}).reason
        'the eval has the scores match, f1: name one of them by score= or --score'
        >>> grade({"grade": {"style": 0.2, "truth": 0.8}}, "grade.truth")
        0.8
        >>> grade({"three_way": {"": 1.0}}, "three_way.correct")
        1.0
        >>> grade({"judge": {"score": 1.0, "confidence": 85.0}})
        1.0
    """
    name = _choose_score(scores, score_label)
    if isinstance(name, ParseFailure):
        return name
    correct = _grades_by_score_name(scores)[name]
    if isinstance(correct, ParseFailure):
        if correct.status == "declined":
            return correct
        return ParseFailure(correct.status, f"the eval's score {name}: {correct.reason}")
    if not 0 <= correct <= 1:
        return _failed(f"the eval's score {name}, {correct:g}, {NO_SHARE}")
    return correct


def chosen_score(scores: Mapping[str, Grades]) -> str:
    """Return the name of the score that `grade` takes without a label; empty if it takes none."""
    name = _choose_score(scores, None)
    return "" if isinstance(name, ParseFailure) else name


def _choose_score(scores: Mapping[str, Grades], score_label: str | None) -> str | ParseFailure:
    """Return the name of the labelled or only score that grades the answer, or why there is none.

    Without a label, keys named as a confidence are no candidates, and a score of abstention is
    refused.
    """
    names = list(_grades_by_score_name(scores))
    if score_label:
        scorer, key = split_score_name(score_label, scores)
        # A score with a key for each of three grades was read as a single grade without a key; a
        # label with its key `correct` names that grade too.
        if score_label not in names and scorer in names and key in ("correct", "is_correct"):
            return scorer
        return score_label if score_label in names else _failed(_choice_problem(names, score_label))
    candidates = []
    for scorer, grades in scores.items():
        keys = [key for key in grades if not is_confidence_name(key)]
        candidates += [score_name(scorer, key) for key in keys]
    if len(candidates) != 1:
        return _failed(_choice_problem(candidates or names, None))
    if _ABSTENTION.search(candidates[0].partition(".")[0]):
        return _failed(
            f"the eval's score {candidates[0]} says whether the model abstained, not whether it is "
            "right: name by --score the score that says what is right"
        )
    return candidates[0]


def _grades_by_score_name(scores: Mapping[str, Grades]) -> dict[str, Grade]:
    """Return the grades by names such as `match` or `grade.quality`."""
    grade_by_name: dict[str, Grade] = {}
    for scorer, grades in scores.items():
        grade_by_name |= {score_name(scorer, key): part for key, part in grades.items()}
    return grade_by_name


def _choice_problem(names: Sequence[str], name: str | None) -> str:
    """Return why no score can be chosen among `names`; `name` is the label that was asked for."""
    if not names:
        return f"the eval has no score {name or ''}".rstrip()
    has = f"the eval has no score {name}; it has" if name else "the eval has the scores"
    return f"{has} {', '.join(names)}: name one of them by score= or --score"


def _failed(reason: str) -> ParseFailure:
    return ParseFailure("scoring_failed", reason)
