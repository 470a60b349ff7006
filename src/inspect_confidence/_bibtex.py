"""Writes BibTeX."""

import re
from collections.abc import Sequence

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
_VERBATIM = ("url", "doi", "eprint")
"""Fields that styles set as they stand."""


def reference(
    kind: str,
    key: str,
    *,
    authors: Sequence[str] = (),
    organization: str = "",
    **fields: object,
) -> str:
    r"""An entry; every field is escaped, and a title keeps its capitals.

    Args:
        kind: As `misc` or `inproceedings`.
        key: Of the entry.
        authors: People, first names first.
        organization: An author that is no person, and keeps its name as it is.
        **fields: In the order wanted; empty ones are left out. With `eprint` it is on arXiv.

    Example:
        >>> print(reference("misc", "a2026", organization="R&D", title="On AI", year=2026))
        @misc{a2026,
          author = {{R\&D}},
          title = {{On AI}},
          year = {2026},
        }
    """
    named = {"author": f"{{{escaped(organization)}}}" if organization else _people(authors)}
    if eprint := fields.get("eprint"):
        fields |= {"archiveprefix": "arXiv", "url": f"https://arxiv.org/abs/{eprint}"}
    for name, value in fields.items():
        text = str(value) if name in _VERBATIM else escaped(str(value))
        named[name] = f"{{{text}}}" if name == "title" and text else text
    lines = [f"  {name} = {{{text}}}," for name, text in named.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it.

    Example:
        >>> print(escaped("inspect_confidence: 100% {sure}"))
        inspect\_confidence: 100\% \{sure\}
    """
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _ESCAPED[mark[0]], text)


def _people(names: Sequence[str]) -> str:
    return " and ".join(map(escaped, names))
