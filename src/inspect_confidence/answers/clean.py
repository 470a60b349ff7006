"""Cleaning of a reply: without reasoning and markup, powers, signs and quotes in one spelling.

Reasoning is never an answer. The text between thinking tags is removed, as is the text before a
closing tag that has no opening tag, and the text after an opening tag that is never closed. Boxes
stay marked; tags and tables become lines with labels.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Set
from functools import partial

from inspect_confidence.answers.numbers import ONES

# ruff: noqa: RUF001 # dashes, times signs and quotes, as they are written

CUT = "\x1a"
"""Mark at the end of a truncated reply; no plain text contains it."""
BOX, BOX_END = "\x02", "\x03"
"""Marks around the text that was in a LaTeX box."""

_MARKS = re.compile(f"[{BOX}{BOX_END}{CUT}]")
_THINK = r"(?:think(?:ing)?|reasoning|thoughts?|scratchpad)"
_THOUGHT = re.compile(
    rf"(?P<open><{_THINK}>(?![\"'])|\[THINK\]|◁think▷|<\|(?:begin_of_thought|thinking)\|>"
    r"|<\|channel\|>(?:analysis|commentary)(?:<\|message\|>)?)"
    rf"|</{_THINK}>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|/thinking)\|>"
    r"|<\|channel\|>final(?:<\|message\|>)?|assistantfinal",
    re.IGNORECASE,
)
_SPECIAL = re.compile(  # tokens of a chat's template
    r"<\|/?[a-z_0-9]{2,30}\|>(?:assistant\b)?|</?s>|</?(?:start_of_turn|end_of_turn|eos|bos|pad)>"
    r"(?:model\b)?|(?<=\S)assistant(?=\n\n|$)|^assistant(?=\n)|\[/?(?:INST|BOS|EOS)\]"
    r"|<[｜|][^<>｜|\n]{2,30}[｜|]>",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"(?<=[^\s>])[ ]?<s>[^<>\n]{1,200}</s>(?=[ ]?[^\s<])", re.IGNORECASE)
"""A text that is struck out within a line; around a whole text the tags are a template's tokens."""
_NEXT_QUESTION = re.compile(  # a base model asks itself the next question
    r"(?<=\S)\s*\n(?=(?:#+ )?"
    r"(?:(?:(?:Follow-up )?[Qq]uestion|Q|Problem|Exercise|Example|Instruction|Task)\s?\d*"
    r"(?: \([^()\n]{1,40}\))?:|(?:Human|User):|#+ (?:Question|Instruction|Your task):?"
    r"|Answer the following question|Solve the following)(?:\s|\.|(?<=task:)))"
    r"|(?<=\S)\s*\n(?=Given the statement [^\n]{1,300}\?\s|(?:已知|根据)陈述[^\n]{1,200}[?？]"
    r"|Format your answer as a|[^\n]{1,300} Reply with that exponent as one)"
    r"|(?<=\S)\s*(?=<\|(?:im_start|start_header_id)\|>user|<start_of_turn>user|<\|user\|>|\[INST\])"
)
_CUT_SHORT = re.compile(r"(?:[^\W_]|[\\^–—×~=≈+/(-]|[0-9][.,:]|(?<!\*)\*)\Z")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"[ ]?\n\s*")
_RAISED = "⁰¹²³⁴-⁹⁺⁻⁽⁾"
_SUPERSCRIPT = re.compile(rf"[{_RAISED}](?:[.·]?[{_RAISED}])*")
_TO_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾·", "0123456789+-().")
_FRACTION = re.compile("([¼-¾⅐-⅟↉])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff]")
_MINUS_AND_QUOTES = str.maketrans("−﹣－‐‑‒’‘“”", "------''\"\"")
_DIGIT = re.compile(r"(?![0-9])\d")
_REWRITTEN: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    # Signs that would be taken for a Markdown quotation, or for a tag.
    (r"(?<![-=A-Za-z\"'/0-9])(?:>|&gt;)(?=\s*(?:[.≥=]\s*)?[0-9])", " more than "),
    (r"(?:<|&lt;)(?=\s*[.=]?[0-9])(?!\s*[-.0-9]+\s*(?:%\s*)?>)", " less than "),
    (r"~~[^~\n]{1,200}~~", " "),  # struck out, also as a tag
    (r"<(del|strike)>[^<>\n]{0,200}</\1>", " "),
    (r"(?<=[0-9])。(?=[0-9])", "."),
    (r"10 ?的 ?(-?[0-9]+) ?次[方幂]", r"10^\1"),
    (
        r"([0-9]?)\\[dtc]?frac\s?\{\s?([0-9]+)\s?\}\s?\{\s?([0-9]+)\s?\}",
        lambda frac: f"{frac[1]} {frac[2]}/{frac[3]}".strip(),
    ),
    (r"(?<=[0-9)])[ ]?(?:\.{2,}|…)[ ]?(?=[-+]?\.?[0-9])", " to "),
    (r"([\[(])[ ]?(-?[0-9]{1,9}),(-?[0-9]{1,9})[ ]?([\])])", r"\1\2, \3\4"),
    (r"(10\^[{(]?-?[0-9.]{1,9}[})]?),(?=-?10\^)", r"\1, "),
    (r"^#{4}[ ]?(?=[-+]?[$]?[-+]?\.?[0-9][0-9.,]*%?[ ]?$)", "Final answer: "),
    ("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50-\u2b55]", " "),  # pictures
]
_REWRITINGS = [(re.compile(pattern, re.MULTILINE), plain) for pattern, plain in _REWRITTEN]
_TABLE = re.compile(r"^\|(?P<head>[^\n]*)\|\n\|[-:| ]+\|\n\|(?P<row>[^\n]*)\|$(?!\n\|)", re.M)
_COLUMN = re.compile(
    r"(?:final |selected )?(?:answer|choice|option)|(?:overall )?(?:confidence|certainty)\b.*"
    r"|(?:lower|upper|min|max)\b.*|exponent|probability",
    re.IGNORECASE,
)
_TIMES_AND_LINES = str.maketrans("✕✖⨯⨉⋅∙∗·\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "×" * 8 + "\n" * 9)
_GROUP = re.compile(
    r"(?P<box>\\(?:boxed|fbox)\s?\{)|(?P<power>\^\s?\{)"
    r"|(?P<command>\\(?:text[a-z]*|math[a-z]+|emph|operatorname)\s?\{)"
    r"|\\[{}]|(?P<open>\{)|(?P<close>\})"
)
_OPENED = {"box": (BOX, BOX_END), "power": ("^(", ")"), "command": (" ", " "), "open": ("{", "}")}
_TAG = re.compile(
    r"<(?P<slash>/?)(?:(?P<label>(?:final[_ ])?answer|(?:confidence|lower|upper)(?:[_ ]\w+)?"
    r"|solution|probability|explanation|choice|exponent|(?-i:[A-H]))|(?P<name>[a-z]\w{0,40})[^<>\n]{0,200})>",
    re.IGNORECASE,
)
_ANGLED = re.compile(r"<([^<>\n]{1,40})>")
# No character has so long a number, and Python refuses to convert thousands of digits.
_ENDLESS = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")
# As in Pandoc: no blank inside the delimiters, no digit after. "$20 to $90" is money.
_MATH = re.compile(r"(?<!\\)\$(?=\S)([^$\n]*)(?<=\S)\$(?![0-9])")
_COMMAND = re.compile(r"\\(?:(\\|n(?![a-z]))|([A-Za-z]+)|([\s,;:!()\[\]])|(.))")
_SYMBOLS: dict[str, str] = {
    **{"times": "×", "cdot": "×", "pm": "±", "approx": "≈", "sim": "~", "le": "≤", "leq": "≤"},
    **{"to": "→", "rightarrow": "→", "dots": "...", "ldots": "..."},
    **dict.fromkeys(("left", "right", "quad", "qquad"), " "),
}
_LINE_MARKS = re.compile(
    r"^(?:[ ]?(?:```|~~~)\w*[ ]?$"
    r"|[-|:=*_+ ]{3,}$"  # a rule, also below a table's header
    r"|(?:[ >#]|[*•◦‣▪●·][ ]|[-+–][ ](?![.0-9])|[0-9]{1,3}[.)][ ](?=[^\s0-9])|[0-9]\u20e3)+)",
    re.MULTILINE,
)
_POWER = re.compile(r"(?<![0-9.^])10(?:[ ]\*\*[ ]|\*\*)(?=[-+(]{0,2}[0-9])")
_TIMES_SIGN = re.compile(r"(?<=[0-9)])([ ]?)\*\1(?=[0-9(])")
_EMPHASIS = re.compile(r"(?<![0-9A-Za-z])[*_`]+|[*_`]+(?![0-9A-Za-z])|(?<=[A-Za-z])_+(?=[A-Za-z])")
_DASH_AS_MINUS = re.compile(r"((?:^|[:=(\[{,|]|\b(?:to|and|is))[ ]?)[–—](?=\.?[0-9])", re.MULTILINE)
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
}
"""Ordinals that are not formed from a number word and "th"."""
_POWER_IN_WORDS = re.compile(
    r"(?<![\w.])(?:10|ten) (?:raised )?to the (?:power (?:of )?)? ?(?P<minus>minus |negative )?"
    rf"(?:(?P<digits>[-+]?[0-9]+(?:\.[0-9]+)?)|(?P<word>{'|'.join([*ONES, *_ORDINALS])}))"
    r"(?:st|nd|rd|th)?(?: power)?(?![\w^]|\.[0-9])",
    re.IGNORECASE,
)
_ONLY_EXACTNESS = r" (?:an? |the )?(?:exact|precise|definit\w+|specific)\b[^.\n]{0,60}\bbut\b"
_REFUSAL = re.compile(
    r"\b(?:i|we)\s*(?:(?:'m|am|are)\s*)?(?:sorry|unable|not able"
    r"|(?:can't|cannot|can not|won't|will not)(?! (?:over\w+|be (?:more|sure|certain|exact)"
    rf"|\w+{_ONLY_EXACTNESS}))"
    r"|(?:don't|do not) (?:know|have)|(?:must |have to )?(?:decline|refuse))\b|\bas an ai\b"
    r"|\b(?:not |im)possible (?:for me )?to (?:answer|determine|estimate|give|provide|say)\b"
    r"|[无無]法|[不没](?:能|有?办法)(?:够)?(?:确定|回答|判断|估计|提供|给出|预测)"
    r"|抱歉|[对對]不起|不知道|不清楚|难以(?:确定|判断|估计)|拒[绝絕]"
    r"|\b(?:kann|möchte) ich (?:\w+ ){0,3}nicht\b|\bje ne (?:peux|sais) pas\b",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|unable to|not able to|won't) (?:\w+ly )?"
    rf"(?:answer|determine|estimate|give|provide|predict|help|assist|comment|say|tell)\b(?!{_ONLY_EXACTNESS})"
    r"|\b(?:don't|do not) have (?:enough|sufficient|the|any|access)|无法|抱歉|拒[绝絕]",
    re.IGNORECASE,
)


