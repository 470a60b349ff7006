"""The examinee: its parameters come back, and however it is asked it means the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product, starmap
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pytest
from inspect_ai import eval
from scipy import integrate, stats
from scipy.stats import norm

from build import attributes_of, by_id, map_values
from conftest import CHECKOUT
from inspect_confidence import read_judgments, with_confidence
from inspect_confidence.datasets.questions import Question, bundled_questions
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.prompts.confidence import SAME
from inspect_confidence.respondents.examinee import Examinee
from inspect_confidence.respondents.utterance import Utterance

QUESTIONS = list(bundled_questions().values())
CHOICES = [item for item in QUESTIONS if item.choices]
NUMBERS = [item for item in QUESTIONS if not item.choices]
WAYS = "stated,alone,before,p_true,consistency,words,logprob"
ALPHA = 1e-3


def z(tests: int) -> float:
    """The two-sided normal quantile after Bonferroni's adjustment."""
    return float(norm.isf(ALPHA / tests / 2))


def eval_prompt(item: Question, choices: Sequence[str] = ()) -> str:
    """An eval's prompt, choices as Inspect's `multiple_choice` has them."""
    lettered = zip(ascii_uppercase, choices or item.choices, strict=False)
    texts = [f"{letter}) {choice}" for letter, choice in lettered]
    return "\n".join(["Answer this.", "", item.question, "", *texts])


def reply_to(
    examinee: Examinee, item: Question, form: str = "", temperature: float = 1.0, **metadata: Any
) -> Utterance:
    """Its reply to a prompt with that metadata."""
    reply = examinee.answer(form, {"conversation": eval_prompt(item), **metadata}, temperature)
    assert reply is not None
    return reply


def probabilities(reply: Utterance) -> Mapping[str, float]:
    """Of all that its last token could have been."""
    assert reply.tokens
    assert "".join(attributes_of(reply.tokens, "token")) == reply.text
    return map_values(math.exp, reply.tokens[-1].alternatives)


def share(examinee: Examinee, item: Question) -> float:
    """Its probability of True."""
    return probabilities(reply_to(examinee, item, "p_true"))["True"]


def number(examinee: Examinee, item: Question, form: str, high: int) -> float:
    """What it states from 0 to `high`, as a share."""
    text = reply_to(examinee, item, form, low=0, high=high, draw=0).text
    return int(text.removeprefix("Confidence: ")) / high


def is_right(examinee: Examinee, item: Question) -> bool:
    """Whether its answer is the target."""
    return reply_to(examinee, item).text.removeprefix("ANSWER: ") == item.target


@pytest.mark.slow
@pytest.mark.parametrize(("accuracy", "meta_d", "bias"), [(0.75, 1.5, 0.5), (0.6, 0.8, 0.0)])
def test_parameters_come_back(accuracy: float, meta_d: float, bias: float) -> None:
    """Accuracy, type-2 rates and AUROC are those of a signal-detection observer.

    Evidence x given right has the density phi(x - d/2) / Phi(d/2) on x > 0, given wrong that of
    -d/2; half of the scale is reported where x reaches 1 - bias.
    """
    examinees = [Examinee(seed, accuracy, meta_d, bias) for seed in range(40)]
    pairs = list(product(examinees, QUESTIONS))
    right = np.array(list(starmap(is_right, pairs)))
    shares = np.array(list(starmap(share, pairs)))
    half, criterion = meta_d / 2, 1 - bias

    def density(x: float) -> float:
        return float(norm.pdf(x - half) / norm.cdf(half))

    def below(x: float) -> float:
        return float(1 - norm.cdf(-half - x) / norm.cdf(-half))

    hits = norm.cdf(half - criterion) / norm.cdf(half)
    alarms = norm.cdf(-half - criterion) / norm.cdf(-half)
    for outcomes, expected in (
        (right, accuracy),
        (shares[right] >= 0.5, hits),
        (shares[~right] >= 0.5, alarms),
    ):
        tolerance = z(8) * math.sqrt(expected * (1 - expected) / len(outcomes))
        assert abs(outcomes.mean() - expected) < tolerance
    auroc, _ = integrate.quad(lambda x: density(x) * below(x), 0, 12)
    ranks = stats.mannwhitneyu(shares[right], shares[~right]).statistic
    found_auroc = ranks / (right.sum() * (~right).sum())
    # No distributions with that AUROC have a greater variance (Birnbaum and Klose 1957).
    greatest = auroc * (1 - auroc) / min(right.sum(), (~right).sum())
    assert abs(found_auroc - auroc) < z(8) * math.sqrt(greatest)


