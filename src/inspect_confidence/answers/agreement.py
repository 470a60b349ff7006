"""Whether a reply agrees with a sentence, and whether it is right: by words alone, without a model.

Both compare what is left of the texts without markers, function words and what is denied: names and
words after spelling is made one, amounts by value and unit, choices by letter or text, yes and no.
Texts that differ count as a contradiction only where both look like an answer to the question.

Limits: paraphrases ("the City of Light" for Paris), synonyms, abbreviations beyond initials and
what follows only by knowledge aren't seen; names of which the last word is the same count as the
same; what a sentence tells beside the answer ("It lies on the Seine") is `n/a` unless the reply
says it too; the grammar is that of English.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from inspect_confidence.answers.clean import folded, is_refusal
from inspect_confidence.answers.markers import find_markers, words

Agreement = Literal["yes", "no", "n/a"]
Verdict = Literal["correct", "incorrect", "punt"]

FUNCTION_WORDS = words(
    "a an the of in on at to for from by with as and or is are was were be been being am it "
    "its he she they them his her their this that these those there here i we you my our your "
    "do does did have has had will would can could may might must should shall which who whom "
    "whose what when where why how than then so such very also just only well yes no not too "
    "into about around approximately roughly nearly over under between both each any some all "
    "but if though near although however because since while answer correct option choice "
    "called known named guess true false think say believe sure certain let me us question "
    "enough more even ever actually indeed really commonly usually generally often widely "
    "full one considered regarded based asked given most likely fact course sorry please "
    "response again either neither nor rather instead don doesn didn isn wasn aren weren "
    "couldn wouldn hasn haven happened took place up goe stand make mean mainly chiefly main "
    "我 想 是 的 也 就 在 了 吧 觉 得 为 认 答 案 可 能 应 该 大 概 这 那 它"
)
TYPES = words(
    "city state river ocean sea mountain mount lake island republic kingdom queen king "
    "president saint sir doctor desert language"
)
"""Words that a name is whole without."""

CLAUSE = re.compile(
    r"[;:!?()\n\u2014\u2013\u3001-\u301e\uff00-\uff1f]|,(?![0-9]{3}(?![0-9]))|\.(?=\s|$)"
    r"|\b(?:but|although|though|however|whereas|while|because)\b"
)
NEGATION = re.compile(
    r"(?:\b(?:not|never|no|neither|nor|without|unlike|cannot|rather than|instead of|isnt|against"
    r"|myth|misconception|mistaken|incorrect|untrue|false|hardly|far from)\b|n't\b|不是|没有|并非)"
    r"(?! only\b)"
)
CONCEDED = re.compile(
    r"(?:^|(?<=[.;!?] ))(?:it is (?:often|commonly|widely) |contrary to "
    r"|(?:many|some|most|other)? ?"
    r"(?:people|others|folks|some|many|sources|you)\b (?:often |sometimes |may |might |would )*"
    r"(?:say|name|think|believe|assume|claim|guess|expect|call|answer|cite|mention))"
    r"[^.;!?]*?(?=\bbut\b|\bhowever\b|\bthough\b|\byet\b|$)",
    re.IGNORECASE,
)
"""What others say, before a "but"."""

YES = re.compile(
    r"^\W*(?:(?:the answer is|answer|i'd say|so|it is|it's|that is|that's|well)\W+)*"
    r"(?:(?P<yes>yes|yeah|yep|true|correct|right|indeed|absolutely|affirmative|go ahead"
    r"|you should(?! not|n't)|do it)|(?P<no>no|nope|false|incorrect|wrong|not true|negative|don't"
    r"|(?:i would|i'd) (?:not|advise (?:you )?against)|i wouldn't"
    r"|you should(?: not|n't)))\b(?! (?:one|idea))"
    r"|^\W*(?:(?P<ja>是的?|对)|(?P<nein>不是|不))(?=[\W，。]|$)"  # noqa: RUF001 # as it is written
)
YES_NO = re.compile(
    r"(?:^|[.:,\n]\s*)(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should"
    r"|isn't|aren't|doesn't|didn't)\b[^?]*\?|true or false|yes or no|[吗嗎][？?]"  # noqa: RUF001
)
OPTION = re.compile(r"(?:^|[\s(])\(?([A-H])[).:]\s+(.+?)(?=\s*(?:[\n;,]|\s\(?[A-H][).:]\s|$))")
LETTER = re.compile(
    r"\(([A-H])\)|\b([A-H])[).:](?=\s|$)|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer(?: is)?|[Ll]etter) "
    r"([A-H])\b|(?:^\W*+|(?:\bis |\*)\W{0,20}+)([A-H])(?=\W*$)"
)
NAME = re.compile(
    r"\b[^\W\d_a-z][\w'-]*(?:\s(?:(?:of|the|de|da|di|von|van|del|la|le)\s){0,2}[^\W\d_a-z][\w'-]*)*"
)
"""Capitalised words in a row."""


_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
IN_ORDER = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_SMALL = {word: n for n, word in enumerate(_BELOW_TWENTY.split())} | {
    word: 10 * n for n, word in enumerate(_TENS.split(), start=2)
}
_LARGE = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {word: n for n, word in enumerate(IN_ORDER.split(), start=1)}
_ONCE = frozenset(IN_ORDER.split()[:9])
_ROMAN = re.compile(r"(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})")
_MOST = 10**12
"""Words beyond it are left as they are."""


def number_of(token: str) -> float | None:
    """The number that a token is."""
    return float(token) if re.fullmatch(r"[0-9]{1,30}(?:\.[0-9]{1,30})?", token) else None


def ordinal_of(word: str | None) -> int:
    """The number of a word like "second"; 1 for none."""
    return _ORDINALS[word.lower()] if word else 1


def spelled(word: str) -> str | None:
    """The one spelling of a word that is a number; "second" stays, since it is a unit as well."""
    if word in _ORDINALS and word != "second":
        return f"{_ORDINALS[word]}th"
    if ordinal := re.fullmatch(r"([0-9]+)(?:st|nd|rd|th)", word):
        return "second" if word == "2nd" else f"{ordinal[1]}th"
    if (value := number_of(word)) is not None:
        return f"{value:.15g}" if "." in word else word.lstrip("0") or "0"
    return str(_roman(word)) if _ROMAN.fullmatch(word) else None


def counted(words: Sequence[str]) -> list[str]:
    """The words with those that make up a number made one: "two hundred and five" is 205."""
    out: list[str] = []
    place = 0
    while place < len(words):
        value, after = _number_at(words, place)
        if after == place:
            out.append(words[place])
            place += 1
        elif after < len(words) and value % 10 == 0 and value and words[after] in _ONCE:
            out.append(f"{value + ordinal_of(words[after])}th")
            place = after + 1
        else:
            out.append(str(value))
            place = after
    return out


def _number_at(words: Sequence[str], place: int) -> tuple[int, int]:
    """The number whose words begin at a place, and the place after it; that place if none does."""
    begun, total, part = place, 0, 0
    while place < len(words):
        word, is_first = words[place], place == begun
        if word in _SMALL and (
            is_first or part % 100 == 0 or (part % 10 == 0 and _SMALL[word] < 10)
        ):
            part += _SMALL[word]
        elif word in _SMALL and 10 <= part <= 20 and not total and _SMALL[word] >= 10:
            part = 100 * part + _SMALL[word]  # nineteen sixty-nine
        elif word in _LARGE and not is_first and part < _MOST:
            part *= _LARGE[word]
            if word != "hundred":
                total, part = total + part, 0
        elif is_first and _is_scaled(words, place):
            return int(float(word) * _LARGE[words[place + 1]]), place + 2
        elif not (word == "and" and _goes_on(words, place, total + part)):
            break
        place += 1
    return total + part, place


def _goes_on(words: Sequence[str], place: int, value: int) -> bool:
    """Whether the "and" there is within a number: "hundred and five"."""
    return value >= 100 and value % 100 == 0 and _at(words, place + 1) in _SMALL


def _is_scaled(words: Sequence[str], place: int) -> bool:
    """Whether digits and "million" stand there."""
    return number_of(words[place]) is not None and _at(words, place + 1) in _LARGE


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def _roman(word: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10}[sign] for sign in word]
    return sum(
        -one if following > one else one
        for one, following in zip(values, [*values[1:], 0], strict=True)
    )


_EXACT_UP_TO = 2100
"""Whole numbers up to here (years, counts) must be equal; others within 1%."""
_TO_BASE = {
    "km": ("length", 1000.0),
    "m": ("length", 1.0),
    "cm": ("length", 0.01),
    "mm": ("length", 0.001),
    "mile": ("length", 1609.344),
    "yard": ("length", 0.9144),
    "foot": ("length", 0.3048),
    "inch": ("length", 0.0254),
    "kg": ("mass", 1.0),
    "g": ("mass", 0.001),
    "pound": ("mass", 0.4536),
    "ton": ("mass", 1000.0),
    "tonne": ("mass", 1000.0),
    "second": ("time", 1.0),
    "minute": ("time", 60.0),
    "hour": ("time", 3600.0),
    "day": ("time", 86400.0),
    "week": ("time", 604800.0),
    "year": ("years", 1.0),
    "century": ("years", 100.0),
    "percent": ("percent", 1.0),
    "dollar": ("dollar", 1.0),
    "euro": ("euro", 1.0),
    "liter": ("volume", 1.0),
    "celsius": ("temperature", 1.0),
    "fahrenheit": ("temperature", 1.0),
    "kelvin": ("temperature", 1.0),
}
UNITS = frozenset(_TO_BASE) | {"degree", "per"}
_SHORT = {"s": "second", "h": "hour", "c": "celsius", "f": "fahrenheit", "k": "kelvin"}
"""Letters that are units after "per" or "degree"."""


@dataclass(frozen=True)
class Amount:
    """A number with its unit.

    Attributes:
        value: As given.
        base: In the base unit of its kind.
        kind: Of unit, such as `length` or `length per time`; empty without a unit.
    """

    value: float
    base: float
    kind: str


def amounts_in(tokens: Sequence[str]) -> list[Amount]:
    """The amounts among the tokens, in order."""
    found = []
    for place, token in enumerate(tokens):
        value = number_of(token)
        if value is None:
            continue
        after = [*tokens[place + 1 : place + 5], "", "", "", ""]
        if after[0] == "degree":
            after = [_SHORT.get(after[1], after[1]), "", "", ""]
        before = tokens[place - 1] if place else ""
        unit = after[0] if after[0] in _TO_BASE else before if before in ("dollar", "euro") else ""
        found.append(_amount(value, unit, after))
    return found


def is_same_amount(one: Amount, other: Amount) -> bool:
    """Whether two amounts are equal, rounding aside; one without a unit is of any."""
    if not one.kind or not other.kind:
        return _is_close(one.value, other.value)
    return one.kind == other.kind and _is_close(one.base, other.base, one.value != other.value)


def _amount(value: float, unit: str, after: Sequence[str]) -> Amount:
    if not unit:
        return Amount(value, value, "")
    kind, factor = _TO_BASE[unit]
    if unit == "fahrenheit":
        return Amount(value, (value - 32) / 1.8, kind)
    if unit == "kelvin":
        return Amount(value, value - 273.15, kind)
    if after[1] == "per":
        per = _TO_BASE.get(_SHORT.get(after[2], after[2]))
        if per is not None:
            return Amount(value, value * factor / per[1], f"{kind} per {per[0]}")
    return Amount(value, value * factor, kind)


def _is_close(one: float, other: float, is_converted: bool = False) -> bool:
    larger = max(abs(one), abs(other))
    is_exact = larger <= _EXACT_UP_TO and one.is_integer() and other.is_integer()
    if is_exact and not is_converted:
        return one == other
    return abs(one - other) <= 0.01 * larger


_TOKEN = re.compile(
    r"[\u3400-\u9fff]|[0-9]+(?:\.[0-9]+)?(?:st|nd|rd|th|s)?(?![0-9])"
    r"|[^\W_0-9\u3400-\u9fff]+(?:[0-9]+[^\W_\u3400-\u9fff]*)?|[^\W_]"
)
_GROUPS = re.compile(r"(?<![0-9.])([0-9]{1,3}(?:[, '\u202f][0-9]{3})+)(?![0-9])")
_POSSESSIVE = re.compile(r"'(?:s|m|re|ve|ll|d|t)\b|'(?=\s|$)")
_RATE = re.compile(r"(?<=[a-z])/(?=(?:s|h|hr|sec|hour|second)\b)")
_POWER = re.compile(r"([0-9.]{1,12}) ?[x×*] ?10 ?\^ ?([0-9]{1,2})(?![0-9])")  # noqa: RUF001 # times
_REGNAL = re.compile(
    rf"(?<=[a-z]) (?:I(?=\s*(?:$|[,.;)]))|[Tt]he ({'|'.join(IN_ORDER.title().split())})\b)"
)
_SAME = {
    "km": "kilometer kilometers kilometre kilometres kms",
    "m": "meter meters metre metres",
    "cm": "centimeter centimeters centimetre centimetres",
    "mm": "millimeter millimeters millimetre millimetres",
    "kg": "kilogram kilograms kilogramme kilogrammes kilos",
    "g": "gram grams gramme grammes",
    "mile": "miles mi",
    "foot": "feet ft",
    "pound": "pounds lb lbs",
    "percent": "pct",
    "degree": "degrees deg",
    "celsius": "centigrade",
    "year": "years yr yrs",
    "second": "seconds sec secs",
    "minute": "minutes min mins",
    "hour": "hours hr hrs",
    "dollar": "dollars usd",
    "liter": "litre litres liters",
    "color": "colour",
    "gray": "grey",
    "saint": "st",
    "mount": "mt",
    "doctor": "dr",
    "person": "people persons",
    "woman": "women",
    "man": "men",
    "child": "children",
    "tooth": "teeth",
    "leaf": "leaves",
}
_VARIANT = {word: one for one, forms in _SAME.items() for word in forms.split()}
_PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)"), one)
    for pattern, one in (
        (r"(?:the )?(?:united states(?: of america)?|u\.s(?:\.a)?\b\.?|usa)", " usa "),
        (r"(?:the )?(?:united kingdom|great britain|u\.k\b\.?|uk)", " uk "),
        (r"(?:the )?(?:soviet union|u\.s\.s\.r\b\.?|ussr)", " ussr "),
        (r"(?:the )?(?:netherlands|holland)", " netherlands "),
        (r"(?:people's republic of china|prc)", " china "),
        (r"(?:czech republic|czechia)", " czechia "),
        (r"(?:new york city|nyc)", " new york "),
        (r"per cent", " percent "),
        (r"(?:a|one) dozen", " 12 "),
        (r"half a million", " 500000 "),
        (r"b\.c\.(?:e\.)?|bce", " bc "),
        (r"a\.d\.|c\.e\.", " ad "),
    )
)
_SIGNS = str.maketrans(
    {
        "%": " percent ",
        "°": " degree ",
        "$": " dollar ",
        "€": " euro ",
        "&": " and ",
        "№": " ",
        "/": " ",
    }
)
_ARTICLES = frozenset({"a", "an", "the"})


def answer_tokens(text: str) -> list[str]:
    """The plain tokens of a text.

    Example:
        >>> answer_tokens("The twenty-one Cafés of St. Louis, USA")
        ['21', 'cafe', 'of', 'saint', 'louis', 'usa']
    """
    text = _REGNAL.sub(lambda found: f" {ordinal_of(found[1])}", folded(text)).lower()
    text = _POWER.sub(_written_out, _RATE.sub(" per ", text))
    for pattern, one in _PHRASES:
        text = pattern.sub(one, text)
    text = _GROUPS.sub(lambda found: re.sub(r"[^0-9]", "", found[1]), text)
    text = _POSSESSIVE.sub("", text.translate(_SIGNS))
    apart = unicodedata.normalize("NFKD", text)
    text = "".join(sign for sign in apart if not unicodedata.combining(sign))
    words = _TOKEN.findall(text)
    return [_plain(word) for word in counted(words) if word not in _ARTICLES]


def _written_out(power: re.Match[str]) -> str:
    """A power of ten as digits."""
    try:
        return f"{float(power[1]) * 10 ** int(power[2]):.15g}"
    except ValueError:
        return power.group()


def _plain(word: str) -> str:
    if (number := spelled(word)) is not None:
        return number
    word = _VARIANT.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os", "as")):
        return word[:-3] + "y" if word.endswith("ies") and len(word) > 5 else word[:-1]
    return word


_DENIES = 0.28
"""Markers with less decisiveness deny what they stand with."""
_BARE = 4


@dataclass(frozen=True)
class Claim:
    """What a text claims.

    Attributes:
        clauses: By clause, its tokens that aren't denied, in order.
        denied: The content tokens that are.
        is_yes: Whether it says yes or no, where it does.
        letters: The choices named by letter.
        names: Capitalised words in a row, as tokens.
        text: The text without markers, in lower case.
    """

    clauses: tuple[tuple[str, ...], ...]
    denied: frozenset[str]
    is_yes: bool | None
    letters: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    text: str

    @property
    def kept(self) -> list[str]:
        """The content tokens that aren't denied."""
        return [one for clause in self.clauses for one in clause if one not in FUNCTION_WORDS]

    @property
    def is_bare(self) -> bool:
        """Whether it is an answer alone, without a sentence around it."""
        return sum(map(len, self.clauses)) <= _BARE


