"""The wording of the question sets.

The study's text describes its prompts and doesn't give them; this wording is our own to the same
structure: reasoning, an answer and the probability of each option in one JSON object, one example
of it, and the directions repeated before the question. Results with it aren't byte-comparable
with the study's, whose exact prompts `prompts="authors"` loads.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Literal, get_args

Kind = Literal["options", "true_false", "given"]
"""What a question wants: the probability of each option; true or false and one confidence; or the
confidence in an answer that is given."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_OPTIONS = """\
Answer the question by choosing the best of its options. Think about it first, in at most 100 \
words. Then name one option, and state for every option the probability that it is the right one, \
from 0.0 to 1.0, so that the probabilities sum to 1. Report what you believe, neither more nor \
less."""

_TRUE_FALSE = """\
Decide whether the answer to the question is true (yes) or false (no). Think about it first, in \
at most 100 words. Then state your answer, and the probability from 0.0 to 1.0 that it is right. \
Report what you believe, neither more nor less."""

_GIVEN = """\
You have answered a question. Leave your answer as it is, and state the probability from 0.0 to \
1.0 that it is right. Report what you believe, neither more nor less."""

_REASONING = '"Reasoning": "<what speaks for and against, in at most 100 words>"'


def directions(kind: Kind, options: int, *, example: bool = True) -> str:
    """The system message, repeated before the question.

    Args:
        kind: Of the question.
        options: How many there are.
        example: Whether the JSON object is shown; not where the provider itself is given its form.
    """
    text = {"options": _OPTIONS, "true_false": _TRUE_FALSE, "given": _GIVEN}[kind]
    if not example:
        return text
    confidence = '"Confidence": "<the probability that the answer is right, from 0.0 to 1.0>"'
    probabilities = [
        f'"{letter}": "<the probability that {letter} is right, from 0.0 to 1.0>"'
        for letter in ascii_uppercase[:options]
    ]
    asked = {
        "options": [_REASONING, '"Answer": "<the letter of one option>"', *probabilities],
        "true_false": [_REASONING, '"Answer": "<True or False>"', confidence],
        "given": [confidence],
    }
    lines = ",\n".join(f"    {line}" for line in asked[kind])
    return f"{text}\nReply with one JSON object, as in this example:\n\n{{\n{lines}\n}}"


def body(kind: Kind, question: str, options: Sequence[str], context: str, answer: str) -> str:
    """The question as the model reads it.

    Example:
        >>> print(body("options", "Which is heavier?", ["lead", "cork"], "", ""))
        Question: Which is heavier?
        Options:
        A) lead
        B) cork
    """
    lines = [*([f"Context: {context}"] if context else []), f"Question: {question}"]
    if kind == "given":
        lines.append(f"Your answer: {answer}")
    if kind == "options":
        lettered = zip(ascii_uppercase, options, strict=False)
        lines += ["Options:", *(f"{letter}) {text}" for letter, text in lettered)]
    return "\n".join(lines)


def message(directions: str, question: str) -> str:
    """The user message: the directions once more, then the question."""
    return f"Directions:\n{directions}\n\n{question}\n\nResponse:"
