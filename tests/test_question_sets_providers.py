"""Question sets through the providers' own packages, against a local server.

The server notes what each reply and its log probabilities mean before it sends them, so that the
expected numbers need neither our readers nor our metrics: they are computed here, by hand, in
plain loops or by scikit-learn.
"""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from sklearn.metrics import brier_score_loss, roc_auc_score

from conftest import CHECKOUT, Command
from inspect_confidence import read_judgments, summarize
from inspect_confidence.tasks.question_sets import question_sets
from provider_server import Finish, ProviderServer, Reply, Request, Token

Values = dict[tuple[str, str], float]
Judged = tuple["Fraction | float | None", "float | None", str]
"""Confidence, correctness and status."""

VERDICTS = ("True", "False")
NO_REPLY = ("content_filter", "scoring_failed")
BASE = "variant=prompts%3Dours"


@dataclass(frozen=True)
class Known:
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
        stated: The probabilities as stated, or the one confidence; empty if unreadable.
    """

    parts: tuple[str, str, str]
    answer: str | None = None
    stated: tuple[Fraction, ...] = ()
    status: str = "ok"
    finish: Finish = "stop"


@dataclass(frozen=True)
class Meant:
    """A draft's meaning for a question, with what its tokens say."""

    item: str
    known: Known
    draft: Draft
    token_status: str
    masses: tuple[float, ...] = ()

    @property
    def correct(self) -> float | None:
        """By the letter named; of an answer that was given, whether it is right."""
        if self.known.kind == "given":
            return float(self.known.target == "True") if self.draft.status == "ok" else None
        return None if self.draft.answer is None else float(self.draft.answer == self.known.target)

    @property
    def shares(self) -> list[Fraction]:
        """The stated probabilities of all options, normalised."""
        found = self.draft.stated if self.known.kind == "options" else ()
        return [one / sum(found) for one in found]

    @property
    def seen(self) -> list[float]:
        """The probabilities of all options at the token of the answer, normalised."""
        return [one / math.fsum(self.masses) for one in self.masses]

    def stated_row(self) -> Judged:
        """The stated judgment."""
        sure: Fraction | None = None
        if self.draft.status == "ok":
            place = self._place() if self.known.kind == "options" else 0
            sure = (self.shares or self.draft.stated)[place]
        return sure, self.correct, self.draft.status

    def token_row(self) -> Judged:
        """The token's judgment, which is of nothing where no token was read."""
        if self.token_status != "ok":
            return None, None, self.token_status
        return self.seen[self._place()], self.correct, "ok"

    def by_largest(self, row: Judged, shares: Sequence[Fraction | float]) -> Judged:
        """The judgment graded by the largest probability, also where no letter was read."""
        if not shares:
            return row
        top = max(shares)
        right = shares[self.known.names.index(self.known.target)] == top
        return top, right / sum(one == top for one in shares), "ok"

    def _place(self) -> int:
        assert self.draft.answer is not None
        return self.known.names.index(self.draft.answer)


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
    Draft(("I'd say 0.8.", "", ""), status="invalid_response_format"),
]


