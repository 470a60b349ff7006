"""Rules shared by all readers: when a reply is empty, cut off, refused or ambiguous."""

import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from inspect_confidence.answers.clean import CUT, declines, is_cut, is_refusal
from inspect_confidence.answers.labels import I_CHANGE, ParsedText, Statement, parse_statements
from inspect_confidence.answers.status import ParseFailure, is_invalid

ParsedT = TypeVar("ParsedT")
Reader = Callable[[str], ParsedT | ParseFailure]
"""Reader of the value of a statement."""
Readings = list[tuple[Statement, ParsedT | ParseFailure]]
"""Statements, each with what a reader makes of its value."""
Same = Callable[[ParsedT, ParsedT], bool]

_TEMPLATE = re.compile(
    r"[\W_]*(?:an? |the )?(?:(?:your|numerical|final|correct|single|whole) )*"
    r"(?:answer|solution|letter|choice|integer|number|confidence|exponent|float|probability)\b"
    r"(?:[\W_]*$|[^\n]{0,80}\b(?:between|from|in|here)\b)|(?=[\W_]*$)[\W_]*?(?:\.\.\.|…)",
    re.IGNORECASE,
)
_CHANGE = rf"{I_CHANGE} (?:my|it|that|the|this)"
_TAKEN_BACK = (
    r"actually|on (?:second thought|reflection)|correction|scratch that|let me (?:correct|revise)"
    r"|hold on|wait,|i meant|i(?:'ve| have)? made an? (?:mistake|error)|(?:that|it)(?:'s| is"
    rf"| can't be) (?:not )?(?:right|wrong)\W|(?:no,|\.{{3}}|…) ?make (?:it|that)"
    rf"|(?<=[.!?] )no, (?=~?\.?[0-9])|{_CHANGE}"
)
_REVISED = re.compile(
    rf"\b(?:{_TAKEN_BACK}|on reconsideration|wait|let me (?:re-?\w+|adjust|double)|hmm|corrected"
    r"|revis(?:ed|ing)|updated|i made an? (?:mistake|error)|final(?:ly| answer| interval"
    r"| estimate))\b|等等|更正|修正|改为|不对|实际上|最终",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    # At a line's start, or with another value behind it.
    rf"^[^\w\n]*(?:hmm|wait|sorry|no, that|{_TAKEN_BACK})\b"
    rf"|\b(?:{_CHANGE}\b[^.\n]{{0,40}} (?:to|as)\b"
    rf"|(?:{_TAKEN_BACK})[^\n]{{0,200}}?(?:[0-9]|(?-i:\b[A-H])\b))|改为|更正为",
    re.IGNORECASE | re.MULTILINE,
)
_CONFIRMED = re.compile(r"\b(?:is|'s) (?:right|correct)\W*$|\b(?:stands|remains)\b", re.I)
_RETHINKING = re.compile(
    r"\b(?:let me (?:double|re|check|verify|think|see)|wait|hmm|hold on|alternatively|actually)\b"
    r"[^\n]*\Z",
    re.IGNORECASE,
)
_UNDER_OTHER_CONDITION = re.compile(
    r"\b(?:(?:however|but|otherwise),? if|alternatively|if instead)\b", re.I
)


invalid = partial(ParseFailure, "invalid_response_format")
"""Failure of a reply in which nothing can be read."""
ambiguous = partial(ParseFailure, "ambiguous")
"""Failure of a reply that can be read in more than one way."""
_TIERS = {"object": 0, "final": 1, "line": 1, "inline": 1, "prose": 2}
"""Rank of a statement by its strength: JSON counts before labels, and labels before prose."""


def is_template(value: str) -> bool:
    """Return whether a value is a placeholder of the prompt, such as `<your answer>`."""
    return bool(_TEMPLATE.match(value))


def is_revised(text: str) -> bool:
    """Return whether a text says that the answer before it is to be replaced."""
    return bool(_REVISED.search(text))


def is_replaced(text: str) -> bool:
    """Return whether a text takes the preceding answer back.

    The signs are stricter than in `is_revised`: they stand at a line's start or before a new value.
    """
    return bool(_REPLACED.search(text))


def read_stated(
    reply: str,
    choose: Callable[[ParsedText], ParsedT | ParseFailure],
    *,
    keys: Sequence[str],
    truncated: bool,
    literal: tuple[str, ...] = (),
) -> ParsedT | ParseFailure:
    """Parse a reply, choose a value among its statements, or return why it has none.

    A statement is a label with its value, such as `Confidence: 85`. An empty reply is
    `no_response`. Every other failure of a truncated reply is `truncated`, because the missing text
    might have been readable; so is a value if the reply ends in second thoughts, or within a later
    value of one of the keys. A whole reply that only declines is `refusal`.

    Args:
        reply: Text of the reply.
        choose: Function that returns the value of a parsed reply, or why there is none.
        keys: Labels under which the value may be stated.
        truncated: Whether the reply is cut off.
        literal: Phrases, such as a choice "Confidence: high", in which no label is looked for.
    """
    if not reply.strip():
        return ParseFailure("no_response", "the reply is empty")
    parsed = parse_statements(reply, literal, cut=truncated and is_cut(reply))
    answer = choose(parsed)
    last = parsed.statements[-1] if parsed.statements else None
    # The sentence of a value in prose, such as "The answer is", may go on after the cut.
    goes_on = (
        last and last.strength == "prose" and last.value.endswith(CUT) and ". " not in last.value
    )
    is_begun = last and last.key in keys and (last.is_open or not last.value or goes_on)
    is_thinking = _RETHINKING.search(parsed.text[-200:])  # as "Wait, let me check"
    if truncated and (is_begun or is_thinking or isinstance(answer, ParseFailure)):
        return ParseFailure("truncated", "the reply is cut off before an answer was stated")
    if not isinstance(answer, ParseFailure):
        return answer
    if not parsed.text and not parsed.statements:
        return ParseFailure("no_response", "the reply is empty but for markup and reasoning")
    answer_values = filter(None, parsed.values_under("answer"))
    states_nothing = is_invalid(answer) or (answer.status == "ambiguous" and not parsed.statements)
    if states_nothing and all(map(is_refusal, [parsed.text, *answer_values])):
        return ParseFailure("refusal", "the reply declines to answer")
    return answer


