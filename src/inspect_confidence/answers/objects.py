"""Readers of the fields of a reply, and of the typed answers in the fields.

The protocols ask for a JSON object with an answer and a confidence, or with a probability for each
letter. What is stated under the same labels in lines, tags or a table is read as well.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from string import ascii_lowercase

from inspect_confidence.answers.amount import exact_number_in
from inspect_confidence.answers.choices import NO_CHOICE, called_correct, choices_of, find_choice
from inspect_confidence.answers.clean import CUT, declines, folded, is_cut, is_refusal, plain_value
from inspect_confidence.answers.label_names import plain_key
from inspect_confidence.answers.labels import ParsedText, Statement, parse_statements
from inspect_confidence.answers.numbers import number_at, numbers_in
from inspect_confidence.answers.probability import as_share, read_probability, share_in_value
from inspect_confidence.answers.reading import (
    ParsedT,
    agreed_value,
    ambiguous,
    invalid,
    is_template,
)
from inspect_confidence.answers.scale import prose_ratings
from inspect_confidence.answers.status import ParseFailure, is_invalid
from inspect_confidence.answers.values import split_at_number

Scalar = str | int | float | bool | ParseFailure | None
"""A value as the reply states it, or why there is no certain value."""

OLDEST = 150
"""The greatest age in years that an answer may have."""
_SENTENCE_LENGTH = 100
"""Characters of a sentence that may be the whole answer."""
LONGEST = 10_000
"""Characters of the longest value that is read."""

_PROTOCOL_KEYS = {
    "age": "answer",
    "choice": "answer",
    "verdict": "answer",
    "probability": "confidence",
}
"""Key of the protocols for each label with another name."""

_BLANK = re.compile(r"\s*(?:null|none|n/?a|nil|-+|\?+)?\s*", re.IGNORECASE)
_ANGLED = re.compile(r"[<\[](?!(?:true|false|yes|no)[>\]])[^<>]*[^\W\d]{2}[^<>]*[>\]]", re.I)
_OTHER_UNIT = re.compile(
    r"[\s-]?(?!(?:years?|yrs?|yo|y\.o|y/o|old|in|at|when|as|because|since|by|on|is|for|given|based"
    r"|full|approximately|roughly|probably|likely|Jahren?|ans|岁)(?![^\W_]))(?:[^\W\d_]|[%°$€£¥])",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:another|more|further|additional|remaining|left|later|from now|hence|to live"
    r"|in \d+ years|margin of error)\b|^\s*\+",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"[\W_]*(?:(?:the |this |it |that )?(?:statement |claim |answer )?(?:is |'s )?)(?:"
    r"(?P<true>true|yes|t|y|correct|wahr|ja|vrai|oui|正确|是|真|对)"
    r"|(?:false|no|f|n|incorrect|falsch|nein|faux|non|错误|否|假|错))"
    r"(?P<rest>[\W_]*|\s*[.,;:(!–—-].*)",  # noqa: RUF001 # dashes
    re.IGNORECASE | re.DOTALL,
)
_EITHER = re.compile(r"\b(?:(?P<true>true|yes)|false|no)\b", re.IGNORECASE)
_UNDECIDED = re.compile(
    r"\b(?:not|maybe|perhaps|possibly|probably|likely|unlikely|unknown|unsure"
    r"|uncertain|unclear|undetermined|both|neither|either|part(?:ly|ial|ially)|half|mostly|mixed"
    r"|sometimes|somewhat|depends|but|or|except|however|although|though|cannot|unable|insufficient"
    r"|guess\w*|think|believe|assum\w+)\b|n't\b|\?",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"\W*(?:(?:true|false|yes|no)\b|\(?[A-Z][).:]|[0-9])", re.IGNORECASE)
_AGE = re.compile(
    r"\b(?:will be|dies? at|lives? (?:to|until)|age of|at (?:the )?age|until)[ ]"
    r"(?:about |around |approximately |roughly |age )?([0-9]{1,3})(?![\w%-]|\.[0-9])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?:]\s|\n")
_PREMISE = re.compile(
    r"\b(?:need to|given that|assum(?:e|ing)|suppos\w+|determine|probability that|if)\b", re.I
)
_NO_ANSWER = re.compile(
    r"[?{}\[\]]|[0-9](?![0-9,.]*\W*\Z)|\b(?:within|probab\w*|chances?|likel\w+|confiden\w+)\b", re.I
)
"""Signs that a sentence without a label isn't the answer: a question, or numbers in its midst."""
_LISTED = re.compile(r"^\W{0,3}([A-Z])[).]", re.MULTILINE)
_INITIAL = re.compile(r"\(?([A-Z])(?:[).:]|$)")
_LETTER = re.compile(r"(?:(?:option|choice) )?[(\[\"']*([A-Z])[)\].:\"']*(?: .*)?", re.IGNORECASE)


