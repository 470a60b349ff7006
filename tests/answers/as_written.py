"""Replies as ten families of models write them, and how each is read.

The corpus `as_written/` holds 4,510 replies to the protocols' prompts: Markdown, LaTeX, JSON whole
and broken, thoughts, special tokens, other languages, corrections, refusals, cut ends. Hands wrote
them that had seen the prompts and no reader; others labelled them from the text alone, as somebody
reads who must not guess. They came in rounds, each new to the readers: `unseen.jsonl` has the last.

A reply holds one or more values, as an answer and a confidence: each is counted by itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from inspect_confidence import answers as readers
from inspect_confidence.answers.judged import (
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)

FOLDER = Path(__file__).parent / "as_written"
LETTERS = "ABCDEFGHIJ"

Half = Literal["tuned", "unseen"]
Outcome = Literal["read", "unread", "misread", "guessed", "left"]
"""What became of a value: read as labelled; left, or read otherwise, though a person reads it; read
though a person can't; left by both."""
Values = dict[str, Any]
"""A reply's values by name; what cannot be read is `ParseFailure` or `{"status": ...}`."""


@dataclass(frozen=True)
class Written:
    """A reply and its label.

    Attributes:
        form: What was asked for, a key of `READERS`.
        family: In whose manner it is written.
        asked: What a reader knows of the prompt: options, scale, sentence.
        reply: Its text.
        gives: What a person reads in it.
        cut: Whether it ended at a limit of tokens.
    """

    form: str
    family: str
    asked: dict[str, Any]
    reply: str
    gives: Any
    cut: bool = False

    @property
    def labels(self) -> Values:
        """What a person reads, by name as `read` gives it."""
        names = NAMES.get(self.form, (self.form,))
        if isinstance(self.gives, dict) and names[0] in self.gives:
            return {name: self.gives[name] for name in names}
        return {names[0]: self.gives}


NAMES: dict[str, tuple[str, ...]] = {
    "scale": ("answer", "confidence"),
    "scale_math": ("answer", "confidence"),
    "life": ("age", "confidence"),
    "options": ("answer", "probabilities"),
    "true_false": ("answer", "confidence"),
    "given": ("confidence",),
    "judge_markers": ("markers",),
    "judge_sentence": ("markers", "decisiveness", "agreement"),
}
"""The values of each form; those of the others have the form's name."""


def written(half: Half) -> list[Written]:
    """The replies of one half."""
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").split("\n")
    return [Written(**json.loads(line)) for line in lines if line]


def read(one: Written) -> Values:
    """What the readers make of a reply."""
    return READERS[one.form](one)


def outcomes(one: Written) -> dict[str, Outcome]:
    """What became of each value of a reply."""
    found = read(one)
    return {name: _outcome(found[name], label) for name, label in one.labels.items()}


def tally(replies: Iterable[Written]) -> dict[str, Counter[Outcome]]:
    """How many values of each form had which outcome."""
    counts: dict[str, Counter[Outcome]] = {}
    for one in replies:
        counts.setdefault(one.form, Counter()).update(outcomes(one).values())
    return counts


def _outcome(found: object, label: object) -> Outcome:
    is_read = not isinstance(found, readers.ParseFailure)
    if isinstance(label, dict) and "status" in label:
        return "guessed" if is_read else "left"
    if not is_read:
        return "unread"
    return "read" if _same(found, label) else "misread"


def _same(found: object, label: object) -> bool:
    """Whether they are alike; letters and words to the letter, numbers as they were rounded."""
    if isinstance(found, dict) and isinstance(label, dict):
        return all(_same(found[name], value) for name, value in label.items())
    if isinstance(found, list) and isinstance(label, list):
        return len(found) == len(label) and all(map(_same, found, label))
    if isinstance(found, Fraction):
        return found == Fraction(str(label))
    if isinstance(found, bool) or isinstance(label, bool | str):
        return type(found) is type(label) and found == label
    assert isinstance(found, int | float), found
    assert isinstance(label, int | float), label
    return abs(found - label) <= ROUNDED


