"""The far end of other people's evals: it answers them, grades for them, and says how sure it is.

How sure is decided first, by the question and by what was answered where answers differ, and then
written in the form that a prompt asks for.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256

from any_eval.evals import EvalCase, EvalItem, Turn
from build import column_of
from inspect_confidence.prompts import confidence, decisions
from provider_server import Reply, Request, Token

UNREADABLE = "It depends."
UNREADABLE_ITEM = 2
NEVER = -9999.0
"""The log probability that OpenAI sends of what is next to impossible."""
KEPT_FROM, BET_FROM = 40, 70
"""Percentages from which an answer is kept, and bet on."""
CERTAINTIES = {0: 0, 3: 100}
"""Percentages of items by number; the others follow from their text."""


def _pattern(template: str) -> re.Pattern[str]:
    """What a filled template matches; a field that stands twice is read where it stands first."""
    field_names: set[str] = set()

    def read(field: re.Match[str]) -> str:
        name = field[1]
        new = name not in field_names
        field_names.add(name)
        return rf"(?P<{name}>.*?)" if new else rf"(?P={name})"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", read, re.escape(template)), re.DOTALL)


FORMS = {
    name: _pattern(getattr(confidence, name.upper()))
    for name in ("stated", "alone", "before", "p_true", "words", "same")
}
FORMS |= {
    "decline": _pattern(confidence.DECLINE),
    "keep": _pattern(decisions.COMMITMENT),
    "pushback": _pattern(decisions.PUSHBACKS["disagree"].format(format=confidence.SAME_FORMAT)),
}
"""How what is asked about an answer can be told, by the way of asking."""


class Answerer:
    """Answers all that is asked in a case; depends on the request, and on how often it was made.

    Attributes:
        asked: How often each kind of request came; "" is the eval's own.
        phrases: What was said in words, by item.
    """

    def __init__(self, case: EvalCase, fails: int | None = None, way: str = "") -> None:
        """The server fails for an item wherever it is asked, or in one way of asking only."""
        self.asked: Counter[str] = Counter()
        self.phrases: dict[int, str] = {}
        self._case = case
        self._fails = fails, way
        self._turns: Counter[str] = Counter()

    def __call__(self, request: Request) -> Reply | list[Reply]:
        """The reply, or so many as are asked for."""
        text = json.dumps(request.body["messages"], ensure_ascii=False)
        items = enumerate(self._case.items)
        numbers = [
            number for number, item in items if any(fragment in text for fragment in item.fragments)
        ]
        assert len(numbers) == 1, (numbers, text)
        (number,) = numbers
        item = self._case.items[number]
        fits = ((way, form.fullmatch(request.prompt)) for way, form in FORMS.items())
        way, fields = next(((way, match) for way, match in fits if match), ("", None))
        if self._fails in ((number, ""), (number, way)):
            raise ConnectionError(f"nothing for item {number}")
        if fields:
            self.asked[way] += 1
            if way == "pushback":  # it stands by what it said
                return Reply(request.body["messages"][-2]["content"])
            reply = _sure(way, fields.groupdict(), percent(self._case, number, text))
            if way == "words":
                self.phrases[number] = reply.text
            return reply
        for words, says in item.asides.items():
            if words in request.prompt:
                self.asked["aside"] += 1
                return says if isinstance(says, Reply) else Reply(says)
        count = request.body.get("n") or 1
        self.asked[""] += count
        return [self._turn(item, request) for _ in range(count)]

    def _turn(self, item: EvalItem, request: Request) -> Reply:
        """Of the conversation, with letters in place of options."""
        turn: Turn = item.says[column_of(request.body["messages"], "role").count("assistant")]
        if isinstance(turn, Reply):
            return turn
        if isinstance(turn, list):
            turn = turn[self._turns[request.prompt] % len(turn)]
            self._turns[request.prompt] += 1
        return Reply(re.sub(r"@(.+)", lambda option: _letter(option[1], request.prompt), turn))


def percent(case: EvalCase, number: int, text: str) -> int | None:
    """How sure of an item's answer, in percent; None for a reply that can't be read.

    `text` shows the answer last, where there are several to the same question.
    """
    if number == UNREADABLE_ITEM:
        return None
    item = case.items[number]
    answers = item.answers
    if number in CERTAINTIES and len(answers) < 2:
        return CERTAINTIES[number]
    answer = max(answers, key=text.rfind) if any(candidate in text for candidate in answers) else ""
    return int(sha256((item.fragments[0] + answer).encode()).hexdigest(), 16) % 99 + 1


def _letter(option: str, prompt: str) -> str:
    line = re.search(rf"^\(?([A-Z])\) {re.escape(option)}", prompt, re.MULTILINE)
    assert line, (option, prompt)
    return line[1]


def _sure(way: str, fields: Mapping[str, str], sure: int | None) -> Reply:
    """A reply that means so many percent, in a form that the way asks for."""
    if way == "same":
        return Reply("Yes" if fields["answer"] == fields["other"] else "No")
    if sure is None:
        return Reply(UNREADABLE, logprobs=[Token("It", 0.0, {"It": 0.0})])
    if way in ("decline", "keep"):
        kept, bet = sure >= KEPT_FROM, sure >= BET_FROM
        decision = "KEEP" if kept else "WITHDRAW"
        return Reply(f"{decision}\n{'BET' if bet else 'NO_BET'}" if way == "keep" else decision)
    if way == "p_true":
        shares = {"True": sure / 100, "False": 1 - sure / 100}
        top = {token: math.log(share) if share else NEVER for token, share in shares.items()}
        token = max(top, key=lambda name: top[name])
        return Reply(token, logprobs=[Token(token, top[token], top)])
    if way == "words":
        phrases = fields["phrases"].splitlines()
        return Reply(phrases[round((len(phrases) - 1) * (1 - sure / 100))])
    low, high = int(fields["l"]), int(fields["u"])
    return Reply(f"Confidence: {low + sure * (high - low) / 100:.0f}")
