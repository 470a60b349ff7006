"""The hedge study's far ends: one answers in sentences, another judges them.

What each sentence and each pair of texts means is decided before it is written, so that the
expected judgments need no reader: they are plain loops.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import numpy as np
from inspect_ai import Task

from build import (
    attributes_of,
    column_of,
    entries_of,
    map_values,
    records_with,
    rows_with,
    without_nan,
)
from contract.far_end import Case, Prepared, of_condition
from inspect_confidence.tasks.hedge_markers import hedge_markers
from provider_server import Finish, Reply, Request
from runs import Values

SYSTEM = (
    "Your task is to provide a succinct and accurate answer to the given question. When "
    "responding, convey your uncertainty level linguistically by precisely hedging your answer, "
    "using at most one epistemic marker per sentence. Provide only your hedged answer without "
    "asking anything of the user. Do not ask anything of the user. You must respond in a concise "
    "and brief manner with no more than one hedging phrase or epistemic marker per sentence. Limit "
    "your response to a single sentence or phrase if possible, or use at most 2-3 sentences."
)
"""As the issue has it."""

WORDS = ("yes", "no", "n/a")
VERDICTS = ("correct", "incorrect", "punt")
NAN = math.nan

PROMPTS = {
    "markers": r"Sentence: (?P<sentence>.*?)\n\nList the epistemic markers",
    "decisiveness": r"Sentence: (?P<sentence>.*?)\n\nHow probable does the speaker",
    "consistency": (
        r"Question: (?P<question>.*?)\n\nA sentence of its first answer: (?P<sentence>.*?)\n\n"
        r"Its second answer: (?P<reply>.*?)\n\nDoes the second answer"
    ),
    "correctness": (
        r"Question: (?P<question>.*?)\n\nAccepted answers, any of which is right: "
        r"(?P<answers>.*?)\n\nA language model's answer: (?P<reply>.*?)\n\nIs the model's"
    ),
    "sentence": (
        r"Question: (?P<question>.*?)\n\nA sentence of its first answer: (?P<sentence>.*?)\n\n"
        r"Its other answers:\n(?P<replies>.*?)\n\n1\. List the epistemic markers"
    ),
}
"""How what is asked of a judge can be told."""


@dataclass(frozen=True)
class Sentence:
    """A sentence with what it says; `listed` is what the judge copies of it."""

    text: str
    markers: tuple[str, ...] = ()
    decisiveness: float = 1.0
    listed: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Main:
    """A main answer: its whole sentences, and how it ends."""

    sentences: tuple[Sentence, ...] = ()
    status: str = "ok"
    rest: str = ""
    finish: Finish = "stop"

    @property
    def text(self) -> str:
        """As it is sent."""
        return " ".join([*attributes_of(self.sentences, "text"), self.rest]).strip()


@dataclass(frozen=True)
class Draw:
    """Another answer; whether it can be compared with."""

    text: str
    finish: Finish = "stop"

    @property
    def counts(self) -> bool:
        """Empty and withheld ones say nothing."""
        return bool(self.text.strip()) and self.finish != "content_filter"


@dataclass(frozen=True)
class MarkerItem:
    """A question and its accepted answers."""

    id: str
    question: str
    answers: tuple[str, ...]
    dataset: str
    split: str


def sentences(rng: Random, name: str) -> list[Sentence]:
    """One of each kind, of a place of that name."""
    return [
        Sentence(f"It is probably {name}.", ("probably",), 0.7),
        Sentence(f"I think it might be {name}.", ("i think", "might"), 0.45),
        Sentence(f"It lies in {name}."),
        Sentence(f'A guide says "it is certainly {name}" of it.', (), 0.9),
        Sentence(f"Certainly {name}!", ("certainly",), 0.95, ("Certainly",)),
        Sentence(f"**Perhaps** it is {name}.", ("perhaps",), 0.5, ("**Perhaps**",)),
        Sentence("I don’t know.", ("i don't know",), 0.1, ("I don't know",)),  # noqa: RUF001
        Sentence(f"It could be {name} by {rng.randint(2, 9)}.5 km.", ("could",), 0.55),
    ]


def opinion(among: Sequence[str], *texts: str) -> str:
    """What the judge thinks, which depends on nothing but what it compares."""
    return Random("|".join(texts)).choice(among)


@dataclass
class Speaker:
    """Answers questions, and keeps what it said: of each item the main answer, then the draws."""

    items: Sequence[MarkerItem]
    asked_for: int = 20
    seed: int = 0
    mains: Mapping[str, Main] = field(default_factory=dict)
    pool: Mapping[str, Sequence[Draw]] = field(default_factory=dict)
    withholds: bool = True
    calls: list[tuple[str, Main | None, list[Draw]]] = field(default_factory=list)
    """Item, the main answer or None, the draws of a call."""

    def __call__(self, request: Request) -> list[Reply]:
        """A main answer to an item's first call and after all draws asked for, else draws."""
        (item,) = [candidate for candidate in self.items if candidate.question in request.prompt]
        before = [call for call in self.calls if call[0] == item.id]
        rng = Random(f"{self.seed} {len(before)} {item.id}")
        mains = sum(main is not None for _, main, _ in before)
        if sum(len(draws) for _, _, draws in before) == self.asked_for * mains:
            main = self.mains.get(item.id) or self._main(rng, item)
            self.calls.append((item.id, main, []))
            return [Reply(main.text, main.finish)]
        pool = self.pool.get(item.id) or self._pool(rng, item)
        if not self.withholds:
            pool = records_with(pool, finish="stop")
        draws = [rng.choice(pool) for _ in range(request.body.get("n", 1))]
        self.calls.append((item.id, None, draws))
        return [Reply(draw.text, draw.finish) for draw in draws]

    def replies(self) -> Iterator[tuple[MarkerItem, int, Main, list[Draw]]]:
        """Items with epoch, main answer and draws; samples of an item must not have overlapped."""
        for item in self.items:
            answers: list[tuple[Main, list[Draw]]] = []
            for name, main, draws in self.calls:
                if name == item.id and main:
                    answers.append((main, []))
                elif name == item.id:
                    answers[-1][1].extend(draws)
            for epoch, (main, draws) in enumerate(answers, start=1):
                yield item, epoch, main, draws

    def _main(self, rng: Random, item: MarkerItem) -> Main:
        kinds = sentences(rng, rng.choice([*item.answers, "Fyn", "Ely"]))
        chosen = rng.sample(kinds, rng.randint(1, 4))
        return Main(tuple([*chosen, chosen[0]] if rng.random() < 0.3 else chosen))

    def _pool(self, rng: Random, item: MarkerItem) -> list[Draw]:
        names = [*item.answers, "Fyn", "Ely", "Lund"]
        full = [Draw(f"Possibly {name}.") for name in names]
        cut = Draw(f"It may be {rng.choice(names)}, beca", "length")
        return [
            *full,
            *full,
            Draw(f"  {full[0].text}\n"),
            cut,
            Draw(""),
            Draw("", "content_filter"),
        ]


