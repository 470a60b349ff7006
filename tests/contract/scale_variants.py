"""The scale study's far end: answers with a confidence on a scale, in many spellings.

Expected numbers are computed in exact fractions, loops and by scikit-learn.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import numpy as np
from inspect_ai import Task
from sklearn.metrics import brier_score_loss, roc_auc_score

from build import column_of, map_values, numbered
from contract.far_end import Case, Prepared, defined, failure_rate
from inspect_confidence.tasks.scale_variants import scale_variants
from provider_server import Reply, Request
from runs import Values

KINDS = {
    **{"ok": 30, "above": 3, "below": 1, "far": 3, "none": 2, "several": 2},
    **{"vague": 2, "no": 2, "withheld": 1, "cut": 2},
}
"""How often a reply is of which kind; the reading of each is in `Examinee`."""


@dataclass(frozen=True)
class StatedMeaning:
    """What a reply says on a scale; None where it doesn't say it."""

    scale: tuple[int, int]
    right: bool | None = None
    raw: int | None = None
    status: str = ""


class StatedExaminee:
    """Answers a prompt in one of many ways that depend on it and how often it was asked."""

    def __init__(self, answers: Mapping[str, set[str]]) -> None:
        self.meant: list[StatedMeaning] = []
        self.withholds = True
        self._answers = answers
        self._asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply:
        """A reply, after what it means has been noted."""
        self._asked[request.prompt] += 1
        rng = Random(f"{request.prompt}{self._asked[request.prompt]}")
        bounds = re.search(r"an integer between (\d+) and (\d+), where", request.prompt)
        assert bounds
        question_text = request.prompt.split("\n\n", 1)[1].split("\n\nAfter providing", 1)[0]
        question, *choice_blocks = question_text.split("\nChoices:\n")
        right = rng.random() < 0.65
        truth = self._answers[question]
        if choice_blocks:
            choices = [line[3:] for line in choice_blocks[0].split("\n")]
            places = [place for place, text in enumerate(choices) if (text in truth) == right]
            answer = chosen(rng, rng.choice(places), choices)
        else:
            answer = solved(rng, int(*truth) + (0 if right else rng.choice([-7, 1, 1000])))
        reply, meaning = self._reply(rng, answer, right, (int(bounds[1]), int(bounds[2])))
        self.meant.append(meaning)
        return reply

    def _reply(  # noqa: PLR0911 # each kind of reply
        self, rng: Random, answer: str, right: bool, scale: tuple[int, int]
    ) -> tuple[Reply, StatedMeaning]:
        low, high = scale
        inside, slack = rng.randint(low, high), (high - low) // 20
        inside = rng.choice([inside, low + round(0.9 * (high - low)), high])
        kind = rng.choices(list(KINDS), weights=list(KINDS.values()))[0]
        if kind == "withheld" and not self.withholds:
            kind = "ok"
        raw = {
            "above": high + rng.randint(1, slack + 1),
            "below": low - rng.randint(1, slack + 1),
            "far": high + slack + rng.randint(1, 400),
        }.get(kind, inside)
        unread = "invalid_response_format"
        if kind == "none":
            text = answer + rng.choice(["", "\nConfidence: high"])
            return Reply(text), StatedMeaning(scale, right, status=unread)
        if kind == "several":
            text = f"{answer}\nConfidence: {low} or {high}"
            return Reply(text), StatedMeaning(scale, right, status="ambiguous")
        if kind == "vague":
            text = f"Answer: it depends\nConfidence: {inside}"
            return Reply(text), StatedMeaning(scale, None, inside, unread)
        if kind == "no":
            return Reply("I'm sorry, but I can't answer that."), StatedMeaning(
                scale, status="refusal"
            )
        if kind == "withheld":
            return Reply("", finish="content_filter"), StatedMeaning(scale, status="content_filter")
        if kind == "cut":
            text = rng.choice(["Solution: First, we", f"{answer}\nConfid"])
            correct = None if "First" in text else right
            return Reply(text, finish="length"), StatedMeaning(scale, correct, status="truncated")
        is_violation = 20 * max(low - raw, raw - high) > high - low
        status = "out_of_range" if is_violation else "ok"
        return Reply(f"{answer}\n{confidence_line(rng, raw, scale)}"), StatedMeaning(
            scale, right, raw, status
        )

    def judgments(self) -> list[dict[str, Any]]:
        """Scale, report, correctness and status."""
        return [
            {"low": m.scale[0], "high": m.scale[1], "raw": m.raw, "correct": m.right}
            | {"status": m.status}
            for m in self.meant
        ]

    def by_scale(self) -> dict[str, list[StatedMeaning]]:
        """What was meant on each scale."""
        groups: dict[str, list[StatedMeaning]] = defaultdict(list)
        for meaning in self.meant:
            groups["{}-{}".format(*meaning.scale)].append(meaning)
        return groups

    def log(self) -> dict[str, float]:
        """By scale, or as the mean over scales."""
        numbers = map_values(numbers_of, self.by_scale())
        metrics = {}
        for name in ("overconfidence", "accuracy", "violation_rate", "format_failure_rate"):
            metrics[name] = mean(column_of(numbers.values(), ("", name)))
        for name in ("ece", "auroc"):
            metrics |= {
                f"{name}_{scale}": metrics_of_scale["", name]
                for scale, metrics_of_scale in numbers.items()
            }
        return metrics

    def table(self) -> Values:
        """By scale."""
        values: Values = {}
        for scale, meanings in self.by_scale().items():
            for (condition, metric), value in numbers_of(meanings).items():
                values[f"{condition}scale={scale}", metric] = value
        return values


