"""Replies of simulated respondents, and functions shared by all respondents."""

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
    """Reply of a respondent: its text, whether it is cut off, and its tokens with probabilities."""

    text: str
    cut: bool = False
    tokens: Sequence[TokenChoice] | None = None


class Respondent(Protocol):
    """A simulated model: a frozen dataclass whose fields are its parameters."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a message.

        Args:
            form: Form of the elicitation, from the message's metadata.
            request: The message's metadata, and the conversation.
            temperature: Decoding temperature.

        Returns:
            The reply; None if the respondent doesn't answer this form.

        Raises:
            KeyError: The item is in none of the package's data sets.
        """


NumberT = TypeVar("NumberT", int, float)


def parameter(default: NumberT, low: float, high: float) -> NumberT:
    """Define a parameter of a respondent with its default and its limits."""
    return field(default=default, metadata={"limits": (low, high)})


def limits(respondent: Respondent) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest value of each parameter that has limits."""
    by_name = {}
    for definition in fields(respondent):
        if "limits" in definition.metadata:
            by_name[definition.name] = definition.metadata["limits"]
    return by_name


def seeded(seed: int, *key: object) -> np.random.Generator:
    """Return a random generator that depends only on the seed and the key."""
    text = "\0".join(map(str, (seed, *key)))
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    return np.random.default_rng(int.from_bytes(digest.digest()))


def spoil_at_rate(
    reply: Utterance, error_rate: float, cut_off_text: str, rng: np.random.Generator
) -> Utterance:
    """Return the reply, or with probability `error_rate` a reply without an answer.

    A quarter each are in the wrong format, a refusal, empty, and cut off after `cut_off_text`.
    """
    if rng.uniform() >= error_rate:
        return reply
    return (
        Utterance("That depends on many things, and people differ about them."),
        Utterance("I'm sorry, but I can't answer that."),
        Utterance(""),
        Utterance(cut_off_text, cut=True),
    )[rng.integers(4)]


JSON_PREFIX = '{"Reasoning": "I weigh what I know.", "Answer": "'
"""Text of a JSON reply before its answer."""

_VERDICTS = ("True", "False")


def labels_of(item: SetQuestion) -> Sequence[str]:
    """Return the labels of the possible answers: letters, or True and False."""
    return ascii_uppercase[: len(item.options)] if item.options else _VERDICTS


def answer_label(labels: Sequence[str], target: str, *, right: bool, wrong: int) -> str:
    """Return the right label, or the wrong label with index `wrong`."""
    return target if right else [label for label in labels if label != target][wrong]


def json_reply(
    item: SetQuestion, answer: str, confidence: float, token_probability: float
) -> Utterance:
    """Return a JSON reply with an answer's label; the other labels share the rest equally.

    The answer's probability is `confidence` in the text; at its token it is `token_probability`.
    The text has the probabilities of all options, or for a statement (no options) the answer's.
    """
    labels = labels_of(item)
    shares = dict.fromkeys(labels, (1 - confidence) / (len(labels) - 1))
    shares[answer] = confidence
    entries = shares if item.options else {"Confidence": confidence}
    fields_text = ", ".join(f'"{name}": {share:.12g}' for name, share in entries.items())
    logs = dict.fromkeys(labels, logarithm((1 - token_probability) / (len(labels) - 1)))
    logs[answer] = logarithm(token_probability)
    suffix = f'", {fields_text}}}'
    tokens = (
        TokenChoice(JSON_PREFIX, 0.0, {JSON_PREFIX: 0.0}),
        TokenChoice(answer, logs[answer], logs),
        TokenChoice(suffix, 0.0, {suffix: 0.0}),
    )
    return Utterance(f"{JSON_PREFIX}{answer}{suffix}", tokens=tokens)


def logarithm(probability: float) -> float:
    """Return the logarithm of a probability; for 0, the value that providers send."""
    return math.log(probability) if probability > 0 else -9999.0