@dataclass(frozen=True)
class JsonReply:
    """Statements of a reply by casefolded key; nested objects are flattened.

    A field with contradictory values, or with no certain value, is a `ParseFailure`. `unfinished`
    is the key in whose value the reply was cut off; None if the reply was not cut off in a value.
    `is_cut` says that other keys may have followed.
    """

    fields: Mapping[str, Scalar]
    unfinished: str | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class OptionProbabilities:
    """Probabilities of a question's options, normalised to 1; stated, they sum to `raw_sum`."""

    values: tuple[float, ...]
    raw_sum: float


def read_json(reply: str, *, truncated: bool = False) -> JsonReply | ParseFailure:
    r"""Read what a reply states under keys, in JSON or under labels.

    In a truncated reply whose object isn't closed, a value counts only if another key follows it.
    A failure is `no_response`, `refusal`, `truncated`, `echo` or `invalid_response_format`.

    Example:
        >>> read_json('Sure! {"Answer": "B", "Confidence": 85%,}').fields
        {'answer': 'B', 'confidence': '85%'}
        >>> read_json("**Answer:** 78\n\n**Confidence:** 0.35").fields
        {'answer': '78', 'confidence': '0.35'}
        >>> read_json('{"Answer": "B", "Confidence": 0.8', truncated=True).unfinished
        'confidence'
        >>> read_json("I cannot answer that.").status
        'refusal'
    """
    if not reply.strip():
        return ParseFailure("no_response", "the reply is empty")
    parsed = parse_statements(reply, cut=truncated and is_cut(reply))
    is_open = truncated and parsed.is_open
    unfinished = _unfinished_key(parsed) if truncated else None
    fields = _fields(parsed, unfinished)
    if not parsed.objects and not truncated:  # if truncated, a label was perhaps still to come
        _add_prose_values(fields, parsed)
        if not fields and _is_answer_sentence(parsed.text):
            fields["answer"] = parsed.text
    if not fields and not unfinished:
        return _absence_failure(parsed, truncated=truncated)
    if fields and all(map(_is_placeholder, fields.values())) and not is_open:
        return ParseFailure("echo", "the reply is the prompt's template")
    return JsonReply(fields, unfinished, bool(is_open or unfinished))


def _add_prose_values(fields: dict[str, Scalar], parsed: ParsedText) -> None:
    """Add to the known values, `fields`, what the reply's sentences say without a label.

    The sentence's value replaces a known one that agrees with it: one of the same meaning, one that
    begins with it, and one that is no text (None, or a failure). Another known value makes the
    field ambiguous. Fields that a label outside prose states stay as they are.
    """
    labelled_keys = set()
    for statement in parsed.statements:
        if statement.strength != "prose":
            labelled_keys.add(_PROTOCOL_KEYS.get(statement.key, statement.key))
    for key, prose_value in _prose_values(parsed.text).items():
        if key in labelled_keys or CUT in prose_value:  # CUT: the sentence is broken off
            continue
        known_value = fields.get(key, prose_value)
        # None and failures contradict nothing.
        is_same = not isinstance(known_value, str) or (
            _have_common_meaning(known_value, prose_value)
            or known_value.casefold().startswith(prose_value.casefold().rstrip("."))
        )
        fields[key] = prose_value if is_same else ambiguous("several different answers")