def option_drafts(rng: Random, known: Known) -> list[Draft]:
    """Replies in every form and arithmetic, and those that name an answer and no probabilities."""

    def split(total: int) -> list[int]:
        cuts = sorted(rng.sample(range(1, total), known.options - 1))
        return [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]

    def draft(numbers: list[int], write: Callable[[int], str], letter: str | None = None) -> Draft:
        letter = letter or known.names[numbers.index(max(numbers))]
        form = rng.choice(OPTION_FORMS)
        quote = "'" if form.startswith("{'") else '"'
        listed = ", ".join(
            f"{quote}{name}{quote}: {write(one)}"
            for name, one in zip(known.names, numbers, strict=True)
        )
        before, after = form.replace("@ALL", listed).split("@L")
        stated = tuple(Fraction(one, 100) for one in numbers)
        return Draft((before, letter, after), letter, stated)

    decimals, percent = (lambda one: f"{one / 100:g}"), (lambda one: f'"{one}%"')
    letter, full = rng.choice(known.names), split(100)
    tied = [30] * known.options
    head = '{"Reasoning": "x", "Answer": "'
    invalid = "invalid_response_format"
    listed = {name: one / 100 for name, one in zip(known.names, full, strict=True)}
    unsure = json.dumps({"Answer": "maybe", **listed})
    return [
        draft(full, decimals),
        draft(full, percent, letter),
        draft([100 - 2 * (known.options - 1)] + [2] * (known.options - 1), str),
        draft(split(90), decimals),
        draft(split(120), decimals, letter),
        draft(tied, decimals, letter),
        draft([60 // (known.options - 1)] * (known.options - 1) + [40], decimals, letter),
        Draft((head, letter, '"}'), letter, status=invalid),
        Draft((head, letter, '", "A": 70, "B": 50, "C": 9, "D": 9, "E": 9}'), letter)
        if known.options == 5
        else Draft((head, letter, '", "A": 0.5}'), letter, status=invalid),
        Draft((head, letter, '", "A": 0.'), letter, status="truncated", finish="length"),
        Draft(('{"Answer": "Z"}', "", ""), status="out_of_range"),
        Draft((unsure, "", ""), stated=tuple(Fraction(one, 100) for one in full), status=invalid),
    ]


def single_drafts(rng: Random, known: Known) -> list[Draft]:
    """Replies with one confidence, for true or false and for given answers."""
    drafts = []
    forms = VERDICT_FORMS if known.kind == "true_false" else GIVEN_FORMS
    for form in forms:
        hundredths = rng.choice([rng.randint(0, 100), 100, 0, 5 * rng.randint(0, 20)])
        written = rng.choice([f"{hundredths / 100:g}", f"{hundredths}%"])
        text, stated = form.replace("@C", written), (Fraction(hundredths, 100),)
        if known.kind == "given":
            drafts.append(Draft((text, "", ""), None, stated))
            continue
        verdict = rng.choice(VERDICTS)
        lower = "@l" in text
        before, after = text.split("@l" if lower else "@L")
        drafts.append(
            Draft((before, verdict.lower() if lower else verdict, after), verdict, stated)
        )
    if known.kind == "given":
        no_number = '{"Confidence": "high"}'
        return [*drafts, Draft((no_number, "", ""), status="invalid_response_format")]
    head = '{"Reasoning": "x", "Answer": "'
    maybe = ('{"Answer": "maybe", "Confidence": "maybe"}', "", "")
    return [
        *drafts,
        Draft((head, "False", '"}'), "False", status="invalid_response_format"),
        Draft((head, "True", '", "Confidence": 0.'), "True", status="truncated", finish="length"),
        Draft(maybe, status="ambiguous"),
    ]


# Log probabilities.

STYLES = {"own": (0, 0), "quoted": (1, 1), "spaced": (2, 0), "with the key": (4, 2)}
"""How many characters before and after the answer are in its token."""
JUNK = ("{", ' "The', "\n", "None", '"Both')


def tokens_for(
    rng: Random, known: Known, draft: Draft, style: str
) -> tuple[list[Token], tuple[float, ...]]:
    """The tokens of a reply, and the probability that each option has at the answer's.

    Each option has up to two spellings, some have none, and the rest is on what is no option.
    """
    text, before, word = "".join(draft.parts), draft.parts[0], draft.parts[1]
    left, right = STYLES[style]
    start, end = len(before) - left, len(before) + len(word) + right
    lead, tail = text[start : len(before)], text[len(before) + len(word) : end]
    is_word = len(word) > 1
    if is_word:  # True comes as Tr and ue
        end, tail = len(before) + 2, ""

    def first(name: str) -> str:
        return name[: 2 + (name.lower() == "false")] if is_word else name

    spelled = str.lower if word.islower() else str
    main = lead + (first(word) if word.lower() != "false" else word[:2]) + tail
    weights = {name: rng.random() ** 2 + 0.01 for name in known.names}
    left_out = {name for name in known.names if name != draft.answer and rng.random() < 0.15}
    top, masses = {}, []
    scale = rng.choice([0.6, 0.9, 1.0]) / sum(weights.values())
    for name in known.names:
        own = main if name == draft.answer else lead + first(spelled(name)) + tail
        spellings = {own: 0.8, f" {first(name)}": 0.15, first(name.lower()): 0.05}
        mass = 0.0
        for token, part in spellings.items():
            if name not in left_out and token not in top:
                top[token] = math.log(weights[name] * part * scale)
                mass += math.exp(top[token])
        masses.append(mass)
    for junk in JUNK:
        top[junk] = math.log(0.02)
    place = Token(text[start:end], top[main], top)
    assert place.token == main
    if rng.random() < 0.2:  # what was said needn't be among the likeliest
        del top[main]
    around = [text[i : min(i + 7, start)] for i in range(0, start, 7)]
    rest = [text[i : i + 7] for i in range(end, len(text), 7)]
    other = {"B": -6.0, "True": -7.0}
    said = [Token(one, -0.01, {one: -0.01, **other}) for one in around]
    return [*said, place, *(Token(one, -0.01, {one: -0.01, **other}) for one in rest)], tuple(
        masses
    )


def without_alternatives(tokens: Sequence[Token]) -> list[Token]:
    """The tokens as a provider gives them that was asked for none, or lists only what was said."""
    return [Token(one.token, one.logprob) for one in tokens]


class Teacher:
    """Answers by turns in every form, with tokens of every style, and notes what they mean."""

    def __init__(self, task: Task, known: Mapping[str, Known], *, only_read: bool = False) -> None:
        self.meant: list[Meant] = []
        self._questions = {str(sample.input): sample for sample in task.dataset}
        assert len(self._questions) == len(task.dataset)
        self._known = known
        self._turns: dict[str, int] = defaultdict(int)
        self._only_read = only_read

    def __call__(self, request: Request) -> Reply:
        """A reply to the question that the prompt ends with."""
        text = request.prompt
        if text not in self._questions:
            text = text.removesuffix("\n\nResponse:").split("\n\n", 1)[1]
            while text not in self._questions:
                text = text.split("\n\n", 1)[1]
        sample = self._questions[text]
        known, metadata = self._known[str(sample.id)], sample.metadata or {}
        turn = self._turns[known.kind]
        self._turns[known.kind] += 1
        rng = Random(f"{known.kind}{turn}")
        make = option_drafts if known.kind == "options" else single_drafts
        drafts = make(rng, known) + (UNREAD if known.kind == "options" else UNREAD[turn % 5 :][:1])
        if self._only_read:
            drafts = [one for one in drafts if one.status == "ok"]
        draft = drafts[turn % len(drafts)]
        if draft.status == "ok" and not draft.stated:  # 70, 50 and so on make no 100
            draft = Draft(draft.parts, draft.answer, status="out_of_range")
        reply, status, masses = self._reply(rng, known, draft, turn)
        self.meant.append(Meant(str(metadata["item"]), known, draft, status, masses))
        return reply

    def _reply(
        self, rng: Random, known: Known, draft: Draft, turn: int
    ) -> tuple[Reply, str, tuple[float, ...]]:
        """With the token's status and the options' masses."""
        text = "".join(draft.parts)
        if draft.status == "content_filter":
            return Reply(text, draft.finish), "content_filter", ()
        if draft.answer is None:
            tokens = [Token(text, -0.1, {text: -0.1, "B": -3.0})]
            return Reply(text, draft.finish, tokens), "invalid_response_format", ()
        tokens, masses = tokens_for(rng, known, draft, list(STYLES)[turn % 4])
        seen = sum(mass > 0 for mass in masses)
        lacking = rng.choice(["", "", "", "", "", "all", "alternatives"])
        if lacking == "all":
            return Reply(text, draft.finish), "scoring_failed", ()
        if lacking:
            return Reply(text, draft.finish, without_alternatives(tokens)), "scoring_failed", ()
        if seen == 1:  # what the others had isn't known, and the answer would look certain
            return Reply(text, draft.finish, tokens), "scoring_failed", ()
        return Reply(text, draft.finish, tokens), "ok", masses


# What is expected.


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
    sure, right = [s for s, _ in pairs], [r for _, r in pairs]
    numbers = {
        "accuracy": mean(one for _, one, _ in rows if one is not None),
        "mean_confidence": mean(sure),
        "overconfidence": mean(sure) - mean(right),
        "ece": ece(rows),
        "format_failure_rate": mean(s != "ok" for _, _, s in rows if s not in NO_REPLY),
        "n": len(rows),
    }
    if set(right) == {0, 1}:
        numbers |= {"brier": brier_score_loss(right, sure), "auroc": roc_auc_score(right, sure)}
    return numbers


def check_log(log: EvalLog, meant: Sequence[Meant]) -> None:
    """The log's own metrics are those of what was stated."""
    assert log.results
    inside = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    wanted = expected([m.stated_row() for m in meant])
    assert inside.keys() == {
        *("overconfidence", "accuracy", "mean_confidence", "ece", "auroc", "format_failure_rate")
    }
    for name, value in inside.items():
        assert value == pytest.approx(wanted.get(name, math.nan), abs=1e-9, nan_ok=True), name


def check_judgments(frame: pd.DataFrame, meant: Sequence[Meant], *, tokens: bool = True) -> None:
    """Each question's judgments say what its replies mean, from both sources."""

    def key(*numbers: Any) -> tuple[str, ...]:
        return tuple(
            f"{float(one):.9f}" if isinstance(one, int | float | Fraction) else str(one)
            for one in ("" if pd.isna(n) else n for n in numbers)
        )

    def listed(shares: Sequence[Fraction | float]) -> str:
        return " ".join(f"{float(one):.9f}" for one in shares)

    wanted: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for m in meant:
        sure, right, status = m.stated_row()
        has_sum = m.known.kind == "options" and m.draft.stated
        total = sum(m.draft.stated) if has_sum else None
        said = (m.draft.answer or "", right, status)
        wanted[m.item, "stated"].append(key(sure, *said, total, listed(m.shares)))
        if tokens and m.known.kind != "given":
            sure, right, status = m.token_row()
            wanted[m.item, "token"].append(key(sure, "", right, status, None, listed(m.seen)))
    found: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for row in frame.to_dict("records"):
        shares = json.loads(row["probabilities"] or "[]")
        said = (row["answer"], row["correct"], row["status"])
        if row["source"] == "token":  # an answer without a token counts for nothing
            said = ("", row["correct"] if row["status"] == "ok" else None, row["status"])
        sure = row["confidence"]
        found[row["item"], row["source"]].append(key(sure, *said, row["raw_sum"], listed(shares)))
    assert {k: sorted(v) for k, v in found.items()} == {k: sorted(v) for k, v in wanted.items()}


def check_table(found: Values, meant: Sequence[Meant], *, convention: str = "") -> None:
    """The table's numbers of both sources, and their difference in ECE."""
    asked = [m for m in meant if m.known.kind != "given"]
    stated, token = [m.stated_row() for m in meant], [m.token_row() for m in asked]
    if convention == "text":
        stated = [m.by_largest(row, m.shares) for m, row in zip(meant, stated, strict=True)]
        token = [m.by_largest(row, m.seen) for m, row in zip(asked, token, strict=True)]
    for where, rows in ((BASE, stated), (f"source=token;{BASE}", token)):
        for metric, value in (expected(rows) if rows else {}).items():
            assert found[where, metric] == pytest.approx(value, abs=1e-9), (where, metric)
    sides = []
    for some, rows in ((meant, stated), (asked, token)):
        read = [(m, row) for m, row in zip(some, rows, strict=True) if row[2] == "ok"]
        sides.append([(m.item, row) for m, row in read])
    both = {item for item, _ in sides[0]} & {item for item, _ in sides[1]}
    if both:
        one, other = (ece([row for item, row in side if item in both]) for side in sides)
        difference = found[f"of=ece;{BASE};versus=token", "difference"]
        assert difference == pytest.approx(one - other, abs=1e-9)


def values(rows: Sequence[dict[Any, Any]]) -> Values:
    """Values by condition and metric."""
    return {(row["condition"], row["metric"]): row["value"] for row in rows}


# Questions.


def own_file(folder: Path) -> tuple[Path, dict[str, Known]]:
    """96 questions: with two to five options, true or false, and with a given answer."""
    rows, known = [], {}
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
        known[f"q{number:02d}" + ("_answer" if kind == "given" else "")] = Known(
            kind, options, target
        )
    place = folder / "own.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return place, known


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


def published(name: str, data: Path) -> dict[str, Known]:
    """A published set's questions by id."""
    known = {}
    for row in csv_rows(data / "question_sets" / "items" / f"{PUBLISHED[name]}.csv"):
        item = f"{name}-{row['Question ID']}"
        if name == "halueval":
            known[f"{item}_r"] = Known("given", 0, "True")
            known[f"{item}_h"] = Known("given", 0, "False")
        elif name == "boolq":
            known[item] = Known("true_false", 0, row["Correct Answer"])
        else:
            options = sum(key.startswith("Option ") for key in row)
            known[item] = Known("options", options, row["Correct Answer Letter"])
    return known


def bundled(name: str) -> dict[str, Known]:
    """A bundled set's questions by id."""
    folder = CHECKOUT / "src" / "inspect_confidence" / "datasets" / "bundled"
    known = {}
    for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "choices" in row:
            known[row["id"]] = Known("options", len(row["choices"]), "ABCDE"[row["answer"]])
        else:
            known[row["id"]] = Known("true_false", 0, str(row["answer"]))
    return known


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that the local server takes."""
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE"):
        monkeypatch.setenv(f"{name}_API_KEY", "test")


def served(
    task: Task,
    folder: Path,
    answer: Callable[[Request], Reply],
    model: str = "openai/gpt-4o-mini",
    **options: Any,
) -> tuple[EvalLog, list[Request]]:
    """The log of a run against the server, and the requests it made."""
    with ProviderServer(answer) as server:
        url = server.url + ("/v1" if model.startswith("openai") else "")
        (log,) = eval(
            *(task, model),
            **{
                "model_base_url": url,
                "log_dir": str(folder),
                "display": "none",
                "max_retries": 0,
                **options,
            },
        )
    assert not server.errors
    assert log.status == "success", log.error
    return log, [request for request, _ in server.requests]


def check_run(
    task: Task, known: Mapping[str, Known], folder: Path, **options: Any
) -> list[Request]:
    """Run it, and compare log, judgments and both tables with what was meant."""
    teacher = Teacher(task, known)
    log, requests = served(task, folder, teacher, **options)
    check_log(log, teacher.meant)
    frames = read_judgments(folder)
    check_judgments(frames["question_sets"], teacher.meant)
    for convention in (None, "text"):
        rows = summarize(frames, resamples=20, convention=convention).to_dict("records")
        check_table(values(rows), teacher.meant, convention=convention or "")
    return requests


# What is sent


def directions_in(request: Request) -> str:
    """The directions, which are the system message and stand before the question once more."""
    system, user = request.body["messages"]
    assert [system["role"], user["role"]] == ["system", "user"]
    head = f"Directions:\n{system['content']}\n\n"
    assert user["content"].startswith((f"{head}Question: ", f"{head}Context: "))
    return str(system["content"])


def test_what_reaches_the_wire(tmp_path: Path) -> None:
    """Temperature 0, log probabilities, and an example with as many letters as options."""
    place, known = own_file(tmp_path)
    task = question_sets(dataset=str(place))
    teacher = Teacher(task, known)
    _, requests = served(task, tmp_path / "logs", teacher)
    assert len(requests) == 96
    rows = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    by_item = {row["id"]: row for row in rows}
    for request, meant in zip(requests, teacher.meant, strict=True):
        body, row = request.body, by_item[meant.item]
        assert (body["temperature"], body["logprobs"], body["top_logprobs"]) == (0, True, 20)
        assert "response_format" not in body
        said = directions_in(request)
        example = list(json.loads(said[said.index("{") :]))
        assert (
            example
            == {
                "options": ["Reasoning", "Answer", *meant.known.names],
                "true_false": ["Reasoning", "Answer", "Confidence"],
                "given": ["Confidence"],
            }[meant.known.kind]
        )
        shown = [f"{letter}) {text}" for letter, text in zip("ABCDE", row.get("choices", []))]  # noqa: B905 # as many letters as there are
        asked = "\n".join(
            [f"Question: {row['question']}", *(["Options:", *shown] if shown else [])]
        )
        assert asked in request.prompt.removeprefix(f"Directions:\n{said}\n\n")
        assert (f"Your answer: {row.get('answer')}" in request.prompt) == ("answer" in row)
        assert {len(text) < 400 for text in (request.prompt.split(asked)[1],)} == {True}


def test_without_tokens_no_log_probabilities_are_asked_for(tmp_path: Path) -> None:
    """Then there are no token judgments either."""
    place, known = own_file(tmp_path)
    task = question_sets(dataset=str(place), tokens=False, items=30)
    teacher = Teacher(task, known)
    log, requests = served(task, tmp_path / "logs", teacher)
    for request in requests:
        assert not {"logprobs", "top_logprobs"} & request.body.keys()
    check_log(log, teacher.meant)
    frames = read_judgments(tmp_path / "logs")
    check_judgments(frames["question_sets"], teacher.meant, tokens=False)
    assert set(frames["question_sets"]["source"]) == {"stated"}
    assert not [
        where
        for where, _ in values(summarize(frames, resamples=20).to_dict("records"))
        if "token" in where
    ]


def test_json_schema_names_the_letters(tmp_path: Path) -> None:
    """Structured output by kind: an enum of letters, a boolean, or the confidence alone."""
    place, known = own_file(tmp_path)
    task = question_sets(dataset=str(place), format="json_schema")
    teacher = Teacher(task, known)
    log, requests = served(task, tmp_path / "logs", teacher)
    for request, meant in zip(requests, teacher.meant, strict=True):
        assert "{" not in directions_in(request) + request.prompt
        form = request.body["response_format"]
        assert form["type"] == "json_schema"
        assert form["json_schema"]["strict"] is True
        schema, names = form["json_schema"]["schema"], list(meant.known.names)
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        types = {name: one["type"] for name, one in schema["properties"].items()}
        reasons = {"Reasoning": "string"}
        if meant.known.kind == "options":
            assert types == {**reasons, "Answer": "string", **dict.fromkeys(names, "number")}
            assert schema["properties"]["Answer"]["enum"] == names
        elif meant.known.kind == "true_false":
            assert types == {**reasons, "Answer": "boolean", "Confidence": "number"}
        else:
            assert types == {"Confidence": "number"}
    check_log(log, teacher.meant)


@pytest.mark.parametrize("name", ["sciq", "lsat_ar", "sat_en", "halueval"])
def test_the_authors_prompts_are_sent_byte_for_byte(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Both messages are the study's, each of the question that its judgment is of."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    folder = shared_data / "question_sets" / "prompts"
    study = {row["Question ID"]: row for row in csv_rows(folder / f"{PUBLISHED[name]}_prompts.csv")}
    task = question_sets(dataset=name, prompts="authors", items=12)
    teacher = Teacher(task, published(name, shared_data), only_read=True)
    _, requests = served(task, tmp_path, teacher)
    assert len(requests) == 12 * (1 + (name == "halueval"))
    sent = {(request.prompt, request.system) for request in requests}
    asked = [str(sample.id).removeprefix(f"{name}-") for sample in task.dataset]
    assert sent == {(study[one]["Full Prompt"], study[one]["System Prompt"]) for one in asked}
    for request in requests:
        assert [turn["role"] for turn in request.body["messages"]] == ["system", "user"]
        assert request.body["temperature"] == 0
    frame = read_judgments(tmp_path)["question_sets"]
    check_judgments(frame, teacher.meant)
    assert set(frame["variant"]) == {"prompts=authors"}


# What comes back


@pytest.mark.slow
def test_file_form_log_and_tables_equal_what_the_replies_mean(
    command: Command, tmp_path: Path
) -> None:
    """Two epochs of all kinds of questions, from the command line to the results."""
    place, known = own_file(tmp_path)
    teacher = Teacher(question_sets(dataset=str(place)), known)
    with ProviderServer(teacher) as server:
        command(
            *("inspect", "eval", "tasks/question_sets.py", "--model", "openai/gpt-4o-mini"),
            *("--model-base-url", server.url + "/v1", "-T", f"dataset={place}"),
            *(
                "--epochs",
                2,
                "--log-dir",
                tmp_path / "logs",
                "--display",
                "none",
                "--max-retries",
                0,
            ),
        )
    assert not server.errors
    assert len(teacher.meant) == len(server.requests) == 2 * 96
    assert {m.token_status for m in teacher.meant} >= {"ok", "scoring_failed"}
    assert len({m.draft.status for m in teacher.meant}) == 8
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    check_log(read_eval_log(log, header_only=True), teacher.meant)
    frame = read_judgments(tmp_path / "logs")["question_sets"]
    check_judgments(frame, teacher.meant)
    assert set(frame["variant"]) == {"prompts=ours"}
    said = ("inspect-confidence", "summarize", tmp_path / "logs", "--json", "--resamples", 20)
    by_letter = values(json.loads(command(*said).stdout))
    by_largest = values(json.loads(command(*said, "--convention", "text").stdout))
    check_table(by_letter, teacher.meant)
    check_table(by_largest, teacher.meant, convention="text")
    assert abs(by_letter[BASE, "accuracy"] - by_largest[BASE, "accuracy"]) > 0.01


@pytest.mark.parametrize(("name", "file"), [("bundled", "knowledge"), ("statements", "statements")])
def test_bundled_sets(tmp_path: Path, name: str, file: str) -> None:
    """Forty bundled questions each."""
    requests = check_run(question_sets(dataset=name, items=40), bundled(file), tmp_path)
    assert len(requests) == 40


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_published_sets(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Twenty questions of each of the study's sets; HaluEval's have two calls each."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    task = question_sets(dataset=name, items=20, seed=4)
    requests = check_run(task, published(name, shared_data), tmp_path)
    assert len(requests) == 20 * (1 + (name == "halueval"))
    rows = {
        f"{name}-{row['Question ID']}": row
        for row in csv_rows(shared_data / "question_sets" / "items" / f"{PUBLISHED[name]}.csv")
    }
    prompts = {request.prompt for request in requests}
    for sample in task.dataset:
        row = rows[(sample.metadata or {})["item"]]
        (prompt,) = [one for one in prompts if one.endswith(f"{sample.input}\n\nResponse:")]
        if name == "halueval":
            right = str(sample.id).endswith("_r")
            answer = row["right_answer" if right else "hallucinated_answer"]
            assert f"Question: {row['Question']}\nYour answer: {answer}\n" in prompt
            assert row["knowledge"].strip() in prompt
        for key, text in row.items():
            if key.startswith("Option "):
                assert f"\n{key[-1]}) {text}\n" in prompt


@pytest.mark.slow
def test_all_bundled_questions_by_the_registered_name(command: Command, tmp_path: Path) -> None:
    """The defaults: 168 questions."""
    teacher = Teacher(question_sets(), bundled("knowledge"))
    with ProviderServer(teacher) as server:
        command(
            *(
                "inspect",
                "eval",
                "inspect_confidence/question_sets",
                "--display",
                "none",
                "--max-retries",
                0,
            ),
            *("--model", "openai/gpt-4o-mini", "--model-base-url", server.url + "/v1"),
            *("--log-dir", tmp_path),
            cwd=tmp_path,
        )
    assert not server.errors
    assert len(teacher.meant) == 168
    frames = read_judgments(tmp_path)
    check_judgments(frames["question_sets"], teacher.meant)
    check_table(values(summarize(frames, resamples=20).to_dict("records")), teacher.meant)


def spoken(*parts: str | Token) -> Reply:
    """A reply of these tokens; those without log probabilities of their own are certain."""
    tokens = [Token(one, 0.0, {one: 0.0}) if isinstance(one, str) else one for one in parts]
    return Reply("".join(one.token for one in tokens), logprobs=tokens)


def alternatives(**shares: float) -> dict[str, float]:
    """Log probabilities."""
    return {token: math.log(share) for token, share in shares.items()}


OPTIONS_LEFT = '"A": 0.2, "B": 0.5, "C": 0.3}'
TOKENS: dict[str, tuple[str, Reply, float | None]] = {
    "with both quotes": (
        "options",
        spoken(
            '{"Answer": ',
            Token('"B"', math.log(0.5), alternatives(**{'"B"': 0.5, '"A"': 0.3, '"C"': 0.1})),
            ", " + OPTIONS_LEFT,
        ),
        0.5 / 0.9,
    ),
    "with a blank and a quote, another spelling of it, and what is no option": (
        "options",
        spoken(
            '{"Reasoning": "C, or \\"B\\"", "Answer":',
            Token(
                ' "B',
                math.log(0.4),
                alternatives(**{' "B': 0.4, ' "b': 0.1, "B": 0.1, ' "C': 0.2, ' "The': 0.2}),
            ),
            '", ' + OPTIONS_LEFT,
        ),
        0.6 / 0.8,
    ),
    "with the end of the key": (
        "options",
        spoken(
            '{"Answer',
            Token('": "B",', math.log(0.7), alternatives(**{'": "B",': 0.7, '": "A",': 0.21})),
            " " + OPTIONS_LEFT,
        ),
        0.7 / 0.91,
    ),
    "a token of its own": (
        "options",
        spoken(
            '{"Answer": "',
            Token("B", math.log(0.25), alternatives(A=0.5, B=0.25, C=0.05)),
            '", ' + OPTIONS_LEFT,
        ),
        0.25 / 0.8,
    ),
    "said though not among the likeliest": (
        "options",
        spoken(
            '{"Answer": "',
            Token("B", math.log(0.01), alternatives(A=0.5, C=0.4)),
            '", ' + OPTIONS_LEFT,
        ),
        0.01 / 0.91,
    ),
    "a word in two parts": (
        "true_false",
        spoken(
            '{"Answer": "',
            Token("Tr", math.log(0.6), alternatives(Tr=0.6, Fal=0.3, Not=0.05)),
            *("ue", '", "Confidence": 0.9}'),
        ),
        0.6 / 0.9,
    ),
    "a JSON word": (
        "true_false",
        spoken(
            '{"Answer":',
            Token(" true", math.log(0.8), alternatives(**{" true": 0.8, " false": 0.1, " ": 0.1})),
            ', "Confidence": 0.9}',
        ),
        0.8 / 0.9,
    ),
    "no alternatives": (
        "options",
        spoken('{"Answer": "', Token("B", 0.0), '", ' + OPTIONS_LEFT),
        None,
    ),
    "no other option": (
        "options",
        spoken(
            '{"Answer": "',
            Token("B", math.log(0.9), alternatives(**{"B": 0.9, " B": 0.05, "The": 0.05})),
            '", ' + OPTIONS_LEFT,
        ),
        None,
    ),
    "itself alone": ("options", spoken('{"Answer": "', "B", '", ' + OPTIONS_LEFT), None),
    "no log probabilities": ("options", Reply('{"Answer": "B", ' + OPTIONS_LEFT), None),
    "a list without tokens": (
        "options",
        Reply('{"Answer": "B", ' + OPTIONS_LEFT, logprobs=()),
        None,
    ),
}


@pytest.mark.parametrize("name", list(TOKENS))
def test_token_confidence_computed_by_hand(tmp_path: Path, name: str) -> None:
    """The answer's share of what options have at its token; without alternatives none, never 1."""
    kind, reply, wanted = TOKENS[name]
    row: dict[str, object] = {"id": "one", "question": "Which?", "target": "true"}
    if kind == "options":
        row |= {"choices": ["red", "green", "blue"], "target": "B"}
    place = tmp_path / "one.jsonl"
    place.write_text(json.dumps(row), encoding="utf-8")
    served(question_sets(dataset=str(place)), tmp_path / "logs", lambda _: reply)
    frame = read_judgments(tmp_path / "logs")["question_sets"].set_index("source")
    assert list(frame["status"]["stated":"stated"]) == ["ok"]
    assert frame.loc["stated", "confidence"] == (0.5 if kind == "options" else 0.9)
    if wanted is None:
        assert frame.loc["token", "status"] == "scoring_failed"
        assert math.isnan(float(frame["confidence"]["token"]))
        assert not frame.loc["token", "probabilities"]
    else:
        assert frame.loc["token", "status"] == "ok"
        assert frame.loc["token", "confidence"] == pytest.approx(wanted, abs=1e-12)


def test_ties_by_hand_in_both_conventions(tmp_path: Path, command: Command) -> None:
    """Four questions of which one is graded alike."""
    replies = {
        "one": ("A", [0.4, 0.4, 0.2]),  # the letter is right; of two largest one is
        "two": ("C", [0.5, 0.3, 0.2]),  # the letter is right; the largest isn't
        "three": ("B", [0.3, 0.3, 0.3]),  # the letter is wrong; a third of the largest is right
        "four": ("A", [1.2, 0.6, 0.2]),  # both wrong; these make no 1
    }
    targets = {"one": "A", "two": "C", "three": "A", "four": "B"}
    place = tmp_path / "ties.csv"
    lines = [f"{name},Question {name}?,x|y|z,{targets[name]}" for name in replies]
    place.write_text("\n".join(["id,question,choices,target", *lines]), encoding="utf-8")

    def answer(request: Request) -> Reply:
        (name,) = [one for one in replies if f"Question {one}?" in request.prompt]
        letter, numbers = replies[name]
        if name == "four":
            numbers = [0.6, 0.3, 0.1]
        said = {"Answer": letter, **dict(zip("ABC", numbers, strict=True))}
        return Reply(json.dumps(said))

    served(question_sets(dataset=str(place), tokens=False), tmp_path / "logs", answer)
    said = ("inspect-confidence", "summarize", tmp_path / "logs", "--json", "--resamples", 20)
    by_letter = values(json.loads(command(*said).stdout))
    by_largest = values(json.loads(command(*said, "--convention", "text").stdout))
    third = 1 / 3
    # Confidences .4, .2, 1/3 and .6; right, right, wrong, wrong.
    assert by_letter[BASE, "accuracy"] == 0.5
    assert by_letter[BASE, "mean_confidence"] == pytest.approx((0.4 + 0.2 + third + 0.6) / 4)
    assert by_letter[BASE, "ece"] == pytest.approx((0.6 + 0.8 + third + 0.6) / 4, abs=1e-9)
    # Confidences .4, .5, 1/3 and .6; right are 1/2, none, 1/3 and none.
    assert by_largest[BASE, "accuracy"] == pytest.approx((0.5 + third) / 4, abs=1e-9)
    assert by_largest[BASE, "mean_confidence"] == pytest.approx((0.4 + 0.5 + third + 0.6) / 4)
    assert by_largest[BASE, "ece"] == pytest.approx((0.1 + 0.5 + 0 + 0.6) / 4, abs=1e-9)


def test_sums_are_kept_and_divided_out(tmp_path: Path) -> None:
    """What sums to .8 or to 1.6 is normalised, and raw_sum says so."""
    sums = {"0": [0.4, 0.4], "1": [1.0, 0.6], "2": [0.25, 0.75]}
    place = tmp_path / "sums.jsonl"
    rows = [
        {"id": name, "question": f"Number {name}?", "choices": ["x", "y"], "target": "A"}
        for name in sums
    ]
    place.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def answer(request: Request) -> Reply:
        (name,) = [one for one in sums if f"Number {one}?" in request.prompt]
        return Reply(json.dumps({"Answer": "A", "A": sums[name][0], "B": sums[name][1]}))

    served(question_sets(dataset=str(place), tokens=False), tmp_path / "logs", answer)
    frame = read_judgments(tmp_path / "logs")["question_sets"].set_index("item")
    assert frame["raw_sum"].to_dict() == pytest.approx({"0": 0.8, "1": 1.6, "2": 1.0}, abs=1e-12)
    wanted = {"0": 0.5, "1": 0.625, "2": 0.25}
    assert frame["confidence"].to_dict() == pytest.approx(wanted, abs=1e-12)
    assert json.loads(str(frame["probabilities"]["1"])) == pytest.approx([0.625, 0.375], abs=1e-12)


@pytest.mark.parametrize("model", ["anthropic/claude-haiku-4-5", "google/gemini-2.0-flash"])
def test_providers_without_log_probabilities(tmp_path: Path, model: str) -> None:
    """What is stated counts; of tokens there is no judgment that does."""
    place, known = own_file(tmp_path)
    task = question_sets(dataset=str(place), items=24)
    teacher = Teacher(task, known)
    log, requests = served(task, tmp_path / "logs", teacher, model)
    assert len(requests) == 24
    for request in requests:
        if "google" in model:  # Anthropic's API takes no temperature any more
            assert request.body["generationConfig"]["temperature"] == 0
        assert request.system
        assert f"Directions:\n{request.system}\n\nQuestion: " in request.prompt
    check_log(log, teacher.meant)
    frames = read_judgments(tmp_path / "logs")
    rows = frames["question_sets"]
    check_judgments(rows[rows["source"] == "stated"], teacher.meant, tokens=False)
    tokens = rows[rows["source"] == "token"]
    assert set(tokens["status"]) <= {"scoring_failed", "content_filter"}
    assert tokens["confidence"].isna().all()
    found = values(summarize(frames, resamples=20).to_dict("records"))
    assert not [where for where, _ in found if "versus=token" in where]
    for metric in ("mean_confidence", "overconfidence", "ece", "brier", "auroc"):
        assert math.isnan(found.get((f"source=token;{BASE}", metric), math.nan)), metric


def test_a_cached_second_run_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log probabilities come from the cache too."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place, known = own_file(tmp_path)
    task = question_sets(dataset=str(place), items=24)
    teacher = Teacher(task, known, only_read=True)
    with ProviderServer(teacher) as server:
        for name in "ab":
            (log,) = eval(
                task,
                model="openai/gpt-4o-mini",
                model_base_url=server.url + "/v1",
                log_dir=str(tmp_path / name),
                display="none",
                max_retries=0,
                epochs=2,
                cache=True,
            )
            assert len(server.requests) == 48
            check_log(log, teacher.meant)
            check_judgments(read_judgments(tmp_path / name)["question_sets"], teacher.meant)


def test_mean_confidence_of_log_and_table_agree_without_an_answer(tmp_path: Path) -> None:
    """One rule for a probability that stands beside an unreadable verdict."""
    replies = ['{"Answer": true, "Confidence": 0.5}', '{"Answer": "maybe", "Confidence": 0.9}']
    seen: list[str] = []

    def answer(request: Request) -> Reply:
        seen.append(request.prompt)
        return Reply(replies[len(seen) % 2])

    task = question_sets(dataset="statements", items=2, tokens=False)
    log, _ = served(task, tmp_path, answer)
    assert log.results
    inside = log.results.scores[0].metrics["mean_confidence"].value
    found = values(summarize(tmp_path, resamples=20).to_dict("records"))
    assert inside == pytest.approx(found[BASE, "mean_confidence"], abs=1e-9)