def chosen(rng: Random, place: int, choices: list[str]) -> str:
    """A line that answers with a choice."""
    letter, text = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place], choices[place]
    wrong_letter = "AB"[letter == "A"]
    folded = Counter(" ".join(re.findall(r"\w+", choice.casefold())) for choice in choices)
    ways = [
        f"Answer: {letter}",
        f"**Answer:** {letter}",
        f"answer = {letter.lower()}",
        f"Answer: ({letter})",
        f"- Answer: {letter}. {text}",
        f"Answer: {letter}) {text}",
        f"The answer is {letter}.",
        f"<think>Answer: {wrong_letter}? No.</think>\nAnswer: {letter}",
        f"It isn't {wrong_letter}, I think.\n\n### Final Answer\n{letter}\n",
    ]
    return rng.choice(ways if max(folded.values()) > 1 else [*ways, f"Answer: {text}"])


def solved(rng: Random, value: int) -> str:
    """Lines that answer with a number."""
    ways = [
        f"Solution: 2 * 3 = 6, and so on.\nFinal Answer: {value}",
        f"**Solution:** 10 - 4 = 6.\n\n**Final Answer:** ${value:,}",
        f"Final Answer: {value}.00",
        f"Solution: first 5, then 12.\nFinal Answer: {value} pieces",
        f"So it is \\boxed{{{value}}}.",
        f"Step 1: 3 + 4 = 7\n#### {value}",
        f"<think>Final Answer: 3</think>\nFinal Answer: {value}",
        f"Solution: see above\nFinal Answer: \\({value}\\)",
    ]
    return rng.choice(ways)


def confidence_line(rng: Random, raw: int, scale: tuple[int, int]) -> str:
    """A line that states a confidence."""
    ways = [f"Confidence: {raw}", f"**Confidence:** {raw}", f"\nconfidence = {raw}."]
    ways += [f"Confidence: {raw} (fairly sure)", f"- Confidence level: {raw}.0"]
    ways += [f"Confidence: {raw}/{scale[1]}", f"Confidence: {raw} out of {scale[1]}"]
    return rng.choice([*ways, f"Confidence: {raw}%"] if scale == (0, 100) else ways)


