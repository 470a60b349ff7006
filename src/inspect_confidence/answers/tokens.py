"""Token log probabilities -> a distribution over whole numbers or options, or a typed failure.

Of a question's options, the alternatives to the answer's own token tell how probable each was. For
whole numbers the model was asked for one integer and nothing else. Where one token holds it, its
alternatives are the other integers. Where a sign or digits come in tokens of their own, the
alternatives at each place continue the digits before it: an alternative with more digits is another
integer, any other ends the number there. An alternative to a token that was not chosen is taken to
be whole, since what would have followed it is not known. Mass on anything else is unseen.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from inspect_confidence.answers.clean import folded, is_refusal
from inspect_confidence.answers.objects import OLDEST
from inspect_confidence.answers.reading import invalid
from inspect_confidence.answers.status import ParseFailure

GREATEST_INTEGER = 100
"""Largest absolute integer that may be an exponent; the mass of larger ones is unseen mass."""

_LONGEST_INTEGER = 20
# Some servers list the token that ends a reply among its tokens.
SPECIAL = re.compile(r"<\|[^|<>]*\|>|</s>|<eos>|<end_of_turn>")
_INTEGER_START = re.compile(r"[-+]?[0-9]*")
# A key of the object: in quotes, or at the start of a line or member.
_KEY = re.compile(
    r"(?:[\"'“]answer[\"'”]|(?:^\s*|[{,]\s*|\n[^\S\n]*)answer)\s*:[^\w{}:,]*(?:(?:option|choice|letter)\s+)?",
    re.I,
)
_NEARLY_CERTAIN = 0.99
"""Probability from which on an answer that is listed alone counts as certain among the options."""
_WORD = re.compile(r"\W*(\w+)\W*")
_SUM_TOLERANCE = 0.02
"""Tolerance of a sum of probabilities above 1, since logarithms may be rounded to two decimals or
to 16 bits."""


@dataclass(frozen=True)
class TokenChoice:
    """A generated token and the likeliest tokens in its place, with natural log probabilities."""

    token: str
    logprob: float
    alternatives: Mapping[str, float]

    def masses(self) -> dict[str, float]:
        """Return the probabilities of all tokens listed here, the generated token included."""
        logprobs = {**self.alternatives, self.token: self.logprob}
        return {token: _probability(logprob) for token, logprob in logprobs.items()}


def _probability(logprob: float) -> float:
    """Return exp(logprob) within [0, 1]: providers round, and send -9999 for 0."""
    return 0.0 if math.isnan(logprob) else math.exp(min(logprob, 0.0))


def impossible_logprobs(tokens: Sequence[TokenChoice]) -> ParseFailure | None:
    """Return why the log probabilities of some tokens are impossible; None if they are possible.

    A probability above 1 is impossible, as are probabilities at one position that sum to more than
    1 beyond rounding. A NaN adds nothing. No result is read from impossible log probabilities.

    Example:
        >>> impossible_logprobs([TokenChoice("3", 0.7, {})]).reason
        "impossible log probabilities: those at the token '3' add up to 2.01"
        >>> impossible_logprobs([TokenChoice("3", 0.0, {"4": -9999.0})]) is None
        True
    """
    for choice in tokens:
        logprobs = {**choice.alternatives, choice.token: choice.logprob}.values()
        numbers = [logprob for logprob in logprobs if not math.isnan(logprob)]
        # No float holds exp(710).
        total = sum(math.exp(min(number, 700.0)) for number in numbers)
        if total > 1 + _SUM_TOLERANCE:
            place = f"those at the token {choice.token[:20]!r} add up to {total:.3g}"
            return ParseFailure("scoring_failed", f"impossible log probabilities: {place}")
    return None


@dataclass(frozen=True)
class IntegerDistribution:
    """The integer that a model answered in `tokens` tokens, and the probability of each integer.

    The probabilities are normalised over the integers that were seen; `unseen_mass`, in [0, 1], is
    the probability of all other tokens.
    """

    value: int
    probabilities: Mapping[int, float]
    unseen_mass: float
    tokens: int


def read_integer_distribution(tokens: Sequence[TokenChoice]) -> IntegerDistribution | ParseFailure:
    """Read a distribution over integers from the tokens of a reply, in order.

    Tokens that are one integer written differently (`3`, ` 3`, `+3`) are added up; the unseen mass
    is the probability of all else. The whole reply must be one integer, else it is `no_response`,
    `refusal`, `out_of_range` or `invalid_response_format`. Impossible log probabilities make it
    `scoring_failed`.

    Example:
        >>> said = TokenChoice("3", math.log(0.6), {"4": math.log(0.2)})
        >>> read = read_integer_distribution([said])
        >>> {value: round(p, 3) for value, p in read.probabilities.items()}
        {3: 0.75, 4: 0.25}
        >>> round(read.unseen_mass, 3)
        0.2
    """
    value = _stated_integer(tokens)
    if isinstance(value, ParseFailure):
        return value
    if failure := impossible_logprobs(tokens):
        return failure
    masses, n_tokens = _integer_masses(tokens)
    total = sum(masses.values())
    if total <= 0:
        return invalid("the integers seen have no probability")
    return IntegerDistribution(
        value=value,
        probabilities={number: masses[number] / total for number in sorted(masses)},
        unseen_mass=max(1 - total, 0.0),
        tokens=n_tokens,
    )


def _stated_integer(tokens: Sequence[TokenChoice]) -> int | ParseFailure:
    """Return the integer that is the whole reply, or why the reply is none."""
    reply_tokens = (choice.token for choice in tokens if not SPECIAL.fullmatch(choice.token))
    text = folded("".join(reply_tokens)).strip()
    if not text:
        return ParseFailure("no_response", "the reply is empty")
    if is_refusal(text):
        return ParseFailure("refusal", "the reply declines to answer")
    number = _append_token("", text)
    if number is None or not number[-1:].isdigit():  # no number, or only "-"
        return invalid(f"the reply is no integer: {text[:60]!r}")
    value = _integer(number)
    if value is None:
        return ParseFailure(
            "out_of_range", f"{text[:60]} is further than {GREATEST_INTEGER} from 0"
        )
    return value


def _integer_masses(
    tokens: Sequence[TokenChoice], greatest: int = GREATEST_INTEGER
) -> tuple[dict[int, float], int]:
    """Return the probability of each integer seen, and the number of tokens of the answer.

    An alternative to a token stands for the integer that it makes with the tokens before it: after
    "1" the alternatives "2" and "." stand for 12 and 1. The probability of an integer is the
    product of its tokens' probabilities, summed over its spellings.

    Args:
        tokens: Tokens from the start of the integer.
        greatest: Largest absolute integer that counts.
    """
    masses: dict[int, float] = {}
    digits, probability_so_far, n_tokens = "", 1.0, 0
    for position, choice in enumerate(tokens):
        longer = _append_token(digits, choice.token)
        goes_on = longer is not None and position < len(tokens) - 1
        for token, mass in choice.masses().items():
            # If the number goes on after the token, the next token's choices share the mass out.
            if token == choice.token and goes_on:
                continue
            ended = _append_token(digits, token)
            value = _integer(digits if ended is None else ended, greatest)
            if value is not None:
                masses[value] = masses.get(value, 0.0) + probability_so_far * mass
        if longer is not None:
            n_tokens += longer != digits  # blanks before the number are no token of it
            digits = longer
            probability_so_far *= _probability(choice.logprob)
        if not goes_on:
            break
    return masses, n_tokens


def _append_token(digits: str, token: str) -> str | None:
    """Return the digits so far with a token added, "12" of "1" and "2."; None if it can't follow.

    Left out are blanks before the number and a full stop after its last digit in the same token.
    With empty `digits` the token may be a whole reply.
    """
    plain = folded(token)
    if digits and plain[:1].isspace():
        return None
    text = digits + re.sub(r"(?<=.)\.$", "", plain.strip())
    return text if _INTEGER_START.fullmatch(text) else None  # "", "-", "-12"


def _integer(text: str, greatest: int = GREATEST_INTEGER) -> int | None:
    """Return the integer that a text is; None for another text or an integer too far from zero."""
    if not text[-1:].isdigit() or len(text) > _LONGEST_INTEGER:
        return None
    return int(text) if abs(int(text)) <= greatest else None


@dataclass(frozen=True)
class AnswerToken:
    """The token of the answer as generated, and the probability of each option there, in order.

    The probabilities are normalised over the options seen; an option that the provider didn't list
    has 0. `unseen_mass`, in [0, 1], is the probability of all other tokens.
    """

    probabilities: tuple[float, ...]
    unseen_mass: float
    token: str


def read_answer_token(
    tokens: Sequence[TokenChoice], options: Sequence[str], answer: int
) -> AnswerToken | ParseFailure:
    """Read the probability of each option at the token of the answer.

    The result is `scoring_failed` in three cases. The value after the reply's last `Answer` is not
    the answer. Log probabilities there are impossible. Or the provider lists no other option, and
    the answer has less than 0.99 or is the only token listed: the shares of the others are unknown,
    and the answer would look certain.

    Args:
        tokens: Tokens of the reply, in order.
        options: Possible answers, such as `A`, `B`, `C` or `true`, `false`, in any case.
        answer: Index of the option that was read from the reply's text.

    Example:
        >>> import math
        >>> said = [
        ...     TokenChoice('{"Answer": ', 0.0, {}),
        ...     TokenChoice('"B"', math.log(0.6), {'"A"': math.log(0.2), "]": math.log(0.2)}),
        ...     TokenChoice("}", 0.0, {}),
        ... ]
        >>> read = read_answer_token(said, "ABC", 1)
        >>> [round(p, 3) for p in read.probabilities], round(read.unseen_mass, 3)
        ([0.25, 0.75, 0.0], 0.2)
    """
    names = list(map(str.casefold, options))
    location = _locate_answer(tokens, names[answer])
    if location is None:
        return ParseFailure("scoring_failed", "the answer is not there after the last key `Answer`")
    token_index, start = location  # the answer begins at character `start` of this token
    choice = tokens[token_index]
    if failure := impossible_logprobs([choice]):
        return failure
    masses: dict[int, float] = {}
    for token, mass in choice.masses().items():
        # Where the key is in the answer's token it is in the alternatives too.
        option = _option_index(token.removeprefix(choice.token[:start]), names)
        if option is not None:
            masses[option] = masses.get(option, 0.0) + mass
    total = sum(masses.values())  # above 0 unless the answer lacks an alternative
    if _lacks_alternative(masses.values(), choice):
        return ParseFailure("scoring_failed", "the provider listed no other option than the answer")
    return AnswerToken(
        probabilities=tuple(masses.get(option, 0.0) / total for option in range(len(names))),
        unseen_mass=max(1 - total, 0.0),
        token=choice.token,
    )


def _lacks_alternative(masses: Collection[float], choice: TokenChoice) -> bool:
    """Return whether at most one answer is listed and the share of all others is unknown.

    The share is known if other tokens are listed and the answer has at least 0.99. `masses` are the
    probabilities of the possible answers among the tokens listed in `choice`.
    """
    n_answers = sum(mass > 0 for mass in masses)
    lists_no_other_token = set(choice.alternatives) <= {choice.token}
    return n_answers < 2 and (lists_no_other_token or sum(masses) < _NEARLY_CERTAIN)


_WHOLE_NUMBER = re.compile(r"[\s\"'“]*(\d+)(?!\.?\d)")


def read_age_token(
    tokens: Sequence[TokenChoice], years: float
) -> IntegerDistribution | ParseFailure:
    """Read the probability of each whole age at the token where a reply answers `years`.

    The tokens are those of the value after the reply's last `Answer`. Alternatives are read as in
    `read_integer_distribution`; ages above 150 are unseen mass. The result is `scoring_failed` if
    the value is not the age in whole years, if the provider lists no other age and this age has
    less than 0.99 or is the only token listed, if the age has no probability, or if log
    probabilities are impossible.

    Example:
        >>> said = [
        ...     TokenChoice('{"Answer": ', 0.0, {}),
        ...     TokenChoice("78", math.log(0.6), {"80": math.log(0.2), "about": math.log(0.2)}),
        ...     TokenChoice("}", 0.0, {}),
        ... ]
        >>> read = read_age_token(said, 78)
        >>> {age: round(p, 3) for age, p in read.probabilities.items()}, round(read.unseen_mass, 3)
        ({78: 0.75, 80: 0.25}, 0.2)
    """
    location = _locate_answer(tokens, f"{years:g}") if float(years).is_integer() else None
    if location is None:
        problem = "the age is not there in whole years after the last key `Answer`"
        return ParseFailure("scoring_failed", problem)
    first, start = location  # the age begins at character `start` of the token `first`
    text_before_number = tokens[first].token[:start]
    number_tokens = [_reduce_to_number(tokens[first], text_before_number)]
    number_tokens += [_reduce_to_number(choice, "") for choice in tokens[first + 1 :]]
    masses, n_tokens = _integer_masses(number_tokens, OLDEST)
    # The token after the number is read too: it says how probable it was that the number ended.
    if failure := impossible_logprobs(tokens[first : first + n_tokens + 1]):
        return failure
    plausible = {age: mass for age, mass in sorted(masses.items()) if age >= 0}
    if _lacks_alternative(plausible.values(), tokens[first]):
        return ParseFailure("scoring_failed", "the provider listed no other age than the answer")
    if not plausible.get(int(years)):  # rounded to 0, or the token is no whole number: `78.0`
        return ParseFailure("scoring_failed", "the answer has no probability")
    total = sum(plausible.values())
    shares = {age: mass / total for age, mass in plausible.items()}
    return IntegerDistribution(int(years), shares, max(1 - total, 0.0), n_tokens)


def _reduce_to_number(choice: TokenChoice, before: str) -> TokenChoice:
    """Return a token and its alternatives, reduced to the number if they contain one.

    Other tokens stay as they are. The probabilities of tokens with the same number are added up.
    `before` is text at the start of the token, before the number, which alternatives may share.
    """
    masses: dict[str, float] = {}
    for token, mass in choice.masses().items():
        digits = _WHOLE_NUMBER.match(token.removeprefix(before))  # digits after blanks or quotes
        name = digits[1] if digits else token
        masses[name] = masses.get(name, 0.0) + mass
    match = _WHOLE_NUMBER.match(choice.token.removeprefix(before))
    logs = {name: math.log(mass) for name, mass in masses.items() if mass > 0}
    answer = match[1] if match else choice.token
    return TokenChoice(answer, logs.get(answer, -math.inf), logs)


def _locate_answer(tokens: Sequence[TokenChoice], answer: str) -> tuple[int, int] | None:
    """Return the index of the token in which the answer begins, and the character within it.

    None if the answer does not follow the reply's last key `Answer`.
    """
    text = "".join(choice.token for choice in tokens)
    # The last key counts, because reasoning before it may contain others. Without a key the answer
    # is looked for at the end, where none is.
    start = max(map(re.Match.end, _KEY.finditer(text)), default=len(text))
    if not re.compile(rf"{re.escape(answer)}(?!\w)", re.I).match(text, start):
        return None
    for index, choice in enumerate(tokens):
        if start < len(choice.token):
            return index, start
        start -= len(choice.token)
    return None


def _option_index(token: str, names: Sequence[str]) -> int | None:
    """Return the index of the only option that the token is or begins; None if there is none.

    `names` are the options in lower case.
    """
    word = _WORD.fullmatch(token)  # one word between signs, such as `"B"`
    if not word:
        return None
    beginning = word[1].casefold()
    indices = [index for index, name in enumerate(names) if name.startswith(beginning)]
    return indices[0] if len(indices) == 1 else None