_PLAIN_SIGNS = r"[a-z0-9 .,;:?!%'\"/-]"
_PLAIN_LINE = rf"(?![0-9]{{1,3}}\. )[a-z0-9]{_PLAIN_SIGNS}*(?!{_PLAIN_SIGNS})"
_PLAIN_TEXT = re.compile(
    rf"(?:: |\n)?{_PLAIN_LINE}(?:\n+{_PLAIN_LINE})*\s*", re.IGNORECASE | re.ASCII
)
"""Lines without any character that the rewritings look for."""
_REWORDED = re.compile(r"assistant|to the|\.\.", re.IGNORECASE)


def clean(reply: str) -> str:
    """Return the reply without reasoning, markup and needless blanks; no line of it is empty."""
    is_plain = _PLAIN_TEXT.fullmatch(reply) and not _REWORDED.search(reply)
    if not reply or is_plain:
        return single_blanks(reply)  # for speed: most values and short replies need no more
    # Without private marks and a chat template's tokens ("<|im_end|>"), in ASCII where possible.
    reply = _STRUCK.sub(" ", reply)
    text = folded(_SPECIAL.sub("\n", without_thoughts(_MARKS.sub(" ", reply))))
    text = single_blanks(text.translate(_TIMES_AND_LINES))
    for pattern, plain in _REWRITINGS:  # such as "..." between two numbers, which becomes "to"
        text = pattern.sub(plain, text)
    text = _without_groups(_TABLE.sub(_labelled_row, text))
    text = _without_markdown(_without_latex(_without_tags(text)))
    text = _POWER_IN_WORDS.sub(_power_in_digits, text)
    return single_blanks(_DASH_AS_MINUS.sub(r"\1-", text))


