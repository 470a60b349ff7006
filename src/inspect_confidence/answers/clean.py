"""A reply -> plain lines with one spelling of powers, products, signs and quotes.

`plain` is for exponents and their intervals. `stated_text` is for what is labelled: it leaves out
what was thought aloud, makes lines of JSON, tags and tables, and keeps boxes marked.
"""

import html
import json
import re
import unicodedata

_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[a-z]\w{0,40})[^<>\n]{0,200}>", re.IGNORECASE)
_ANGLED = re.compile(r"<(?P<inside>[^<>\n]{1,40})>")
_ALONE = frozenset({"br", "hr", "p"})
# No character has so long a number, and Python refuses to convert thousands of digits.
_ENDLESS = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
_LABELS = frozenset({"lower", "upper", "exponent"})


def without_html(text: str) -> str:
    """The text with a line break for a tag and plain characters for entities.

    What stands in angle brackets and is never closed is a placeholder, as `<exponent>` in the
    prompts: it gets round brackets, as does a number that was put in its place.
    """
    text = html.unescape(_ENDLESS.sub(" ", text))
    closed = {tag["name"].lower() for tag in _TAG.finditer(text) if tag["slash"]}

    def plain(tag: re.Match[str]) -> str:
        name = tag["name"].lower()
        if name not in closed and name not in _ALONE:
            return tag.group()
        if name == "sup":
            return ")" if tag["slash"] else "^("
        return f"\n{name}: " if name in _LABELS and not tag["slash"] else "\n"

    return _ANGLED.sub(r"(\g<inside>)", _TAG.sub(plain, text))


_MATH = re.compile(
    # As in Pandoc: no blank inside the delimiters, no digit after. "$20 to $90" is money.
    r"(?<!\\)\$(?=\S)(?P<inside>[^$\n]*)(?<=\S)\$(?![0-9])"
)
_GROUP = re.compile(
    r"(?P<power>\^\s?\{)"
    r"|(?P<command>\\(?:text[a-z]*|math[a-z]+|boxed|fbox|emph|operatorname)\s?\{)"
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
)
_COMMAND = re.compile(
    r"\\(?:"
    r"(?P<line>\\|n(?![a-z]))"  # \n is JSON's, in a string
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<space>[\s,;:!()\[\]])"
    r"|(?P<escaped>.)"
    r")"
)
_SYMBOLS = {
    "times": "×",  # noqa: RUF001 # times sign
    "cdot": "×",  # noqa: RUF001 # times sign
    "pm": "±",
    "approx": "≈",
    "sim": "~",
    "le": "≤",
    "leq": "≤",
    "to": " to ",
    "rightarrow": "→",
    "dots": "...",
    "ldots": "...",
    "left": " ",
    "right": " ",
    "quad": " ",
    "qquad": " ",
}


def without_latex(text: str) -> str:
    """The text with LaTeX's delimiters, groups and commands in plain characters.

    Commands that aren't known stay, so that nothing is read from what they make of a number.
    """
    text = _MATH.sub(r" \g<inside> ", text.replace("$$", " ").replace("{,}", ","))
    return _COMMAND.sub(_plain_command, _without_groups(text))


def _without_groups(text: str) -> str:
    """A power's group becomes a bracket and a command's a blank; other braces, as JSON's, stay."""
    closing: list[str] = []

    def plain(brace: re.Match[str]) -> str:
        if brace["close"]:
            return closing.pop() if closing else "}"
        opened, closed = ("^(", ")") if brace["power"] else (" ", " ")
        if brace["open"]:
            opened, closed = "{", "}"
        closing.append(closed)
        return opened

    return _GROUP.sub(plain, text)


def _plain_command(command: re.Match[str]) -> str:
    if command["line"]:
        return "\n"
    if command["name"]:
        return _SYMBOLS.get(command["name"], command.group())
    return " " if command["space"] else command["escaped"]


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
_MARKDOWN_TIMES = re.compile(r"(?<=[0-9)])(?P<blank>[ ]?)\*(?P=blank)(?=[0-9(])")
_EMPHASIS = re.compile(r"(?<![0-9A-Za-z])[*_`]+|[*_`]+(?![0-9A-Za-z])|(?<=[A-Za-z])_+(?=[A-Za-z])")


def without_markdown(text: str) -> str:
    """The text without marks, a blank where emphasis was: 3.**5** isn't 3.5."""
    for mark in (_FENCE, _RULE, _LINE_MARKS):
        text = mark.sub("", text)
    text = "\n".join(_with_powers(line) if "**" in line else line for line in text.split("\n"))
    return _EMPHASIS.sub(" ", _MARKDOWN_TIMES.sub(" × ", text))  # noqa: RUF001 # times sign