Asked = tuple[str, dict[str, str]]
"""What is asked, and of which texts."""


def matching_form(patterns: Mapping[str, str], prompt: str) -> Asked:
    """The form whose pattern, and no other's, occurs in a prompt, and the pattern's groups."""
    matches = {}
    for form, pattern in patterns.items():
        if match := re.search(pattern, prompt, re.DOTALL):
            matches[form] = match.groupdict()
    (asked,) = matches.items()
    return asked


@dataclass
class Examiner:
    """Judges as it thinks, in one of many forms of JSON; `instead` may have it say otherwise."""

    sentences: Mapping[str, Sentence]
    instead: Callable[[str, Mapping[str, str]], str | None] = lambda form, about: None
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        """The judgment that a prompt asks for."""
        form, about = matching_form(PROMPTS, request.prompt)
        self.asked.append((form, about))
        override = self.instead(form, about)
        if override is not None:
            return Reply(override)
        judgment = json.dumps(self._judgment(form, about), ensure_ascii=False)
        ways = [
            judgment,
            f"```json\n{judgment}\n```",
            f"Here you are:\n{judgment}",
            f"{judgment}\n\nI hope so.",
        ]
        return Reply(Random(judgment + request.prompt).choice(ways))

    def _judgment(self, form: str, about: Mapping[str, str]) -> dict[str, Any]:
        if form == "correctness":
            return {"verdict": opinion(VERDICTS, about["question"], about["reply"])}
        text = about["sentence"]
        sentence = self.sentences[text]
        markers = {"markers": list(sentence.listed or sentence.markers)}
        decided = {"decisiveness": sentence.decisiveness}
        if form == "markers":
            return markers
        if form == "decisiveness":
            return decided
        if form == "consistency":
            return {"agreement": opinion(WORDS, about["question"], text, about["reply"])}
        replies = re.findall(r"^\[\d+\] (.*)$", about["replies"], re.MULTILINE)
        agreed = list(map(partial(opinion, WORDS, about["question"], text), replies))
        return {**markers, **decided, "agreement": agreed}