def _is_answer_sentence(text: str) -> bool:
    """Return whether a text without labels is one short sentence that may be the answer."""
    is_sentence = "\n" not in text and len(text) <= _SENTENCE_LENGTH
    has_words = re.search(r"[^\W\d_]{3}", text) is not None
    return is_sentence and has_words and not is_refusal(text) and not _NO_ANSWER.search(text)


def _unfinished_key(parsed: ParsedText) -> str | None:
    """Return the key in whose value a truncated reply ends; None if it ends elsewhere.

    The last value is unfinished if its string, list or object is open, if it is empty, or if it
    ends in the mark at the end of a truncated reply.
    """
    if not parsed.statements:
        return None
    last = parsed.statements[-1]
    is_unfinished = last.is_open or not last.value or last.value.endswith(CUT)
    # The protocols ask for an "answer" where a model may write "choice".
    return _PROTOCOL_KEYS.get(last.key, last.key) if is_unfinished else None


def _fields(parsed: ParsedText, unfinished: str | None) -> dict[str, Scalar]:
    """Return for each key the text on which its statements agree, or the failure to agree.

    A statement is a label or a JSON key with its value. Reasons are left out, and the `unfinished`
    key, in whose value the reply is cut off. A key with nothing but the prompt's placeholder keeps
    that; an empty value in JSON is None; a premise in prose ("if the answer is B") is no value.
    """
    by_key: dict[str, list[Statement]] = {}
    for statement in parsed.statements:
        key = _PROTOCOL_KEYS.get(statement.key, statement.key)  # "age" states the answer, too
        if key not in ("reason", unfinished):
            by_key.setdefault(key, []).append(statement)
    fields: dict[str, Scalar] = {}
    for key, statements in by_key.items():
        filled = [entry for entry in statements if not _is_placeholder(entry.json_value)]
        if not filled:
            fields[key] = statements[-1].json_value
            continue
        # Statements in prose count only if there are no others.
        relevant = [entry for entry in filled if entry.strength != "prose"]
        relevant = relevant or [entry for entry in filled if _is_assertion(parsed.text, entry)]
        labels = [statement.key for statement in relevant]
        agreed = agreed_value(
            ParsedText(parsed.text, relevant), labels, _nonempty_text, _have_common_meaning
        )
        object_values = [entry.value for entry in relevant if entry.strength == "object"]
        if agreed is not None:
            fields[key] = agreed
        elif object_values:  # of which none is a text to agree on
            fields[key] = object_values[0] or None
    return fields


def _is_assertion(text: str, statement: Statement) -> bool:
    """Return whether the sentence of a statement is an assertion, not a premise or a plan."""
    *_, sentence = _SENTENCE.split(text[max(0, statement.start - 300) : statement.start])
    return not _PREMISE.search(sentence)  # "if the answer is B", "assume that"


def _prose_values(text: str) -> dict[str, str]:
    """Return what a text states without labels, under "answer" and "confidence".

    A text that is only a number that may be a share (0.7, 7/10, 70, 70%) is a confidence if the
    number before any percent sign is at most 1, else an answer. A key is absent if the text states
    nothing of the kind, or different values. Both keys are absent if the text declines, or repeats
    the list of choices.
    """
    number = number_at(text, 0)
    is_alone = number is not None and number.end == len(text.rstrip(" ."))
    if number and is_alone and not isinstance(as_share(number), ParseFailure):
        is_share = number.value is not None and number.value <= 1
        return {"confidence" if is_share else "answer": text}
    values: dict[str, str] = {}
    if declines(text):
        return values
    # Ages of "will live to 80", else letters of "B is correct".
    answers = {match[1] for match in _AGE.finditer(text)} or set(called_correct(text))
    if len(set(_LISTED.findall(text))) > 1:  # lines "A. ...", "B. ..." repeat the choices
        return values
    if _ANSWERS.match(text):  # "Yes, ...", "B) ...", "78 years"
        values["answer"] = text.split("\n", maxsplit=1)[0]
    elif len(answers) == 1:
        values["answer"] = answers.pop()
    confidences = set(prose_ratings(text))
    if len(confidences) == 1 and isinstance(confidence := confidences.pop(), str):
        values["confidence"] = confidence
    return values