def _with_powers(line: str) -> str:
    """Python's powers in the spelling of all others.

    Without the power signs, bold type must begin as often as it ends: in `**10**-12` it doesn't,
    so that 10 is bold there and no power.
    """
    bold = sum(1 for mark in _POWER_OR_BOLD.finditer(line) if mark["bold"])
    if bold % 2:
        return line
    return _POWER_OR_BOLD.sub(lambda mark: "10^" if mark["power"] else mark.group(), line)


_RAISED = "⁰¹²³⁴-⁹⁺⁻⁽⁾"
_SUPERSCRIPT = re.compile(rf"[{_RAISED}](?:[.·]?[{_RAISED}])*")
_TO_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾·", "0123456789+-().")
_FRACTION = re.compile("[¼-¾⅐-⅟↉]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff]")
_MINUS_AND_QUOTES = str.maketrans("−﹣－‐‑‒’‘“”", "------''\"\"")  # noqa: RUF001 # the point is to fold them

_REFUSAL = re.compile(
    r"\b(?:i|we)\s*(?:'m|am|are)?\s*(?:sorry|unable|not able|can't|cannot|can not|won't|will not"
    r"|(?:don't|do not) (?:know|have)|(?:must |have to )?(?:decline|refuse))\b|\bas an ai\b"
    r"|\b(?:not possible|impossible) (?:for me )?"
    r"to (?:answer|determine|estimate|give|provide|say)\b",
    re.IGNORECASE,
)


def folded(text: str) -> str:
    """The text with superscripts as ^n, compatibility forms, minus signs and quotes made plain."""
    text = _INVISIBLE.sub("", text)
    text = _SUPERSCRIPT.sub(lambda raised: "^" + raised.group().translate(_TO_LINE), text)
    # Set apart, lest three and a half become thirty-one over two.
    text = _FRACTION.sub(lambda fraction: f" {fraction.group()} ", text)
    # Folded before and after: full-width signs are both a minus and a compatibility form.
    text = unicodedata.normalize("NFKC", text.translate(_MINUS_AND_QUOTES))
    return text.translate(_MINUS_AND_QUOTES)


def is_refusal(text: str) -> bool:
    """Whether the (folded) text says that it won't or can't answer."""
    return bool(_REFUSAL.search(text))


CUT = "\x1a"
"""Stands where a truncated reply ends; no plain text contains it."""

_LINE_BREAK = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"[ ]?\n\s*")
_TIMES = str.maketrans("✕✖⨯⨉⋅∙∗·", "××××××××")  # noqa: RUF001 # times signs
_DOTS = re.compile(r"(?<!\.)\.{2,}+(?=[ ]?[-+]?\.?[0-9])")
_ARROW = re.compile(r"[-=]{1,3}>")
_QUOTE = re.compile(r"(?<![0-9A-Za-z])['\"]|['\"](?![0-9A-Za-z])|(?<=[A-Za-z])\"")
_COMPOUND = re.compile(  # lowerBound, lower-bound
    r"(?<=[A-Za-z])-(?=[A-Za-z])|(?<=lower|upper)(?=[A-Z])|(?<=min|max|low)(?=[A-Z])"
)
_DASH_AS_MINUS = re.compile(
    r"(?P<before>(?:^|[:=(\[{,|]|\b(?:to|and))[ ]?)[–—](?=\.?[0-9])",  # noqa: RUF001 # dashes
    re.MULTILINE,
)
_MINUS_IN_WORDS = re.compile(r"(?<![0-9)] )\b(?:minus|negative) (?=\.?[0-9])", re.IGNORECASE)
_POWER_IN_WORDS = re.compile(
    r"(?<![\w.])(?:10|ten) (?:raised )?to the (?:power (?:of )?)?"
    r"(?P<exponent>[-+]?[0-9]+(?:\.[0-9]+)?)(?:st|nd|rd|th)?(?: power)?(?![\w^]|\.[0-9])",
    re.IGNORECASE,
)


def plain(reply: str) -> str:
    """The reply without markup and needless blanks; line breaks stay, empty lines don't."""
    text = _LINE_BREAK.sub("\n", folded(reply)).replace(CUT, " ")
    text = without_markdown(_single_blanks(without_latex(without_html(text))))
    text = _QUOTE.sub(" ", _ARROW.sub(" → ", text.translate(_TIMES)))
    text = _single_blanks(_DOTS.sub(" to ", _COMPOUND.sub(" ", text)))
    text = _DASH_AS_MINUS.sub(r"\g<before>-", text)
    return _POWER_IN_WORDS.sub(r"10^\g<exponent>", _MINUS_IN_WORDS.sub("-", text))