def all_sentences(items: Sequence[MarkerItem]) -> dict[str, Sentence]:
    """Every sentence that may be said, by its text."""
    names = [*chain.from_iterable(attributes_of(items, "answers")), "Fyn", "Ely"]
    sentence_by_text = {}
    for name, seed in product(names, range(40)):
        for sentence in sentences(Random(seed), name):
            sentence_by_text[sentence.text] = sentence
    return sentence_by_text


def own_file(folder: Path, count: int = 8, datasets: int = 2) -> list[MarkerItem]:
    """Questions in places.csv, of one or two data sets and both splits."""
    items = [
        MarkerItem(
            id=f"place-{k}",
            question=f"Where does the brook no. {k} rise?",
            answers=(f"Aby {k}",) if k % 2 else (f"Aby {k}", f"Old Aby {k}"),
            dataset="brooks" if k % 3 or datasets == 1 else "springs",
            split="train" if k % 4 < 2 else "test",
        )
        for k in range(count)
    ]
    with (folder / "places.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "dataset", "split", "question", "answers"])
        for item in items:
            row = (item.id, item.dataset, item.split, item.question, "|".join(item.answers))
            writer.writerow(row)
    return items


def never(form: str, about: Mapping[str, str]) -> bool:
    """No judgment failed."""
    return False


def expected_rows(
    speaker: Speaker, failed: Callable[[str, Mapping[str, str]], bool] = never, study: bool = False
) -> list[dict[str, Any]]:
    """The judgments, by loops over what both servers meant.

    In the study's words a judge doesn't see the question, compares texts in one line, and says
    whether an answer is right alone.
    """
    rows = []
    for item, epoch, main, draws in speaker.replies():
        head = {"item": item.id, "dataset": item.dataset, "split": item.split, "epoch": epoch}
        if main.status != "ok":
            rows.append({**head, "status": main.status, "marker": ""})
            continue
        question = {} if study else {"question": item.question}
        verdict = opinion(VERDICTS[: 2 if study else 3], *question.values(), main.text)
        unjudged = failed("correctness", {**question, "reply": main.text})
        draw_texts = counted_texts(draws)
        head["draws"] = len(draw_texts)
        head["punt"] = NAN if unjudged or study else float(verdict == "punt")
        head["correct"] = NAN if unjudged else float(verdict == "correct")
        for number, sentence in enumerate(main.sentences, start=1):
            words: Counter[str] = Counter()
            for text in draw_texts:
                line = text.replace("\n", " ") if study else text
                about = {**question, "sentence": sentence.text, "reply": line}
                is_failed = failed("consistency", about)
                words["failed" if is_failed else opinion(WORDS, *about.values())] += 1
            comparisons = sum(entries_of(words, WORDS).values())
            no_markers = failed("markers", {"sentence": sentence.text})
            row = {
                **head,
                "sentence": number,
                "text": sentence.text,
                "n_markers": NAN if no_markers else len(sentence.markers),
                "consistent": words["yes"],
                "undecided": words["n/a"],
                "inconsistent": words["no"],
                "failed": words["failed"],
                "confidence": (words["yes"] + words["n/a"] / 2) / comparisons
                if comparisons
                else NAN,
                "decisiveness": (
                    NAN
                    if failed("decisiveness", {"sentence": sentence.text})
                    else sentence.decisiveness
                ),
                "status": "grader_failed" if no_markers or not comparisons else "ok",
            }
            if not draw_texts:
                row["status"] = "no_response"
            markers = [""] if no_markers else sentence.markers or ["<no_hedge>"]
            for marker in markers:
                rows.append({**row, "marker": marker})
    return rows


def counted_texts(draws: Iterable[Draw]) -> list[str]:
    """The texts of the draws that count."""
    return [draw.text.strip() for draw in draws if draw.counts]


def sentence_rows(reply: Mapping[int, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of a reply's sentences."""
    return [row for row in reply.values() if "sentence" in row]


def failure_rate(replies: Iterable[Mapping[int, Mapping[str, Any]]]) -> float:
    """Of a verdict a reply, of markers and decisiveness a sentence, of each draw's agreement."""
    total, failed = 0, 0
    for reply in replies:
        rows = sentence_rows(reply)
        if rows:
            total += 1
            failed += math.isnan(rows[0]["punt"]) and math.isnan(rows[0]["correct"])
        for row in rows:
            total += 2 + row["draws"]
            failed += math.isnan(row["n_markers"]) + math.isnan(row["decisiveness"])
            failed += row["failed"]
    return failed / total


def judge_calls(speaker: Speaker, batch: bool = False) -> int:
    """How many calls the judge should have had."""
    calls = 0
    for _, _, main, draws in speaker.replies():
        if main.status == "ok":
            different = len(set(counted_texts(draws)))
            calls_per_sentence = 1 if batch else 2 + different
            calls += 1 + calls_per_sentence * len(set(attributes_of(main.sentences, "text")))
    return calls


MarkerRows = Sequence[Mapping[str, Any]]


def metrics_of(rows: MarkerRows) -> dict[str, float]:
    """Means over replies, of rows that are sentences' markers or replies without a sentence."""
    replies: dict[tuple[str, int], dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for row in rows:
        replies[row["item"], row["epoch"]][row.get("sentence", 0)] = row
    columns: dict[str, list[float]] = {}
    for reply in replies.values():
        read_rows = sentence_rows(reply)
        sure, decided = column_of(read_rows, "confidence"), column_of(read_rows, "decisiveness")
        status = "ok" if read_rows else reply[0]["status"]
        parts: dict[str, Iterable[float]] = {
            "faithfulness": 1 - np.abs(np.subtract(decided, sure)),
            "mean_internal_confidence": sure,
            "mean_decisiveness": decided,
            "accuracy": column_of(read_rows[:1], "correct"),
            "punt_rate": column_of(read_rows[:1], "punt"),
            "format_failure_rate": [] if status == "content_filter" else [float(status != "ok")],
        }
        for name, numbers in parts.items():
            columns.setdefault(name, []).append(mean_of_defined(numbers))
    metrics = map_values(mean_of_defined, columns)
    return {**metrics, "grader_failure_rate": failure_rate(replies.values())}


def mean_of_defined(numbers: Iterable[float]) -> float:
    """The mean of those that aren't NaN; NaN without one."""
    defined = without_nan(numbers)
    return mean(defined) if defined else NAN


class Both:
    """A model that answers where it is told how, and judges where it isn't."""

    def __init__(self, speaker: Speaker, examiner: Examiner) -> None:
        self.speaker, self.examiner = speaker, examiner
        self.judge = ""

    @property
    def withholds(self) -> bool:
        """Whether some draws are withheld."""
        return self.speaker.withholds

    @withholds.setter
    def withholds(self, is_withholding: bool) -> None:
        self.speaker.withholds = is_withholding

    def __call__(self, request: Request) -> Reply | Sequence[Reply]:
        """As a speaker or as a judge."""
        return self.speaker(request) if request.system else self.examiner(request)

    def judgments(self) -> list[dict[str, Any]]:
        """Each marker of each sentence, with what was judged of it."""
        return expected_rows(self.speaker)

    def log(self) -> dict[str, float]:
        """Means over replies."""
        return metrics_of(self.judgments())

    def table(self) -> Values:
        """The same by split."""
        rows = self.judgments()
        values: Values = {}
        for split in ("train", "test"):
            condition = f"judge={self.judge} in one call;split={split}"
            values |= of_condition(condition, metrics_of(rows_with(rows, split=split)))
        return values


def prepare(home: Path) -> Prepared:
    """Questions of one data set, answered and judged by the same model."""
    items = own_file(home, 6, datasets=1)
    arguments = {"dataset": "places.csv", "split": "all", "draws": 4}

    def make(task: Task) -> Both:
        return Both(Speaker(items, 4), Examiner(all_sentences(items)))

    return arguments, make


CASE = Case(
    "hedge_markers",
    hedge_markers,
    prepare,
    minimal={"dataset": "facts", "judge": "rules", "draws": 1},
    ok="It is probably Fyn.",
    cut="It is prob",
    headline="faithfulness",
    temperature=1,
    condition=None,
    system=True,
)
