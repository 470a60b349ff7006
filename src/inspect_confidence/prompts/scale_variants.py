"""The scale-design study's wording.

Source: the study's protocol, to the letter: the task instructions, both confidence instructions
and the output formats. How choices are listed below "Choices:", blank lines between the parts, and
the output format of a free answer to a question that is no maths problem are ours.
"""

from string import ascii_uppercase

CONFIDENCE = """\
After providing your answer, rate your confidence as an integer between {l} and {u}, where {l} \
means no confidence at all and {u} means absolute certainty."""

SHORT = """\
Answer the following question. Then, provide your confidence as an integer between {l} and {u}, \
where {l} means no confidence and {u} means absolute certainty."""
"""Section 3.4's wording, which is task and confidence instruction in one."""

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
    """The question and its choices, each after its letter.

    Example:
        >>> print(with_choices("Which is heavier?", ["lead", "cork"]))
        Which is heavier?
        Choices:
        A. lead
        B. cork
    """
    if not choices:
        return question
    listed = [f"{letter}. {text}" for letter, text in zip(ascii_uppercase, choices, strict=False)]
    return "\n".join([question, "Choices:", *listed])