def claim_of(text: str) -> Claim:
    """What a text claims."""
    bare = CONCEDED.sub(" ", folded(_without_markers(text)))
    lowered = bare.lower()
    kept, denied = [], set[str]()
    for clause in CLAUSE.split(lowered):
        negation = NEGATION.search(clause)
        kept.append(
            tuple(
                answer_tokens(_as_named(clause[: negation.start()] if negation else clause, bare))
            )
        )
        if negation:
            denied |= set(answer_tokens(clause[negation.end() :])) - FUNCTION_WORDS
    names = (tuple(answer_tokens(name)) for name in NAME.findall(bare))
    return Claim(
        tuple(kept),
        frozenset(denied),
        _claim_polarity(lowered),
        frozenset("".join(found) for found in LETTER.findall(bare)),
        tuple(name for name in names if name and set(name) - FUNCTION_WORDS - denied),
        lowered,
    )


def _as_named(clause: str, text: str) -> str:
    """A clause with the capitals it had in the text, where it is found there."""
    at = text.lower().find(clause) if len(text) == len(text.lower()) else -1
    return text[at : at + len(clause)] if at >= 0 else clause


def _without_markers(text: str) -> str:
    """A text without its markers; those that deny leave a "not"."""
    out, at = [], 0
    for marker in find_markers(text):
        out += [text[at : marker.start], " not " if marker.decisiveness < _DENIES else " "]
        at = marker.end
    return "".join([*out, text[at:]])


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is answered by yes or no."""
    lowered = folded(question).lower().strip()
    choices = re.search(r"\bor\b", lowered.replace("true or false", "").replace("yes or no", ""))
    return bool(YES_NO.search(lowered)) and not choices


def options_in(question: str) -> dict[str, str]:
    """The choices that a question lists, by letter."""
    found = dict(OPTION.findall(folded(question)))
    return found if len(found) > 1 else {}


def _claim_polarity(lowered: str) -> bool | None:
    said = YES.match(lowered)
    return None if said is None else bool(said["yes"] or said["ja"])


_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false"})
_APART = words("north south east west northern southern eastern western new")
"""First words without which a name is another's."""
_REGNAL_NUMBER = 30