def _single_blanks(text: str) -> str:
    return _EMPTY_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


BOX, BOX_END = "\x02", "\x03"
"""Stand around what was in a box."""

_MARKS = re.compile(f"[{BOX}{BOX_END}{CUT}]")
THOUGHT = re.compile(r"<(?P<slash>/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
_TABLE = re.compile(
    r"^\|(?P<head>[^\n]*)\|[ \t]*\n\|[-:| \t]+\|[ \t]*\n\|(?P<row>[^\n]*)\|[ \t]*$(?!\n\|)",
    re.MULTILINE,
)
_STATED_TAG = re.compile(r"<(?P<slash>/?)(?P<name>(?:final[_ ])?answer|confidence|solution)>", re.I)
_BRACE = re.compile(r"(?P<box>\\(?:boxed|fbox)\s?\{)|\\[{}]|(?P<open>\{)|(?P<close>\})")
_HASHES = re.compile(r"^#{4}[ \t]*(?=[-+]?[$]?[-+]?\.?[0-9][0-9.,]*%?[ \t]*$)", re.MULTILINE)


def stated_text(reply: str) -> str:
    """The reply without reasoning, markup and needless blanks; no line of it is empty."""
    text = _with_object_lines(_without_thoughts(_MARKS.sub(" ", reply)))
    text = _LINE_BREAK.sub("\n", folded(text))
    text = _with_boxes(_with_tags(_TABLE.sub(_labelled_row, text)))
    text = _HASHES.sub("Final answer: ", text)
    text = without_markdown(_single_blanks(without_latex(without_html(text))))
    return _single_blanks(text)


def is_cut(reply: str) -> bool:
    """Whether a reply that was cut off ends in what may be a part of a number or word."""
    end = reply.rstrip(" \t")[-2:]
    return end[-1:].isalnum() or (end[:1].isdigit() and end[1:] in set(".,/:^-–—"))  # noqa: RUF001 # dashes


def _without_thoughts(text: str) -> str:
    """What a model thinks aloud isn't its answer; thoughts that never end leave none."""
    start, end = 0, len(text)
    for tag in THOUGHT.finditer(text):
        if tag["slash"]:
            start, end = tag.end(), len(text)
        else:
            end = min(end, tag.start())
    return text[start:end]


def _with_object_lines(text: str) -> str:
    start, end = text.find("{"), text.rfind("}") + 1
    whole = _object_lines(text[start:end]) if 0 <= start < end else None
    if whole is not None:
        return text[:start] + whole + text[end:]
    return _FLAT_OBJECT.sub(lambda found: _object_lines(found.group()) or found.group(), text)


def _object_lines(text: str) -> str | None:
    """A JSON object as lines; None where it isn't one that holds an answer or a confidence."""
    if "nswer" not in text and "onfidence" not in text:
        return None
    for spelling in (text, text.replace("'", '"')):
        try:
            # Numbers stay as they were written.
            found = json.loads(spelling, parse_int=str, parse_float=str, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return "\n" + "".join(
                f"{name}: {value}\n" for name, value in found.items() if isinstance(value, str)
            )
    return None


def _labelled_row(table: re.Match[str]) -> str:
    """A header and its only row as lines, if the header has both labels."""
    names = [cell.strip(" \t*_") for cell in table["head"].split("|")]
    cells = table["row"].split("|")
    labels = {name.casefold().removeprefix("final ") for name in names}
    if len(names) != len(cells) or not labels >= {"answer", "confidence"}:
        return table.group()
    return "".join(f"\n{name}: {cell}" for name, cell in zip(names, cells, strict=True))


def _with_tags(text: str) -> str:
    closed = {tag["name"].casefold() for tag in _STATED_TAG.finditer(text) if tag["slash"]}

    def line(tag: re.Match[str]) -> str:
        if tag["name"].casefold() not in closed:  # "Answer: <answer>" is a placeholder
            return tag.group()
        return "\n" if tag["slash"] else f"\n{tag['name']}: "

    return _STATED_TAG.sub(line, text)


def _with_boxes(text: str) -> str:
    closing: list[str] = []

    def marked(brace: re.Match[str]) -> str:
        if brace["box"] or brace["open"]:
            closing.append(BOX_END if brace["box"] else "}")
            return BOX if brace["box"] else "{"
        if brace["close"]:
            return closing.pop() if closing else "}"
        return brace.group()

    return _BRACE.sub(marked, text)
