"""Text -> the one probability that a model stated, or a typed failure.

A labelled or leading number is the answer, whatever numbers its explanation holds; else one that a
word like "probability" introduces, if there is no other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.numbers import Number, number_at, numbers_in
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_replaced,
    is_revised,
    read_stated,
    text_without,
)
from inspect_confidence.answers.status import ParseFailure, is_invalid
from inspect_confidence.answers.values import (
    ABOUT,
    has_unit,
    is_bound,
    kind_of_tail,
    split_at_number,
)

# ruff: noqa: RUF001 # full-width signs and dashes, as they are written

_NOUN = r"(?:probability|likelihood|chances?|odds|estimate|[概机几]率|可能性)"
_INTRODUCED = re.compile(
    rf"(?:{_NOUN}[^\n]{{0,120}}?(?:\b(?:is|be|of|at|as|to|around|about|say)|[=:是为约])"
    r"|(?:^|[.,!?;:。，\n=→]|->|\b(?:but|so|sure|yes|no|well|okay?)\b)[^\w]*"
    r"|\byou (?:would|can|should) expect\b[^.\n0-9]{0,20}"
    r"|\bi(?:'d| would|'ll)? (?:say|estimate|guess|put|assign|give|interpret|go (?:with|for)|think"
    r"|answer)\b[^.\n0-9]{0,60}"
    r"|(?:\b(?:it|that|this|there|estimated?|(?:correspond|translate|equal|equate|amount)s? to"
    r")\b|[为是约给取])[^.。\n0-9]{0,20}|\bto be )"
    rf"\W{{0,6}}(?:an? |{ABOUT}|~|≈)*$",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(rf"[ ]?(?:{_NOUN}|likely\b|probable\b|的?(?:[概几机]率|可能|把握))", re.I)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\brather than|\binstead of)[ ]*(?:\w+[ ]+){0,3}$"
    r"|(?:[而并]非|不会?是|不(?:认为|觉得)[^,。]*)$",
    re.IGNORECASE,
)
_FALSE = r"(?:n't|\b(?:not|never|false|wrong|incorrect|mistaken|untrue|errors?)\b)"
_OF_THE_OPPOSITE = re.compile(
    rf"[ ]?(?:likely |probable )?(?:{_NOUN} )?(?:(?:that|of|it)\b|(?<=chance )it\b)"
    rf"[^.,;\n]{{0,40}}?{_FALSE}",
    re.IGNORECASE,
)
_OPPOSITE_BEFORE = re.compile(
    rf"{_NOUN} (?:that|of)\b[^.,;\n]{{0,60}}?\b(?:false|wrong|incorrect|mistaken|untrue|errors?)"
    rf"\b[^.\n0-9]{{0,30}}$|\b(?:error|failure) {_NOUN}[^.\n0-9]{{0,20}}$"
    r"|\bpr?(?:ob)?\s?\((?:[¬~!]|(?:not|no) |[^()\n]{0,40}['ᶜ]\))[^.\n0-9]{0,40}$"
    r"|\b1 ?- ?p\b[^.\n0-9]{0,20}$"
    r"|(?:不[^,，。\n0-9]{1,10}|错误)的?(?:[概几机]率|可能性?)[^0-9\n]{0,4}$",
    re.IGNORECASE,
)
"""Text before the probability that something is not so: "P(not A) = "."""
_REPLACED_BY = re.compile(
    r"\W*\b(?:(?:no|wait|sorry|actually|or rather),? |make (?:it|that) )(?:[a-z]+ ){0,3}~?\.?[0-9]"
    r"|\s*(?:→|->|⇒)",
    re.IGNORECASE,
)
_LOW_END = re.compile(r"\blow(?:er)?(?: bound| end)? ?[:=]", re.IGNORECASE)
_SURE = re.compile(r"\s*(?:confident|confidence|sure|certain(?:ty)?)\b", re.IGNORECASE)
_ALTERNATIVE_BEFORE = re.compile(
    r"(?<![\w.])(?P<other>\.?[0-9][0-9.]*)(?P<sign> ?%)?(?:, ?| or | and )$"
)
_RANGE_TO = re.compile(r"[0-9]%? ?(?:[-–—~～到至]|\b(?:to|bis|à)\b) ?$")
_RATE = re.compile(r"[ ](?:in [0-9]|(?:in an?|per)\b)")
_SCALE = re.compile(r"(?<![\d.])0(?:\.0)? ?(?:to|and|[-–到和,]) ?1(?:\.0)?(?![\d.%])")
_EQUALS = re.compile(r"=|≈|,? which (?:simplif\w+ to|equals|is (?:about|approximately))\b")
_ODDS = r"(?:50 ?[/:–-] ?50|fifty[ /-]fifty|1 ?: ?1|(?:1|one) to (?:1|one)|even)"
_EVEN = re.compile(
    r"(?:[a-z' ,]{0,60} )??"
    r"(?:(?:the |about |call it )?(?:odds|chances?)(?: are| is| of| would be)? )?"
    rf"(?:{_ODDS}(?: odds| chances?)?|a? ?(?:coin (?:toss|flip)|toss-?up))"
    rf"(?:,? (?:so |i\.e\. |or )?{_ODDS}|[a-z' ,]{{0,40}})?[.!]?",
    re.IGNORECASE,
)
_NOT_EVEN = re.compile(r"\b(?:not|than|about)\b(?! even odds)|n't", re.IGNORECASE)
_FORMULA = re.compile(r"\w\)? ?[*/×^] ?\(?\w")
_UNFINISHED = re.compile(
    rf"(?:(?:^|[.] )(?:(?:so|thus|therefore|hence),? )?(?:the )?{_NOUN}\b[^\n0-9]{{0,300}}"
    r"|\b(?:or|is|are|be|of|about|around|approximately)\W{0,8})\Z",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD = re.compile(rf"^(?:the|a) {_NOUN} [^\n0-9]{{1,150}} is {ABOUT}?(?=\.?[0-9])", re.I | re.M)
_THERE_IS = re.compile(rf"\bthere(?:'s| is) (?:only )?(?:an? )?{ABOUT}?$", re.I)
_POWER_OF = re.compile(r"to the (?:power(?: of)?|\w+ power)")
_RESTATED = re.compile(
    rf"[ ](?:is|equals) {ABOUT}?|,? which (?:is (?:the same as )?"
    rf"|(?P<converted>can be (?:converted|written|expressed) ?(?:as|to|into)?) ?){ABOUT}?",
    re.IGNORECASE,
)
_UNLABELLED = ambiguous("a number in a sentence, without a label")


@dataclass(frozen=True)
class StatedProbability:
    """The probability that a reply states: from 0 to 1, the float nearest to the text."""

    value: float


def read_probability(reply: str, *, truncated: bool = False) -> StatedProbability | ParseFailure:
    """Read the probability that a reply states: 0.7, 70%, 7/10, 百分之七十, 七成.

    A whole number from 11 to 100 is a percentage, since nothing else on a scale to 1 can be meant.
    A failure is `no_response`, `refusal`, `truncated`, `out_of_range`, `ambiguous` or
    `invalid_response_format`.

    Example:
        >>> read_probability("about 70%, since it is likely")
        StatedProbability(value=0.7)
        >>> read_probability('0.7. "Likely" usually means 60-80%.')
        StatedProbability(value=0.7)
        >>> read_probability("between 0.6 and 0.8").status
        'ambiguous'
    """
    if _EVEN.fullmatch(reply.strip()) and not _NOT_EVEN.search(reply):  # "50:50"
        return StatedProbability(0.5)
    value = read_stated(
        reply, _labelled_or_introduced, keys=("probability", "answer"), truncated=truncated
    )
    return value if isinstance(value, ParseFailure) else StatedProbability(float(value))


def _labelled_or_introduced(parsed: ParsedText) -> Fraction | ParseFailure:
    """Return the probability under a label, else that of the rest, as `share_without_label` reads.

    A statement's strength says how it was labelled: on a line of its own, in an object, or in prose
    ("the probability is 0.7"). A probability in prose must not differ from those at the start and
    in the conclusion.
    """
    share = agreed_value(parsed, ("probability", "answer"), share_in_value)
    strengths = parsed.strengths_under("probability", "answer")
    is_prose = strengths <= {"prose"}  # also without any statement
    if isinstance(share, Fraction):
        if not is_prose:
            return share
        opening = share_in_value(parsed.text.split("\n")[0])
        ending = _share_in_conclusion(parsed.text)
        for other_share in (opening, ending):
            if isinstance(other_share, Fraction) and other_share != share:
                return ambiguous("different numbers")
        return share
    # If the label has no number, or a sentence in prose none that can be read, words outside labels
    # may introduce the probability. Any other failure, such as a range, is final.
    if share is not None and not ((is_prose and is_invalid(share)) or "no number" in share.reason):
        return share
    # The confidence is left out, unless the reply states nothing else.
    outside_labels = share_without_label(
        text_without(parsed, "confidence", "reason") or text_without(parsed, "reason")
    )
    # Why the label's value is unreadable says more than that a number has no label.
    return share if share is not None and outside_labels == _UNLABELLED else outside_labels


def share_in_value(value: str) -> Fraction | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """Return the probability with which a label's value begins, or why it has no single one."""
    number, before, tail = split_at_number(value)
    if number is None:
        return _share_within(value)
    follows = kind_of_tail(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound"):
        return ambiguous(f"a {follows}")
    # The word "one" in an explanation is no number.
    later_numbers = [later for later in numbers_in(tail) if not later.is_pronoun]
    # Whether all later numbers repeat the first, as in "0.7 (70%)"; not without later numbers.
    is_repeated = set(map(_as_share_or_odds, later_numbers)) == {as_share(number)}
    is_contradicted = bool(later_numbers) and not is_repeated
    if is_contradicted and (
        _REPLACED_BY.match(tail) or _LOW_END.search(before) or _SURE.match(tail)
    ):  # "0.5, no, 0.7", "low: 0.6, high: 0.8", "95% sure that it's 0.8"
        return ambiguous("different numbers")
    if _OF_THE_OPPOSITE.match(tail) or _OPPOSITE_BEFORE.search(before):
        return ambiguous("a probability that it isn't so")
    # "0.7, 0.8" has two answers, and "0.7 if it rains, else 0.2" too.
    has_two_answers = follows == "other" and not is_repeated
    if has_two_answers or (later_numbers and re.match(r"\W*(?:if\b|若|如果)", tail)):
        return ambiguous("different numbers")
    if follows == "calculation":
        return _after_equals(number, tail)
    if _is_restated_otherwise(number, tail):
        return ambiguous("different numbers")
    if value[number.start] in "$€£¥" or _RATE.match(tail):  # "3 per day"
        return invalid("an amount or a rate")
    return as_share(number)


def _as_share_or_odds(number: Number) -> Fraction | ParseFailure:
    """Return a number as a probability, or why it is none.

    Odds of two numbers that sum to 100, such as 40/60, are the first number in percent.
    """
    # A fraction has the value 40/60 and the whole 60.
    numerator = number.value * number.whole if number.value and number.whole else Fraction(0)
    are_odds = number.whole and numerator + number.whole == 100
    return numerator / 100 if are_odds else as_share(number)


def _share_within(value: str) -> Fraction | ParseFailure:
    """Return the only number of a value that begins with words, if the words introduce it."""
    # A date or a version looks like a number and has the style "odd".
    numbers = [
        number for number in numbers_in(value) if not (number.style == "odd" or number.is_pronoun)
    ]
    before = value[: numbers[0].start][-160:] if numbers else ""
    if is_bound(before):
        return ambiguous("a bound")
    if len(numbers) == 1 and _INTRODUCED.search(before):
        text_before, text_after = "", value[numbers[0].end :]  # the words before were judged above
        is_calculated = kind_of_tail(text_before, text_after) == "calculation"
        return ambiguous("a calculation") if is_calculated else as_share(numbers[0])
    # A formula in the words before the first number, or in a value without numbers.
    if _FORMULA.search(before or value[:60]):  # "P(A) * P(B)"
        return ambiguous("a formula")
    return invalid("no number at its start" if numbers else "no number")


def _after_equals(first: Number, tail: str) -> Fraction | ParseFailure:
    """Return the result of a calculation, from its first number and the text after the number.

    A formula in words, or a calculation without a result at its end, is ambiguous. So is a
    share that is said to equal a different share.
    """
    line, *_ = tail.split("\n", maxsplit=1)
    parts = _EQUALS.split(line)  # " * 0.5", " 0.35" of " * 0.5 = 0.35"
    operations, result = parts[0], parts[-1]
    number, before, remainder = split_at_number(result)
    is_formula = re.search(r"[^\W\d_]{2}", _POWER_OF.sub("", operations))  # it has a word
    if len(parts) == 1 or is_formula or number is None or kind_of_tail(before, remainder) != "end":
        return ambiguous("a calculation")
    # "0.75 = 3/4" has no operation between the number and the equals sign.
    is_plain = not operations.strip() and not isinstance(as_share(first), ParseFailure)
    if is_plain and not _are_same_share(first, number):
        return ambiguous("different numbers")
    return as_share(number)


def _is_restated_otherwise(number: Number, tail: str) -> bool:
    """Return whether the text after a number repeats it as another one: "0.75, which is 70%".

    It also does if no number follows words such as "can be written as": its value isn't known.
    """
    restated = _RESTATED.match(tail)  # ", which is", " equals "
    if restated is None:
        return False
    second_number = number_at(tail, restated.end())
    if second_number is None:
        return bool(restated["converted"])
    return not _are_same_share(number, second_number)


def _are_same_share(number: Number, second_number: Number) -> bool:
    """Return whether two numbers are shares that differ by at most 0.01: one may be rounded."""
    first, second = as_share(number), as_share(second_number)
    if isinstance(first, ParseFailure) or isinstance(second, ParseFailure):
        return False
    return abs(first - second) <= Fraction(1, 100)


def as_share(number: Number) -> Fraction | ParseFailure:
    """Return a number as a share from 0 to 1, or why it is none: 0.7 for 0.7, 70%, 70 and 7/10.

    A `Number` has an exact value, a style of writing and, for 7/10, the whole 10.
    """
    value = number.value
    if value is None or (number.style in ("scaled", "power") and value > 1):
        return invalid("no plain number")
    whole = number.whole or 0
    are_odds = value * whole + whole == 100  # numerator and denominator of odds such as 40/60
    if number.style == "fraction" and (value > 1 or are_odds):
        return invalid("odds, not a share")
    is_plain_integer = number.style in ("plain", "word") and number.is_integer
    if number.style == "percent" or (is_plain_integer and 10 < value <= 100):  # 8 may be 8 of ten
        value /= 100
    elif value > 1:
        return invalid("a number above 1 that isn't marked as percent")
    if not 0 <= value <= 1:
        return ParseFailure("out_of_range", "a negative number" if value < 0 else "more than 100%")
    return value


def share_without_label(text: str) -> Fraction | ParseFailure:
    """Return the probability of a reply without labels, or why it states none.

    The last number that opens a line counts first, then a number that words such as "probability"
    introduce.
    """
    text = _SCALE.sub(" ", text)  # the scale of the prompt, "0 to 1", has no answer
    numbers = [number for number in numbers_in(text) if not number.is_pronoun]
    if not numbers:
        return invalid("no number")
    lines = text.split("\n")
    openings = list(map(_share_at_start, lines))
    first = openings[0]
    is_settled_first = not isinstance(first, ParseFailure) and not _is_calculation(lines[0])
    # A reply cut off after "So the probability that ..." was about to state its answer.
    is_unfinished = text.endswith(CUT) and _UNFINISHED.search(text.rstrip(CUT)[-400:])
    if is_unfinished and not is_settled_first:
        return invalid("no answer before the end")
    opening = _last_share_at_start(text, lines, openings)
    if opening is not None:
        return opening
    introduced = _introduced_share(text, numbers)
    later_text = "\n".join(lines[1:])
    if introduced == first and is_replaced(later_text) and numbers_in(later_text):
        return ambiguous("an answer that is taken back")
    if introduced is not None:
        return introduced
    # Why the first number is refused says more than that it has no label.
    is_first_clear = isinstance(first, ParseFailure) and not is_invalid(first)
    return first if is_first_clear else _UNLABELLED


def _last_share_at_start(
    text: str, lines: Sequence[str], openings: Sequence[Fraction | ParseFailure]
) -> Fraction | ParseFailure | None:
    """Return the last number that opens a line; None if there is none or the text revises it.

    The number's own line may replace it by another one ("80, no: 70"), or a later line revise it.
    Other numbers that open a line, or follow words such as "The probability that ... is", must be
    the same, unless the lines between say that the first is revised. `openings` has for each of the
    lines the share with which it begins, or why it begins with none.
    """
    line_indices, shares = [], set()
    for index, opening in enumerate(openings):
        if not isinstance(opening, ParseFailure):
            line_indices.append(index)
            shares.add(opening)
    if not line_indices:
        return None
    last = line_indices[-1]
    if is_replaced(lines[last]) or is_revised("\n".join(lines[last + 1 :])):
        return None
    for match in _TOLD.finditer(text):
        share = share_in_value(text[match.end() :].split("\n", maxsplit=1)[0])
        if isinstance(share, Fraction):
            shares.add(share)
    is_settled = len(shares) == 1 or is_revised("\n".join(lines[line_indices[0] : last]))
    return openings[last] if is_settled else ambiguous("different numbers")


def _is_calculation(text: str) -> bool:
    """Return whether a text begins with a number that is part of a calculation."""
    number, before, tail = split_at_number(text)
    return number is not None and kind_of_tail(before, tail) == "calculation"


def _share_at_start(line: str) -> Fraction | ParseFailure:
    """Return the share with which a line begins; a failure without one, or with a unit: "3 km"."""
    number, _, tail = split_at_number(line)
    if number is None:
        return invalid("no number at its start")
    share = share_in_value(line)
    # "0.3 km" is an amount; after a calculation ("0.3 * 2 = 0.6") the share is the result.
    if not isinstance(share, ParseFailure) and has_unit(tail) and kind_of_tail("", tail) == "end":
        return _UNLABELLED
    return share


def _share_in_conclusion(text: str) -> Fraction | ParseFailure | None:
    """Return the share of the last number in words such as "there's a 25% chance", or None."""
    last = None
    for number in numbers_in(text):
        before = text[max(0, number.start - 60) : number.start]
        if _NOUN_AFTER.match(text, number.end) and _THERE_IS.search(before):
            last = number
    return as_share(last) if last else None


def _introduced_share(text: str, numbers: list[Number]) -> Fraction | ParseFailure | None:
    """Return the probability that words introduce; None if there are no such words.

    The result is a failure if words introduce the opposite or different numbers. A bound ("at least
    70%", and also "at least 3 people") is left out, but a failure if nothing else is introduced. If
    other numbers have a percent sign or decimals, a bare whole number counts something else.
    """
    introduced: list[tuple[Number, Fraction | ParseFailure]] = []
    has_bound = False
    ends = [number.end for number in numbers]
    for number in _possible_probabilities(text, numbers):
        # Long enough for the words around a number; `lead` begins at the previous number.
        before = text[max(0, number.start - 160) : number.start]
        after = text[number.end : number.end + 60]
        previous_end = max((end for end in ends if end <= number.start), default=0)
        lead = text[previous_end : number.start]
        has_bound |= is_bound(lead)
        counts_units = has_unit(after) and not _is_calculation(text[number.start :])
        if counts_units or _RANGE_TO.search(before):  # "3 people", "60-80%"
            continue
        if _OF_THE_OPPOSITE.match(after) or _OPPOSITE_BEFORE.search(before):  # "that it won't"
            return ambiguous("a probability that it isn't so")
        if _is_alternative(number, before):  # "80, 90 percent"
            return ambiguous("different numbers")
        # "the probability is 70%" or "a 70% chance"
        has_words = _INTRODUCED.search(before) or _NOUN_AFTER.match(after)
        if has_words and not is_bound(lead) and not _DENIED.search(before):
            value = text[number.start : number.end + 60].split("\n", maxsplit=1)[0]
            introduced.append((number, share_in_value(value)))
    if not introduced:
        return ambiguous("a bound") if has_bound else None
    return _agreed_share(text, introduced)


def _is_alternative(number: Number, before: str) -> bool:
    """Return whether another probability stands directly before a number, as in "80, 90%"."""
    alternative = _ALTERNATIVE_BEFORE.search(before)
    preceding_number = number_at(alternative["other"], 0) if alternative else None
    if preceding_number is None or preceding_number.value is None or number.value is None:
        return False
    # Numbers of one kind: both are shares, or both percentages, of which the last has the sign.
    is_alike = (preceding_number.value > 1) == (number.value > 1)
    return (
        number.style in ("percent", "plain") and is_alike and preceding_number.value != number.value
    )


def _possible_probabilities(text: str, numbers: Sequence[Number]) -> list[Number]:
    """Return the numbers that are written as a probability, in the order of the text.

    These are percentages, fractions, numbers with a decimal point and, beside any of them, the
    first number of a calculation ("3 * 0.2 = 0.6"), from which its result is read. Without a
    percentage, fraction or decimal point all numbers are returned.
    """
    marked, computed = [], []
    for number in numbers:
        has_point = "." in text[number.start : number.end]
        if number.style in ("percent", "fraction") or has_point:
            marked.append(number)
        elif _is_calculation(text[number.start :]):
            computed.append(number)
    if not marked:
        return list(numbers)
    return sorted([*marked, *computed], key=lambda number: number.start)


def _agreed_share(
    text: str, introduced: Sequence[tuple[Number, Fraction | ParseFailure]]
) -> Fraction | ParseFailure:
    """Return the last introduced probability, unless an earlier one differs and isn't revised.

    `introduced` are numbers of the text, at least one, that words such as "I would say" introduce,
    each with its probability or why it is none. An earlier number without a probability is passed
    over if it is a range, or if the last one has none either.
    """
    last_number, last_share = introduced[-1]
    for number, share in introduced[:-1]:
        if isinstance(share, ParseFailure) and (
            isinstance(last_share, ParseFailure) or share.reason == "a range"
        ):
            continue
        is_same = last_share in (share, _as_share_or_odds(number))  # 40/60 is 0.4 if it is odds
        if not is_same and not is_revised(text[number.end : last_number.start]):
            return ambiguous("different numbers")
    return last_share
