"""A reply -> plain lines: no thoughts, no markup, one spelling of powers, signs and quotes.

Thoughts are never answers: what stands between their tags goes, before a lone closing tag, and
after one that is never closed. Boxes stay marked, tags and tables become lines with labels.
"""

import html
import re
import unicodedata

# ruff: noqa: RUF001 # dashes, times signs and quotes, as they are written

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
    "times": "×",
    "cdot": "×",
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
    r"|[-+–][ \t](?![.0-9])"
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
    return _EMPHASIS.sub(" ", _MARKDOWN_TIMES.sub(" × ", text))


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
_MINUS_AND_QUOTES = str.maketrans("−﹣－‐‑‒’‘“”", "------''\"\"")


_DIGIT = re.compile(r"(?![0-9])\d")


def folded(text: str) -> str:
    """The text with superscripts as ^n, compatibility forms, minus signs and quotes made plain."""
    text = _INVISIBLE.sub("", text)
    text = _SUPERSCRIPT.sub(lambda raised: "^" + raised.group().translate(_TO_LINE), text)
    # Set apart, lest three and a half become thirty-one over two.
    text = _FRACTION.sub(lambda fraction: f" {fraction.group()} ", text)
    # Folded before and after: full-width signs are both a minus and a compatibility form.
    text = unicodedata.normalize("NFKC", text.translate(_MINUS_AND_QUOTES))
    text = _DIGIT.sub(lambda digit: str(unicodedata.digit(digit.group())), text)
    return text.translate(_MINUS_AND_QUOTES)


_REFUSAL = re.compile(
    r"\b(?:i|we)\s*(?:'m|am|are)?\s*(?:sorry|unable|not able|can't|cannot|can not|won't|will not"
    r"|(?:don't|do not) (?:know|have)|(?:must |have to )?(?:decline|refuse))\b|\bas an ai\b"
    r"|\b(?:not possible|impossible) (?:for me )?"
    r"to (?:answer|determine|estimate|give|provide|say)\b"
    r"|无法|[不没](?:能|有?办法)(?:够)?(?:确定|回答|判断|估计|提供|给出|预测)"
    r"|抱歉|对不起|不知道|不清楚|难以(?:确定|判断|估计)|拒[绝絕]"
    r"|\b(?:kann|möchte) ich (?:\w+ ){0,3}nicht\b|\bje ne (?:peux|sais) pas\b",
    re.IGNORECASE,
)


