"""Wordings of the study of hedge markers.

Source: the standardized system prompt is the study's, to the letter. The templates of questions
and the metacognitive system prompt are this project's; the study's own are downloaded
(`datasets/marker_prompts.py`).
"""

from collections.abc import Sequence
from string import ascii_uppercase

STANDARD = (
    "Your task is to provide a succinct and accurate answer to the given question. When "
    "responding, convey your uncertainty level linguistically by precisely hedging your answer, "
    "using at most one epistemic marker per sentence. Provide only your hedged answer without "
    "asking anything of the user. Do not ask anything of the user. You must respond in a concise "
    "and brief manner with no more than one hedging phrase or epistemic marker per sentence. Limit "
    "your response to a single sentence or phrase if possible, or use at most 2-3 sentences."
)
"""The study's standardized system prompt, to the letter."""

METACOGNITIVE = (
    "Answer the question briefly and truthfully. Before you answer, ask yourself how sure you "
    "really are: would you give the same answer again and again, or another one each time? Then "
    "choose the one word or phrase of uncertainty that fits how sure you are. Use at most one of "
    "them in a sentence, and none where you are certain. Reply with the hedged answer alone, in "
    "one sentence, or two or three where one isn't enough, and ask the user nothing."
)
"""This project's metacognitive system prompt."""

UNLIMITED = STANDARD.replace(", using at most one epistemic marker per sentence", "").replace(
    " with no more than one hedging phrase or epistemic marker per sentence", ""
)
"""The study's standardized system prompt without its limit of one marker a sentence.

The study says which parts it removes; the remaining text is derived from them.
"""

SYSTEMS = {"standard": STANDARD, "metacognitive": METACOGNITIVE, "unlimited": UNLIMITED}

TEMPLATES = {
    "short": "Question: {question}\nAnswer:",
    "choices": (
        "Choose the best of the answers given, and name it in your reply.\n\n"
        "Question: {question}\nAnswer:"
    ),
}
"""This project's templates by kind of question."""


def with_choices(question: str, choices: Sequence[str]) -> str:
    """Return the question and its choices, each after its letter.

    Example:
        >>> print(with_choices("Which is heavier?", ["lead", "cork"]))
        Which is heavier?
        (A) lead
        (B) cork
    """
    lines = [question]
    for letter, text in zip(ascii_uppercase, choices, strict=False):
        lines.append(f"({letter}) {text}")
    return "\n".join(lines)
