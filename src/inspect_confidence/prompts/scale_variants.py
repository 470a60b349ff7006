"""Wordings of the scale-design study.

Source: the study's protocol, to the letter, for the task instructions, both confidence
instructions and the output formats. The format of the list below "Choices:", the blank lines
between the parts, and the output format of a free answer to a question that is no maths problem
are this project's.
"""

from string import ascii_uppercase

CONFIDENCE = """\
After providing your answer, rate your confidence as an integer between {l} and {u}, where {l} \
means no confidence at all and {u} means absolute certainty."""

SHORT = """\
Answer the following question. Then, provide your confidence as an integer between {l} and {u}, \
where {l} means no confidence and {u} means absolute certainty."""
"""Wording of section 3.4, a combined task and confidence instruction."""

FORMAT = """\
Respond in the following format only:
Answer: <your answer>
Confidence: <integer between {l} and {u}>"""

MATH_FORMAT = """\
Respond in the following format only:
Solution: <your step-by-step solution>
Final Answer: <numerical answer>
Confidence: <integer between {l} and {u}>"""

WORDINGS = {
    "study": f"Answer the following question.\n\n{{question}}\n\n{CONFIDENCE}\n\n{FORMAT}",
    "short": f"{SHORT}\n\n{{question}}\n\n{FORMAT}",
}
"""Templates for questions with choices, by name."""

MATH_WORDINGS = {
    "study": "Solve the following math problem step by step.\n\n{question}\n\n"
    f"{CONFIDENCE}\n\n{MATH_FORMAT}",
    "short": f"{SHORT}\n\n{{question}}\n\n{MATH_FORMAT}",
}
"""Templates for questions whose answer is a number, by name."""


def with_choices(question: str, choices: list[str]) -> str:
    """Return the question and its choices, each after its letter.

    Example:
        >>> print(with_choices("Which is heavier?", ["lead", "cork"]))
        Which is heavier?
        Choices:
        A. lead
        B. cork
    """
    if not choices:
        return question
    lines = [question, "Choices:"]
    for letter, text in zip(ascii_uppercase, choices, strict=False):
        lines.append(f"{letter}. {text}")
    return "\n".join(lines)
