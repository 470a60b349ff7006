"""Simulated respondent to questions with confidence, with known metacognition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from string import ascii_uppercase
from typing import Any

import numpy as np

from inspect_confidence.arguments import parts
from inspect_confidence.datasets.question_sets import SetQuestion, known_question
from inspect_confidence.datasets.questions import Question, question_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.respondents import utterance
from inspect_confidence.respondents.observer import MIDDLE, draw_evidence, reported_share, reports
from inspect_confidence.respondents.utterance import Utterance, parameter, seeded, spoil_at_rate
from inspect_confidence.scales import Scale, read_scales

NARROW = 50
"""Highest end of the scales that a respondent with `slip` mistakes for percent."""


@dataclass(frozen=True)
class Metacognitive:
    """Respondent with known accuracy, and confidence from an observer of known sensitivity.

    The scale has no influence on whether an item is answered right, nor on the evidence, so that
    scales differ only in the reports.

    Attributes:
        seed: Seed of answers and reports.
        accuracy: Share of items answered right, in [0, 1]; estimated by `accuracy`.
        meta_d: d' of the observer that confidence comes from, in [0, 6]; estimated by
            `meta_d_ideal` if `anchor_share` is 0.
        bias: Constant added to the evidence before it is reported, in [-5, 5]: minus the shift of
            the criterion; estimated by `type2_criterion`.
        round_to: Step of the reports on scales at least ten times as wide.
        anchor_share: Share of reports that are the top of the scale regardless of the evidence, in
            [0, 1]; estimated by the excess of `top1_share`.
        slip: Share of reports that are percentages outside the scale, for scales that end at 50 or
            below, in [0, 1]; estimated by `violation_rate`.
        error_rate: Share of replies without an answer, in [0, 1].
        scale_meta_d: Values of meta_d for single scales, such as `0-20:2,0-100:1`.
    """

    seed: int = 0
    accuracy: float = parameter(0.75, 0, 1)
    meta_d: float = parameter(1.5, 0, 6)
    bias: float = parameter(0.5, -5, 5)
    round_to: int = parameter(5, 1, 100)
    anchor_share: float = parameter(0.0, 0, 1)
    slip: float = parameter(0.0, 0, 1)
    error_rate: float = parameter(0.0, 0, 1)
    scale_meta_d: str | list[str] = ""

    def __post_init__(self) -> None:
        self._scale_meta_ds()  # fail before the first question

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a question with confidence, or return None for another form.

        The form says how the confidence is asked for: on a scale (`stated`), in JSON with the
        answer (`options`, `true_false`), or for an answer in the request (`given`). The temperature
        has no effect.
        """
        if form == "stated":
            choices = request.get("choices") or ()
            item = with_choice_order(question_of(str(request["item"])), choices)
            scale = Scale(int(request["low"]), int(request["high"]))
            return self.reply_on_scale(item, int(request["draw"]), scale)
        if form in ("options", "true_false"):
            return self.reply_in_json(known_question(str(request["item"])), int(request["draw"]))
        if form == "given":
            question = known_question(str(request["item"]))
            return self.rate_answer(question, str(request["given"]), int(request["draw"]))
        return None

    def reply_on_scale(self, item: Question, draw: int, scale: Scale) -> Utterance:
        """Reply with an answer to a question and the confidence in it, a number on the scale.

        The confidence comes from evidence that tells right answers from wrong ones with the
        sensitivity `meta_d`, or with that of `scale_meta_d` for this scale. At the respondent's
        `error_rate` a reply is spoilt: it has no answer.
        """
        rng = seeded(self.seed, "stated", item.id, draw)
        right = bool(rng.uniform() < self.accuracy)
        meta_d = self._scale_meta_ds().get(scale, self.meta_d)
        evidence = draw_evidence(right, meta_d, rng.uniform())
        # Index among the wrong choices; without choices it is not used.
        wrong = int(rng.integers(max(len(item.choices) - 1, 1)))
        if item.choices:
            letters = ascii_uppercase[: len(item.choices)]
            answer = utterance.answer_label(letters, item.target, right=right, wrong=wrong)
            prefix = f"Answer: {answer}\nConfidence:"
        else:
            number = item.target if right else f"{Decimal(item.target) + 1:f}"  # a wrong number
            prefix = f"Solution: I work it out.\nFinal Answer: {number}\nConfidence:"
        # Answer and evidence are the same on all scales; only reports differ.
        report_rng = seeded(self.seed, "report", item.id, draw, scale)
        report = self._draw_report(float(reported_share(evidence, self.bias)), scale, report_rng)
        return spoil_at_rate(Utterance(f"{prefix} {report}"), self.error_rate, prefix, report_rng)

    def _draw_report(self, share: float, scale: Scale, rng: np.random.Generator) -> int:
        """Return the number that the respondent reports for a share of the scale.

        With probability `anchor_share` it is the top of the scale. On a scale that ends at 50 or
        below it is, with probability `slip`, a percentage that counts as outside the scale.
        """
        low, high = int(scale.low), int(scale.high)  # the study's scales are of whole numbers
        report = int(reports(share, low, high, self.round_to))
        if rng.uniform() < self.anchor_share:
            report = high
        if high <= NARROW and rng.uniform() < self.slip:
            # The least report that counts as outside the scale: more than 5% of its width above.
            least_slip = high + (high - low) // 20 + 1
            report = max(round(100 * share), least_slip)
        return report

    def reply_in_json(self, item: SetQuestion, draw: int) -> Utterance:
        """Reply in JSON with an answer, each option's probability, and the answer token's.

        Both probabilities come from the same evidence: a share of 0 is chance, 1 is certainty.
        Stated probabilities are rounded to multiples of `round_to` percent, token probabilities
        are not. At the respondent's `error_rate` a reply is spoilt: it has no answer.
        """
        rng = seeded(self.seed, "stated", item.id, draw)
        right = bool(rng.uniform() < self.accuracy)
        evidence = draw_evidence(right, self.meta_d, rng.uniform())
        labels = utterance.labels_of(item)
        options, wrong = len(labels), int(rng.integers(len(labels) - 1))
        answer = utterance.answer_label(labels, item.target, right=right, wrong=wrong)
        exact = 1 / options + (1 - 1 / options) * float(reported_share(evidence, self.bias))
        report_rng = seeded(self.seed, "report", item.id, draw)
        anchored = report_rng.uniform() < self.anchor_share  # it says 100% whatever it believes
        percent = 100 if anchored else int(reports(exact, 0, 100, self.round_to))
        reply = utterance.json_reply(
            item, answer, confidence=percent / 100, token_probability=exact
        )
        return spoil_at_rate(
            reply, self.error_rate, cut_off_text=utterance.JSON_PREFIX, rng=report_rng
        )

    def rate_answer(self, item: SetQuestion, name: str, draw: int) -> Utterance:
        """Reply with the confidence in a given answer.

        The evidence is normal with mean plus or minus half of `meta_d`, according to whether the
        answer with this name is right. `accuracy` has no influence.
        """
        rng = seeded(self.seed, "given", item.id, name, draw)
        right = next(answer.right for answer in item.given if answer.name == name)
        evidence = rng.normal(self.meta_d / 2 if right else -self.meta_d / 2)
        share = float(reported_share(evidence + MIDDLE, self.bias))  # evidence 0: mid-scale
        percent = int(reports(share, 0, 100, self.round_to))
        prefix = '{"Confidence":'
        reply = Utterance(f"{prefix} {percent / 100:g}}}")
        return spoil_at_rate(reply, self.error_rate, cut_off_text=prefix, rng=rng)

    def _scale_meta_ds(self) -> dict[Scale, float]:
        """Parse `scale_meta_d` into meta_d by scale; refuse another form and values off limits."""
        meta_ds = {}
        low, high = utterance.limits(self)["meta_d"]
        for part in parts(self.scale_meta_d):
            name, _, value = part.partition(":")
            try:
                (scale,), meta_d = read_scales(name), float(value)
            except ValueError:  # several scales, no scale, or no number
                scale, meta_d = Scale(0, 0), -1.0  # refused below
            if not low <= meta_d <= high:
                raise InvalidArgument(
                    f"scale_meta_d={part} is not of the form 0-20:1.5: one scale, and a meta_d "
                    f"from {low:g} to {high:g}."
                )
            meta_ds[scale] = meta_d
        return meta_ds


def with_choice_order(item: Question, choices: Sequence[str]) -> Question:
    """Return the question with its choices in the given order; if none are given, unchanged."""
    if not choices or tuple(choices) == item.choices:
        return item
    right = item.choices[ascii_uppercase.index(item.target)]
    return replace(item, choices=tuple(choices), target=ascii_uppercase[choices.index(right)])