def plain_value(value: str) -> str:
    """Return a value without markup; it is cleaned as text after a label, not as a line's start."""
    plain = clean(f": {value}").removeprefix(":")
    return plain.replace(BOX, " ").replace(BOX_END, " ").strip()


def without_thoughts(reply: str) -> str:
    """Return the reply without reasoning: text between thinking tags, or after an unclosed one."""
    outside_thoughts: list[str] = []
    reached, is_thinking = 0, False
    for tag in _THOUGHT.finditer(reply):  # "<think>", "</think>"
        if not is_thinking and tag["open"]:
            outside_thoughts.append(reply[reached : tag.start()])
        elif not is_thinking:  # Reasoning so far: the opening tag may have been in the prompt.
            outside_thoughts.clear()
        reached, is_thinking = tag.end(), tag["open"] is not None
    return "\n".join(outside_thoughts if is_thinking else [*outside_thoughts, reply[reached:]])


def first_turn(reply: str) -> str:
    """Return the reply up to the place where a base model asks itself another question."""
    return _NEXT_QUESTION.split(reply, 1)[0]  # a line "Question: ..."


def is_cut(reply: str) -> bool:
    """Return whether the end of a reply may be part of an unfinished number or word."""
    return bool(_CUT_SHORT.search(reply.rstrip(" \t")[-2:]))