ROUNDED = 5e-5
"""Logarithms are labelled with four decimals."""


def _value(found: object, attribute: str) -> object:
    return found if isinstance(found, readers.ParseFailure) else getattr(found, attribute)


def _confidence(one: Written) -> object:
    low, high = one.asked["low"], one.asked["high"]
    return _value(readers.read_confidence(one.reply, low, high, truncated=one.cut), "raw")


def _scale(one: Written) -> Values:
    chosen = readers.read_choice(one.reply, one.asked["options"], truncated=one.cut)
    return {"answer": _letter(_value(chosen, "index")), "confidence": _confidence(one)}


def _scale_math(one: Written) -> Values:
    amount = readers.read_amount(one.reply, truncated=one.cut)
    return {"answer": _value(amount, "value"), "confidence": _confidence(one)}


def _letter(index: object) -> object:
    return LETTERS[index] if isinstance(index, int) else index


def _interval(one: Written) -> Values:
    found = readers.read_interval(one.reply, truncated=one.cut)
    if isinstance(found, readers.StatedInterval):
        return {"interval": {"lower": found.lower, "upper": found.upper}}
    return {"interval": found}


def _exponent(one: Written) -> Values:
    return {one.form: _value(readers.read_exponent(one.reply, truncated=one.cut), "value")}


def _probability(one: Written) -> Values:
    found = readers.read_probability(one.reply, truncated=one.cut)
    return {"probability": _value(found, "value")}


def _word(one: Written) -> Values:
    found = readers.read_word_choice(
        one.reply, one.asked["choices"], chain_of_thought=one.asked["cot"], truncated=one.cut
    )
    return {"word": _value(found, "index")}


def _in_object(one: Written) -> Values:
    """The values of a form that asks for JSON, each by its own reader."""
    reply = readers.read_json(one.reply, truncated=one.cut)
    if isinstance(reply, readers.ParseFailure):
        return dict.fromkeys(NAMES[one.form], reply)
    options = one.asked.get("options", [])
    by_name: dict[str, Callable[[], object]] = {
        "age": lambda: readers.age_in(reply),
        "confidence": lambda: readers.probability_in(reply),
        "probabilities": lambda: _as_stated(readers.probabilities_in(reply, len(options), options)),
        "answer": lambda: (
            _letter(readers.letter_in(reply, options)) if options else readers.verdict_in(reply)
        ),
    }
    return {name: by_name[name]() for name in NAMES[one.form]}


def _as_stated(found: readers.OptionProbabilities | readers.ParseFailure) -> object:
    """Shares before they were normalised, as they are labelled."""
    if isinstance(found, readers.ParseFailure):
        return found
    return [value * found.raw_sum for value in found.values]


def _sentence(one: Written) -> Values:
    found = read_agreements(one.reply, one.asked["count"])
    failed = next((word for word in found if isinstance(word, readers.ParseFailure)), None)
    return {
        "markers": read_markers(one.reply, one.asked["sentence"]),
        "decisiveness": read_decisiveness(one.reply),
        "agreement": failed or list(found),
    }


READERS: dict[str, Callable[[Written], Values]] = {
    "scale": _scale,
    "scale_math": _scale_math,
    "interval": _interval,
    "exponent": _exponent,
    "integer": _exponent,
    "probability": _probability,
    "word": _word,
    "life": _in_object,
    "options": _in_object,
    "true_false": _in_object,
    "given": _in_object,
    "judge_markers": lambda one: {"markers": read_markers(one.reply, one.asked["sentence"])},
    "judge_decisiveness": lambda one: {one.form: read_decisiveness(one.reply)},
    "judge_agreement": lambda one: {one.form: read_agreement(one.reply)},
    "judge_verdict": lambda one: {one.form: read_verdict(one.reply)},
    "judge_sentence": _sentence,
}
