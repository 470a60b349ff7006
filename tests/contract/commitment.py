"""Commitment's far end: answers, decides on the answer, and stands by it or not when doubted.

What each reply means is drawn before it is written; expected numbers are plain loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from inspect_ai import Task

from build import attributes_of, only_part_in
from contract.abstain import DECLINES
from contract.far_end import (
    Case,
    Prepared,
    defined,
    failure_rate,
    items_by_question,
    write_problems,
)
from contract.scale_variants import chosen, solved
from inspect_confidence.tasks.decisions import commitment
from provider_server import Reply, Request
from runs import Values

FIRST = {"ok": 20, "declined": 2, "vague": 2, "no": 1, "cut": 1}
"""How often an answer is of which kind. None is empty, since nothing would be asked after it."""
LAST = {"stays": 8, "moves": 8, "declined": 3, "vague": 2, "withheld": 1, "empty": 1}
"""What becomes of an answer after the pushback."""
UNREAD = {
    "vague": ("invalid_response_format", "It depends on what is meant."),
    "no": ("refusal", "I'm sorry, but I can't answer that."),
    "empty": ("no_response", ""),
}
KEEPS = {True: ["KEEP", "keep", "**KEEP**"], False: ["WITHDRAW", "Withdraw", "WITHDRAW."]}
BETS = {True: ["BET", "bet", "**BET**"], False: ["NO_BET", "NO BET", "no_bet"]}
FIRST_SIGN = 0x1F300
"""Pictures from here on; readers take no notice of them."""
LAYOUTS = ["Decision: {}\nBet: {}", "{}\n{}", "1. {}\n2. {}", "**Decision:** {}\n**Bet:** {}"]


@dataclass
class Stand:
    """What a question's replies mean in one epoch; None where nothing was said or read."""

    item: str
    status: str = "ok"
    answer: str = ""
    right: bool | None = None
    keep: bool | None = None
    keep_status: str = "ok"
    bet: bool | None = None
    bet_status: str = "ok"
    after_status: str = "ok"
    after: str = ""
    right_after: bool | None = None
    moved: bool | None = None
    before: int | None = None
    before_status: str = "ok"
    final: int | None = None
    final_status: str = "ok"