def says_yes(claim: Claim) -> bool:
    """Whether a claim says yes, from its first word or from whether it denies."""
    if claim.is_yes is not None:
        return claim.is_yes
    is_denied = re.search(r"\b(?:not|never|false|no longer|against)\b|n't\b", claim.text)
    return not (claim.denied or is_denied)


def gives(claim: Claim, answer: str) -> bool:
    """Whether a claim gives an answer, which can be yes or no, or have a letter of a choice."""
    tokens = answer_tokens(answer)
    if tokens and set(tokens) <= _YES | _NO:
        return says_yes(claim) is bool(set(tokens) & _YES)
    lettered = re.match(r"\s*\(?([A-H])(?:[).:]+\s*|$)(.*)", answer)
    if lettered and (lettered[1] in claim.letters or not lettered[2]):
        return claim.letters == {lettered[1]}
    return holds(claim, answer_tokens(lettered[2]) if lettered and lettered[2] else tokens)


def holds(claim: Claim, wanted: Sequence[str]) -> bool:
    """Whether a clause has the answer's words in a row, or names it more briefly or fully."""
    wanted = list(wanted)
    amounts = amounts_in(wanted)
    if not wanted:
        return False
    if len(amounts) == 1 and all(one in UNITS or number_of(one) is not None for one in wanted):
        given = [one for clause in claim.clauses for one in amounts_in(clause)]
        return any(is_same_amount(one, amounts[0]) for one in given)
    return any(_has(clause, wanted) for clause in claim.clauses) or _is_named(claim, wanted)