def single_blanks(text: str) -> str:
    """Return the text with one blank in place of several, and without empty lines."""
    return _EMPTY_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def folded(text: str) -> str:
    """Return the text with plain characters in place of typographic ones.

    Superscripts become ^n; compatibility forms, minus signs, digits and quotation marks become
    ASCII.
    """
    text = _INVISIBLE.sub("", text)  # such as zero-width blanks
    text = _SUPERSCRIPT.sub(lambda raised: "^" + raised.group().translate(_TO_LINE), text)
    # Blanks around the fraction, so that "3½" (three and a half) does not become "31/2".
    text = _FRACTION.sub(r" \1 ", text)
    # Folded before and after: full-width signs are both a minus and a compatibility form.
    text = unicodedata.normalize("NFKC", text.translate(_MINUS_AND_QUOTES))
    text = _DIGIT.sub(lambda digit: str(int(digit.group())), text)
    return text.translate(_MINUS_AND_QUOTES)


def _labelled_row(table: re.Match[str]) -> str:
    """Return a table of a header and one row as lines "name: cell"; other tables stay."""
    names = [cell.strip(" *_") for cell in table["head"].split("|")]
    cells = list(map(str.strip, table["row"].split("|")))
    # The header has a name such as "Answer" or "Confidence", the row has none.
    is_header = any(map(_COLUMN.fullmatch, names)) and not any(map(_COLUMN.fullmatch, cells))
    if len(names) != len(cells) or not is_header:
        return table.group()
    return "".join(f"\n{name}: {cell}" for name, cell in zip(names, cells, strict=True))


def _without_groups(text: str) -> str:
    """Return the text with the braces of LaTeX groups replaced.

    Braces of a box become box marks, braces of a power become round brackets, and braces of a text
    command become blanks. Other braces stay.
    """
    closing_signs: list[str] = []  # of the groups that are open, the innermost last
    pieces, reached = [], 0
    for brace in _GROUP.finditer(text):
        pieces.append(text[reached : brace.start()])
        reached = brace.end()
        if brace.lastgroup in _OPENED:  # any opening brace; for a plain one the signs are braces
            opening_sign, closing_sign = _OPENED[brace.lastgroup]
            pieces.append(opening_sign)
            closing_signs.append(closing_sign)
        elif brace["close"] and closing_signs:
            pieces.append(closing_signs.pop())
        else:
            pieces.append(brace.group())
    return "".join([*pieces, text[reached:]])


