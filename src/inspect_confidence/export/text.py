"""Text of unknown origin in files, tables and pages."""

import re
import unicodedata

import pandas as pd
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from inspect_confidence.arguments import fingerprint
from inspect_confidence.printing import ACTING
from inspect_confidence.results import Condition
from inspect_confidence.studies import title_of

_LONGEST = 120
_LONGEST_CELL = 1_000
_LONGEST_NAME = 60


def visible(text: object, longest: int = _LONGEST_CELL) -> str:
    """One line of text in which nothing acts unseen, and which is not too long for a table.

    Line ends and tabs become blanks; other control and formatting characters, those that turn the
    direction of writing among them, become their code.

    Example:
        >>> visible(chr(0x202E) + "abc")
        'U+202Eabc'
    """
    line = re.sub(r"[\t\n\r\v\f]", " ", shortened(str(text), longest))
    return "".join(
        f"U+{ord(one):04X}" if unicodedata.category(one) in ACTING else one for one in line
    )


def shortened(text: str, longest: int = _LONGEST) -> str:
    """The text, cut if it is too long; what was cut is told apart by a fingerprint."""
    if len(text) <= longest:
        return text
    return f"{text[: longest - 40]}... ({len(text)} characters, {fingerprint_of(text)})"


def fingerprint_of(text: str) -> str:
    """Six hexadecimal digits, also of text that is no valid Unicode."""
    return fingerprint(text.encode("utf-8", "backslashreplace").decode())[:6]


def templates(package: str, folder: str) -> Environment:
    """Pages of a package, and the matrix for them; everything put into them is escaped."""
    own, shared = PackageLoader(package, folder), PackageLoader("inspect_confidence.overview")
    made = Environment(
        loader=ChoiceLoader([own, shared]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"title_of": title_of, "visible": visible}
    return made


def presentable(results: pd.DataFrame) -> pd.DataFrame:
    """Results whose names are short enough for tables."""

    def condition(text: str) -> str:
        parts = Condition.read(text)
        return str(Condition({name: shortened(value) for name, value in parts.items()}))

    return results.assign(
        model=results["model"].map(shortened),
        dataset=results["dataset"].map(shortened),
        condition=results["condition"].map(condition),
    )


def file_name(text: str) -> str:
    """A name for a file or folder: portable, short, and never one that leads elsewhere.

    What had to be changed is told apart by a fingerprint.

    Example:
        >>> file_name("gpt-4.1"), file_name("../../x").startswith("x-")
        ('gpt-4.1', True)
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:_LONGEST_NAME]
    return name if name and name == text else f"{name or 'unnamed'}-{fingerprint_of(text)}"