def _has(clause: Sequence[str], wanted: list[str]) -> bool:
    size = len(wanted)
    for place in range(len(clause) - size + 1):
        if list(clause[place : place + size]) == wanted:
            following = clause[place + size : place + size + 1]
            # Louis XVI is not Louis, nor is Charles 2 Charles.
            value = number_of(following[0]) if following else None
            is_other = value is not None and value < _REGNAL_NUMBER and not wanted[-1].isdigit()
            if not is_other or size == 1:
                return True
    return False


def _is_named(claim: Claim, wanted: list[str]) -> bool:
    """Whether a name in the claim is the answer's: its end, its initials, or with words between."""
    bare = [one for one in wanted if one not in TYPES] or wanted
    initials = "".join(one[0] for one in wanted if one not in FUNCTION_WORDS)
    names = [list(name) for name in claim.names]
    if len(claim.kept) < len(wanted) and claim.kept:
        names.append(claim.kept)
    for name in names:
        if set(name) <= claim.denied:
            continue
        own = [one for one in name if one not in TYPES] or name
        if own == bare or (len(initials) > 2 and name[-1:] == [initials]):
            return True
        if len(bare) > 1 and len(own) == len(bare) + 1 and [own[0], *own[-len(bare) + 1 :]] == bare:
            return True
        is_end = len(own) < len(bare) and bare[-len(own) :] == own
        if is_end and bare[0] not in _APART and not number_of(bare[-1]) and bare[-1] not in UNITS:
            return True
    return False


