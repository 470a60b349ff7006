"""Abstain's far end: answers or declines under a target, in many spellings, and rates itself apart.

Expected numbers are computed in exact fractions and plain loops.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from inspect_ai import Task

from build import only_part_in
from contract.far_end import (
    Case,
    Prepared,
    defined,
    failure_rate,
    items_by_question,
    write_problems,
)
from contract.scale_variants import chosen, solved
from inspect_confidence.prompts.decisions import instruction
from inspect_confidence.tasks.decisions import abstain
from provider_server import Reply, Request
from runs import Values

KINDS = {
    "ok": 20,
    "declined": 12,
    "both": 2,
    "vague": 2,
    "no": 1,
    "empty": 1,
    "withheld": 1,
    "cut": 2,
}
"""How often a reply is of which kind."""

DECLINES = [
    "Answer: I don't know",
    "I don't know.",
    "**Answer:** I don’t know",  # noqa: RUF001 # as it is written
    "Solution: I cannot be sure of it.\nFinal Answer: I don't know",
    "<think>Answer: A?</think>\nI don't know.",
    "Answer: IDK",
    "答案：我不知道",  # noqa: RUF001 # as it is written
    "I am not confident enough to answer, so I don't know.",
]
UNREAD = {
    "both": ("ambiguous", "I don't know.\n{answer}"),
    "vague": ("invalid_response_format", "Answer: it depends"),
    "no": ("refusal", "I'm sorry, but I can't answer that."),
    "empty": ("no_response", ""),
}
"""Status and text of replies that say neither an answer nor that there is none."""


@dataclass
class Meant:
    """What a reply says under a target, and the confidence that was asked apart."""

    item: str
    target: Fraction
    status: str
    right: bool | None = None
    confidence: int | None = None
    confidence_status: str = ""

    @property
    def points(self) -> Fraction | None:
        """1 for a right answer, 0 for none, less the penalty for a wrong one."""
        if self.status == "declined":
            return Fraction(0)
        if self.right is None:
            return None
        return Fraction(1) if self.right else -self.target / (1 - self.target)


class Candidate:
    """Answers each prompt in a way that depends on it and how often it was asked."""

    def __init__(self, answers: Mapping[str, tuple[str, str, Sequence[str]]], task: Task) -> None:
        self.meant: list[Meant] = []
        self.withholds = True
        self._answers = answers
        self._asked: Counter[str] = Counter()
        self._ratings: dict[tuple[str, int], tuple[int | None, str]] = {}
        self._items = items_by_question(task)
        self._samples: dict[str, list[tuple[Meant, int]]] = defaultdict(list)
        self._rated: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply:
        """A reply, after what it means has been noted."""
        prompt = request.prompt
        self._asked[prompt] += 1
        rng = Random(f"{prompt}{self._asked[prompt]}")
        question = only_part_in(prompt, self._answers)
        if "How confident are you" in prompt:
            return self._rate(rng, question)
        match = re.search(r"> ([0-9.]+) confident.* ([0-9.]+) points, while", prompt)
        target = Fraction(match[1]) if match else Fraction(0)
        if match:
            assert Fraction(match[2]) == target / (1 - target)
        else:
            assert "Make your best guess even if you are unsure" in prompt
        reply, meaning = self._reply(rng, question, target)
        self.meant.append(meaning)
        return reply

    def _reply(self, rng: Random, question: str, target: Fraction) -> tuple[Reply, Meant]:
        truth, wrong, choices = self._answers[question]
        kind = rng.choices(list(KINDS), weights=list(KINDS.values()))[0]
        if kind == "withheld" and not self.withholds:
            kind = "ok"
        right = rng.random() < 0.6
        if choices:
            text = chosen(rng, choices.index(truth if right else wrong), list(choices))
        else:
            text = solved(rng, int(truth) if right else int(wrong))
        item = self._items[question]
        if kind == "declined":
            return Reply(rng.choice(DECLINES)), Meant(item, target, "declined")
        if kind == "withheld":
            return Reply(text, "content_filter"), Meant(item, target, "content_filter")
        if kind == "cut":
            return Reply("Solution: First, we", "length"), Meant(item, target, "truncated")
        if kind in UNREAD:
            status, reply = UNREAD[kind]
            return Reply(reply.format(answer=text)), Meant(item, target, status)
        return Reply(text), Meant(item, target, "ok", right)

    def _rate(self, rng: Random, question: str) -> Reply:
        """A confidence, of the same question each time, whatever the target; or none."""
        item = self._items[question]
        raw = 5 * (int(re.sub(r"\D", "", item)) % 21)
        if raw == 50:
            return Reply("Confidence: fairly high")
        return Reply(rng.choice([f"Confidence: {raw}", f"**Confidence:** {raw}%", f"{raw}"]))

    def rated(self) -> list[Meant]:
        """What was meant, with the confidence of the question."""
        for meaning in self.meant:
            raw = 5 * (int(re.sub(r"\D", "", meaning.item)) % 21)
            status = "invalid_response_format" if raw == 50 else "ok"
            meaning.confidence, meaning.confidence_status = (None if raw == 50 else raw), status
        return self.meant

    def judgments(self) -> list[dict[str, Any]]:
        """Target, grade, status and confidence."""
        return [
            {
                "item": m.item,
                "confidence_target": m.target,
                "correct": m.right,
                "status": m.status,
                "raw": m.confidence,
                "confidence": None if m.confidence is None else Fraction(m.confidence, 100),
                "confidence_status": m.confidence_status,
                "confidence_asked": "before",
                "format": "open",
            }
            for m in self.rated()
        ]

    def by_target(self) -> dict[Fraction, list[Meant]]:
        """What was meant under each target."""
        groups: dict[Fraction, list[Meant]] = defaultdict(list)
        for meaning in self.meant:
            groups[meaning.target].append(meaning)
        return groups

    def log(self) -> dict[str, float]:
        """By target, and the mean payoff over targets."""
        metrics: dict[str, float] = {}
        payoffs = []
        for target, meanings in self.by_target().items():
            payoffs.append(mean(defined(meanings, "points")))
            replies = ["ok" if m.status == "declined" else m.status for m in meanings]
            read = [m for m in meanings if m.status in ("ok", "declined")]
            metrics |= {
                f"attempted_share_{float(target):g}": mean(m.status == "ok" for m in read),
                f"accuracy_given_attempted_{float(target):g}": mean(defined(meanings, "right")),
                f"format_failure_rate_{float(target):g}": failure_rate(replies),
            }
        return {**metrics, "payoff": float(mean(payoffs))}

    def table(self) -> Values:
        """By target."""
        values: Values = {}
        for target, meanings in self.by_target().items():
            condition = f"confidence_asked=before;confidence_target={float(target):g};format=open"
            read = [m for m in meanings if m.status in ("ok", "declined")]
            right = defined(meanings, "right")
            accuracy = mean(right)
            values |= {
                (condition, "payoff"): float(mean(defined(read, "points"))),
                (condition, "attempted_share"): mean(m.status == "ok" for m in read),
                (condition, "accuracy_given_attempted"): accuracy,
                (condition, "overall_accuracy"): sum(right) / len(read),
                (condition, "target_gap"): accuracy - float(target),
            }
        return values


def own_file(home: Path) -> Prepared:
    """A csv file of word problems and questions with three choices, under two targets."""
    answers = write_problems(home / "mine.csv")
    arguments = {"dataset": "mine.csv", "targets": "0,0.75", "confidence": "before"}
    return arguments, lambda task: Candidate(answers, task)


CASE = Case(
    "abstain",
    abstain,
    own_file,
    minimal={"dataset": "word_problems", "targets": "0.5"},
    ok="Final Answer: 20",
    cut="Solution: First, we",
    fields=("question", "instruction"),
    field_texts=lambda text, facts: (text, instruction(facts["confidence_target"])),
    headline="payoff",
    condition="confidence_target=0.5;format=open",
)