def agreed_value(
    parsed: ParsedText,
    keys: Sequence[str],
    read: Reader[ParsedT],
    is_same: Same[ParsedT] = operator.eq,
) -> ParsedT | ParseFailure | None:
    """Return the value that the statements under some labels agree on; None if there are none.

    A statement is a label with its value. Those in JSON count before those in lines, and these
    before prose. The last statement counts if the earlier ones agree with it, if it is called
    final, or if words before it take the earlier ones back. Otherwise the value is `ambiguous`. If
    "answer" is among the keys and has no statement, a statement called a choice, a result or an
    estimate counts as the answer if it can be read.

    Args:
        parsed: Parsed reply.
        keys: Keys of the labels.
        read: Reader of a statement's value.
        is_same: Function that compares two values.
    """
    readings = _readings(parsed, keys, read)
    if not readings:
        if "answer" not in keys:
            return None
        looser: ParsedT | ParseFailure | None = agreed_value(parsed, ("choice",), read, is_same)
        return None if isinstance(looser, ParseFailure) else looser
    strongest = _strongest(readings)
    last_statement, _reading = strongest[-1]
    # A later statement under the same label, in prose, may revise the last of the strongest.
    revisions = []
    for statement, reading in readings[readings.index(strongest[-1]) + 1 :]:
        if statement.key == last_statement.key and not isinstance(reading, ParseFailure):
            revisions.append((statement, reading))
    if not revisions and _is_taken_back(parsed.text, last_statement):
        return ambiguous("an answer that is taken back")
    return _last_reading(parsed, [*strongest, *revisions[-1:]], is_same)


def _readings(parsed: ParsedText, keys: Sequence[str], read: Reader[ParsedT]) -> Readings[ParsedT]:
    """Return the statements under some labels, each with the value or failure that `read` returns.

    Left out are placeholders and headings without a value and, if the reply declines, prose.
    """
    is_refused = declines(parsed.text)
    readings = []
    for statement in parsed.statements_under(*keys):
        reading = read(statement.value)
        is_prose_of_refusal = is_refused and statement.strength == "prose"
        if not is_prose_of_refusal and not _has_no_value(statement, reading):
            readings.append((statement, reading))
    return readings


def _strongest(readings: Readings[ParsedT]) -> Readings[ParsedT]:
    """Return the readings that count: those in JSON; if there are none, of labels; else of prose.

    A reading is a statement with the value read of it, or with why none could be read; there is at
    least one. In prose an unreadable sentence does not count if another one is readable.
    """
    tier = min(_TIERS[statement.strength] for statement, _ in readings)
    strongest, readable = [], []
    for statement, value in readings:
        if _TIERS[statement.strength] == tier:
            strongest.append((statement, value))
            if not is_invalid(value):
                readable.append((statement, value))
    return readable if readable and tier == _TIERS["prose"] else strongest


def _is_taken_back(text: str, last: Statement) -> bool:
    """Return whether the text from the last statement's value on replaces the value.

    It does not if it confirms the value near its end ("... is correct"). The value itself may begin
    with "Actually" and state another value, so the search begins at its second character; the value
    of a JSON member is not in the text.
    """
    is_in_text = last.strength != "object"
    start = last.end - len(last.value) + 1 if is_in_text else last.end
    remainder = text[start:]
    return is_replaced(remainder) and not _CONFIRMED.search(remainder[-60:])


def _has_no_value(statement: Statement, reading: object) -> bool:
    """Return whether a statement is the prompt's placeholder or a heading, and states no value."""
    is_empty = statement.heading or not statement.value or is_template(statement.value)
    return is_empty and isinstance(reading, ParseFailure)


def _last_reading(
    parsed: ParsedText, pairs: Readings[ParsedT], is_same: Same[ParsedT]
) -> ParsedT | ParseFailure:
    """Return the last reading, unless an earlier one differs and isn't replaced by the last one.

    `pairs` are statements with their readings, each a value or a failure. A failure to find any
    value in an earlier statement contradicts nothing.
    """
    last, last_reading = pairs[-1]
    for earlier, reading in pairs[-2::-1]:  # of those that differ the nearest one decides
        if isinstance(reading, ParseFailure):
            agrees = is_invalid(reading)
        else:
            agrees = not isinstance(last_reading, ParseFailure) and is_same(reading, last_reading)
        if not agrees:
            between = parsed.text[earlier.end : last.start]
            has_revision = last.strength == "final" or is_revised(between)
            if has_revision and not _UNDER_OTHER_CONDITION.search(between):  # "otherwise, if"
                return last_reading
            return ambiguous("several different answers")
    return last_reading


def text_without(parsed: ParsedText, *keys: str) -> str:
    """Return the text without the statements under some labels, and without marks at its ends.

    Statements overlap if a label is in the value of another; their text is left out once. Members
    of JSON objects are not in the text.
    """
    pieces, reached, text = [], 0, parsed.text
    for statement in parsed.statements_under(*keys):
        if statement.start >= reached and statement.strength != "object":
            pieces.append(text[reached : statement.start])
            reached = statement.end
    return " ".join([*pieces, text[reached:]]).strip(" \n\t|,;*\"'")