def leaves_open(claim: Claim, answers: Sequence[str]) -> bool:
    """Whether another answer is offered beside an accepted one: "X or Y"."""
    accepted = {one for answer in answers for one in answer_tokens(answer)}
    plain = re.sub(r"\([^)]*\)", " ", claim.text)
    for sentence in re.split(r"[;!?\n]|\.\s", plain):
        sides = re.split(r"\bor\b(?! (?:so|more|less|rather|about|around)\b)", sentence)
        parts = [
            [one for one in answer_tokens(side) if one not in FUNCTION_WORDS] for side in sides
        ]
        for before, after in pairwise(parts):
            near = (before[-len(accepted) - 1 :], after[: len(accepted) + 1])
            has = [bool(set(side) & accepted) for side in near]
            if has[0] != has[1] and all(near):
                return True
    return False


_CANNOT = (
    r"(?:can't|cannot|can not|couldn't|could not|won't|will not|don't|do not|didn't|unable to"
    r"|not able to|never learned to)"
)
_DECLINES = re.compile(
    rf"\b(?:{_CANNOT} (?:\w+ly )?(?:know|say|tell|recall|remember|determine|answer|help|give|name"
    r"|provide|come up|have|think of|decide|identify|share|comment|make out)"
    r"|no idea|decline|rather not|unsure|unknown|no answer|insufficient|n/a|beats me"
    r"|not (?:sure|certain|known|aware|familiar|confident|something i|possible)|beyond my"
    r"|(?:impossible|difficult|hard) to (?:say|know|determine|tell)|as good as mine"
    r"|haven't a clue|not enough|(?:more|further) (?:context|information)|prefer not|escapes me"
    r"|slipped my|tip of my tongue|outside (?:of )?(?:what|my)|leave (?:this|it|that) open"
    r"|skip|^\W*pass\b|pass on|nothing in my|no (?:records?|information|access|knowledge|data)"
    r"|draw(?:ing)? a blank|i forget|i have forgotten|i've forgotten|used to know|rule out"
    r"|(?:could|can|would) you (?:please )?(?:tell|clarify|specify|say|give|rephrase|explain))"
    r"|无法|不知道|不清楚|抱歉|不能回答|不了解",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\b(?:please|consult|check (?:a|the|your|with)|recommend (?:you|that|asking"
    r"|consulting|checking)|look it up|let me know|happy to|would need|sorry"
    r"|reliable source|feel free|apologi[sz]e|hope this|search"
    r"|ask (?:a|an|someone|your)|you mean|as an ai|as a (?:large )?language model)\b",
    re.IGNORECASE,
)
_FINALLY = re.compile(
    rf"\b{_CANNOT} (?:\w+ly )?(?:say|tell you|name|give|come up|help|answer|decide|identify)\b"
    r"|\bescapes me|\bleave (?:this|it|that) open|\bslipped my|无法回答",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"[;!?\n。！？]|\.(?=\s|$)|,?\s\b(?:but|however|though|although)\b,?"  # noqa: RUF001 # Chinese
    r"|,\s(?=(?:i|my|perhaps|maybe|it|so|and|since|as)\b)|，",  # noqa: RUF001 # Chinese
    re.IGNORECASE,
)
_NAMES = re.compile(r"[0-9]|(?<=[\w,] )(?!I\b)[A-Z]|^\W*[A-Z]\w*(?:\W+[A-Z]\w*)*\W*$")
_POLAR = frozenset({"yes", "no", "true", "false"})


def declines(text: str) -> bool:
    """Whether every part of a text declines or is politeness, or its last part takes all back.

    "I'm not sure, but Lyon" gives an answer; "It's a city in France, but I can't say which" gives
    none.
    """
    whole = folded(text)
    plain = _plainly(whole)
    parts = [part for part in _PARTS.split(plain) if re.search(r"\w", part)]
    if parts and _FINALLY.search(parts[-1]):
        return True
    rest = [part for part in parts if not (_is_declined(part) or _POLITE.search(part))]
    content = [one for part in rest for one in answer_tokens(part)]
    if _POLAR.intersection(content):
        return False
    left = [one for one in content if one not in FUNCTION_WORDS]
    if left and len(rest) < len(parts):
        # Beside a refusal, small talk is no answer; a name, a number or a word or two are.
        return len(left) > 2 and not any(map(_NAMES.search, rest))
    says_otherwise = bool(LETTER.search(whole)) or plain != whole
    return not left and (_is_declined(whole) or not says_otherwise)


def _is_declined(part: str) -> bool:
    return is_refusal(part) or bool(_DECLINES.search(part))


def _plainly(text: str) -> str:
    out, at = [], 0
    for marker in find_markers(text):
        out.append(text[at : marker.start])
        at = marker.end
    return " ".join([*out, text[at:]]) if out else text


_ALIKE = 0.67
"""The share of the shorter claim's words from which two claims say the same."""
_LONGEST = 4
"""Words of an answer, beside those of the question."""
_STEM = 5
_AMOUNT = re.compile(
    r"\b(?:how (?:many|much|old|long|tall|far|high|big|large|fast|deep|heavy|often)|when"
    r"|(?:what|which) (?:year|date|percent\w*|number|age|temperature|time|day|century|is [0-9])"
    r"|population|atomic number)\b"
)
_IT_IS = re.compile(
    r"^\W*(?:(?:so|well|yes|no)\W+)*(?:(?:it|that|this|he|she|they|these|those|there)(?: |')"
    r"(?:is|was|are|were|s|would be|be|to be|not|re)\b|(?:the )?answer\b)"
    r"(?! (?:\w+ed|built|born|made|used|found|known|in|on|also|often)\b)"
)
_SUBJECT = re.compile(r"^\W*((?:[\w'-]+ ){1,3})(?:is|are|was|were) ")
_EVENTS = words(
    "build built born died founded opened started began ended closed completed held invented "
    "discovered signed published released"
)


def same_answer(question: str, said: Claim, replied: Claim) -> Agreement:
    """Whether a reply's claim agrees with a sentence's, by their words."""
    asked = _asked(question)
    ours, theirs = _core(said.kept, asked), _core(replied.kept, asked)
    if not ours or not theirs:
        if said.denied or replied.denied:
            return _of_denials(ours, theirs, said, replied)
        ours, theirs = said.kept, replied.kept
    are_answers = _answers(said, ours, question, said) and _answers(replied, theirs, question, said)
    is_amount = _AMOUNT.search(question.lower()) is not None
    first, second = _amounts(said, asked), _amounts(replied, asked)
    if first and second and (is_amount or len(_worded(ours)) <= 1):
        if any(is_same_amount(one, other) for one in first for other in second):
            return "yes"
        return "no" if are_answers and not _other_event(theirs, ours, question) else "n/a"
    if is_amount and bool(first) != bool(second):
        return "n/a"
    if are_answers and _lists_differ(ours, theirs, said, replied):
        return "no"
    return _of_words(ours, theirs, are_answers, said, replied)


def _of_words(
    ours: list[str], theirs: list[str], are_answers: bool, said: Claim, replied: Claim
) -> Agreement:
    """By the words that both share, then by names."""
    shared, fewer = set(ours) & set(theirs), min(len(set(ours)), len(set(theirs)))
    if not fewer:
        return "n/a"
    if shared == set(ours) or len(shared) / fewer >= _ALIKE:
        is_told = shared == set(ours) or are_answers or len(set(ours)) <= len(shared) + 2
        return "yes" if is_told else "n/a"
    if set(ours) & replied.denied and not shared:
        return "no"
    if _share_name(said, replied, set(ours)):
        return "yes"
    return "no" if are_answers else "n/a"


def _of_denials(ours: list[str], theirs: list[str], said: Claim, replied: Claim) -> Agreement:
    """When one claim, or both, only deny."""
    if not ours and not theirs:
        return "yes" if said.denied & replied.denied else "n/a"
    if not ours:
        return "no" if said.denied <= set(theirs) or set(theirs) <= said.denied else "yes"
    return "no" if set(ours) & replied.denied else "n/a"


def _amounts(claim: Claim, asked: frozenset[str]) -> list[Amount]:
    return [
        one
        for clause in claim.clauses
        for one in amounts_in(clause)
        if f"{one.value:g}" not in asked
    ]


def _worded(tokens: Sequence[str]) -> list[str]:
    return [one for one in tokens if number_of(one) is None and one not in UNITS]


def _other_event(theirs: Sequence[str], ours: Sequence[str], question: str) -> bool:
    """Whether a reply dates something else than was asked: built, when asked for the fall."""
    return bool(set(theirs) & _EVENTS - set(ours) - set(answer_tokens(question)))


def _share_name(said: Claim, replied: Claim, core: set[str]) -> bool:
    """Whether both name the same, wholly or by its last word."""
    for one in said.names:
        for other in replied.names:
            fewer, more = sorted((one, other), key=len)
            if set(fewer) & core and more[-len(fewer) :] == fewer:
                return True
    return False


def _lists_differ(ours: list[str], theirs: list[str], said: Claim, replied: Claim) -> bool:
    """Whether both list several things, as many of them, and not the same."""
    are_lists = all(" and " in claim.text or "、" in claim.text for claim in (said, replied))
    one, other = set(ours), set(theirs)
    return are_lists and len(one) > 1 and one & other not in (one, other) and len(one) == len(other)


def _asked(question: str) -> frozenset[str]:
    """The question's own words; what it offers to choose from ("lead or cork") is left out."""
    tokens = answer_tokens(re.split(r"\n\s*\(?A[).:]", question)[0])
    offered: set[str] = set()
    if "or" in tokens:
        at = tokens.index("or")
        offered = {one for one in tokens[max(0, at - 3) : at + 4] if one not in FUNCTION_WORDS}
    return frozenset(tokens) - offered


def stems(tokens: Iterable[str]) -> frozenset[str]:
    """The words' first letters, endings off, without function words."""
    return frozenset(_stem(one) for one in tokens if one not in FUNCTION_WORDS)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "er"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)][:_STEM]
    return word[:_STEM] if len(word) > _STEM else word


