"""All that is printed: text of unknown origin does nothing to a terminal but be read."""

import re
import unicodedata
from functools import cache

import click

ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode's categories of what is not seen: control and formatting characters, those that turn the
direction of writing among them, surrogates, and what is not assigned."""

_BLANKS = re.compile(r"[\t\n\r\v\f]+")


def inert(text: str) -> str:
    r"""The text with what would act unseen as its code; line ends stay.

    Example:
        >>> print(inert("\x1b[2Jx" + chr(0x202E)))
        \x1b[2Jx\u202e
    """
    return text if _plain(text) else "".join(map(_shown, text))


def one_line(text: object) -> str:
    r"""The same on one line: line ends and tabs are blanks.

    Example:
        >>> one_line("a\nb\tc")
        'a b c'
    """
    return inert(_BLANKS.sub(" ", str(text)))


def in_json(text: str) -> str:
    r"""JSON text that holds the same, with what would act as JSON's own escapes.

    Example:
        >>> print(in_json('"' + chr(0x9B) + '"'))
        "\u009b"
    """
    if _plain(text):
        return text
    return "".join(one if _shown(one) == one else _code_units(one) for one in text)


def echo(text: object, *, err: bool = False) -> None:
    """Print a text; nothing in it acts."""
    click.echo(inert(str(text)), err=err)


def _plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").isprintable()


@cache
def _shown(one: str) -> str:
    if one == "\n" or unicodedata.category(one) not in ACTING:
        return one
    code = ord(one)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _code_units(one: str) -> str:
    units = one.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))
