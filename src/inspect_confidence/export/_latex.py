"""The studies' tables in LaTeX, with booktabs."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspect_confidence.export._markdown import views_of
from inspect_confidence.export._material import Material
from inspect_confidence.export._text import visible, write_text
from inspect_confidence.studies import View

_HEAD = r"""% Tables for \input: the preamble needs \usepackage{booktabs}.
% Letters beyond Latin need LuaLaTeX or XeLaTeX and a font that has them.
"""
_SPECIAL = {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}"},
    **{character: f"\\{character}" for character in "{}$&#%_"},
    **{"\u2013": "--", "\u2014": "---", "\u2212": "$-$", "\u2026": r"\dots{}", "\xa0": "~"},
    **{"\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''", "\xb1": r"$\pm$"},
    **{"\u2264": r"$\leq$", "\u2265": r"$\geq$", "\xd7": r"$\times$", "\u221e": r"$\infty$"},
    # Without the group two of them, and `?` or `!` before one, would make another sign.
    **{"-": "{-}", "`": "{`}", "'": "{'}", ",": "{,}"},
}
_PLAIN = {"-": "-", ",": ","}
_WIDE = 8
_ROWS = 45


def write_latex(material: Material, directory: Path) -> list[Path]:
    """All tables, in `tables.tex`."""
    parts = [_HEAD]
    for study, views in views_of(material):
        parts.append(f"% {study.name}\n")
        parts += [part for view in views for part in _floats(view)]
    return [write_text(directory / "tables.tex", "\n".join(parts))]


def escaped(text: object, longest: int = 1_000) -> str:
    r"""Text that LaTeX sets as it is; signs that fonts lack become their code.

    Example:
        >>> escaped(r"\input{x} 50%"), escaped("-1 to 0-100")
        ('\\textbackslash{}input\\{x\\} 50\\%', '$-$1 to 0-100')
    """
    shown = re.sub(r"(?<![\w.-])-(?=[\d.])", "\u2212", visible(text, longest))
    return "".join(
        _PLAIN[character] if character in _PLAIN and before != character else _set(character)
        for before, character in zip(" " + shown, shown, strict=False)
    )


def _set(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii() or unicodedata.category(character)[0] in "LMN":
        return character
    return f"U+{ord(character):04X}"


def _floats(view: View) -> Iterator[str]:
    """The table, in parts that a page holds."""
    rows = [list(map(str, row)) for row in view.table.itertuples(index=False)]
    for start in range(0, max(len(rows), 1), _ROWS):
        title = escaped(view.title) + (" (continued)" if start else "")
        caption = f"{title}. {escaped(view.caption, 10_000)}" if not start else f"{title}."
        yield _float(caption, list(map(str, view.table.columns)), rows[start : start + _ROWS])


def _float(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    small = r"\scriptsize\setlength{\tabcolsep}{3pt}" if len(header) > _WIDE else r"\small"
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        small,
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\toprule",
        _row(header),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    # A bracket after the \\ of the row before would be read as that command's argument.
    return (
        " & ".join(
            f"{{}}{text}" if text.startswith(("[", "*")) else text for text in map(escaped, cells)
        )
        + r" \\"
    )
