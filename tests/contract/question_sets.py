"""The question sets' far end: options, verdicts and confidences, with tokens of every style.

What each reply and its log probabilities mean is known before they are sent; expected numbers are
computed by hand, in plain loops or by scikit-learn.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import numpy as np
from inspect_ai import Task
from sklearn.metrics import brier_score_loss, roc_auc_score

from build import attributes_of, column_of, records_with, texts_starting
from conftest import CHECKOUT
from contract.far_end import Case, Prepared, failure_rate, of_condition
from inspect_confidence.prompts.question_sets import with_options
from inspect_confidence.tasks.question_sets import question_sets
from provider_server import Finish, Reply, Request, Token
from runs import Values

Judged = tuple["Fraction | float | None", "float | None", str]
"""Confidence, correctness and status."""

VERDICTS = ("True", "False")


@dataclass(frozen=True)
class SetQuestion:
    """What a question is: its kind, how many options it has, and what is right."""

    kind: str
    options: int
    target: str

    @property
    def names(self) -> Sequence[str]:
        """What may be answered."""
        return VERDICTS if self.kind == "true_false" else "ABCDE"[: self.options]


@dataclass(frozen=True)
class Draft:
    """A reply with the place of its answer in it, and what it means.

    Attributes:
        parts: The text before the answer, the answer as written, and the text after it.
        answer: What the answer names, if that can be read.
        probabilities: The probabilities as stated, or the one confidence; empty if unreadable.
    """

    parts: tuple[str, str, str]
    answer: str | None = None
    probabilities: tuple[Fraction, ...] = ()
    status: str = "ok"
    finish: Finish = "stop"


@dataclass(frozen=True)
class OptionMeaning:
    """A draft's meaning for a question, with what its tokens say."""

    item: str
    question: SetQuestion
    draft: Draft
    token_status: str
    masses: tuple[float, ...] = ()

    @property
    def correct(self) -> float | None:
        """By the letter named; of an answer that was given, whether it is right."""
        if self.question.kind == "given":
            return float(self.question.target == "True") if self.draft.status == "ok" else None
        return (
            None if self.draft.answer is None else float(self.draft.answer == self.question.target)
        )

    @property
    def shares(self) -> list[Fraction]:
        """The stated probabilities of all options, normalised."""
        probabilities = self.draft.probabilities if self.question.kind == "options" else ()
        return [probability / sum(probabilities) for probability in probabilities]

    @property
    def token_probabilities(self) -> list[float]:
        """The probabilities of all options at the token of the answer, normalised."""
        return [mass / math.fsum(self.masses) for mass in self.masses]

    def stated_row(self) -> Judged:
        """The stated judgment."""
        sure: Fraction | None = None
        if self.draft.status == "ok":
            place = self._place() if self.question.kind == "options" else 0
            sure = (self.shares or self.draft.probabilities)[place]
        return sure, self.correct, self.draft.status

    def token_row(self) -> Judged:
        """The token's judgment, which is of nothing where no token was read."""
        if self.token_status != "ok":
            return None, None, self.token_status
        return self.token_probabilities[self._place()], self.correct, "ok"

    def by_largest(self, row: Judged, shares: Sequence[Fraction | float]) -> Judged:
        """The judgment graded by the largest probability, also where no letter was read."""
        if not shares:
            return row
        top = max(shares)
        right = shares[self.question.names.index(self.question.target)] == top
        return top, right / shares.count(top), "ok"

    def _place(self) -> int:
        assert self.draft.answer is not None
        return self.question.names.index(self.draft.answer)


# Replies. @L is the answer, @ALL the probabilities of all options, @C the one confidence.

