"""What every reader of replies does first: one spelling for what models spell many ways."""

import re
import unicodedata

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_MINUS_AND_QUOTES = str.maketrans("−﹣－‐‑‒’‘“”", "------''\"\"")  # noqa: RUF001 # the point is to fold them

_REFUSAL = re.compile(
    r"\b(?:i|we)\s*(?:'m|am|are)?\s*(?:sorry|unable|not able|can't|cannot|can not|won't|will not"
    r"|(?:don't|do not) (?:know|have))\b|\bas an ai\b",
    re.IGNORECASE,
)


def folded(text: str) -> str:
    """The text with superscripts as ^n, compatibility forms, minus signs and quotes made plain."""
    text = re.sub(
        "[⁰¹²³⁴-⁹⁺⁻]+", lambda digits: "^" + digits.group().translate(_SUPERSCRIPTS), text
    )
    # Folded before and after: full-width signs are both a minus and a compatibility form.
    text = unicodedata.normalize("NFKC", text.translate(_MINUS_AND_QUOTES))
    return text.translate(_MINUS_AND_QUOTES)


def is_refusal(text: str) -> bool:
    """Whether the (folded) text says that it won't or can't answer."""
    return bool(_REFUSAL.search(text))