def _core(tokens: list[str], asked: frozenset[str]) -> list[str]:
    """The words that aren't the question's."""
    known = stems(asked)
    return [one for one in tokens if one not in asked and _stem(one) not in known]


def _answers(claim: Claim, core: Sequence[str], question: str, said: Claim) -> bool:
    """Whether a claim looks like an answer: alone, "it is ...", or in words of the matter."""
    if len(set(core)) > _LONGEST:
        return False
    if claim.is_bare or _IT_IS.match(claim.text):
        return True
    of_matter = stems(answer_tokens(question)) | (stems(said.kept) if claim is not said else set())
    words = set(stems(claim.kept))
    words -= stems(one for name in claim.names for one in name) - stems(answer_tokens(question))
    words = {one for one in words if number_of(one) is None and one not in UNITS}
    subject = _SUBJECT.match(claim.text)
    if subject and set(answer_tokens(subject[1])) <= set(answer_tokens(question)) | FUNCTION_WORDS:
        return True
    if _AMOUNT.search(question.lower()) and any(map(number_of, core)):
        return len(_worded(core)) <= 3
    return 3 * len(words & of_matter) >= len(words)


_ON_TOPIC = 0.5
"""The share of a question's words from which a statement says yes or no to it."""
_SURELY_ON_TOPIC = 0.75
_PRONOUN = re.compile(r"(?:^|[,;:.])\W*(?:it|they|he|she|that)(?: |')")
"""Stands for the question's subject."""


