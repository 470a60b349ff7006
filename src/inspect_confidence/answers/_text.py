"""What every reader of replies does first: one spelling for what Unicode spells many ways."""

import re
import unicodedata

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
