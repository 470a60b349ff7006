"""A simulated respondent to questions with confidence, whose metacognition is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from string import ascii_uppercase
from typing import Any

from inspect_confidence.arguments import parts
from inspect_confidence.datasets.question_sets import SetQuestion, known_question
from inspect_confidence.datasets.questions import Question, question_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.respondents import utterance
from inspect_confidence.respondents.observer import MIDDLE, draw_evidence, reported_share, reports
from inspect_confidence.respondents.utterance import Utterance, perhaps_spoilt, seeded, within
from inspect_confidence.scales import Scale, read_scales

NARROW = 50
"""Scales that end at most here are taken for percent by a respondent that slips."""


@dataclass(frozen=True)
class Metacognitive:
    """Answers right at a rate, with confidence from an observer of known sensitivity.

    Whether an item is answered right and how much evidence there is doesn't depend on the scale,
    so that scales differ in nothing but what is done with them.

    Attributes:
        seed: Of answers and reports.
        accuracy: Share of items answered right, in [0, 1]; estimated by `accuracy`.
        meta_d: d' of the observer that confidence comes from, in [0, 6]; by `meta_d_ideal` where
            `anchor_share` is 0.
        bias: Added to the evidence before it is reported, in [-5, 5]: minus the shift of the
            criterion; by `type2_criterion`.
        round_to: Reports are multiples of it on scales at least ten times as wide.
        anchor_share: Share of reports that are the top of the scale whatever the evidence, in
            [0, 1]; by the excess of `top1_share`.
        slip: Share of reports on scales that end at 50 or below that are percentages outside the
            scale, in [0, 1]; by `violation_rate`.
        error_rate: Share of replies that hold no answer, in [0, 1].
        scale_meta_d: A meta_d of its own for some scales, as `0-20:2,0-100:1`.
    """

    seed: int = 0
    accuracy: float = within(0.75, 0, 1)
    meta_d: float = within(1.5, 0, 6)
    bias: float = within(0.5, -5, 5)
    round_to: int = within(5, 1, 100)
    anchor_share: float = within(0.0, 0, 1)
    slip: float = within(0.0, 0, 1)
    error_rate: float = within(0.0, 0, 1)
    scale_meta_d: str | list[str] = ""

    def __post_init__(self) -> None:
        self._of_scales()  # a mistake is an error before the first question

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a question with confidence; the temperature changes nothing."""
        if form == "stated":
            item = shown(question_of(str(asked["item"])), asked.get("choices") or ())
            scale = Scale(int(asked["low"]), int(asked["high"]))
            return self.stated(item, int(asked["draw"]), scale)
        if form in ("options", "true_false"):
            return self.in_json(known_question(str(asked["item"])), int(asked["draw"]))
        if form == "given":
            answered = known_question(str(asked["item"]))
            return self.of_given(answered, str(asked["given"]), int(asked["draw"]))
        return None

    def stated(self, item: Question, draw: int, scale: Scale) -> Utterance:
        """An answer and its confidence on a scale."""
        rng = seeded(self.seed, "stated", item.id, draw)
        right = bool(rng.uniform() < self.accuracy)
        evidence = draw_evidence(right, self._of_scales().get(scale, self.meta_d), rng.uniform())
        wrong = int(rng.integers(max(len(item.choices) - 1, 1)))
        share = float(reported_share(evidence, self.bias))
        on_scale = seeded(self.seed, "report", item.id, draw, scale)
        raw = int(reports(share, *scale, self.round_to))
        if on_scale.uniform() < self.anchor_share:
            raw = scale.high
        if scale.high <= NARROW and on_scale.uniform() < self.slip:
            beyond = scale.high + (scale.high - scale.low) // 20 + 1
            raw = max(round(100 * share), beyond)
        if item.choices:
            letters = ascii_uppercase[: len(item.choices)]
            answer = utterance.answered(letters, item.target, right=right, wrong=wrong)
            begun = f"Answer: {answer}\nConfidence:"
        else:
            number = item.target if right else f"{Decimal(item.target) + 1:f}"
            begun = f"Solution: I work it out.\nFinal Answer: {number}\nConfidence:"
        return perhaps_spoilt(Utterance(f"{begun} {raw}"), self.error_rate, begun, on_scale)

    def in_json(self, item: SetQuestion, draw: int) -> Utterance:
        """An answer in JSON with the probability of each option, and its token's.

        Both come from the same evidence: a share of 0 is the probability of chance, 1 certainty.
        What is stated is rounded to multiples of `round_to` percent, the token's isn't.
        """
        rng = seeded(self.seed, "stated", item.id, draw)
        right = bool(rng.uniform() < self.accuracy)
        evidence = draw_evidence(right, self.meta_d, rng.uniform())
        labels = utterance.labels_of(item)
        options, wrong = len(labels), int(rng.integers(len(labels) - 1))
        answer = utterance.answered(labels, item.target, right=right, wrong=wrong)
        exact = 1 / options + (1 - 1 / options) * float(reported_share(evidence, self.bias))
        on_options = seeded(self.seed, "report", item.id, draw)
        anchored = on_options.uniform() < self.anchor_share
        percent = 100 if anchored else int(reports(exact, 0, 100, self.round_to))
        said = utterance.json_reply(item, answer, percent / 100, exact)
        return perhaps_spoilt(said, self.error_rate, utterance.BEGUN, on_options)

    def of_given(self, item: SetQuestion, given: str, draw: int) -> Utterance:
        """The confidence in an answer that is given: it has evidence for what is right.

        The evidence is normal about plus or minus half of `meta_d`; half is reported where it and
        the bias cancel. `accuracy` has no part in it.
        """
        rng = seeded(self.seed, "given", item.id, given, draw)
        right = next(one.right for one in item.given if one.name == given)
        evidence = rng.normal(self.meta_d / 2 if right else -self.meta_d / 2)
        share = float(reported_share(evidence + MIDDLE, self.bias))
        percent = int(reports(share, 0, 100, self.round_to))
        begun = '{"Confidence":'
        return perhaps_spoilt(
            Utterance(f"{begun} {percent / 100:g}}}"), self.error_rate, begun, rng
        )

    def _of_scales(self) -> dict[Scale, float]:
        found = {}
        least, most = utterance.limits(self)["meta_d"]
        for part in parts(self.scale_meta_d):
            name, _, value = part.partition(":")
            try:
                (scale,), meta_d = read_scales(name), float(value)
            except ValueError:  # of several scales, none, or no number
                scale, meta_d = Scale(0, 0), -1.0
            if not least <= meta_d <= most:
                raise InvalidArgument(
                    f"scale_meta_d={part} is not of the form 0-20:1.5: one scale, and a meta_d "
                    f"from {least:g} to {most:g}."
                )
            found[scale] = meta_d
        return found


def shown(item: Question, choices: Sequence[str]) -> Question:
    """The question with its choices in the order in which a run's seed shows them."""
    if not choices or tuple(choices) == item.choices:
        return item
    right = item.choices[ascii_uppercase.index(item.target)]
    return replace(item, choices=tuple(choices), target=ascii_uppercase[choices.index(right)])
