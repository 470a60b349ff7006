"""Text of numbers, intervals and names, and of untrusted input: control characters are escaped."""

import math
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import click

INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of invisible characters: control, formatting (including those that turn the
writing direction), surrogates, private and unassigned characters, line and paragraph separators."""

_ADDRESS = re.compile(r"\b\w{1,20}://[^\s'\"<>]+")
_BLANKS = re.compile(r"[\t\n\r\v\f]+")


def escape_control(text: str) -> str:
    r"""Replace invisible characters except line ends by their codes.

    Example:
        >>> print(escape_control("\x1b[2Jx" + chr(0x202E)))
        \x1b[2Jx\u202e
    """
    return text if _plain(text) else "".join(map(_visible_form, text))


def one_line(text: object) -> str:
    r"""Return the escaped text on one line, with blanks for line ends and tabs.

    Example:
        >>> one_line("a\nb\tc")
        'a b c'
    """
    return escape_control(_BLANKS.sub(" ", str(text)))


def escape_invisible_json(text: str) -> str:
    r"""Replace invisible characters in JSON text by JSON escapes of the same meaning.

    Example:
        >>> print(escape_invisible_json('"' + chr(0x9B) + '"'))
        "\u009b"
    """
    if _plain(text):
        return text
    pieces = []
    for character in text:
        is_visible = _visible_form(character) == character
        pieces.append(character if is_visible else _code_units(character))
    return "".join(pieces)


def echo(text: object, *, err: bool = False) -> None:
    """Print a text with its control characters escaped."""
    click.echo(escape_control(str(text)), err=err)


def _plain(text: str) -> bool:
    """Return whether a text has only printable ASCII characters and line ends."""
    return text.isascii() and text.replace("\n", "").isprintable()


@cache
def _visible_form(character: str) -> str:
    """Return the character, or its escape as in Python if it is invisible and no line end."""
    if character == "\n" or unicodedata.category(character) not in INVISIBLE:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _code_units(character: str) -> str:
    """Return the character's escape in JSON: one or two UTF-16 code units."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))


def shortened(text: str, length: int = 40) -> str:
    """Return the text without invisible characters, and without its middle if it is too long.

    The result has at most `length` characters, for a length of at least 3.

    Example:
        >>> shortened("a" * 100, 9)
        'aaaa…aaaa'
    """
    text = _BLANKS.sub(" ", text)
    plain = "".join(character for character in text if character.isprintable())
    if len(plain) <= length:
        return plain
    half = (length - 1) // 2
    return f"{plain[:half]}…{plain[-half:]}"


def excerpt(text: object, length: int) -> str:
    """Return the beginning of a text, and an ellipsis if it is longer than `length` characters.

    The cut falls between words, or within one that is longer than half of `length`. An address
    (`https://...`) in which the cut would fall stays whole.

    Example:
        >>> excerpt("no answer from http://localhost:8000/v1 in 10 seconds", 20)
        'no answer from http://localhost:8000/v1...'
        >>> excerpt("no answer in 10 seconds", 20)
        'no answer in 10...'
    """
    text = str(text)
    # The last blank; -1 if the word in which the cut falls is longer than half of the length.
    end = text.rfind(" ", length // 2, length + 1)
    for address in _ADDRESS.finditer(text):
        if address.start() < length < address.end():
            end = length = address.end()
    if len(text) <= length:
        return text
    return f"{text[: end if end > 0 else length].rstrip()}..."


def counted(number: float, singular: str, plural: str = "", *, form: str = "") -> str:
    """Return a number, in the format `form`, with what it counts in the singular or the plural.

    By default the plural is the singular with an s.

    Example:
        >>> counted(1, "item"), counted(2, "reply", "replies"), counted(1_000, "row", form=",")
        ('1 item', '2 replies', '1,000 rows')
    """
    return f"{number:{form}} {singular if number == 1 else plural or singular + 's'}"


MAX_NAMES = 8
"""Maximum number of names that a message lists."""


def join_names(names: Sequence[str]) -> str:
    """Join names with commas; those beyond the eighth are counted.

    Example:
        >>> join_names("abcdefghij")
        'a, b, c, d, e, f, g, h and 2 more'
    """
    n_further = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {n_further} more" if n_further > 0 else "")


def format_number(value: float, form: str) -> str:
    """Return a number as text, in a format such as `.3f`; a dash if it is undefined.

    A number that is rounded to 0 has no sign.
    """
    return "-" if math.isnan(value) else format(value, f"z{form}")


P_VALUES = frozenset({"calibration_p", "p_value", "p_bonferroni", "p_holm"})
"""Metrics that are p-values."""


def format_p(p: float) -> str:
    """Return a p-value with three digits, `<0.001` below that, and a dash if it is undefined."""
    return "<0.001" if p < 0.001 else format_number(p, ".3f")


OFTEN_WIDE = "Intervals often wider than 95% needs"
"""Beginning of a sentence that names metrics whose intervals are conservative."""

ALIKE_TEXT = (
    "A difference that is the same for all items has an interval only where half a pair of answers "
    "that differ is added (docs/metrics.md, pseudo-units)."
)
"""Which constant differences have an interval, for captions: those with pseudo-units."""

STARS_TEXT = "* p < .05, ** p < .01"
"""What `stars` mean, for captions."""


def stars(p: float) -> str:
    """Return two stars for a p-value below .01, one below .05, none otherwise or for NaN.

    1e-12 allows for rounding: a p that equals a limit counts as below it.
    """
    return "*" * sum(p < limit + 1e-12 for limit in (0.05, 0.01))


def format_bounds(low: float, high: float, form: str) -> str:
    """Return both ends of an interval in brackets; empty without an interval.

    An end that is rounded to 0 from below keeps its sign, which tells that 0 lies outside.

    Example:
        >>> format_bounds(-0.13, -0.0034, ".2f"), format_bounds(-1e-17, 0.0034, ".2f")
        ('[-0.13, -0.00]', '[0.00, 0.00]')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    texts = []
    for end in (low, high):
        is_rounding_error = abs(end) < 1e-12
        texts.append(format(end, f"z{form}" if is_rounding_error else form))
    return f"[{', '.join(texts)}]"


def format_estimate(value: float, low: float, high: float, form: str) -> str:
    """Return a value with its interval as text.

    Example:
        >>> format_estimate(0.631, 0.58, 0.68, ".2f"), format_estimate(0.631, math.nan, 1, ".2f")
        ('0.63 [0.58, 0.68]', '0.63')
        >>> format_estimate(math.nan, 0, 1, ".2f")
        '-'
    """
    bounds = "" if math.isnan(value) else format_bounds(low, high, form)
    return " ".join(filter(None, (format_number(value, form), bounds)))
