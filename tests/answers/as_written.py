"""Replies as ten families of models write them, and how each is read.

The corpus `as_written/` holds 4,452 replies to the protocols' prompts: Markdown, LaTeX, JSON whole
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
LabelledOutcome = Literal["read", "unread", "misread", "guessed", "left"]
"""What became of a value: read as labelled; left, or read otherwise, though a person reads it; read
though a person can't; left by both."""
Values = dict[str, Any]
"""Values of a reply by name; what cannot be read is a `ParseFailure`, in labels a status."""


@dataclass(frozen=True)
class LabelledReply:
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


def labelled_replies(half: Half) -> list[LabelledReply]:
    """The replies of one half."""
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").split("\n")
    return [LabelledReply(**json.loads(line)) for line in lines if line]


def read(case: LabelledReply) -> Values:
    """What the readers make of a reply."""
    return READERS[case.form](case)


def outcomes(case: LabelledReply) -> dict[str, LabelledOutcome]:
    """What became of each value of a reply."""
    values = read(case)
    return {name: outcome(values[name], label) for name, label in case.labels.items()}


def tally(replies: Iterable[LabelledReply]) -> dict[str, Counter[LabelledOutcome]]:
    """How many values of each form had which outcome."""
    counts: dict[str, Counter[LabelledOutcome]] = {}
    for case in replies:
        counts.setdefault(case.form, Counter()).update(outcomes(case).values())
    return counts


def outcome(parsed: object, label: object) -> LabelledOutcome:
    """What became of one value, by its label."""
    is_read = not isinstance(parsed, readers.ParseFailure)
    if isinstance(label, dict) and "status" in label:
        return "guessed" if is_read else "left"
    if not is_read:
        return "unread"
    return "read" if _is_same(parsed, label) else "misread"


def _is_same(parsed: object, label: object) -> bool:
    """Whether they are alike; letters and words to the letter, numbers as they were rounded."""
    if isinstance(parsed, dict) and isinstance(label, dict):
        return all(_is_same(parsed[name], value) for name, value in label.items())
    if isinstance(parsed, list) and isinstance(label, list):
        return len(parsed) == len(label) and all(map(_is_same, parsed, label))
    if isinstance(parsed, Fraction):
        return parsed == Fraction(str(label))
    if isinstance(parsed, bool) or isinstance(label, bool | str):
        return type(parsed) is type(label) and parsed == label
    assert isinstance(parsed, int | float), parsed
    assert isinstance(label, int | float), label
    return abs(parsed - label) <= ROUNDED


ROUNDED = 5e-5
"""Logarithms are labelled with four decimals."""


def _value(parsed: object, attribute: str) -> object:
    return parsed if isinstance(parsed, readers.ParseFailure) else getattr(parsed, attribute)


def _confidence(case: LabelledReply) -> object:
    low, high = case.asked["low"], case.asked["high"]
    return _value(readers.read_confidence(case.reply, low, high, truncated=case.cut), "raw")


def _scale(case: LabelledReply) -> Values:
    chosen = readers.read_choice(case.reply, case.asked["options"], truncated=case.cut)
    return {"answer": _letter(_value(chosen, "index")), "confidence": _confidence(case)}


def _scale_math(case: LabelledReply) -> Values:
    amount = readers.read_amount(case.reply, truncated=case.cut)
    return {"answer": _value(amount, "value"), "confidence": _confidence(case)}


def _letter(index: object) -> object:
    return LETTERS[index] if isinstance(index, int) else index


def _interval(case: LabelledReply) -> Values:
    interval = readers.read_interval(case.reply, truncated=case.cut)
    if isinstance(interval, readers.StatedInterval):
        return {"interval": {"lower": interval.lower, "upper": interval.upper}}
    return {"interval": interval}


def _exponent(case: LabelledReply) -> Values:
    return {case.form: _value(readers.read_exponent(case.reply, truncated=case.cut), "value")}


def _probability(case: LabelledReply) -> Values:
    probability = readers.read_probability(case.reply, truncated=case.cut)
    return {"probability": _value(probability, "value")}


def _word(case: LabelledReply) -> Values:
    choice = readers.read_word_choice(
        case.reply, case.asked["choices"], chain_of_thought=case.asked["cot"], truncated=case.cut
    )
    return {"word": _value(choice, "index")}


def _in_object(case: LabelledReply) -> Values:
    """The values of a form that asks for JSON, each by its own reader."""
    reply = readers.read_json(case.reply, truncated=case.cut)
    if isinstance(reply, readers.ParseFailure):
        return dict.fromkeys(NAMES[case.form], reply)
    options = case.asked.get("options", [])
    by_name: dict[str, Callable[[], object]] = {
        "age": lambda: readers.age_in(reply),
        "confidence": lambda: readers.probability_in(reply),
        "probabilities": lambda: _as_stated(readers.probabilities_in(reply, len(options), options)),
        "answer": lambda: (
            _letter(readers.letter_in(reply, options)) if options else readers.verdict_in(reply)
        ),
    }
    return {name: by_name[name]() for name in NAMES[case.form]}


def _as_stated(shares: readers.OptionProbabilities | readers.ParseFailure) -> object:
    """Shares before they were normalised, as they are labelled."""
    if isinstance(shares, readers.ParseFailure):
        return shares
    return [value * shares.raw_sum for value in shares.values]


def _sentence(case: LabelledReply) -> Values:
    agreements = read_agreements(case.reply, case.asked["count"])
    failed = next((word for word in agreements if isinstance(word, readers.ParseFailure)), None)
    return {
        "markers": read_markers(case.reply, case.asked["sentence"]),
        "decisiveness": read_decisiveness(case.reply),
        "agreement": failed or list(agreements),
    }


READERS: dict[str, Callable[[LabelledReply], Values]] = {
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
    "judge_markers": lambda case: {"markers": read_markers(case.reply, case.asked["sentence"])},
    "judge_decisiveness": lambda case: {case.form: read_decisiveness(case.reply)},
    "judge_agreement": lambda case: {case.form: read_agreement(case.reply)},
    "judge_verdict": lambda case: {case.form: read_verdict(case.reply)},
    "judge_sentence": _sentence,
}
