"""Export of results as csv, JSON, Markdown and LaTeX."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from inspect_confidence.commands.views import views_of
from inspect_confidence.export.material import Material
from inspect_confidence.export.text import presentable, visible
from inspect_confidence.results import as_csv, as_json
from inspect_confidence.studies import View
from inspect_confidence.writing import put


def write_left_out(material: Material, directory: Path, rows: pd.DataFrame) -> list[Path]:
    """Write the rows that a format can't hold, each with the reason, to `left_out.csv` if any."""
    is_of_model = rows["model"].isin(material.models())
    value = rows["value"].to_numpy(float)
    reasons = np.select(
        [~is_of_model, np.isnan(value), np.isinf(value)],
        ["over several models", "undefined", "infinite"],
        default="",
    )
    excluded = rows.assign(left_out=reasons)[reasons != ""]
    return [put(directory / "left_out.csv", as_csv(excluded))] if len(excluded) else []


_LONGEST_CAPTION = 10_000


def write_markdown(material: Material, directory: Path) -> list[Path]:
    """Write the tables of all studies with results to `tables.md`; long names are cut."""
    parts = ["# Results"]
    for study, views in views_of(presentable(material.results)):
        parts.append(f"## {markdown_escaped(study.title)}")
        for view in views:
            header, rows = _header_and_rows(view)
            parts += [f"### {markdown_escaped(view.title)}", table_of(header, rows, header[:1])]
            if view.text_below:
                parts.append(paragraph(view.text_below))
    return [put(directory / "tables.md", "\n\n".join(parts) + "\n")]


def markdown_escaped(text: object, longest: int = 1_000) -> str:
    r"""Escape text so that Markdown shows it unchanged, also in a cell of a table.

    Example:
        >>> markdown_escaped("a|b <i> [x](y)")
        'a\\|b &lt;i&gt; [x]\\(y)'
    """
    line = visible(text, longest)
    line = re.sub(r"[\\`*|~$]|(?<!\w)_|_(?!\w)|(?<=\])[(:\[]", r"\\\g<0>", line)
    return escape(line, quote=False)


def paragraph(text: str) -> str:
    """Return a Markdown paragraph; text like a list, heading or quotation is escaped."""
    line = markdown_escaped(text, _LONGEST_CAPTION).strip()
    line = re.sub(r"^(\d+)([.)])(?=\s)", r"\1\\\2", line)
    return re.sub(r"^[#+=-]", r"\\\g<0>", line)


def table_of(
    header: Sequence[object], rows: Sequence[Sequence[object]], texts: Collection[object]
) -> str:
    """Return a Markdown table; columns with headings in `texts` are left-aligned."""
    lines = [list(map(markdown_escaped, row)) for row in (header, *rows)]
    lines.insert(1, [":--" if heading in texts else "--:" for heading in header])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _header_and_rows(view: View) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table as texts."""
    rows = [list(map(str, row)) for row in view.table.itertuples(index=False)]
    return list(map(str, view.table.columns)), rows


_LATEX_HEAD = r"""% Tables for \input: the preamble needs \usepackage{booktabs}.
% Letters beyond Latin need LuaLaTeX or XeLaTeX and a font that has them.
"""
_LATEX_TABLE = r"""\begin{{table}}
\centering
\caption{{{caption}}}
{small}
\begin{{tabular}}{{{columns}}}
\toprule
{header}
\midrule
{rows}\bottomrule
\end{{tabular}}
\end{{table}}
"""
_LATEX_CHARACTERS = {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}"},
    **{character: f"\\{character}" for character in "{}$&#%_"},
    **{"\u2013": "--", "\u2014": "---", "\u2212": "$-$", "\u2026": r"\dots{}", "\xa0": "~"},
    **{"\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''", "\xb1": r"$\pm$"},
    **{"\u2264": r"$\leq$", "\u2265": r"$\geq$", "\xd7": r"$\times$", "\u221e": r"$\infty$"},
    # Without the braces, pairs of them, and `?` or `!` before one, would become other characters.
    **{"-": "{-}", "`": "{`}", "'": "{'}", ",": "{,}"},
}
_PLAIN_ALONE = "-,"
_MAX_COLUMNS_OF_USUAL_SIZE = 8
_ROWS_PER_PAGE = 45


def write_latex(material: Material, directory: Path) -> list[Path]:
    """Write the tables of all studies with results to `tables.tex`; long names are cut."""
    parts = [_LATEX_HEAD]
    for study, views in views_of(presentable(material.results)):
        parts.append(f"% {study.name}\n")
        for view in views:
            parts.extend(_latex_floats(view))
    return [put(directory / "tables.tex", "\n".join(parts))]


def latex_escaped(text: object, longest: int = 1_000) -> str:
    r"""Escape text so that LaTeX shows it unchanged; characters without glyphs become their code.

    Text of more than `longest` characters is cut; a fingerprint (hash) of the whole follows.

    Example:
        >>> latex_escaped(r"\input{x} 50%"), latex_escaped("-1 to 0-100")
        ('\\textbackslash{}input\\{x\\} 50\\%', '$-$1 to 0-100')
    """
    # A hyphen before a number is a minus sign, unless it joins two parts as in `0-100`.
    line = re.sub(r"(?<![\w.-])-(?=[\d.])", "\u2212", visible(text, longest))
    pieces = []
    for before, character in zip(" " + line, line, strict=False):
        is_plain = character in _PLAIN_ALONE and before != character  # LaTeX joins a pair, as `--`
        pieces.append(character if is_plain else _latex_character(character))
    return "".join(pieces)


def _latex_character(character: str) -> str:
    """Return a character as LaTeX prints it; its code if fonts may lack it."""
    if character in _LATEX_CHARACTERS:
        return _LATEX_CHARACTERS[character]
    # The categories are letters, marks and numbers.
    if character.isascii() or unicodedata.category(character)[0] in "LMN":
        return character
    return f"U+{ord(character):04X}"


def _latex_floats(view: View) -> Iterator[str]:
    """Yield LaTeX tables of at most 45 rows, so that each fits on a page."""
    header, rows = _header_and_rows(view)
    title = latex_escaped(view.title)
    caption = f"{title}. {latex_escaped(view.text_below, _LONGEST_CAPTION)}"
    is_wide = len(header) > _MAX_COLUMNS_OF_USUAL_SIZE
    for start in range(0, max(len(rows), 1), _ROWS_PER_PAGE):  # one table if there are no rows
        page_rows = map(_latex_row, rows[start : start + _ROWS_PER_PAGE])
        yield _LATEX_TABLE.format(
            caption=caption if start == 0 else f"{title} (continued).",
            small=r"\scriptsize\setlength{\tabcolsep}{3pt}" if is_wide else r"\small",
            columns=f"l{'r' * (len(header) - 1)}",
            header=_latex_row(header),
            rows="".join(f"{row}\n" for row in page_rows),
        )


def _latex_row(cells: Sequence[str]) -> str:
    # A bracket after the \\ of the row before would be read as that command's argument.
    texts = (re.sub(r"^(?=[\[*])", "{}", latex_escaped(cell)) for cell in cells)
    return " & ".join(texts) + r" \\"


def write_json(material: Material, directory: Path) -> list[Path]:
    """Write `results.json`, one object per row, with null for NaN and `"Infinity"` for infinity."""
    return [put(directory / "results.json", as_json(material.results))]


def write_csv(material: Material, directory: Path) -> list[Path]:
    """Write `results.csv`; an apostrophe precedes text that a spreadsheet would evaluate."""
    return [put(directory / "results.csv", as_csv(material.results))]
