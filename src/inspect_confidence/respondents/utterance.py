"""What a respondent says, and what every respondent does alike."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from string import ascii_uppercase
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from inspect_confidence.answers import TokenChoice
from inspect_confidence.datasets.question_sets import SetQuestion


@dataclass(frozen=True)
class Utterance:
    """A reply, whether it was cut off, and its tokens if their log probabilities are known."""

    text: str
    cut: bool = False
    tokens: Sequence[TokenChoice] | None = None


class Respondent(Protocol):
    """A simulated model: a frozen dataclass whose fields are its parameters."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a message.

        Args:
            form: What is elicited, from the message's metadata.
            asked: All of the message's metadata.
            temperature: Decoding temperature.

        Returns:
            The reply; None if the respondent doesn't answer that form.

        Raises:
            KeyError: The item is of no data set that the package names.
        """


Number = TypeVar("Number", int, float)


def within(default: Number, least: float, most: float) -> Number:
    """A parameter of a respondent with its default, and the limits that `limits` gives."""
    return field(default=default, metadata={"limits": (least, most)})


def limits(respondent: Respondent) -> dict[str, tuple[float, float]]:
    """Least and greatest value of each parameter that has limits."""
    known = fields(respondent)
    return {one.name: one.metadata["limits"] for one in known if "limits" in one.metadata}


def seeded(seed: int, *key: object) -> np.random.Generator:
    """A generator that depends on the seed and the key alone, not on what was drawn before."""
    text = "\0".join(map(str, (seed, *key)))
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    return np.random.default_rng(int.from_bytes(digest.digest()))


def perhaps_spoilt(
    said: Utterance, error_rate: float, begun: str, rng: np.random.Generator
) -> Utterance:
    """The reply, or at the error rate one that holds no answer.

    A quarter each are in the wrong format, a refusal, empty, and cut off after `begun`.
    """
    if rng.uniform() >= error_rate:
        return said
    return (
        Utterance("That depends on many things, and people differ about them."),
        Utterance("I'm sorry, but I can't answer that."),
        Utterance(""),
        Utterance(begun, cut=True),
    )[rng.integers(4)]


BEGUN = '{"Reasoning": "I weigh what I know.", "Answer": "'

_VERDICTS = ("True", "False")


def labels_of(item: SetQuestion) -> Sequence[str]:
    """What may be answered: letters, or True and False."""
    return ascii_uppercase[: len(item.options)] if item.options else _VERDICTS


def answered(labels: Sequence[str], target: str, *, right: bool, wrong: int) -> str:
    """The right label, or the so-manieth of the others."""
    return target if right else [label for label in labels if label != target][wrong]


def json_reply(item: SetQuestion, answer: str, stated: float, token: float) -> Utterance:
    """The reply that names an answer's label, the other labels sharing the rest equally.

    Its probability is `stated` in the reply, and `token` at the label's own token.
    """
    labels = labels_of(item)
    rest = (1 - stated) / (len(labels) - 1)
    shares = dict.fromkeys(labels, rest) | {answer: stated}
    entries = shares if item.options else {"Confidence": stated}
    listed = ", ".join(f'"{name}": {share:.12g}' for name, share in entries.items())
    logs = dict.fromkeys(labels, logarithm((1 - token) / (len(labels) - 1))) | {
        answer: logarithm(token)
    }
    tokens = (
        TokenChoice(BEGUN, 0.0, {BEGUN: 0.0}),
        TokenChoice(answer, logs[answer], logs),
        TokenChoice(f'", {listed}}}', 0.0, {f'", {listed}}}': 0.0}),
    )
    return Utterance("".join(one.token for one in tokens), tokens=tokens)


def logarithm(probability: float) -> float:
    """Its logarithm; of 0, what providers send instead."""
    return math.log(probability) if probability > 0 else -9999.0