def test_every_way_means_the_same() -> None:
    """Numbers are the share to their rounding, tokens exactly, and no phrase is nearer."""
    examinee = Examinee(seed=2)
    medians = {}
    for phrase, counts in surveyed_counts().items():
        people = np.repeat(list(counts), list(counts.values()))
        medians[phrase] = float(np.median(people)) / 100
    for item in QUESTIONS:
        s = share(examinee, item)
        assert 0 < s < 1
        for form in ("confidence", "confidence_alone"):
            assert abs(number(examinee, item, form, 100) - s) <= 0.025 + 1e-9, item.id
            assert abs(number(examinee, item, form, 10) - s) <= 0.05 + 1e-9, item.id
        reply = reply_to(examinee, item)
        own_probabilities = probabilities(reply)
        name = reply.text.removeprefix("ANSWER: ")
        assert own_probabilities[name] == pytest.approx(s, rel=1e-12)
        assert sum(own_probabilities.values()) == pytest.approx(1, rel=1e-12)
        assert len(own_probabilities) == 4
        letter, _, phrase = reply_to(examinee, item, "phrase").text.partition(". ")
        assert letter in ascii_uppercase[:17]
        distances = np.abs(np.array(list(medians.values())) - s)
        assert distances.min() == abs(medians[phrase] - s)


def test_before_the_work_there_is_more_noise() -> None:
    """Of as large a standard deviation as was set; without any it is the same number."""
    high, tests = 10**15, 2
    quiet = Examinee(meta_d=0, bias=0, before_noise=0.0)
    noisy = Examinee(meta_d=0, bias=0, before_noise=0.5)
    moved = []
    for item in QUESTIONS:
        plain = number(quiet, item, "confidence", high)
        assert number(quiet, item, "confidence_before", high) == plain
        assert number(noisy, item, "confidence", high) == plain
        before = number(noisy, item, "confidence_before", high)
        moved.append(0.8 * (norm.ppf(before) - norm.ppf(plain)))
    n = len(moved)
    assert abs(np.mean(moved)) < z(tests) * 0.5 / math.sqrt(n)
    tail = stats.chi2.cdf(np.sum(np.square(moved)) / 0.5**2, n)
    assert ALPHA / tests / 2 < tail < 1 - ALPHA / tests / 2


@pytest.mark.slow
def test_further_answers_agree_as_often_as_it_believes() -> None:
    """In each fifth of the shares; the others are equally likely; at temperature 0 none differs."""
    examinee, draws = Examinee(seed=1, bias=0), 40
    shares = np.array(list(map(partial(share, examinee), QUESTIONS)))
    agreed = np.zeros(len(QUESTIONS))
    agreements: list[int] = []
    for place, item in enumerate(QUESTIONS):
        reply = reply_to(examinee, item)
        first = reply.text
        assert reply_to(examinee, item, draw=7, temperature=0.0) == reply
        other_probabilities = [
            answer for answer in probabilities(reply) if first not in (answer, f"ANSWER: {answer}")
        ]
        for draw in range(draws):
            text = reply_to(examinee, item, draw=draw).text
            agreed[place] += text == first
            if text != first:
                agreements.append(other_probabilities.index(text.removeprefix("ANSWER: ")))
    fifths = np.digitize(shares, np.quantile(shares, [0.2, 0.4, 0.6, 0.8]))
    for fifth in range(5):
        in_fifth = fifths == fifth
        spread = math.sqrt(draws * np.sum(shares[in_fifth] * (1 - shares[in_fifth])))
        assert abs(np.sum(agreed[in_fifth] - draws * shares[in_fifth])) < z(6) * spread, fifth
    assert stats.chisquare(np.bincount(agreements)).pvalue > ALPHA / 6