_DECLINED = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|unable to|not able to|won't) (?:\w+ly )?(?:answer"
    r"|determine|estimate"
    r"|give|provide|predict|help|assist|comment|say|tell)\b|\b(?:don't|do not) have (?:enough"
    r"|sufficient|the|any|access)"
    r"|无法|抱歉|拒[绝絕]",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether the (folded) text declines the very answer, so that numbers in it are none."""
    return bool(_DECLINED.search(text))


def is_refusal(text: str) -> bool:
    """Whether the (folded) text says that it won't or can't answer."""
    return bool(_REFUSAL.search(text))


CUT = "\x1a"
"""Stands where a truncated reply ends; no plain text contains it."""
BOX, BOX_END = "\x02", "\x03"
"""Stand around what was in a box."""

_MARKS = re.compile(f"[{BOX}{BOX_END}{CUT}]")
_THOUGHT = re.compile(
    r"(?P<open><(?:think|thinking|reasoning|thought|thoughts|scratchpad)>(?![\"'])|\[THINK\]"
    r"|◁think▷"
    r"|<\|(?:begin_of_thought|thinking)\|>|<\|channel\|>(?:analysis|commentary)(?:<\|message\|>)?)"
    r"|(?P<close></(?:think|thinking|reasoning|thought|thoughts|scratchpad)>|\[/THINK\]|◁/think▷"
    r"|<\|(?:end_of_thought|/thinking)\|>|<\|channel\|>final(?:<\|message\|>)?"
    r"|assistantfinal(?=[A-Z\W]))",
    re.IGNORECASE,
)
_SPECIAL = re.compile(
    r"<\|/?[a-z_0-9]{2,30}\|>(?:assistant\b)?|</?s>|</?(?:start_of_turn|end_of_turn|eos|bos|pad)>"
    r"(?:model\b)?|(?<=\S)assistant(?=\n\n|$)|^assistant(?=\n)|\[/?(?:INST|BOS|EOS)\]"
    r"|<[｜|][^<>｜|\n]{2,30}[｜|]>",
    re.IGNORECASE,
)
_GOES_ON = re.compile(  # a base model asks itself the next question
    r"(?<=\S)\s*\n(?=(?:(?:Question|Q|Problem)\s?\d*:|(?:Human|User):|#+ (?:Question|Instruction)"
    r"|Answer the following question|Solve the following)(?:\s|\.))"
)
_LINE_BREAK = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"[ ]?\n\s*")
_BRACE = re.compile(r"(?P<box>\\(?:boxed|fbox)\s?\{)|\\[{}]|(?P<open>\{)|(?P<close>\})")
_HASHES = re.compile(r"^#{4}[ \t]*(?=[-+]?[$]?[-+]?\.?[0-9][0-9.,]*%?[ \t]*$)", re.MULTILINE)
_TABLE = re.compile(
    r"^\|(?P<head>[^\n]*)\|[ \t]*\n\|[-:| \t]+\|[ \t]*\n\|(?P<row>[^\n]*)\|[ \t]*$(?!\n\|)",
    re.MULTILINE,
)
_COLUMN = re.compile(
    r"(?:final |selected )?(?:answer|choice|option)|(?:overall )?(?:confidence|certainty)\b.*"
    r"|(?:lower|upper|min|max)\b.*|exponent|probability",
    re.IGNORECASE,
)
_LABEL_TAG = re.compile(
    r"<(?P<slash>/?)(?P<name>(?:final[_ ])?answer|confidence(?:[_ ]\w+)?|solution|probability"
    r"|explanation|choice|lower(?:[_ ]\w+)?|upper(?:[_ ]\w+)?|exponent)>",
    re.IGNORECASE,
)
_TIMES = str.maketrans("✕✖⨯⨉⋅∙∗·", "××××××××")
_QUOTE = re.compile(r"(?<![0-9A-Za-z])\"|\"(?![0-9A-Za-z])")
_SIGN = re.compile(  # would be taken for a Markdown quotation, or for a tag
    r"(?<![-=A-Za-z\"'/0-9])(?P<more>>|&gt;)(?=\s*+[.≥=]?\s*[0-9])"
    r"|(?:<|&lt;)(?=\s*+[.=]?[0-9])(?!\s*+[-.0-9]++\s*+%?+\s*+>)"
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_DOTS = re.compile(r"(?<=[0-9)])[ ]?(?:\.{2,}|…)[ ]?(?=[-+]?\.?[0-9])")
_PAIR = re.compile(r"([\[(])[ ]?(-?[0-9]{1,9}),(-?[0-9]{1,9})[ ]?([\])])")
_FRAC = re.compile(r"([0-9]?)\\[dtc]?frac\s?\{\s?([0-9]+)\s?\}\s?\{\s?([0-9]+)\s?\}")
_DASH_AS_MINUS = re.compile(
    r"(?P<before>(?:^|[:=(\[{,|]|\b(?:to|and|is))[ ]?)[–—](?=\.?[0-9])",
    re.MULTILINE,
)
_POWER_IN_WORDS = re.compile(
    r"(?<![\w.])(?:10|ten) (?:raised )?to the (?:power (?:of )?)?(?P<minus>minus |negative )?"
    r"(?P<exponent>[-+]?[0-9]+(?:\.[0-9]+)?|(?P<word>one|two|three|four|five|six|seven|eight|nine"
    r"|ten"
    r"|eleven|twelve|thirteen|fourteen|fifteen))(?:st|nd|rd|th)?(?: power)?(?![\w^]|\.[0-9])",
    re.IGNORECASE,
)
_UP_TO_FIFTEEN = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
}
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50-\u2b55]")


def clean(reply: str) -> str:
    """The reply without thoughts, markup and needless blanks; no line of it is empty."""
    text = _SPECIAL.sub("\n", without_thoughts(_MARKS.sub(" ", reply)))
    text = _LINE_BREAK.sub("\n", folded(text)).translate(_TIMES)
    text = _SIGN.sub(lambda sign: " more than " if sign["more"] else " less than ", text)
    text = _FRAC.sub(lambda frac: f"{frac[1]} {frac[2]}/{frac[3]}".strip(), _STRUCK.sub(" ", text))
    text = _PAIR.sub(r"\1\2, \3\4", _DOTS.sub(" to ", text))
    text = _with_boxes(_with_tags(_TABLE.sub(_labelled_row, text)))
    text = _EMOJI.sub(" ", _HASHES.sub("Final answer: ", text))
    text = without_markdown(single_blanks(without_latex(without_html(text))))
    text = _DASH_AS_MINUS.sub(r"\g<before>-", _POWER_IN_WORDS.sub(_in_digits, text))
    return single_blanks(text)


def without_thoughts(reply: str) -> str:
    """The reply without what the model thought aloud."""
    kept: list[str] = []
    reached, is_inside = 0, False
    for tag in _THOUGHT.finditer(reply):
        if tag["open"]:
            if not is_inside:
                kept.append(reply[reached : tag.start()])
            is_inside = True
            continue
        if not is_inside:  # The prompt may have had the tag that opens.
            kept.clear()
        reached, is_inside = tag.end(), False
    return "\n".join(kept if is_inside else [*kept, reply[reached:]])


def first_turn(reply: str) -> str:
    """The reply up to where a base model goes on with a question of its own."""
    return _GOES_ON.split(reply, 1)[0]


def is_cut(reply: str) -> bool:
    """Whether a reply that was cut off ends in what may be a part of a number or word."""
    end = reply.rstrip(" \t")[-2:]
    return (
        end[-1:].isalnum()
        or end[-1:] in set("^-–—×~")
        or (end[:1].isdigit() and end[1:] in set(".,:"))
    )


def _in_digits(power: re.Match[str]) -> str:
    word = power["word"]
    exponent = _UP_TO_FIFTEEN[word.lower()] if word else power["exponent"]
    return f"10^{'-' if power['minus'] else ''}{exponent}"


def single_blanks(text: str) -> str:
    """The text with one blank for several, and without empty lines."""
    return _EMPTY_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def _labelled_row(table: re.Match[str]) -> str:
    """A header and its only row as lines with labels."""
    names = [cell.strip(" \t*_") for cell in table["head"].split("|")]
    cells = table["row"].split("|")
    if len(names) != len(cells) or sum(map(bool, map(_COLUMN.fullmatch, names))) < 2:
        return table.group()
    return "".join(f"\n{name}: {cell}" for name, cell in zip(names, cells, strict=True))


def _with_tags(text: str) -> str:
    closed = {tag["name"].casefold() for tag in _LABEL_TAG.finditer(text) if tag["slash"]}

    def line(tag: re.Match[str]) -> str:
        if tag["name"].casefold() not in closed:  # "Answer: <answer>" is a placeholder
            return tag.group()
        return "\n" if tag["slash"] else f"\n{tag['name'].replace('_', ' ')}: "

    return _LABEL_TAG.sub(line, text)


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
