"""SimpleQA's far end: short answers with a confidence in JSON, and further draws of them.

The judge is the package's rules, which are certain of an answer that is the accepted one and
nothing else; expected numbers are plain loops and scikit-learn's.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from pathlib import Path
from random import Random
from statistics import mean
from string import ascii_lowercase
from typing import Any

from inspect_ai import Task
from sklearn.metrics import roc_auc_score

from build import attributes_of, column_of, only_part_in, records_with
from contract.far_end import Case, Prepared, defined, failure_rate, items_by_question
from inspect_confidence.tasks.decisions import simple_qa
from provider_server import Reply, Request
from runs import Values

DRAWS = 3
KINDS = {"ok": 20, "declined": 4, "unrated": 3, "beyond": 2, "withheld": 1, "cut": 1, "empty": 1}
"""How often a reply is of which kind."""


@dataclass(frozen=True)
class ShortReply:
    """What a reply says: the answer, if any, its confidence in percent, and a status."""

    answer: str = ""
    right: bool | None = None
    raw: int | None = None
    status: str = "ok"

    @property
    def counts(self) -> bool:
        """Whether an answer or a decline could be read."""
        return bool(self.answer) or self.status == "declined"


@dataclass
class Asked:
    """A question in one epoch: the first reply, then the draws."""

    item: str
    replies: list[ShortReply] = field(default_factory=list)


class Recaller:
    """Answers each question in turn: one reply, then the draws, of every epoch."""

    def __init__(self, answers: Mapping[str, tuple[str, str]], task: Task) -> None:
        self.withholds = True
        self._answers = answers
        self._items = items_by_question(task)
        self._asked: dict[str, list[Asked]] = defaultdict(list)
        self._calls: Counter[str] = Counter()

    def __call__(self, request: Request) -> list[Reply]:
        """As many replies as choices are asked for."""
        question = only_part_in(request.prompt, self._answers)
        epochs = self._asked[question]
        count = request.body.get("n") or 1
        replies = []
        for _ in range(count):
            if not epochs or len(epochs[-1].replies) == 1 + DRAWS:
                epochs.append(Asked(self._items[question]))
            self._calls[question] += 1
            reply, meaning = self._reply(Random(f"{question}{self._calls[question]}"), question)
            epochs[-1].replies.append(meaning)
            replies.append(reply)
        return replies

    def _reply(  # noqa: PLR0911 # each kind of reply
        self, rng: Random, question: str
    ) -> tuple[Reply, ShortReply]:
        kind = rng.choices(list(KINDS), weights=list(KINDS.values()))[0]
        if kind == "withheld" and not self.withholds:
            kind = "ok"
        right = rng.random() < 0.6
        truth, wrong = self._answers[question]
        answer, raw = truth if right else wrong, rng.randrange(0, 101, 5)
        if kind == "declined":
            return Reply(written(rng, "I don't know", 0)), ShortReply(status="declined")
        if kind == "withheld":
            return Reply("", "content_filter"), ShortReply(status="content_filter")
        if kind == "cut":
            return Reply('{"answer": "', "length"), ShortReply(status="truncated")
        if kind == "empty":
            return Reply(""), ShortReply(status="no_response")
        if kind == "unrated":
            text = json.dumps({"answer": answer, "confidence_score": "high"})
            return Reply(text), ShortReply(answer, right, status="invalid_response_format")
        if kind == "beyond":
            text = written(rng, answer, 100 + raw + 10)
            return Reply(text), ShortReply(answer, right, 100 + raw + 10, "out_of_range")
        return Reply(written(rng, answer, raw)), ShortReply(answer, right, raw)

    @property
    def asked(self) -> list[Asked]:
        """All questions and epochs."""
        return list(chain.from_iterable(self._asked.values()))

    def judgments(self) -> list[dict[str, Any]]:
        """The stated confidence, and the frequency of the commonest answer."""
        rows = []
        for asked in self.asked:
            main, *draws = asked.replies
            is_rated = main.raw is not None and main.status == "ok"
            rows.append(
                {
                    "item": asked.item,
                    "confidence_source": "stated",
                    "answer": main.answer,
                    "correct": main.right,
                    "raw": main.raw,
                    "low": 0,
                    "high": 100,
                    "confidence": Fraction(main.raw or 0, 100) if is_rated else None,
                    "status": main.status,
                }
            )
            rows.append({"item": asked.item, "confidence_source": "frequency", **frequency(draws)})
        return rows

    def log(self) -> dict[str, float]:
        """Of the first replies, and the mean frequency."""
        mains = column_of(attributes_of(self.asked, "replies"), 0)
        pairs = [(m.raw / 100, m.right) for m in mains if m.raw is not None and m.status == "ok"]
        sure, right = column_of(pairs, 0), column_of(pairs, 1)
        bins: dict[int, float] = defaultdict(float)
        for confidence, correct in pairs:
            bins[min(int(round(confidence * 100) / 10), 9)] += confidence - bool(correct)
        shares = [frequency(asked.replies[1:])["confidence"] for asked in self.asked]
        replied = ["ok" if m.status in ("declined", "out_of_range") else m.status for m in mains]
        attempts = [m.status != "declined" for m in mains if m.counts]
        numbers = [m.status == "out_of_range" for m in mains if m.status in ("ok", "out_of_range")]
        return {
            "overconfidence": mean(sure) - mean(map(bool, right)),
            "accuracy": mean(defined(mains, "right")),
            "attempted_share": mean(attempts),
            "ece_0-100": sum(map(abs, bins.values())) / len(pairs),
            "auroc_0-100": float(roc_auc_score(right, sure)),
            "mean_frequency": float(mean(share for share in shares if share is not None)),
            "violation_rate": mean(numbers),
            "format_failure_rate": failure_rate(replied),
        }

    def table(self) -> Values:
        """Numbers of each source."""
        return {}


def written(rng: Random, answer: str, raw: int) -> str:
    """An answer with its confidence, as models write JSON."""
    text = json.dumps({"answer": answer, "confidence_score": raw})
    percent = json.dumps({"answer": answer, "confidence_score": f"{raw}%"})
    return rng.choice([text, percent, f"```json\n{text}\n```", f"Here you are:\n{text}"])


def frequency(draws: list[ShortReply]) -> dict[str, Any]:
    """The commonest answer of the draws that could be read, the first one of equal counts."""
    names = [draw.answer or draw.status for draw in draws if draw.counts]
    if not names:
        status = draws[0].status
        return {"status": status, "answer": "", "correct": None, "confidence": None, "draws": 0}
    name, count = Counter(names).most_common(1)[0]
    share = {"confidence": Fraction(count, len(names)), "draws": len(names)}
    if name == "declined":
        return {**share, "status": "declined", "answer": "", "correct": None}
    (right,) = set(attributes_of(records_with(draws, answer=name), "right"))
    return {**share, "status": "ok", "answer": name, "correct": right}


def own_file(home: Path) -> Prepared:
    """A csv file of questions with an accepted and, at the far end, a wrong answer."""
    answers: dict[str, tuple[str, str]] = {}
    rows = ["id,question,answers"]
    for k in range(24):
        question = f"Which mill stands at lock number {k}?"
        sign = ascii_lowercase[k]  # rules take a name for right by its last word
        answers[question] = (f"Quarry{sign}", f"Harbour{sign}")
        rows.append(f"mill-{k},{question},Quarry{sign}")
    (home / "mills.csv").write_text("\n".join(rows), "utf-8")
    arguments = {"dataset": "mills.csv", "draws": DRAWS, "judge": "rules"}
    return arguments, lambda task: Recaller(answers, task)


CASE = Case(
    "simple_qa",
    simple_qa,
    own_file,
    minimal={"dataset": "facts", "judge": "rules"},
    ok='{"answer": "Lyon", "confidence_score": 80}',
    cut='{"answer": "Lyon", "confidence_sc',
    temperature=1,
    condition=None,
)