def agreement(question: str, sentence: str, reply: str) -> Agreement:
    """Whether a reply says what a sentence does, contradicts it, or neither.

    Example:
        >>> agreement("What is the capital of France?", "It's probably Paris.", "Paris, surely.")
        'yes'
        >>> agreement("What is the capital of France?", "It's probably Paris.", "I think Lyon.")
        'no'
        >>> agreement("What is the capital of France?", "It's probably Paris.", "I can't say.")
        'n/a'
    """
    if declines(reply) or declines(sentence):
        return "n/a"
    said, replied = claim_of(sentence), claim_of(reply)
    if options := options_in(question):
        ours, theirs = _chosen(said, options), _chosen(replied, options)
        if ours and theirs:
            return "yes" if ours == theirs else "no"
    if asks_yes_or_no(question):
        yes, also = _polarity(question, said), _polarity(question, replied)
        if yes is None or also is None:
            return "n/a"
        return "yes" if yes == also else "no"
    return same_answer(question, said, replied)


def verdict(answers: Sequence[str], reply: str) -> Verdict:
    """Whether a reply gives one of the accepted answers, another, or none.

    Example:
        >>> verdict(["Lyon"], "It's not Paris but Lyon.")
        'correct'
        >>> verdict(["Lyon"], "Either Paris or Lyon."), verdict(["Lyon"], "I don't know.")
        ('incorrect', 'punt')
    """
    if declines(reply):
        return "punt"
    replied = claim_of(reply)
    is_right = any(gives(replied, answer) for answer in answers)
    return "correct" if is_right and not leaves_open(replied, answers) else "incorrect"


def _chosen(claim: Claim, options: dict[str, str]) -> frozenset[str]:
    if named := claim.letters & options.keys():
        return named
    return frozenset(
        letter for letter, text in options.items() if holds(claim, answer_tokens(text))
    )


def _polarity(question: str, claim: Claim) -> bool | None:
    """Whether a text says yes to a question; None where it is about something else."""
    if claim.is_yes is not None:
        return claim.is_yes
    words = stems(answer_tokens(claim.text))
    topic = [one for one in answer_tokens(question) if one not in FUNCTION_WORDS]
    share = len(words & stems(topic)) / len(stems(topic)) if topic else 1.0
    if _PRONOUN.search(claim.text):
        share = min(1.0, 2 * share)
    is_about = share >= _ON_TOPIC and (words & stems(topic[:1]) or _PRONOUN.search(claim.text))
    if len(words) > 2 and share < _SURELY_ON_TOPIC and not is_about:
        return None
    return says_yes(claim)
