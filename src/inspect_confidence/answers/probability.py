"""Text -> the one probability that a model stated, or a typed failure.

The protocol asks for a float between 0 and 1, in English or Chinese. A number is an answer if
there is no other and little else, or if a word like "probability" introduces it.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import Literal

from inspect_confidence.answers.clean import is_refusal, stated_text
from inspect_confidence.answers.numbers import LONGEST, WORD
from inspect_confidence.answers.reading import ambiguous, invalid
from inspect_confidence.answers.status import Unreadable

# ruff: noqa: RUF001 # full-width signs, dashes and times signs, as they are written

HAN = "零一二两三四五六七八九十百"
"""Chinese numerals in the spelling that `cleaned` gives them."""

_DIGIT = "[一二两三四五六七八九]"
_VALUES = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_INTEGER = re.compile(
    # A hundred and one has a zero in the middle: 一百五 is 150 to some and 105 to others.
    rf"(?:(?P<hundreds>{_DIGIT})?(?P<hundred>百)(?:(?=$|{_DIGIT}十)|零(?={_DIGIT}$)))?"
    rf"(?:(?P<tens>{_DIGIT})?(?P<ten>十))?(?P<ones>{_DIGIT})?"
)
_DENOMINATORS = {"百": 100, "千": 1000, "万": 10000}
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SPELLING = str.maketrans(
    "〇點兩幾負為約機達過個間與於無對難斷計沒確預測認覺應該這\x02\x03",
    "零点两几负为约机达过个间与于无对难断计没确预测认觉应该这  ",
)
_SIGN = re.compile(  # Would be taken for a Markdown quotation, or for a tag.
    r"(?<![-=A-Za-z\"'/0-9])(?P<more>>|＞|&gt;)(?=\s*+[.≥=0-9０-９．])"
    r"|(?:<|＜|&lt;)(?=\s*+[.=0-9０-９．])(?!\s*+[.0-9]++\s*+%?+\s*+>)"
)
_REWRITTEN = (
    (re.compile(r"\\[dtc]?frac\s?\{\s?([0-9]+)\s?\}\s?\{\s?([0-9]+)\s?\}"), r" \1/\2 "),
    # An interval, before its comma is taken for a decimal one.
    (re.compile(r"[\[(]\s?(0(?:\.0)?)\s?,\s?(1(?:\.0)?)\s?[\])]"), r"(\1 to \2)"),
    (re.compile(r"\[\s?([0-9]{1,9})\s?,\s?([0-9]{1,9})\s?\]"), r"(\1 to \2)"),
    (re.compile("，(?=[0-9０-９])"), ", "),
)
_NO_ANSWER = re.compile(
    "无法|[不没](?:能|有?办法)(?:够)?(?:确定|回答|判断|估计|提供|给出|预测)"
    "|抱歉|对不起|不知道|不清楚|难以(?:确定|判断|估计)|拒绝|拒絕"
)

FILLER = (
    r"(?:(?:about|around|approximately|approx\.|approx|roughly|nearly|almost|close to|exactly|only"
    r"|simply|just|estimated|an?|the|some)\b"
    r"|[~≈=]|大约|大概|差不多|可能(?!性)|接近|约|近)"
)
LEAD = rf"[\s\"']*(?:{FILLER}[\s\"']*)*+$"
"""From a word that says something of a number to the number, at the end of a text."""

_BOUND_BEFORE = re.compile(
    r"(?:(?:more|greater|higher|larger|less|lower|fewer|smaller) than(?: or equal to)?"
    r"|\bat (?:the )?(?:least|most|minimum|maximum)|\b(?:above|below|over|under|beyond|within)"
    r"|\bexceed(?:s|ing)?|\bup to|\b(?:minimum|maximum) of|\bas (?:high|low) as|(?<![-=])[<>]=?"
    rf"|[≤≥≦≧]|\\(?:geq?|gt|lt)|[大小高低多少]于|超过|至[少多]|最[多少]|不[到足]){LEAD}",
    re.I,
)
_BOUND_AFTER = re.compile(
    r"\s*(?:\+(?!\s?[0-9])|(?:or|and) (?:more|less|higher|lower|above|below|up|over|under)\b"
    r"|at (?:the )?(?:least|most)\b|minimum\b|max(?:imum)?\b|以[上下内]|之[上下])",
    re.I,
)
_DENIED = re.compile(
    rf"(?:\bnot|n't|\bnever|\brather than|\binstead of|\bother than|不会?是|而非|并非){LEAD}"
    r"|(?:n't| not|\bcannot) (?:say|think|believe|claim|agree|expect)\b(?:(?!\bbut\b|[,;:]).)*$"
    r"|不(?:认为|觉得)[^,。]*$",
    re.I,
)


def cleaned(reply: str) -> str:
    """The reply without reasoning and markup, bounds as words, Chinese numerals simplified."""
    reply = _SIGN.sub(lambda sign: "more than " if sign["more"] else "less than ", reply)
    for pattern, text in _REWRITTEN:
        reply = pattern.sub(text, reply)
    return stated_text(reply).translate(_SPELLING).strip()


def declines(text: str) -> bool:
    """Whether the (cleaned) text says in English or Chinese that it gives no answer."""
    return is_refusal(text) or bool(_NO_ANSWER.search(text))


def decimal(digits: str) -> Fraction:
    """A number in digits; a comma stands for decimals where it can't stand for thousands."""
    point = "" if _THOUSANDS.fullmatch(digits) else "."
    return Fraction(digits.replace(",", point))


