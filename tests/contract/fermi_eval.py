"""FermiEval's far end: bounds at a level, and their numbers in plain loops."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from inspect_ai import Task

from build import attributes_of, column_of, records_with
from contract.far_end import Case, Prepared, failure_rate, of_condition
from inspect_confidence.tasks.fermi_eval import fermi_eval
from provider_server import Finish, Reply, Request
from runs import Values

LEVELS = (80, 90, 95, 99)
# Replies of the bounds @L and @U; of each, its status.
FORMS: list[tuple[str, Finish, str]] = [
    ("Lower: @L\nUpper: @U", "stop", "ok"),
    ("Lower: @L\nUpper: @U\n", "stop", "ok"),
    ("lower: @L\nupper: @U", "stop", "ok"),
    ("Between the two, surely.\n**Lower:** @L\n**Upper:** @U", "stop", "ok"),
    ("[@L, @U]", "stop", "ok"),
    ("I'm sorry, but I can't answer that.", "stop", "refusal"),
    ("", "stop", "no_response"),
    ("Lower: @L\nUp", "length", "truncated"),
    ("", "content_filter", "content_filter"),
]


@dataclass(frozen=True)
class IntervalMeaning:
    """Bounds at a level, None where a reply has none."""

    level: int
    truth: int
    bounds: tuple[float, float] | None
    status: str


class Estimator:
    """Bounds that follow from the prompt and how often it was asked."""

    def __init__(self, truths: dict[str, int]) -> None:
        self.meant: list[IntervalMeaning] = []
        self.withholds = True
        self._truths = truths
        self._asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply:
        """A reply, of which every third or so can't be read."""
        self._asked[request.prompt] += 1
        rng = Random(f"{request.prompt}{self._asked[request.prompt]}")
        (level,) = map(int, re.findall(r"(\d+)% confidence", request.prompt))
        truth = self._truths[request.prompt.split("\n\nThe answer is")[0]]
        lower = truth + rng.randint(-600, 100) / 100
        upper = lower + rng.randint(0, 900) / 100
        text, finish, status = rng.choice(FORMS if self.withholds else FORMS[:-1])
        bounds = (lower, upper) if status == "ok" else None
        self.meant.append(IntervalMeaning(level, truth, bounds, status))
        text = text.replace("@L", f"{lower:.2f}").replace("@U", f"{upper:.2f}")
        return Reply(text, finish)

    def judgments(self) -> list[dict[str, Any]]:
        """Level, truth, bounds and status."""
        return [
            {"level": m.level, "truth": m.truth, "status": m.status}
            | dict(zip(("lower", "upper"), m.bounds or (None, None), strict=True))
            for m in self.meant
        ]

    def log(self) -> dict[str, float]:
        """By level, and the mean gap."""
        by_level = {level: self._numbers(level) for level in LEVELS}
        names = ("coverage", "interval_score", "mean_width", "format_failure_rate")
        metrics = {}
        for level, name in product(LEVELS, names):
            metrics[f"{name}_{level}"] = by_level[level][name]
        return {**metrics, "coverage_gap": mean(column_of(by_level.values(), "coverage_gap"))}

    def table(self) -> Values:
        """By level."""
        values: Values = {}
        for level in LEVELS:
            values |= of_condition(f"level={level};method=direct", self._numbers(level))
        return values

    def _numbers(self, level: int) -> dict[str, float]:
        """From the replies, in plain loops."""
        meanings = records_with(self.meant, level=level)
        alpha = (100 - level) / 100
        inside, below, above, widths, scores = [], [], [], [], []
        for meaning in meanings:
            if meaning.bounds:
                (low, high), y = meaning.bounds, meaning.truth
                inside.append(low <= y <= high)
                below.append(y < low)
                above.append(y > high)
                widths.append(high - low)
                scores.append(high - low + 2 / alpha * (max(low - y, 0) + max(y - high, 0)))
        return {
            "coverage": mean(inside),
            "coverage_gap": mean(inside) - level / 100,
            "interval_score": mean(scores),
            "mean_width": mean(widths),
            "median_width": median(widths),
            "miss_below": mean(below),
            "miss_above": mean(above),
            "format_failure_rate": failure_rate(attributes_of(meanings, "status")),
            "n": len(meanings),
        }


def own_file(home: Path) -> Prepared:
    """A csv file of questions, beside which nothing is known."""
    truths = {f"How many, by the {k}th count?": 3 * k - 10 for k in range(12)}
    rows = [f'"{question}",{exponent}' for question, exponent in truths.items()]
    (home / "mine.csv").write_text("\n".join(["question,exponent", *rows]), "utf-8")
    return {"dataset": "mine.csv"}, lambda task: Estimator(truths)


def real_truths(folder: Path) -> dict[str, int]:
    """Corrected exponents by question text, from the published files."""
    rows = json.loads((folder / "fermi" / "questions.json").read_text(encoding="utf-8"))
    script = (folder / "fermi" / "corrections.js").read_text(encoding="utf-8")
    fixes, _ = json.JSONDecoder().raw_decode(script[script.index("{") :])
    truths = {}
    for row in rows:
        key = row["source"] + (f", #{row['number']}" if "number" in row else "")
        fix = fixes.get(key, {"question": "", "answer": ""})
        text = " ".join((fix["question"] or row["question"]).split())
        if re.fullmatch(r"-?\d+", str(fix["answer"] or row["answer"])):
            truths[text] = int(fix["answer"] or row["answer"])
    return truths


CASE = Case(
    "fermi_eval",
    fermi_eval,
    own_file,
    minimal={"dataset": "bundled", "levels": "90"},
    ok="Lower: 1\nUpper: 3",
    cut="Lower: 1\nUp",
    fields=("question", "level"),
    field_texts=lambda text, facts: (text, f"{facts['level']:g}"),
    headline="coverage_gap",
    temperature=None,
    condition="level=90;method=direct",
)


def published(data: Path, **arguments: Any) -> Case:
    """Real questions."""

    def prepare(home: Path) -> Prepared:
        truths = real_truths(data)

        def make(task: Task) -> Estimator:
            return Estimator(truths)

        return {"dataset": "scioly", **arguments}, make

    return Case("fermi_eval on scioly", fermi_eval, prepare)