def test_the_letter_follows_the_order_shown() -> None:
    """The same choice whatever its letter; the question may stand in any message."""
    examinee = Examinee(seed=4)
    for item in CHOICES:
        turned = item.choices[::-1]
        chosen = []
        for order in (item.choices, turned):
            prompt = f"Say 7.\n\n7\n\n{eval_prompt(item, order)}\n\nANSWER: A\n\nAnd once more?"
            reply = examinee.answer("", {"conversation": prompt}, 1.0)
            assert reply is not None
            letter = reply.text.removeprefix("ANSWER: ")
            chosen.append(order[ascii_uppercase.index(letter)])
        assert chosen[0] == chosen[1], item.id
    # An example before it, with other choices, is not what is asked.
    text = f"{eval_prompt(CHOICES[0])}\n\nANSWER: B\n\n{eval_prompt(NUMBERS[0])}"
    assert examinee.answer("", {"conversation": text}, 1.0) == reply_to(examinee, NUMBERS[0])


def test_what_is_no_bundled_question() -> None:
    """Neither an unknown question nor one without its choices gets an answer."""
    for text in ("Who am I?", CHOICES[0].question):
        with pytest.raises(KeyError):
            Examinee().answer("", {"conversation": text}, 1.0)
    assert Examinee().answer("riddle", {"conversation": eval_prompt(CHOICES[0])}, 1.0) is None


@pytest.mark.parametrize(
    ("answer", "second_answer", "says"),
    [("Paris.", "**paris**", "Yes"), ("7", "8", "No"), ("a\n\nb", "a b", "Yes"), ("A", "", "No")],
)
def test_as_a_judge_it_compares_words(answer: str, second_answer: str, says: str) -> None:
    """Two answers are the same where their words are, whatever the question."""
    text = SAME.format(question="Which?", answer=answer, other=second_answer)
    assert Examinee().answer("same", {"conversation": text}, 0.0) == Utterance(says)


@pytest.mark.slow
def test_a_wrapped_eval(tmp_path: Path) -> None:
    """The example at two epochs, a tenth of the replies unreadable: what is read is the belief."""
    task = with_confidence(f"{CHECKOUT}/examples/quiz.py@quiz", ways=WAYS)
    parameters = {"error_rate": 0.1, "seed": 3}
    (log,) = eval(
        task,
        "respondent/examinee",
        model_args=parameters,
        log_dir=str(tmp_path),
        display="none",
        limit=30,
        epochs=2,
    )
    assert log.status == "success", log.error
    rows = read_judgments(tmp_path)["any_eval"]
    examinee = Examinee(seed=3)
    items = by_id(CHOICES)
    rows["share"] = rows["item"].map(items).map(partial(share, examinee))
    read = rows[(rows["status"] == "ok") & (rows["method"] != "epochs")]
    # A declined answer keeps the confidence that was stated in it.
    assert rows.loc[~rows["status"].isin(["ok", "declined"]), "confidence"].isna().all()
    error = (read["confidence"] - read["share"]).abs()
    for method, bound in (("stated", 0.025), ("alone", 0.025), ("p_true", 0), ("logprob", 0)):
        method_error = error[read["method"] == method]
        # A tenth of the eval's answers and of the replies about them is lost.
        assert 0.6 * 60 < len(method_error) < 60, method
        assert method_error.max() <= bound + 1e-9, method
    answered = rows[(rows["method"] == "logprob") & (rows["status"] == "ok")]
    right = [is_right(examinee, items[name]) for name in answered["item"]]
    assert (answered["correct"] == right).all()
    assert (answered.groupby("item").size() == 2).all()  # the same reply in both epochs
    consistency_rows = read[read["method"] == "consistency"]
    n, s = consistency_rows["draws"], consistency_rows["share"]
    spread = math.sqrt((n * s * (1 - s)).sum())
    assert abs((n * (consistency_rows["confidence"] - s)).sum()) < z(1) * spread