def han(numeral: str) -> Fraction | None:
    """A Chinese numeral up to 999, perhaps with decimals; None if it isn't one."""
    integer, point, decimals = numeral.partition("点")
    value = _han_integer(integer)
    if value is None or not point:
        return value
    if not decimals or any(_VALUES.get(one) is None for one in decimals):
        return None
    return value + decimal("0." + "".join(str(_VALUES[one]) for one in decimals))


def _han_integer(numeral: str) -> Fraction | None:
    if numeral == "零":
        return Fraction(0)
    found = _INTEGER.fullmatch(numeral)
    if not found or not numeral:
        return None
    hundreds = _VALUES[found["hundreds"] or "一"] if found["hundred"] else 0
    tens = _VALUES[found["tens"] or "一"] if found["ten"] else 0
    return Fraction(100 * hundreds + 10 * tens + _VALUES[found["ones"] or "零"])


def parts_of(under: str, over: str) -> Fraction | None:
    """A Chinese fraction, its denominator first: 百分之七十."""
    below = Fraction(under) if under.isdecimal() else _DENOMINATORS.get(under) or han(under)
    above = Fraction(over) if over[:1].isdecimal() else han(over)
    return above / below if above is not None and below else None


def tenths(whole: str, more: str | None) -> Fraction | None:
    """A Chinese share in tenths, perhaps with hundredths: 七成, 七成五, 七成半."""
    above = decimal(whole) if whole[:1].isdecimal() else han(whole)
    below = Fraction(5) if more == "半" else han(more or "零")
    return None if above is None or below is None else above / 10 + below / 100


def share(part: str, whole: str) -> Fraction | None:
    """A fraction below 1, or all of ten or a hundred; None for what may be odds, as 40/60."""
    above, below = decimal(part), decimal(whole)
    if above + below == 100 or (above >= below and not above == below in (10, 100, 1000)):
        return None
    return above / below


def objection(before: str, after: str) -> str | None:
    """Why a number isn't an answer, from what stands around it: more than 0.5, not 0.5."""
    if _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after):
        return "a bound"
    return "a number that is denied" if _DENIED.search(before) else None


Kind = Literal["probability", "outside", "above", "odd"]

MOST = 100
"""No more numbers than these are looked at: so many are no answer."""

