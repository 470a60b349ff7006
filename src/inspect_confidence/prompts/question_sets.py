"""Wordings of the question sets.

Source: this project. The study's text describes its prompts without quoting them; this wording has
the same structure: reasoning, an answer and the probability of each option in one JSON object, an
example of it, and the directions repeated before the question. Results may differ from those with
the study's exact prompts, which `prompts="authors"` loads.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Literal, get_args

ReplyKind = Literal["options", "true_false", "given"]
"""Kind of a question's reply: the probability of each option; true or false and one confidence; or
the confidence in a given answer."""

KINDS: tuple[ReplyKind, ...] = get_args(ReplyKind)

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


def directions(kind: ReplyKind, options: int, *, example: bool = True) -> str:
    """Return the system message, which is repeated before the question.

    Args:
        kind: Kind of the question.
        options: Number of options.
        example: Whether the text shows the JSON object; not if the provider receives a schema.
    """
    text = {"options": _OPTIONS, "true_false": _TRUE_FALSE, "given": _GIVEN}[kind]
    if not example:
        return text
    confidence = '"Confidence": "<the probability that the answer is right, from 0.0 to 1.0>"'
    probabilities = [
        f'"{letter}": "<the probability that {letter} is right, from 0.0 to 1.0>"'
        for letter in ascii_uppercase[:options]
    ]
    fields = {
        "options": [_REASONING, '"Answer": "<the letter of one option>"', *probabilities],
        "true_false": [_REASONING, '"Answer": "<True or False>"', confidence],
        "given": [confidence],
    }
    lines = ",\n".join(f"    {line}" for line in fields[kind])
    return f"{text}\nReply with one JSON object, as in this example:\n\n{{\n{lines}\n}}"


def body(kind: ReplyKind, question: str, context: str, answer: str) -> str:
    """Return the text of the question with its context or given answer, without its options."""
    lines = [f"Context: {context}"] if context else []
    lines.append(f"Question: {question}")
    if kind == "given":
        lines.append(f"Your answer: {answer}")
    return "\n".join(lines)


def with_options(text: str, options: Sequence[str]) -> str:
    """Add the options with their letters to the text of a question, if it has options.

    Example:
        >>> print(with_options("Question: Which is heavier?", ["lead", "cork"]))
        Question: Which is heavier?
        Options:
        A) lead
        B) cork
    """
    if not options:
        return text
    lettered = zip(ascii_uppercase, options, strict=False)
    return "\n".join([text, "Options:", *(f"{letter}) {option}" for letter, option in lettered)])


OPTION_CHARACTERS = {
    "characters_before_choices": len(with_options("", [""])) - len("\nA) "),
    "characters_per_choice": len("\nA) "),
}
"""Characters that `with_options` adds to the texts of a question and its options, for `plan`."""


def message(directions: str, question: str) -> str:
    """Return the user message: the repeated directions, then the question."""
    return f"Directions:\n{directions}\n\n{question}\n\nResponse:"