def _without_tags(text: str) -> str:
    """Return the text with HTML tags and entities replaced by plain text.

    A tag becomes a line break, a label or a power, and an entity its character. A word in angle
    brackets without a closing tag is a placeholder, such as `<exponent>` in the prompts: it gets
    round brackets, as does a number in its place.
    """
    text = html.unescape(_ENDLESS.sub(" ", text))  # "&#99999999999;" is no character
    closed_names = {_tag_name(tag) for tag in _TAG.finditer(text) if tag["slash"]}
    plain = _TAG.sub(partial(_plain_tag, closed_names=closed_names), text)
    return _ANGLED.sub(r"(\1)", plain)


def _tag_name(tag: re.Match[str]) -> str:
    return str(tag["label"] or tag["name"]).lower()


def _plain_tag(tag: re.Match[str], closed_names: Set[str]) -> str:
    """Return the text for a tag: `<sup>` is a power, `<answer>` a label, others a line break.

    A tag stays if no tag of the text closes it, except `<br>`, `<hr>` and `<p>`.
    """
    name = _tag_name(tag)
    if name not in closed_names and name not in ("br", "hr", "p"):
        return tag.group()
    if name == "sup":
        return ")" if tag["slash"] else "^("
    if not tag["label"] or tag["slash"]:
        return "\n"
    return f"\n{tag['label'].replace('_', ' ')}: "


def _without_latex(text: str) -> str:
    """Return the text with LaTeX's delimiters and commands as plain characters.

    Unknown commands stay in the text, because they may change the meaning of a number; a later
    reader then refuses the number.
    """
    text = _MATH.sub(r" \1 ", text.replace("$$", " ").replace("{,}", ","))  # "$x$"
    return _COMMAND.sub(_plain_command, text)


def _plain_command(command: re.Match[str]) -> str:
    r"""Return the plain text of a LaTeX command, such as `%` for `\%`; an unknown one stays."""
    line_break, name, space, escaped = command.groups()  # one of them matches
    if name:  # "times"
        return _SYMBOLS.get(name, command.group())
    if line_break:  # two backslashes, or a backslash and "n" from a JSON string
        return "\n"
    return " " if space else escaped


def _without_markdown(text: str) -> str:
    """Return the text without Markdown's marks.

    A blank replaces each emphasis mark, so that 3.**5** does not become 3.5.
    """
    lines = []
    for line in _LINE_MARKS.sub("", text).split("\n"):  # without "# ", "- ", "1. "
        with_powers = _POWER.sub("10^", line)  # Python's 10**6
        # In `**10**-12` the stars are emphasis. One pair of them was replaced, an odd number of
        # pairs is left, and the line stays as it is.
        lines.append(line if with_powers.count("**") % 2 else with_powers)
    return _EMPHASIS.sub(" ", _TIMES_SIGN.sub(" × ", "\n".join(lines)))


def _power_in_digits(power: re.Match[str]) -> str:
    """Return a power in words ("ten to the sixth") as 10^6."""
    word = (power["word"] or "").lower()
    exponent = power["digits"] or _ORDINALS.get(word) or ONES.index(word)
    return f"10^{'-' if power['minus'] else ''}{exponent}"


def declines(text: str) -> bool:
    """Return whether the (folded) text declines to answer, so that its numbers are no answer."""
    return bool(_DECLINED.search(text))


def is_refusal(text: str) -> bool:
    """Return whether the (folded) text says that the model won't or can't answer.

    The words looked for are broader than in `declines`: "I don't know" and "sorry" are among them.
    """
    return bool(_REFUSAL.search(text))


LONGEST_COMPARED = 80
"""Longest answer that is compared as text; longer answers are seldom repeated word for word."""


def comparable(text: str) -> str:
    """Return the words and numbers of a short answer, for comparison with another answer.

    Example:
        >>> comparable("**Paris.**") == comparable("paris")
        True
    """
    return " ".join(re.findall(r"\w+", clean(text).casefold()))