_SHARE_DIGITS = (
    r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})++(?![0-9])(?:\.[0-9]++)?+"
    r"|[0-9]++(?:[.,][0-9]++)?+|(?<![.0-9])\.[0-9]++)"
)
_PERCENT = r"(?:[ ]?(?:%|percent\b|per cent\b|pct\b)|[ ]percentage points\b)"
# What would make another number of it: a unit, a power, a product, odds, "1 in a million".
_SHARE_END = (
    r"(?![0-9A-Za-z_^°‰$€£¥⁄]|[.:/][0-9]|[ ]?[x×÷·^*+/][ ]?[0-9]|[ ]?[万亿千百十个次天年人倍]"
    r"|[ ](?:in an?|out of|per|for every|hundred|thousand|[mbtr]+illion|tenth|hundredth)s?\b)"
)
_SHARE_BEGIN = rf"(?<![{HAN}几千万])"
_TOKEN = re.compile(
    rf"百分(?P<all>百)|{_SHARE_BEGIN}(?P<under>[{HAN}千万]++|(?<![0-9.,])[0-9]{{1,6}})分之"
    rf"(?P<over>[{HAN}几]++(?:点[{HAN}]++)?+|[0-9]++(?:\.[0-9]++)?+)(?![0-9.]*+[0-9])"
    rf"|{_SHARE_BEGIN}(?P<tenths>[{HAN}几]++|(?<![0-9.,])[0-9]{{1,2}}(?:\.[0-9]{{1,9}})?)成"
    rf"(?![不功立本员就长绩果])(?P<more>[{HAN}半])?+"
    r"(?P<unclear>(?!左右|上下|以[上下]|[的吧到至或是]|把握|可能|概率|机会|几率)[一-龥])?+"
    rf"|{_SHARE_BEGIN}(?P<han>[{HAN}]++(?:点[{HAN}]++|(?=%)))(?P<han_percent>%)?+"
    rf"|(?P<words>{WORD.pattern}[ -]per[ ]?cent\b)"
    r"|(?P<sign>(?<![A-Za-z])[-–](?=[.0-9])|\b(?:minus|negative)[ ]|负)?+"
    r"(?<![A-Za-z0-9_^\\$€£¥])(?<![0-9]\.)(?:"
    rf"(?:(?P<part>{_SHARE_DIGITS})(?:[ ]?[/⁄][ ]?|[ ]out[ ]of[ ](?:an?[ ])?)"
    rf"(?P<whole>{_SHARE_DIGITS})"
    rf"|(?P<one>[0-9]{{1,6}})[ ]in[ ](?P<of>{_SHARE_DIGITS})(?![ ](?!chance)[A-Za-z]))"
    rf"(?!{_PERCENT}){_SHARE_END}"
    rf"|(?P<number>{_SHARE_DIGITS}(?:e[-+]?[0-9]{{1,3}})?+)(?:(?P<percent>{_PERCENT})|{_SHARE_END}))"
    r"|(?<![A-Za-z0-9_^\\.])[0-9](?:[0-9A-Za-z_.,:^/]|(?<=\^)[-+(])*+",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[一二两三四五六七八九]{2}十?|[^几]*几.*")  # 七八十 is 70 to 80
_JOINED = re.compile(
    r"\s*(?:[-–—~…±]|\.{2,}|\+/?-|to|till|until|through|到|至)\s*(?:about |around )?"
)
_AND = re.compile(r"\s*(?:and|&|和|与)\s*")
_BETWEEN = re.compile(r"(?:\bbetween|介于|在)\s*(?:about |around )?$", re.IGNORECASE)
_JOINER = r"\s*(?:to|or|through|[-–~到至或])\s*"
_WORD_BEFORE = re.compile(rf"(?:{WORD.pattern}|[{HAN}]){_JOINER}$", re.IGNORECASE)
_WORD_AFTER = re.compile(rf"{_JOINER}(?:{WORD.pattern}|[{HAN}])", re.IGNORECASE)
_IN_MANY = re.compile(r" in [0-9]")


@dataclass(frozen=True)
class Written:
    """A number in a text.

    Attributes:
        kind: "probability" from 0 to 1; "outside" if negative or over 100%; "above" 1 and no
            percentage; "odd" if it is no plain number.
        value: What it is worth; None for odd ones.
        start: Where it begins.
        end: Where it ends.
        is_range: Whether it is one end of a range, or a whole one.
        is_bare: Whether it is an integer without a percent sign.
    """

    kind: Kind
    value: Fraction | None
    start: int
    end: int
    is_range: bool = False
    is_bare: bool = False


def numbers_in(text: str) -> list[Written]:
    """The numbers, up to one more than `MOST`; a scale from 0 to 1 beside others is none."""
    found: list[Written] = []
    for token in islice(_TOKEN.finditer(text), MOST + 1):
        # In "3-7" and "3 -7" the hyphen isn't a minus.
        after = bool(found) and not text[found[-1].end : token.start()].strip()
        found.append(_written(token, signed=not (after and token["sign"] in ("-", "–"))))
    ends = {index for index, one in enumerate(found) if one.is_range or _is_joined(text, one)}
    scale: set[int] = set()
    for index, (low, high) in enumerate(pairwise(found)):
        if _is_range(text, low, high):
            ends |= {index, index + 1}
            scale |= {index, index + 1} if low.value == 0 and high.value == 1 else set()
    scale = set() if len(scale) == len(found) else scale
    marked = [replace(one, is_range=index in ends) for index, one in enumerate(found)]
    return [one for index, one in enumerate(marked) if index not in scale]


def _is_joined(text: str, one: Written) -> bool:
    """Whether the other end of a range is in words."""
    before = text[max(0, one.start - 20) : one.start]
    return bool(_WORD_BEFORE.search(before) or _WORD_AFTER.match(text, one.end))


def _is_range(text: str, low: Written, high: Written) -> bool:
    gap = text[low.end : min(high.start, low.end + 40)]
    if _JOINED.fullmatch(gap) or (not gap.strip() and text[high.start] in "-–"):
        return True
    before, after = text[max(0, low.start - 20) : low.start], text[high.end : high.end + 3]
    is_closed = after.lstrip().startswith("之间")
    return bool(_AND.fullmatch(gap) and (is_closed or _BETWEEN.search(before)))


def _written(token: re.Match[str], *, signed: bool) -> Written:
    start, end = token.span()
    numeral = token["over"] or token["tenths"] or ""
    is_several = bool(_SEVERAL.fullmatch(numeral)) and not token["unclear"]
    bare = bool(token["number"]) and token["number"].isdigit() and not token["percent"]
    value = _value(token) if len(token[0]) <= LONGEST and not is_several else None
    if value is None or token["unclear"] or (bare and _IN_MANY.match(token.string, end)):
        return Written("odd", None, start, end, is_range=is_several)
    if token["sign"] and value and signed:
        return Written("outside", -value, start, end)
    outside: Kind = "above" if token["number"] and not token["percent"] else "outside"
    return Written("probability" if value <= 1 else outside, value, start, end, is_bare=bare)


def _value(token: re.Match[str]) -> Fraction | None:
    if token["over"]:
        return parts_of(token["under"], token["over"])
    if token["tenths"]:
        return tenths(token["tenths"], token["more"])
    if token["han"]:
        value = han(token["han"])
        return value / 100 if value is not None and token["han_percent"] else value
    if token["part"] or token["one"]:
        return share(token["part"] or token["one"], token["whole"] or token["of"])
    if token["number"]:
        return decimal(token["number"]) / (100 if token["percent"] else 1)
    return Fraction(1) if token["all"] else None


_ABOVE = "a number above 1 that isn't marked as percent"
_UNFINISHED = re.compile(r" ?[^\s(,。、;]*|[.,/:^–—-]")
_CLOSING = frozenset("\n)]}\"'*`$!?。！？」")
_NOUN = (
    r"(?:\b(?:probability|likelihood|chances?|estimate|answer|prediction|forecast)\b"
    r"|[概机几]率|或然率|可能性|答案|估计值)"
)
_SPEECH = (
    r"(?:(?:i(?:'d|'ll)?|would|will|say|think|believe|guess|estimate|assign|give|put|choose|answer"
    r"|it's|its?|this|that|there(?:'s)?|is|be|as|at|to|with|my|so|well|ok|okay|sure|certainly"
    r"|yes|hmm|but|maybe|perhaps|probably|likely|thus|then|hence|therefore|p|of)\b"
    r"|我们|我|认为|觉得|估计|应该|应|是|有|会|为|的|在|该|这个|这)"
)
_DASH = r"(?<=[A-Za-z)]) [-–] "
_HAS_NOUN = re.compile(_NOUN, re.I)
_SAYS = re.compile(
    rf"(?:\b(?:is|be|are|was|equals?|being)\b|[=:≈~→|]|{_DASH}|是|为|约|等于|达|{_NOUN}){LEAD}",
    re.I,
)
_TELLS = re.compile(rf"(?:{_SAYS.pattern}|(?:\b(?:of|at|as|to)\b|在|有){LEAD})", re.I)
_NOUN_AFTER = re.compile(r" ?(?:chance|probability|likelihood)\b|的?(?:[概几机]率|可能性)", re.I)
_OPENING = re.compile(
    rf"(?:^|[,;:!?.\n。、(\[{{\"'=→|—]|{_DASH}|\b(?=(?:i|i'd|it|it's|there|there's)\b))"
    rf"\s*(?:(?:{FILLER}|{_SPEECH}|{_NOUN})[\s\"'(]*)*+$",
    re.I,
)
_BOUNDARY = re.compile(
    r"\s*(?:$|[,;:!?\n。、)\]}\"'|(=≈→–—]|-\s|\.(?!\w)|(?:likely|probable|possible|possibility"
    r"|certain|certainty|sure|confident|because|since|as|given|based|if|that|on a|or so"
    r"|chance|probability|likelihood|of the time)\b|左右|上下|[吧因]|的?(?:[概几机]率|可能|把握))",
    re.I,
)
_SENTENCE_END = re.compile(r"[!?;。]|\.(?!\w)|(?<!:)\n")
_OR = re.compile(r"\s*(?:or|and|[,;/]|或者?|和|、)\s*", re.I)


@dataclass(frozen=True)
class StatedProbability:
    """A probability as it was stated.

    Attributes:
        value: From 0 to 1: the float nearest to what was written.
    """

    value: float


def read_probability(reply: str, *, truncated: bool = False) -> StatedProbability | Unreadable:
    """Read the probability that a reply states: 0.7, 70%, 7/10, 百分之七十, 七成.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number where the text ends may then be a part
            of one, or of a range, and is not read.

    Returns:
        The probability, or why there is none: `no_response`, `refusal`, `truncated`,
        `out_of_range` (negative, or over 100%), `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_probability("I would say about 70%.")
        StatedProbability(value=0.7)
        >>> read_probability("0.6-0.8")
        Unreadable(status='ambiguous', reason='a range')
        >>> read_probability("70").reason
        "a number above 1 that isn't marked as percent"
    """
    if not reply.strip():
        return Unreadable("no_response", "the reply is empty")
    text = cleaned(reply)
    numbers = numbers_in(text)
    found = _chosen(text, numbers)
    is_cut = truncated and reply.rstrip(" \t")[-1:] not in _CLOSING
    if is_cut and numbers and _UNFINISHED.fullmatch(text, numbers[-1].end):
        return Unreadable("truncated", "the reply is cut off where its number ends")
    if not isinstance(found, Unreadable):
        return StatedProbability(float(found))
    if truncated:
        return Unreadable("truncated", "the reply is cut off before a probability was stated")
    return found


def _chosen(text: str, numbers: list[Written]) -> Fraction | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    if not text:
        return Unreadable("no_response", "the reply is empty but for markup and reasoning")
    answers = [one for one in numbers if one.kind in ("probability", "outside")]
    if not answers and declines(text):
        return Unreadable("refusal", "the reply declines to answer")
    if not numbers:
        return invalid("no number")
    if unclear := _unclear(text, numbers, answers):
        return ambiguous(unclear)
    if not answers:
        return invalid("no plain number" if numbers[0].kind == "odd" else _ABOVE)
    value = answers[0].value or Fraction(0)
    if 0 <= value <= 1:
        return value
    return Unreadable("out_of_range", "a negative number" if value < 0 else "more than 100%")


def _unclear(text: str, numbers: list[Written], answers: list[Written]) -> str | None:
    """Why it can't be told which number is the answer, if any is."""
    if any(one.is_range for one in answers or numbers):
        return "a range"
    if len({one.value for one in answers or numbers}) > 1 or len(numbers) > MOST:
        return "different numbers"
    around = [(text[max(0, a.start - 120) : a.start], text[a.end : a.end + 40]) for a in answers]
    for before, after in around:
        if reason := objection(before, after):
            return reason
    is_answered = any(map(_is_said, answers, around))
    are_apart = not any(_OR.fullmatch(text[a.end : b.start]) for a, b in pairwise(numbers))
    if answers and len(numbers) > len(answers) and not (is_answered and are_apart):
        return "different numbers"
    if is_answered or not answers:
        return None
    is_alone = any(_OPENING.search(before) and _BOUNDARY.match(after) for before, after in around)
    return None if is_alone else "a number in a sentence, without a label"


def _is_said(one: Written, around: tuple[str, str]) -> bool:
    """Whether a word such as "probability" introduces the number."""
    before, after = around
    if _NOUN_AFTER.match(after) and not one.is_bare:
        return True
    sentence = _SENTENCE_END.split(before)[-1]
    if not _HAS_NOUN.search(sentence):
        return False
    # "The probability of 1 event" states none.
    is_firm = not one.is_bare and _SAYS.search(sentence)
    return bool(is_firm or (_TELLS.search(sentence) and _BOUNDARY.match(after)))