def _nonempty_text(value: str) -> str | ParseFailure:
    return invalid("empty") if not value or _is_placeholder(value) else value


def _have_common_meaning(first: str, second: str) -> bool:
    """Return whether two values have a meaning in common."""
    return bool(_meanings(first) & _meanings(second))


def _meanings(value: str) -> set[object]:
    """Return the meanings of a value: its text, its letter, and the number with which it begins.

    The number counts as it is and, if it can be one, as a share from 0 to 1: "70%" has the text
    itself, 70 and 7/10. "B) 70%" has the text "b) 70%" and the letter "b".
    """
    senses: set[object] = {value.strip(" .").casefold()}
    number, _, _ = split_at_number(value)
    if number:
        senses |= {number.value, as_share(number)}
    if letter := _INITIAL.match(value.strip()):
        senses.add(letter[1].casefold())
    return {sense for sense in senses if sense is not None and not isinstance(sense, ParseFailure)}


def _is_placeholder(value: Scalar) -> bool:
    """Return whether a value is a placeholder of the prompt, such as `<your answer>` or dots."""
    text = value[:1000].strip() if isinstance(value, str) else ""
    return bool(_ANGLED.fullmatch(text) or is_template(text))  # `<letter>`, `your answer`


def _absence_failure(parsed: ParsedText, *, truncated: bool) -> ParseFailure:
    """Return the failure of a reply in which no field was found."""
    if truncated:
        return ParseFailure("truncated", "the reply is cut off before an answer was stated")
    if not parsed.text.strip() and not parsed.statements:
        return ParseFailure("no_response", "the reply is empty but for reasoning")
    if is_refusal(" ".join(parsed.text.split())):
        return ParseFailure("refusal", "the reply declines to answer")
    return invalid("no JSON object or label with an asked key")


def _read_field(
    reply: JsonReply, key: str, read: Callable[[str], ParsedT | ParseFailure]
) -> ParsedT | ParseFailure:
    """Return the value of a key of the reply's object as `read` understands it, or a failure."""
    text = _field_text(reply, key)
    if isinstance(text, ParseFailure):
        return text
    value = read(plain_value(text))
    if not isinstance(value, ParseFailure):
        return value
    if _BLANK.fullmatch(text):  # "null", "n/a", "-"
        return ParseFailure("no_response", f"the value is {text!r}")
    if is_invalid(value) and is_refusal(folded(text)):
        return ParseFailure("refusal", "the value declines to answer")
    return value


def _field_text(reply: JsonReply, key: str) -> str | ParseFailure:
    """Return the text of a key's value, or why there is none.

    The reply's `fields` have a value for each key, or a failure where it states several; the value
    of the `unfinished` key may be cut off.
    """
    if key == reply.unfinished:
        return ParseFailure("truncated", f"the reply is cut off in the value of {key!r}")
    if key not in reply.fields and reply.is_cut:
        return ParseFailure("truncated", f"the reply is cut off before a key {key!r}")
    value = reply.fields.get(key, invalid(f"no key {key!r}"))
    if isinstance(value, ParseFailure):
        return value
    text = "" if value is None else " ".join(str(value)[: LONGEST + 1].split())
    if not text:
        return ParseFailure("no_response", f"the value is {'null' if value is None else 'empty'}")
    if _is_placeholder(text):
        return ParseFailure("echo", "the value is the prompt's placeholder")
    return text if len(text) <= LONGEST else invalid(f"a value of more than {LONGEST} characters")