def numbers_of(meanings: list[StatedMeaning]) -> dict[tuple[str, str], float]:
    """Part of a condition and metric -> value on one scale, from what the replies mean."""
    low, high = meanings[0].scale
    raw = np.array(defined(meanings, "raw"))
    excess = np.maximum(low - raw, raw - high)
    violations = 20 * excess > high - low
    pairs = []
    for meaning in meanings:
        if meaning.right is not None and meaning.raw is not None:
            share = Fraction(min(max(meaning.raw, low), high) - low, high - low)
            if 20 * max(low - meaning.raw, meaning.raw - high) <= high - low:
                pairs.append((share, meaning.right))
    right, sure = column_of(pairs, 1), list(map(float, column_of(pairs, 0)))
    counts = Counter(column_of(pairs, 0))

    def ece(bins: dict[Fraction, int]) -> float:
        """The weighted mean distance of confidence from accuracy over bins of values."""
        gaps: dict[int, Fraction] = defaultdict(Fraction)
        for share, correct in pairs:
            gaps[bins[share]] += share - correct
        return float(sum(map(abs, gaps.values())) / len(pairs))

    def even(number: int) -> dict[Fraction, int]:
        return {share: min(int(share * number), number - 1) for share in counts}

    rank, mass = 0, {}
    for share in sorted(counts):
        mass[share] = int(Fraction(2 * rank + counts[share], 2 * len(pairs)) * 10)
        rank += counts[share]
    # A report beside an unreadable answer fails, out of range or not.
    unread = []
    for meaning in meanings:
        if meaning.status != "content_filter":
            unread.append("no" if meaning.right is None or meaning.raw is None else "ok")
    return {
        ("", "accuracy"): mean(defined(meanings, "right")),
        ("", "mean_confidence"): mean(sure),
        ("", "overconfidence"): mean(sure) - mean(right),
        ("", "ece"): ece(even(10)),
        ("bins=15;", "ece"): ece(even(15)),
        ("bins=20;", "ece"): ece(even(20)),
        ("bins=11;", "ece"): ece({share: int(share * 10) for share in counts}),
        ("binning=equal_mass;", "ece"): ece(mass),
        ("", "brier"): brier_score_loss(right, sure),
        ("", "auroc"): roc_auc_score(right, sure),
        ("", "violation_rate"): float(violations.mean()),
        ("", "clip_rate"): float(((excess > 0) & ~violations).mean()),
        ("", "format_failure_rate"): failure_rate(unread),
        ("", "n"): len(meanings),
    }


def own_file(home: Path) -> Prepared:
    """A csv file of word problems and questions with three choices."""
    answers: dict[str, set[str]] = {}
    rows = []
    for k in range(20):
        choices = "|".join(numbered("plan ", 3)) if k % 2 else ""
        rows.append((f"What is {k} plus {k}?", choices, "ABC"[k % 3] if choices else str(2 * k)))
        answers[rows[-1][0]] = {f"plan {k % 3}" if choices else str(2 * k)}
    lines = ["question,choices,target", *map(",".join, rows)]
    (home / "mine.csv").write_text("\n".join(lines), "utf-8")
    arguments = {"dataset": "mine.csv", "scales": "0-100,60-100"}
    return arguments, lambda task: StatedExaminee(answers)


def known_answers(data: Path) -> dict[str, set[str]]:
    """Right answers by question, from the published files."""
    answers: dict[str, set[str]] = defaultdict(set)
    for line in (data / "qa" / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers[row["question"]] = {row["answer"].split("#### ")[1].replace(",", "")}
    for row in json.loads((data / "qa" / "truthfulqa_mc_task.json").read_text(encoding="utf-8")):
        answers[row["question"]] |= {t for t, truth in row["mc1_targets"].items() if truth}
    return answers


CASE = Case(
    "scale_variants",
    scale_variants,
    own_file,
    minimal={"dataset": "word_problems", "scales": "0-100"},
    ok="Final Answer: 20\nConfidence: 80",
    cut="Final Answer: 20\nConfid",
    fields=("question", "l", "u"),
    field_texts=lambda text, facts: (text, str(facts["low"]), str(facts["high"])),
    condition="scale=0-100",
)


def published(data: Path, dataset: str, **arguments: Any) -> Case:
    """Items of a public set."""

    def prepare(home: Path) -> Prepared:
        answers = known_answers(data)

        def make(task: Task) -> StatedExaminee:
            return StatedExaminee(answers)

        return {"dataset": dataset, **arguments}, make

    return Case(f"scale_variants on {dataset}", scale_variants, prepare)
