"""Markdown -> plain text: `* **Lower**: 10**3` becomes `Lower : 10^3`.

An asterisk is a bullet, emphasis, a times sign or half a power sign, and none of them may be taken
for another.
"""

import re

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[-|:=*_+ \t]{3,}$", re.MULTILINE)  # also below a table's header
_LINE_MARKS = re.compile(
    r"^(?:"
    r"[ \t>#]"
    r"|[*•◦‣▪●·][ \t]"
    r"|[-+–][ \t](?![.0-9])"  # noqa: RUF001 # "- 3" may be negative
    r"|[0-9]{1,3}[.)][ \t](?=[^\s0-9])"
    r"|[0-9]\u20e3"
    r")++",
    re.MULTILINE,
)
_POWER_OR_BOLD = re.compile(
    r"(?P<power>(?<![0-9.^])10(?:[ ]\*\*[ ]|\*\*)(?=[-+(]{0,2}[0-9]))|(?P<bold>\*\*)"
)
_TIMES = re.compile(r"(?<=[0-9)])(?P<blank>[ ]?)\*(?P=blank)(?=[0-9(])")
_EMPHASIS = re.compile(r"(?<![0-9A-Za-z])[*_`]+|[*_`]+(?![0-9A-Za-z])|(?<=[A-Za-z])_+(?=[A-Za-z])")


def without_markdown(text: str) -> str:
    """The text without marks, a blank where emphasis was: 3.**5** isn't 3.5."""
    for mark in (_FENCE, _RULE, _LINE_MARKS):
        text = mark.sub("", text)
    text = "\n".join(_with_powers(line) if "**" in line else line for line in text.split("\n"))
    return _EMPHASIS.sub(" ", _TIMES.sub(" × ", text))  # noqa: RUF001 # times sign


def _with_powers(line: str) -> str:
    """Python's powers in the spelling of all others.

    Without the power signs, bold type must begin as often as it ends: in `**10**-12` it doesn't,
    so that 10 is bold there and no power.
    """
    bold = sum(1 for mark in _POWER_OR_BOLD.finditer(line) if mark["bold"])
    if bold % 2:
        return line
    return _POWER_OR_BOLD.sub(lambda mark: "10^" if mark["power"] else mark.group(), line)