OPTION_FORMS = [
    '{"Reasoning": "The answer: E, or \\"A\\"?", "Answer": "@L", @ALL}',
    '```json\n{\n  "Reasoning": "A, {B}.",\n  "Answer": "@L",\n  @ALL,\n}\n```',
    "{'Reasoning': 'It isn\\'t', 'Answer': '@L', @ALL}",
    'Sure:\n{"Answer": "Option @L", @ALL, "Reasoning": "x"}\nI hope that helps.',
    '{"reasoning": "x", "ANSWER": "@L", @ALL',
    '<think>"Answer": 7</think>{"response": {"Answer": "(@L)", @ALL}}',
]
VERDICT_FORMS = [
    '{"Reasoning": "x", "Answer": "@L", "Confidence": @C}',
    '```json\n{"Reasoning": "x", "Answer": @l, "Confidence": "@C",}\n```',
    "{'Answer': '@L', 'Confidence': @C}",
    'Well: {"Answer": "@l", "Confidence": "about @C", "Reasoning": "x"} So it is.',
]
GIVEN_FORMS = [
    '{"Confidence": @C}',
    '```json\n{"Confidence": "@C",}\n```',
    "I think {'Confidence': '@C'}, no more.",
]
UNREAD = [
    Draft(("I'm sorry, but I can't answer that.", "", ""), status="refusal"),
    Draft(("", "", ""), status="no_response"),
    Draft(('{"Reasoning": "First, the', "", ""), status="truncated", finish="length"),
    Draft(("", "", ""), status="content_filter", finish="content_filter"),
    Draft(("I'm rather sure.", "", ""), status="invalid_response_format"),
]


def hundredths(numbers: Iterable[int]) -> tuple[Fraction, ...]:
    """Numbers of percent as fractions."""
    return tuple(Fraction(number, 100) for number in numbers)


