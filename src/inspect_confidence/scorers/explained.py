"""Sentences that explain a score: what was read, and how the number is computed.

The log viewer renders explanations as markdown, so whatever comes from a reply goes through
`quoted`, which leaves one short line without markup.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from inspect_confidence.printing import counted


def power(exponent: float) -> str:
    """Write a power of ten: `10^3.5`."""
    return f"10^{exponent:.4g}"


def stated_interval(level: float, lower: float, upper: float, truth: float, score: float) -> str:
    """Describe an interval of exponents that the model stated, its coverage and its score."""
    interval = f"Read {power(lower)} to {power(upper)} as the {level:g}% interval"
    return f"{interval}; {_coverage(lower, upper, truth, score)}."


def drawn_interval(
    source: str, level: float, lower: float, upper: float, truth: float, score: float
) -> str:
    """Describe an interval that `source` (draws, or probabilities) makes, and its score."""
    interval = f"{source} make {power(lower)} to {power(upper)} the {level:g}% interval"
    return f"{interval}; {_coverage(lower, upper, truth, score)}."


def _coverage(lower: float, upper: float, truth: float, score: float) -> str:
    """Say where the truth lies, whether that counts as covered, and what the score consists of."""
    position = "in"
    if truth > upper:
        position = "above"
    elif truth < lower:
        position = "below"
    outcome = "covered" if position == "in" else "missed"
    width = upper - lower
    if math.isclose(score, width, abs_tol=1e-9):
        scored = f"its width is {width:.4g} and so is its interval score"
    else:
        scored = (
            f"its interval score {score:.4g} is its width {width:.4g} and a penalty of "
            f"{score - width:.4g} for the miss"
        )
    return f"the truth {power(truth)} lies {position} it, so it counts as {outcome}; {scored}"


def draws_read(statuses: Sequence[str]) -> str:
    """Say how many draws could be read, and count the statuses of the others.

    Example:
        >>> draws_read(["ok", "ok", "refusal"])
        '2 of 3 replies could be read (1 refusal)'
        >>> draws_read(["ok", "ok"])
        'All 2 replies could be read'
        >>> draws_read([])
        'the model was not asked'
    """
    if not statuses:
        return "the model was not asked"
    failures = Counter(status for status in statuses if status != "ok")
    if not failures and len(statuses) > 1:
        return f"All {len(statuses)} replies could be read"
    counts = ", ".join(f"{count} {status}" for status, count in failures.most_common())
    replies = counted(len(statuses), "reply", "replies")
    sentence = f"{len(statuses) - failures.total()} of {replies} could be read"
    return f"{sentence} ({counts})" if counts else sentence


# Markup inside a line of markdown or mathematics; the viewer itself escapes HTML.
_MARKUP = re.compile(r"[\\`*_~$]")


def quoted(text: object, longest: int = 160) -> str:
    r"""Write a foreign text on one line, cut to a number of characters, with its markup escaped.

    Example:
        >>> print(quoted("**80**  to\n$90"))
        \*\*80\*\* to \$90
        >>> quoted("a long reply", longest=6)
        'a long...'
    """
    line = " ".join(str(text).split())
    cut = line if len(line) <= longest else f"{line[:longest].rstrip()}..."
    # The blank keeps `[text](address)` from being a link.
    return _MARKUP.sub(r"\\\g<0>", cut).replace("](", "] (")


def unread(quantity: str, status: str, detail: str) -> str:
    """Say that a quantity could not be read, and why.

    Example:
        >>> unread("interval", "invalid_response_format", "the reply has one number only")
        'No interval could be read (invalid_response_format): the reply has one number only.'
    """
    reason = quoted(detail).rstrip(".") or "no reason is known"
    return f"No {quantity} could be read ({status}): {reason}."


def confidence_on_scale(value: Mapping[str, float]) -> str:
    """Describe a report (`raw`) on the scale `low` to `high`, and the confidence it stands for."""
    raw, low, high = value["raw"], value["low"], value["high"]
    scale = f"{raw:g} on the scale {low:g} to {high:g}"
    if value["violation"]:
        return f"its confidence, {scale}, is too far outside to count"
    clipped = ", which is just outside and taken for its end" if value["clipped"] else ""
    return f"its confidence, {scale}{clipped}, counts as {value['confidence']:.4g}"


def right_or_wrong(answer: str, target: str, right: bool) -> str:
    """Quote the answer that was read and the target, and say whether the answer is right."""
    texts = f'Read the answer "{quoted(answer, 60)}"; the target is "{quoted(target, 60)}"'
    return f"{texts}, so it is {'right' if right else 'wrong'}"


def probability_read(probability: float, word: str) -> str:
    """Describe the probability that was read for a word."""
    meaning = f' as what "{quoted(word, 60)}" means' if word else ""
    return f"Read the probability {probability:.4g}{meaning}."


def age_read(value: Mapping[str, float], radius: float) -> str:
    """Describe an age at death, and its confidence if there is one, by the life table.

    `value` has the score's numbers; `mas` is the chance that the best answer has.
    """
    confidence = gap = ""
    if not math.isnan(value["confidence"]):
        confidence = f" with a confidence of {value['confidence']:.4g}"
        gap = f", so overconfidence is {value['overconfidence']:+.4f}"
    return (
        f"Read {value['answer']:g} years{confidence}; by the life table the chance to die within "
        f"{radius:g} years of that age is {value['score']:.4f}{gap}; the best answer, "
        f"{value['best_answer']:g} years, has {value['mas']:.4f}."
    )


def option_read(value: Mapping[str, float], answer: str, target: str) -> str:
    """Describe an answer with its stated probability and its token's, from the score's value.

    `answer` is empty if the question gave the answer. A `raw_sum` above 0 says that each option's
    probability was stated.
    """
    right = bool(value["correct"])
    if answer:
        text = right_or_wrong(answer, target, right)
    else:
        text = f"The answer that was given is {'right' if right else 'wrong'}"
    if not math.isnan(value["confidence"]):
        text += f"; the confidence stated for it is {value['confidence']:.4g}"
        if value["raw_sum"] > 0:
            text += f" (the options' probabilities add up to {value['raw_sum']:.4g} as stated)"
    token = value["token_confidence"]
    return (
        f"{text}." if math.isnan(token) else f"{text}; its token has a probability of {token:.4g}."
    )


def hedges_judged(value: Mapping[str, float], verdict: str) -> str:
    """Describe a hedged reply: its decisiveness and its internal confidence, from the score."""
    sentences = _count(value["sentences"], "sentence")
    if not math.isnan(value["markers"]):
        sentences += f" with {_count(value['markers'], 'marker')}"
    text = (
        f"Judged {sentences}: mean decisiveness is {_number(value['decisiveness'])}, mean "
        f"agreement with {_count(value['draws'], 'other answer')} (internal confidence) "
        f"{_number(value['confidence'])}, and 1 less their mean distance by sentence, the "
        f"faithfulness, {_number(value['faithfulness'])}; {verdict}."
    )
    if value["cut"]:
        text += " The last sentence was cut off and left out."
    if value["foreign"]:
        text += f" Left out: {_count(value['foreign'], 'marker')} not in the sentence."
    if value["failed"]:
        failed, judgments = value["failed"], value["judgments"]
        text += f" The judge failed at {failed:g} of {judgments:g} judgments."
    return text


def markers_compared(
    extracted: Iterable[str], labels: Iterable[str], counts: Mapping[str, float]
) -> str:
    """Compare the markers that a judge extracted with the labelled ones."""
    return (
        f"The judge found {_quoted_list(extracted)}; labelled are {_quoted_list(labels)}: "
        f"{counts['found']:g} found, {counts['missed']:g} missed, {counts['false']:g} too many."
    )


def judged_as_labelled(judgment: object, label: object, is_equal: bool) -> str:
    """Say what a judge said, and the label if it is another one."""
    verdict = "as labelled" if is_equal else f'where the label is "{quoted(label, 60)}"'
    return f'The judge said "{quoted(judgment, 60)}", {verdict}.'


def _number(number: float) -> str:
    return "unknown" if math.isnan(number) else f"{number:.3g}"


def _count(number: float, noun: str) -> str:
    return f"{number:g} {noun}" + ("" if number == 1 else "s")


def _quoted_list(words: Iterable[str]) -> str:
    return ", ".join(f'"{quoted(word, 40)}"' for word in words) or "none"