def age_in(reply: JsonReply) -> float | ParseFailure:
    """Return the age in a reply's answer, in years from 0 to 150, or why there is none.

    Example:
        >>> age_in(read_json('{"Answer": "about 78 years"}'))
        78.0
        >>> age_in(read_json('{"Answer": "75-80"}')).status
        'ambiguous'
    """
    return _read_field(reply, "answer", _years)


@functools.lru_cache(maxsize=4096)  # the same few numbers are stated again and again
def _years(text: str) -> float | ParseFailure:
    """Return the number of years that a value states, from 0 to 150, or why there is none."""
    years, numbers = exact_number_in(text), numbers_in(text)
    if isinstance(years, ParseFailure):
        return years
    tail = text[numbers[0].end :] if numbers else ""
    if _RELATIVE.search(text):  # "another 30 years"
        return ambiguous("years from some other age")
    is_share = numbers and numbers[0].style in ("fraction", "percent", "scaled")
    if is_share or _OTHER_UNIT.match(tail):  # "30 km"; years need no unit
        return ambiguous("not certainly a number of years")
    if not 0 <= years <= OLDEST:
        return ParseFailure("out_of_range", f"not from 0 to {OLDEST} years")
    return float(years)


def probability_in(reply: JsonReply, key: str = "confidence") -> float | ParseFailure:
    """Return the probability in the value of a key, from 0 to 1, or why there is none.

    The key may be in any case; the value is understood as by `read_probability`.

    Example:
        >>> probability_in(read_json('{"Confidence": "85%"}'))
        0.85
        >>> probability_in(read_json('{"Confidence": 8}')).reason
        "a number above 1 that isn't marked as percent"
    """
    share = _read_field(reply, plain_key(key), _probability)
    return share if isinstance(share, ParseFailure) else share.value


_probability = functools.lru_cache(maxsize=4096)(read_probability)


def letter_in(reply: JsonReply, choices: Sequence[str]) -> int | ParseFailure:
    """Return the index of the choice that a reply's answer names, or why there is none.

    The answer names a choice by its letter, by its text as shown, or by both.

    Example:
        >>> letter_in(read_json('{"Answer": "B) Paris"}'), ["Rome", "Paris"])
        1
        >>> letter_in(read_json('{"Answer": "C"}'), ["Rome", "Paris"]).status
        'out_of_range'
    """
    return _read_field(reply, "answer", functools.partial(_named_choice_index, choices=choices))


def _named_choice_index(value: str, choices: Sequence[str]) -> int | ParseFailure:
    """Return the index of the choice that a value names, or why it names none ("E" of four)."""
    index = find_choice(parse_statements(f"Answer: {value}"), choices_of(tuple(choices)))
    if index != invalid(NO_CHOICE) or is_refusal(value):  # the caller returns `refusal`
        return index
    letter = _LETTER.fullmatch(value)  # "E", "(E) maybe", "option E"
    if letter and ascii_lowercase.index(letter[1].lower()) >= len(choices):
        return ParseFailure("out_of_range", f"there is no choice {letter[1].upper()}")
    return index


def verdict_in(reply: JsonReply) -> bool | ParseFailure:
    """Return whether a reply's answer is true (yes) or false (no), or why it is neither.

    Example:
        >>> verdict_in(read_json("{'Answer': True}"))
        True
        >>> verdict_in(read_json('{"Answer": "partly true"}')).status
        'ambiguous'
    """
    return _read_field(reply, "answer", _verdict)