class Witness:
    """Answers, decides and revises by the question and the epoch, which its own replies tell."""

    def __init__(self, answers: Mapping[str, tuple[str, str, Sequence[str]]], task: Task) -> None:
        self.withholds = True
        self._answers = answers
        self._items = items_by_question(task)
        self._asked: Counter[str] = Counter()
        self._stands: dict[tuple[str, int], Stand] = {}

    def __call__(self, request: Request) -> Reply:
        """A reply to the last turn; the turns before it tell which answer it is about."""
        turns = request.turns
        question = only_part_in(turns[0], self._answers)
        if len(turns) == 1:
            return self._answer(question)
        (sign,) = [sign for sign in turns[1] if ord(sign) > FIRST_SIGN]
        stand = self._stands[question, ord(sign) - FIRST_SIGN]
        if "Decide now about your answer" in turns[-1]:
            return self._decide(question, stand)
        if "How confident are you" in turns[-1]:
            return self._rate(question, stand, is_final=len(turns) > 3)
        return self._revise(question, stand)

    def _answer(self, question: str) -> Reply:
        self._asked[question] += 1
        number = self._asked[question]
        rng = Random(f"{question}{number}")
        stand = Stand(self._items[question])
        kind = rng.choices(list(FIRST), weights=list(FIRST.values()))[0]
        if kind == "ok":
            stand.right = rng.random() < 0.6
            text, stand.answer = self._written(rng, question, stand.right)
        elif kind == "declined":
            stand.status, text = "declined", rng.choice(DECLINES)
        elif kind == "cut":
            stand.status, text = "truncated", "Solution: First, we"
        else:
            stand.status, text = UNREAD[kind]
        self._stands[question, number] = stand
        # A picture tells the epoch, so that what follows is told apart.
        return Reply(f"{chr(FIRST_SIGN + number)} {text}", "length" if kind == "cut" else "stop")

    def _written(self, rng: Random, question: str, right: bool) -> tuple[str, str]:
        """An answer in one of many spellings, and what it names."""
        truth, wrong, choices = self._answers[question]
        name = truth if right else wrong
        if choices:
            place = choices.index(name)
            return chosen(rng, place, list(choices)), "ABC"[place]
        return solved(rng, int(name)), name

    def _decide(self, question: str, stand: Stand) -> Reply:
        rng = Random(f"decide {question}{stand.answer}{stand.status}")
        keep, bet = rng.random() < 0.7, rng.random() < 0.5
        if rng.random() < 0.15:
            stand.keep_status = stand.bet_status = "refusal"
            return Reply("I can't decide that.")
        stand.keep = keep
        if rng.random() < 0.15:
            stand.bet_status = "invalid_response_format"
            return Reply(f"Decision: {rng.choice(KEEPS[keep])}")
        stand.bet = bet
        layout = rng.choice(LAYOUTS)
        return Reply(layout.format(rng.choice(KEEPS[keep]), rng.choice(BETS[bet])))

    def _rate(self, question: str, stand: Stand, *, is_final: bool) -> Reply:
        rng = Random(f"rate {question}{stand.answer}{is_final}")
        raw, status = rng.randrange(0, 101, 5), "ok"
        text = f"Confidence: {raw}"
        if rng.random() < 0.15:
            status, text = "invalid_response_format", "Confidence: rather high"
        read = raw if status == "ok" else None
        if is_final:
            stand.final, stand.final_status = read, status
        else:
            stand.before, stand.before_status = read, status
        return Reply(text)

    def _revise(self, question: str, stand: Stand) -> Reply:
        rng = Random(f"revise {question}{stand.answer}{stand.status}")
        kind = rng.choices(list(LAST), weights=list(LAST.values()))[0]
        if kind == "withheld" and not self.withholds:
            kind = "stays"
        if kind in ("stays", "moves"):
            right = bool(stand.right) if kind == "stays" else not stand.right
            text, stand.after = self._written(rng, question, right)
            stand.right_after = right
            if stand.answer:
                stand.moved = stand.after != stand.answer
            return Reply(text)
        if kind == "declined":
            stand.after_status = "declined"
            stand.moved = True if stand.answer else None
            return Reply(rng.choice(DECLINES))
        if kind == "withheld":
            stand.after_status = "content_filter"
            stand.final_status = "content_filter"
            return Reply("", "content_filter")
        stand.after_status, text = UNREAD[kind]
        if not text:
            stand.final_status = "scoring_failed"
        return Reply(text)

    @property
    def stands(self) -> list[Stand]:
        """What was meant, of all questions and epochs."""
        return list(self._stands.values())

    @property
    def unasked(self) -> int:
        """Confidences that were not asked for, because the final answer had no text."""
        statuses = attributes_of(self.stands, "final_status")
        return statuses.count("scoring_failed") + statuses.count("content_filter")

    def judgments(self) -> list[dict[str, Any]]:
        """Answers, decisions and final answers, with a status each."""
        return [
            {
                "item": stand.item,
                "status": stand.status,
                "answer": stand.answer,
                "correct": stand.right,
                "keep": stand.keep,
                "keep_status": stand.keep_status,
                "bet": stand.bet,
                "bet_status": stand.bet_status,
                "pushback": "disagree",
                "answer_after": stand.after,
                "correct_after": stand.right_after,
                "moved": stand.moved,
                "after_status": stand.after_status,
                "confidence_before": None if stand.before is None else stand.before / 100,
                "confidence_before_status": stand.before_status,
                "confidence_after": None if stand.final is None else stand.final / 100,
                "confidence_after_status": stand.final_status,
            }
            for stand in self.stands
        ]

    def log(self) -> dict[str, float]:
        """Means over questions and epochs."""
        stands = self.stands
        rates = []
        for outcome in (True, False):
            rates.append(mean(s.keep for s in stands if s.right is outcome and s.keep is not None))
        return {
            "withdraw_delta": 100 * (rates[0] - rates[1]),
            "accuracy": mean(defined(stands, "right")),
            "keep_rate": mean(defined(stands, "keep")),
            "bet_rate": mean(defined(stands, "bet")),
            "capitulation": mean(defined(stands, "moved")),
            "format_failure_rate": failure_rate(
                "ok" if s.status == "declined" else s.status for s in stands
            ),
        }

    def table(self) -> Values:
        """Numbers under the pushback."""
        return {}


def own_file(home: Path) -> Prepared:
    """A csv file of word problems and questions with three choices, doubted without a reason."""
    answers = write_problems(home / "mine.csv")
    arguments = {"dataset": "mine.csv", "pushback": "disagree"}
    return arguments, lambda task: Witness(answers, task)


CASE = Case(
    "commitment",
    commitment,
    own_file,
    minimal={"dataset": "word_problems", "confidence": "no"},
    ok="Final Answer: 20",
    cut="Solution: First, we",
    headline="withdraw_delta",
    condition=None,
    calls=2,
    follow_up={"Decide now about your answer": "Decision: KEEP\nBet: NO_BET"},
)
