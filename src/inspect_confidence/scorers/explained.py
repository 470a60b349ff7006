"""A sentence for each score: what was read, and how the number came about.

The log viewer renders explanations as markdown, so whatever comes from a reply goes through
`quoted`, which leaves one short line without markup.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence


def power(exponent: float) -> str:
    """A power of ten: `10^3.5`."""
    return f"10^{exponent:.4g}"


def stated_interval(level: float, lower: float, upper: float, truth: float, score: float) -> str:
    """An interval of exponents that the model stated, whether it covers, and its score."""
    read = f"Read {power(lower)} to {power(upper)} as the {level:g}% interval"
    return f"{read}; {_judged(lower, upper, truth, score)}."


def drawn_interval(
    what: str, level: float, lower: float, upper: float, truth: float, score: float
) -> str:
    """An interval that was made of several draws, or of probabilities."""
    made = f"{what} make {power(lower)} to {power(upper)} the {level:g}% interval"
    return f"{made}; {_judged(lower, upper, truth, score)}."


def _judged(lower: float, upper: float, truth: float, score: float) -> str:
    where = "above" if truth > upper else "below" if truth < lower else "in"
    counts = "covered" if where == "in" else "missed"
    width = upper - lower
    scored = (
        f"its width is {width:.4g} and so is its interval score"
        if math.isclose(score, width, abs_tol=1e-9)
        else f"its interval score {score:.4g} is its width {width:.4g} and a penalty of "
        f"{score - width:.4g} for the miss"
    )
    return f"the truth {power(truth)} lies {where} it, so it counts as {counts}; {scored}"


def draws_read(statuses: Sequence[str]) -> str:
    """How many draws could be read, and what became of the others.

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
    lost = Counter(status for status in statuses if status != "ok")
    if not lost and len(statuses) > 1:
        return f"All {len(statuses)} replies could be read"
    others = ", ".join(f"{count} {status}" for status, count in lost.most_common())
    read = f"{len(statuses) - lost.total()} of {len(statuses)} replies could be read"
    return f"{read} ({others})" if others else read


# What is markup inside a line of markdown or mathematics; the viewer itself escapes HTML.
_MARKUP = re.compile(r"[\\`*_~$]")


def quoted(text: object, longest: int = 160) -> str:
    r"""Text of somebody else's on one line, cut to so many characters, its markup made plain.

    Example:
        >>> print(quoted("**80**  to\n$90"))
        \*\*80\*\* to \$90
        >>> quoted("a long reply", longest=6)
        'a long...'
    """
    line = " ".join(str(text).split())
    cut = line if len(line) <= longest else f"{line[:longest].rstrip()}..."
    return _MARKUP.sub(r"\\\g<0>", cut).replace("](", "] (")  # no link


def unread(what: str, status: str, detail: str) -> str:
    """Why there is no number.

    Example:
        >>> unread("interval", "invalid_response_format", "the reply has one number only")
        'No interval could be read (invalid_response_format): the reply has one number only.'
    """
    said = quoted(detail).rstrip(".") or "no reason is known"
    return f"No {what} could be read ({status}): {said}."


def confidence_on_scale(value: Mapping[str, float]) -> str:
    """What a report on a scale is as a confidence, from the score's own value."""
    raw, low, high = value["raw"], value["low"], value["high"]
    scale = f"{raw:g} on the scale {low:g} to {high:g}"
    if value["violation"]:
        return f"its confidence, {scale}, is too far outside to count"
    clipped = ", which is just outside and taken for its end" if value["clipped"] else ""
    return f"its confidence, {scale}{clipped}, counts as {value['confidence']:.4g}"


def right_or_wrong(answer: str, target: str, right: bool) -> str:
    """An answer beside the target."""
    said = f'Read the answer "{quoted(answer, 60)}"; the target is "{quoted(target, 60)}"'
    return f"{said}, so it is {'right' if right else 'wrong'}"


def probability_read(probability: float, word: str) -> str:
    """The probability that a word stands for."""
    meant = f' as what "{quoted(word, 60)}" means' if word else ""
    return f"Read the probability {probability:.4g}{meant}."


def age_read(value: Mapping[str, float], radius: float) -> str:
    """An age at death, with its confidence if there is one, against the life table."""
    stated = not math.isnan(value["confidence"])
    said = f" with a confidence of {value['confidence']:.4g}" if stated else ""
    gap = f", so overconfidence is {value['overconfidence']:+.4f}" if stated else ""
    return (
        f"Read {value['answer']:g} years{said}; by the life table the chance to die within "
        f"{radius:g} years of that age is {value['score']:.4f}{gap}; the best answer, "
        f"{value['best_answer']:g} years, has {value['mas']:.4f}."
    )


def option_read(value: Mapping[str, float], named: str, target: str) -> str:
    """An answer with its stated probability and its token's, from the score's own value."""
    right = bool(value["correct"])
    given = f"The answer that was given is {'right' if right else 'wrong'}"
    said = right_or_wrong(named, target, right) if named else given
    stated, total, token = (value[key] for key in ("confidence", "raw_sum", "token_confidence"))
    if not math.isnan(stated):
        said += f"; the confidence stated for it is {stated:.4g}"
        said += (
            f" (the options' probabilities add up to {total:.4g} as stated)" if total > 0 else ""
        )
    return (
        f"{said}." if math.isnan(token) else f"{said}; its token has a probability of {token:.4g}."
    )


def hedges_judged(value: Mapping[str, float], right: str) -> str:
    """A hedged reply: its decisiveness against its internal confidence, from the score's value."""
    counts = _counted(value["sentences"], "sentence")
    said = "" if math.isnan(value["markers"]) else f" with {_counted(value['markers'], 'marker')}"
    failed = value["failed"]
    lost = f" The judge failed at {failed:g} of {value['judgments']:g} judgments." if failed else ""
    foreign = value["foreign"]
    left = f" Left out: {_counted(foreign, 'marker')} not in the sentence." if foreign else ""
    cut = " The last sentence was cut off and left out." if value["cut"] else ""
    others = _counted(value["draws"], "other answer")
    return (
        f"Judged {counts}{said}: mean decisiveness is {_known(value['decisiveness'])}, mean "
        f"agreement with {others} (internal confidence) {_known(value['confidence'])}, and "
        f"1 less their mean distance by sentence, the faithfulness, {_known(value['faithfulness'])}"
        f"; {right}.{cut}{left}{lost}"
    )


def markers_compared(
    found: Iterable[str], labelled: Iterable[str], counts: Mapping[str, float]
) -> str:
    """The markers that a judge found beside those labelled."""
    return (
        f"The judge found {_listed(found)}; labelled are {_listed(labelled)}: "
        f"{counts['found']:g} found, {counts['missed']:g} missed, {counts['false']:g} too many."
    )


def judged_as_labelled(said: object, label: object, same: bool) -> str:
    """A judge's word beside the label."""
    verdict = "as labelled" if same else f'where the label is "{quoted(label, 60)}"'
    return f'The judge said "{quoted(said, 60)}", {verdict}.'


def _known(number: float) -> str:
    return "unknown" if math.isnan(number) else f"{number:.3g}"


def _counted(number: float, what: str) -> str:
    return f"{number:g} {what}" + ("" if number == 1 else "s")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f'"{quoted(word, 40)}"' for word in words) or "none"