def _verdict(value: str) -> bool | ParseFailure:
    """Return whether a value says true or false, or why it says neither."""
    match = _VERDICT.fullmatch(value)  # "True", "No, because ..."
    if match and not _UNDECIDED.search(match["rest"]):  # no "mostly" or "maybe" behind the word
        is_true = match["true"] is not None
        # "True (yes)" says one thing twice; "true (no)" contradicts itself.
        repetitions = _EITHER.finditer(match["rest"])
        if all((mention["true"] is not None) == is_true for mention in repetitions):
            return is_true
    is_either = _UNDECIDED.search(value) or _EITHER.search(value)
    if match or (is_either and not is_refusal(value)):  # a refusal may name the words, too
        return ambiguous("neither plainly true nor plainly false")
    return invalid("neither true nor false")


def probabilities_in(
    reply: JsonReply, count: int, options: Sequence[str] = ()
) -> OptionProbabilities | ParseFailure:
    """Return the normalised probabilities that a reply gives to the options, or why there are none.

    The probabilities stand under `count` letters (1 to 26, else ValueError) or under the options'
    texts. If a number without a percent sign is above 1, all such numbers are percentages; they
    must sum to 100 within 1.

    Example:
        >>> probabilities_in(read_json('{"A": 70, "B": 30}'), 2)
        OptionProbabilities(values=(0.7, 0.3), raw_sum=1.0)
        >>> probabilities_in(read_json('{"A": 0.7}'), 2).reason
        "B: no key 'b'"
    """
    if not 1 <= count <= len(ascii_lowercase):
        raise ValueError(f"{count} options can't be named by letters")
    texts = [option.casefold().strip() for option in options]
    shares: list[tuple[Fraction, bool]] = []  # each with whether it has no percent sign
    for letter, text in zip_longest(ascii_lowercase[:count], texts[:count]):
        by_text = letter not in reply.fields and text in reply.fields  # not without `options`
        share = _read_field(reply, text if by_text else letter, _option_share)
        if isinstance(share, ParseFailure):
            return ParseFailure(share.status, f"{letter.upper()}: {share.reason}")
        shares.append(share)
    for letter in ascii_lowercase[count:]:  # letters of no option must have no probability
        is_stated = reply.fields.get(letter) is not None or letter == reply.unfinished
        share = _read_field(reply, letter, _option_share) if is_stated else (Fraction(0), False)
        if isinstance(share, ParseFailure) or share[0]:
            return ParseFailure("out_of_range", f"a probability of {letter.upper()}")
    return _normalised(shares)


@functools.lru_cache(maxsize=4096)
def _option_share(value: str) -> tuple[Fraction, bool] | ParseFailure:
    """Return the number of a value, and whether it is bare, else why the value has no probability.

    A bare number, 70 or 0.7, may be a percentage; only all options together tell.
    """
    share, numbers = share_in_value(value), numbers_in(value)
    bare = numbers[0].value if len(numbers) == 1 and numbers[0].style == "plain" else None
    # 70 is "invalid" as a share, but not as a percentage. Other failures, as of a range or of a
    # number below 0, hold on any scale.
    fails_on_any_scale = isinstance(share, ParseFailure) and not is_invalid(share)
    if bare is not None and not fails_on_any_scale:
        return bare, True
    return share if isinstance(share, ParseFailure) else (share, False)


def _normalised(
    numbers_and_flags: list[tuple[Fraction, bool]],
) -> OptionProbabilities | ParseFailure:
    """Return stated probabilities divided by their sum, with that sum, or why they are none.

    Each number comes with a flag that it is bare: without a percent sign. If a bare number is
    above 1, all bare ones are percentages, which must then sum to about 100 without the others.
    Those with a percent sign are already from 0 to 1.
    """
    bare = [number for number, is_bare in numbers_and_flags if is_bare]
    scale = 100 if any(number > 1 for number in bare) else 1
    if scale == 100 and not 99 <= sum(bare) <= 101:  # rounded percentages
        return ParseFailure("out_of_range", "numbers above 1 that don't sum to 100")
    shares = [number / scale if is_bare else number for number, is_bare in numbers_and_flags]
    total = sum(shares, Fraction(0))
    if not total:
        return invalid("the probabilities sum to 0")
    return OptionProbabilities(tuple(float(share / total) for share in shares), float(total))
