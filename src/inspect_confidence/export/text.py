"""Safe display of text of unknown origin in files, tables and pages."""

import re
import unicodedata

import pandas as pd
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from inspect_confidence.arguments import fingerprint
from inspect_confidence.printing import INVISIBLE
from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies import title_of

_LONGEST = 120
_LONGEST_CELL = 1_000
_LONGEST_NAME = 60


def visible(text: object, longest: int = _LONGEST_CELL) -> str:
    """Return text in one line of limited length without invisible control characters.

    Line ends and tabs become blanks. Other control and formatting characters, including those that
    change the direction of writing, are replaced by their code.

    Example:
        >>> visible(chr(0x202E) + "abc")
        'U+202Eabc'
    """
    line = re.sub(r"[\t\n\r\v\f]", " ", cut_with_fingerprint(str(text), longest))
    return "".join(map(_visible_character, line))


def _visible_character(character: str) -> str:
    is_acting = unicodedata.category(character) in INVISIBLE
    return f"U+{ord(character):04X}" if is_acting else character


_NAME_BREAK = re.compile(r"(?<=[/_@:.-])(?=[^/_@:.-])")


def breakable(name: object) -> Markup:
    """Return a name as HTML that may be broken into lines behind its joints, such as `/` and `-`.

    Example:
        >>> breakable("openai/gpt-4o")
        Markup('openai/<wbr>gpt-<wbr>4o')
    """
    return Markup("<wbr>").join(_NAME_BREAK.split(visible(name)))


def unbroken_interval(number: object) -> Markup:
    """Return a number as HTML that may be broken into lines before its interval, not within it.

    Example:
        >>> unbroken_interval("0.2 [0.1, 0.3]")
        Markup('0.2 <span class="interval">[0.1, 0.3]</span>')
    """
    value, bracket, ends = visible(number).partition(" [")
    if not bracket:
        return escape(value)
    return Markup('{} <span class="interval">[{}</span>').format(value, ends)


_CODE = re.compile(r"`([^`]+)`")
_SHORT_COMPOUND = re.compile(r"(?<![\w./-])(?:\w{1,4}-[\w']{1,5}|n = [\d,]+)(?![\w/-])")
"""Texts such as `0-100`, `M-ratio`, `meta-d'` and `n = 100`, which no line end should divide."""


def prose(text: object) -> Markup:
    """Return a text as HTML: `code` in backticks is marked up, and short compounds stay whole.

    Example:
        >>> prose("`compare` tests AUROC on 0-100")
        Markup('<code>compare</code> tests AUROC on <span class="interval">0-100</span>')
    """
    html = _CODE.sub(r"<code>\1</code>", str(escape(str(text))))
    return Markup(_SHORT_COMPOUND.sub(r'<span class="interval">\g<0></span>', html))


def cut_with_fingerprint(text: str, longest: int = _LONGEST) -> str:
    """Cut the text if it is too long, and add a fingerprint of the whole text."""
    if len(text) <= longest:
        return text
    return f"{text[: longest - 40]}... ({len(text)} characters, {fingerprint_of(text)})"


def fingerprint_of(text: str) -> str:
    """Return a fingerprint of six hexadecimal digits, even of text that is not valid Unicode."""
    return fingerprint(text.encode("utf-8", "backslashreplace").decode())[:6]


def templates(package: str, folder: str) -> Environment:
    """Return a package's Jinja templates and those of the overview; inserted text is escaped."""
    shared = PackageLoader("inspect_confidence.overview")
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, folder), shared]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (title_of, visible, breakable, unbroken_interval, prose)
    environment.filters |= {function.__name__: function for function in filters}
    return environment


def presentable(results: pd.DataFrame) -> pd.DataFrame:
    """Shorten long names in results for tables; a fingerprint keeps apart those that are cut."""
    conditions = []
    for condition in conditions_of(results):
        parts = {name: cut_with_fingerprint(value) for name, value in condition.items()}
        conditions.append(str(Condition(parts)))
    return results.assign(
        model=results["model"].map(cut_with_fingerprint),
        dataset=results["dataset"].map(cut_with_fingerprint),
        condition=conditions,
    )


def file_name(text: str) -> str:
    """Return a portable and short name for a file or folder that can't lead to another folder.

    A changed name gets a fingerprint of the text.

    Example:
        >>> file_name("gpt-4.1"), file_name("../../x").startswith("x-")
        ('gpt-4.1', True)
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:_LONGEST_NAME]
    return name if name and name == text else f"{name or 'unnamed'}-{fingerprint_of(text)}"