def option_drafts(rng: Random, question: SetQuestion) -> list[Draft]:
    """Replies in every form and arithmetic, and those that name an answer and no probabilities."""

    def split(total: int) -> list[int]:
        """In parts that are probabilities: of 120 in all, one of 109 is none."""
        while True:
            cuts = sorted(rng.sample(range(1, total), question.options - 1))
            parts = np.diff([0, *cuts, total])
            if max(parts) <= 100:
                return list(map(int, parts))

    def draft(numbers: list[int], write: Callable[[int], str], letter: str | None = None) -> Draft:
        letter = letter or question.names[numbers.index(max(numbers))]
        form = rng.choice(OPTION_FORMS)
        quote = "'" if form.startswith("{'") else '"'
        members = []
        for name, number in zip(question.names, numbers, strict=True):
            members.append(f"{quote}{name}{quote}: {write(number)}")
        before, after = form.replace("@ALL", ", ".join(members)).split("@L")
        return Draft((before, letter, after), letter, hundredths(numbers))

    decimals, percent = (lambda number: f"{number / 100:g}"), (lambda number: f'"{number}%"')
    letter, full = rng.choice(question.names), split(100)
    tied = [30] * question.options
    head = '{"Reasoning": "x", "Answer": "'
    invalid = "invalid_response_format"
    shares = dict(zip(question.names, map(float, hundredths(full)), strict=True))
    unsure = json.dumps({"Answer": "maybe", **shares})
    return [
        draft(full, decimals),
        draft(full, percent, letter),
        draft([100 - 2 * (question.options - 1)] + [2] * (question.options - 1), str),
        draft(split(90), decimals),
        draft(split(120), decimals, letter),
        draft(tied, decimals, letter),
        draft([60 // (question.options - 1)] * (question.options - 1) + [40], decimals, letter),
        Draft((head, letter, '"}'), letter, status=invalid),
        Draft((head, letter, '", "A": 70, "B": 50, "C": 9, "D": 9, "E": 9}'), letter)
        if question.options == 5
        else Draft((head, letter, '", "A": 0.5}'), letter, status=invalid),
        Draft((head, letter, '", "A": 0.'), letter, status="truncated", finish="length"),
        Draft(('{"Answer": "Z"}', "", ""), status="out_of_range"),
        Draft((unsure, "", ""), probabilities=hundredths(full), status=invalid),
    ]


def single_drafts(rng: Random, question: SetQuestion) -> list[Draft]:
    """Replies with one confidence, for true or false and for given answers."""
    drafts = []
    forms = VERDICT_FORMS if question.kind == "true_false" else GIVEN_FORMS
    for form in forms:
        hundredths = rng.choice([rng.randint(0, 100), 100, 0, 5 * rng.randint(0, 20)])
        number_text = rng.choice([f"{hundredths / 100:g}", f"{hundredths}%"])
        text, probabilities = form.replace("@C", number_text), (Fraction(hundredths, 100),)
        if question.kind == "given":
            drafts.append(Draft((text, "", ""), None, probabilities))
            continue
        verdict = rng.choice(VERDICTS)
        lower = "@l" in text
        before, after = text.split("@l" if lower else "@L")
        drafts.append(
            Draft((before, verdict.lower() if lower else verdict, after), verdict, probabilities)
        )
    if question.kind == "given":
        no_number = '{"Confidence": "high"}'
        return [*drafts, Draft((no_number, "", ""), status="invalid_response_format")]
    head = '{"Reasoning": "x", "Answer": "'
    maybe = ('{"Answer": "maybe", "Confidence": 0.9}', "", "")
    return [
        *drafts,
        Draft((head, "False", '"}'), "False", status="invalid_response_format"),
        Draft((head, "True", '", "Confidence": 0.'), "True", status="truncated", finish="length"),
        Draft(maybe, probabilities=(Fraction(9, 10),), status="ambiguous"),
    ]


# Log probabilities.

STYLES = {"own": (0, 0), "quoted": (1, 1), "spaced": (2, 0), "with the key": (4, 2)}
"""How many characters before and after the answer are in its token."""
JUNK = ("{", ' "The', "\n", "None", '"Both')
JUNK_MASS = 0.02
"""Of each of these."""


def tokens_for(
    rng: Random, question: SetQuestion, draft: Draft, style: str
) -> tuple[list[Token], tuple[float, ...]]:
    """The tokens of a reply, and the probability that each option has at the answer's.

    Each option has up to two spellings, some have none, and the rest is on what is no option.
    """
    text, before, word = "".join(draft.parts), draft.parts[0], draft.parts[1]
    before_length, after_length = STYLES[style]
    start, end = len(before) - before_length, len(before) + len(word) + after_length
    lead, tail = text[start : len(before)], text[len(before) + len(word) : end]
    is_word = len(word) > 1
    if is_word:  # True comes as Tr and ue
        end, tail = len(before) + 2, ""

    def first(name: str) -> str:
        return name[: 2 + (name.lower() == "false")] if is_word else name

    spelled = str.lower if word.islower() else str
    main = lead + (first(word) if word.lower() != "false" else word[:2]) + tail
    weights = {name: rng.random() ** 2 + 0.01 for name in question.names}
    left_out = {name for name in question.names if name != draft.answer and rng.random() < 0.15}
    top, masses = {}, []
    room = 1 - JUNK_MASS * len(JUNK)
    scale = rng.choice([0.6, 0.9, 1.0]) * room / sum(weights.values())
    for name in question.names:
        spelling = main if name == draft.answer else lead + first(spelled(name)) + tail
        spellings = {spelling: 0.8, f" {first(name)}": 0.15, first(name.lower()): 0.05}
        mass = 0.0
        for token, part in spellings.items():
            if name not in left_out and token not in top:
                top[token] = math.log(weights[name] * part * scale)
                mass += math.exp(top[token])
        masses.append(mass)
    for junk in JUNK:
        top[junk] = math.log(JUNK_MASS)
    place = Token(text[start:end], top[main], top)
    assert place.token == main
    if rng.random() < 0.2:  # what was said needn't be among the likeliest
        del top[main]
    return [*sure_tokens(text[:start]), place, *sure_tokens(text[end:])], tuple(masses)


def sure_tokens(text: str) -> list[Token]:
    """A text in tokens of seven characters, each nearly certain."""
    tokens = []
    for piece in re.findall(".{1,7}", text, re.DOTALL):
        tokens.append(Token(piece, -0.01, {piece: -0.01, "B": -6.0, "True": -7.0}))
    return tokens


def without_alternatives(tokens: Sequence[Token]) -> list[Token]:
    """The tokens as a provider gives them that was asked for none, or lists only what was said."""
    return [Token(token.token, token.logprob) for token in tokens]


class Teacher:
    """Answers by turns in every form, with tokens of every style, and notes what they mean.

    `tokens` says what becomes of log probabilities: they are `read`, `lost` by a provider that
    gives none, or `unasked`. `convention` may be changed before the table is asked for.
    """

    def __init__(
        self,
        task: Task,
        questions: Mapping[str, SetQuestion],
        *,
        tokens: str = "read",
        prompts: str = "ours",
        convention: str = "",
    ) -> None:
        self.meant: list[OptionMeaning] = []
        self.convention = convention
        self.tokens = tokens
        self._base = f"variant=prompts%3D{prompts}"
        self._questions = {}
        for sample in task.dataset:
            # The study's exact prompts have the options already.
            options = (sample.choices or []) if prompts == "ours" else []
            self._questions[with_options(str(sample.input), options)] = sample
        assert len(self._questions) == len(task.dataset)
        self._questions_by_id = questions
        self._turns: dict[str, int] = defaultdict(int)
        self.withholds = True

    def __call__(self, request: Request) -> Reply:
        """A reply to the question that the prompt ends with."""
        text = request.prompt
        if text not in self._questions:
            text = text.removesuffix("\n\nResponse:").split("\n\n", 1)[1]
            while text not in self._questions:
                text = text.split("\n\n", 1)[1]
        sample = self._questions[text]
        question, metadata = self._questions_by_id[str(sample.id)], sample.metadata or {}
        turn = self._turns[question.kind]
        self._turns[question.kind] += 1
        rng = Random(f"{question.kind}{turn}")
        make = option_drafts if question.kind == "options" else single_drafts
        drafts = make(rng, question) + (
            UNREAD if question.kind == "options" else UNREAD[turn % 5 :][:1]
        )
        if not self.withholds:
            drafts = records_with(drafts, status="ok")
        draft = drafts[turn % len(drafts)]
        if draft.status == "ok" and not draft.probabilities:  # 70, 50 and so on make no 100
            draft = Draft(draft.parts, draft.answer, status="out_of_range")
        reply, status, masses = self._reply(rng, question, draft, turn)
        self.meant.append(OptionMeaning(str(metadata["item"]), question, draft, status, masses))
        return reply

    def _reply(
        self, rng: Random, question: SetQuestion, draft: Draft, turn: int
    ) -> tuple[Reply, str, tuple[float, ...]]:
        """With the token's status and the options' masses."""
        text = "".join(draft.parts)
        if draft.status == "content_filter":
            return Reply(text, draft.finish), "content_filter", ()
        if draft.answer is None:
            tokens = [Token(text, -0.1, {text: -0.1, "B": -3.0})]
            return Reply(text, draft.finish, tokens), "invalid_response_format", ()
        tokens, masses = tokens_for(rng, question, draft, list(STYLES)[turn % 4])
        options_with_mass = np.count_nonzero(masses)
        lacking = rng.choice(["", "", "", "", "", "all", "alternatives"])
        if lacking == "all":
            return Reply(text, draft.finish), "scoring_failed", ()
        if lacking:
            return Reply(text, draft.finish, without_alternatives(tokens)), "scoring_failed", ()
        # What the other options had isn't known, and the answer would look certain.
        if options_with_mass == 1:
            return Reply(text, draft.finish, tokens), "scoring_failed", ()
        return Reply(text, draft.finish, tokens), "ok", masses

    def judgments(self) -> list[dict[str, Any]]:
        """What is stated, and what the token at the answer says, of each question."""
        rows = []
        for m in self.meant:
            sure, right, status = m.stated_row()
            # Also beside no readable verdict.
            if m.question.kind == "true_false" and m.draft.probabilities:
                (sure,) = m.draft.probabilities
            has_sum = m.question.kind == "options" and m.draft.probabilities
            row: dict[str, Any] = {"item": m.item, "answer": m.draft.answer, "correct": right}
            statement = {"source": "stated", "confidence": sure, "status": status}
            total = sum(m.draft.probabilities) if has_sum else None
            rows.append({**row, **statement, "raw_sum": total, "probabilities": m.shares})
            if m.question.kind != "given" and self.tokens != "unasked":
                sure, right, status = self._token_row(m)
                probabilities = m.token_probabilities if status == "ok" else []
                token = {"source": "token", "confidence": sure, "status": status}
                rows.append({**row, **token, "raw_sum": None, "probabilities": probabilities})
        return rows

    def log(self) -> dict[str, float]:
        """Of what was stated."""
        numbers = expected(list(map(OptionMeaning.stated_row, self.meant)))
        names = ("overconfidence", "accuracy", "mean_confidence", "ece", "auroc")
        return {name: numbers.get(name, math.nan) for name in (*names, "format_failure_rate")}

    def table(self) -> Values:
        """Numbers of both sources, and their difference in ECE."""
        with_token = [m for m in self.meant if m.question.kind != "given"]
        replies = list(map(OptionMeaning.stated_row, self.meant))
        token = list(map(self._token_row, with_token))
        if self.convention == "text":
            shares = attributes_of(self.meant, "shares")
            replies = list(map(OptionMeaning.by_largest, self.meant, replies, shares))
            masses = attributes_of(with_token, "token_probabilities")
            token = list(map(OptionMeaning.by_largest, with_token, token, masses))
        values: Values = {}
        for condition, rows in ((self._base, replies), (f"source=token;{self._base}", token)):
            if set(column_of(rows, 0)) - {None}:
                values |= of_condition(condition, expected(rows))
        stated_items, token_items = (items_read(self.meant, replies), items_read(with_token, token))
        shared_items = set(stated_items) & set(token_items)
        if shared_items:
            stated_rows = chain.from_iterable(map(stated_items.__getitem__, shared_items))
            token_rows = chain.from_iterable(map(token_items.__getitem__, shared_items))
            difference = ece(list(stated_rows)) - ece(list(token_rows))
            values[f"of=ece;{self._base};versus=token", "difference"] = difference
        return values

    def _token_row(self, meaning: OptionMeaning) -> Judged:
        if self.tokens == "read" or meaning.token_status == "content_filter":
            return meaning.token_row()
        return None, None, "scoring_failed"


# What is expected.


def items_read(
    meanings: Sequence[OptionMeaning], rows: Sequence[Judged]
) -> dict[str, list[Judged]]:
    """The judgments that were read, by their items."""
    rows_by_item: dict[str, list[Judged]] = defaultdict(list)
    for meaning, row in zip(meanings, rows, strict=True):
        if row[2] == "ok":
            rows_by_item[meaning.item].append(row)
    return rows_by_item


def ece(rows: Sequence[Judged]) -> float:
    """In 10 bins below 1 and an eleventh for 1."""
    gaps: dict[int, float] = defaultdict(float)
    pairs = [(sure, right) for sure, right, _ in rows if sure is not None and right is not None]
    for sure, right in pairs:
        gaps[math.floor(10 * sure if isinstance(sure, Fraction) else 10 * sure + 1e-9)] += (
            float(sure) - right
        )
    return sum(map(abs, gaps.values())) / len(pairs)


def expected(rows: Sequence[Judged]) -> dict[str, float]:
    """Metric -> value of one source's judgments."""
    pairs = [(float(s), right) for s, right, _ in rows if s is not None and right is not None]
    sure, right = column_of(pairs, 0), column_of(pairs, 1)
    numbers = {
        "accuracy": mean(correct for _, correct, _ in rows if correct is not None),
        "mean_confidence": mean(sure),
        "overconfidence": mean(sure) - mean(right),
        "ece": ece(rows),
        "format_failure_rate": failure_rate(column_of(rows, 2)),
        "n": len(rows),
    }
    if set(right) == {0, 1}:
        numbers |= {"brier": brier_score_loss(right, sure), "auroc": roc_auc_score(right, sure)}
    return numbers


# Questions.


def own_file(folder: Path) -> dict[str, SetQuestion]:
    """96 questions in mine.jsonl: two to five options, true or false, and a given answer."""
    rows, questions = [], {}
    for number in range(96):
        kind = ("options", "options", "true_false", "given")[number % 4]
        options = 2 + number // 4 % 4 if kind == "options" else 0
        row: dict[str, Any] = {"id": f"q{number:02d}", "question": f"Is {number} so, and why?"}
        if kind == "options":
            row["choices"] = [f"choice {k} of {number}" for k in range(options)]
            target = "ABCDE"[number % options]
            row["target"] = target if number % 3 else row["choices"][number % options]
        else:
            target = VERDICTS[number // 4 % 2]
            row["target"] = [target, target.lower() == "true", "yes" if target == "True" else "no"][
                number % 3
            ]
        if kind == "given":
            row["answer"] = f"It is {number}."
        rows.append(row)
        questions[f"q{number:02d}" + ("_answer" if kind == "given" else "")] = SetQuestion(
            kind, options, target
        )
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return questions


def csv_rows(place: Path) -> list[dict[str, str]]:
    """The rows of a published file."""
    with place.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


PUBLISHED = {
    "boolq": "boolq_valid",
    "sciq": "sciq_test",
    "lsat_ar": "lsat_ar_test",
    "sat_en": "sat_en",
    "halueval": "halu_eval_qa",
}


def published_questions(name: str, folder: Path) -> dict[str, SetQuestion]:
    """A published set's questions by id."""
    questions = {}
    for row in csv_rows(folder / "items" / f"{PUBLISHED[name]}.csv"):
        item = f"{name}-{row['Question ID']}"
        if name == "halueval":
            questions[f"{item}_r"] = SetQuestion("given", 0, "True")
            questions[f"{item}_h"] = SetQuestion("given", 0, "False")
        elif name == "boolq":
            questions[item] = SetQuestion("true_false", 0, row["Correct Answer"])
        else:
            options = len(texts_starting(row, "Option "))
            questions[item] = SetQuestion("options", options, row["Correct Answer Letter"])
    return questions


def taught(
    name: str, read_questions: Callable[[Path], dict[str, SetQuestion]], **arguments: Any
) -> Case:
    """A set whose questions are known otherwise."""

    def prepare(home: Path) -> Prepared:
        answers = read_questions(home)
        return dict(arguments), lambda task: Teacher(task, answers)

    return Case(
        name,
        question_sets,
        prepare,
        minimal={"dataset": "bundled"},
        ok='{"Answer": "A", "A": 0.6, "B": 0.1, "C": 0.2, "D": 0.1}',
        cut='{"Answer": "A", "A": 0.',
        question_text=lambda sample: with_options(str(sample.input), sample.choices or []),
        condition="variant=prompts%3Dours",
        system=True,
    )


def bundled(dataset: str, file: str) -> Case:
    """A bundled set."""
    folder = CHECKOUT / "src" / "inspect_confidence" / "datasets" / "bundled"
    questions = {}
    for line in (folder / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "choices" in row:
            questions[row["id"]] = SetQuestion(
                "options", len(row["choices"]), "ABCDE"[row["answer"]]
            )
        else:
            questions[row["id"]] = SetQuestion("true_false", 0, str(row["answer"]))
    return taught("question_sets", lambda _: questions, dataset=dataset)


CASE = taught("question_sets", own_file, dataset="mine.jsonl")
