"""A question of the hedge-marker study as its source has it, before anything is shuffled."""

from dataclasses import dataclass

from inspect_confidence.datasets.selection import Question


@dataclass(frozen=True, kw_only=True)
class Row(Question):
    """A row of a source.

    Attributes:
        dataset: The data set's name.
        question: All that is to be read, the choices excepted.
        answers: What is accepted, where there are no choices.
        choices: In the source's order.
        right: The right choice's place.
        part: Of the data set, where it has parts.
        answerable: Whether there is an answer.
        left_out: Why it isn't asked; empty where it is.
    """

    dataset: str
    question: str
    answers: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    right: int = 0
    part: str = ""
    answerable: bool = True
    left_out: str = ""
