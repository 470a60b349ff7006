"""The hedge study before and beside its calls: arguments, plan, wording, judge_check, canonicalize.

What a judge says is decided by the tests; expected numbers are plain loops over it.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, cast

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from scipy import stats

from conftest import Command
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.answers.agreement import agreement, verdict
from inspect_confidence.answers.markers import find_markers, sentence_decisiveness
from inspect_confidence.commands.canonicalize import canonical_forms
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets.judge_items import JudgeItem, labelled
from inspect_confidence.prompts.hedge_markers import METACOGNITIVE, STANDARD
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from provider_server import ProviderServer, Reply, Request

SPEAKER = "openai/gpt-4o-mini"
numbers = itertools.count()

NAN = math.nan
VALUES = {"found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict", "format_ok"}
METRICS = {
    "extraction_precision",
    "extraction_recall",
    "agreement_accuracy",
    "verdict_accuracy",
    "grader_failure_rate",
}
JUDGED = {
    "markers": ["probably"],
    "decisiveness": 0.7,
    "agreement": "yes",
    "verdict": "correct",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, with keys for local servers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    return tmp_path


def build(**arguments: object) -> Task:
    """The task with three bundled items unless something else is said."""
    return hedge_markers(**{"dataset": "facts", "items": 3, **arguments})  # type: ignore[arg-type]


def refusal(make: Callable[..., object], **arguments: object) -> str:
    """The message of the one error that arguments end in."""
    with pytest.raises(InvalidArgument) as caught:
        make(**arguments)
    message = caught.value.format_message()
    assert "\n" not in message
    return message


# Arguments


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"draws": 0}, "draws=0 is below 1"),
        ({"draws": -3}, "draws=-3 is below 1"),
        ({"draws": "many"}, "draws=many is not a number"),
        ({"draws": "2.5"}, "draws=2.5 is not a whole number"),
        ({"judge": "x"}, "judge=x is not known"),
        ({"judge": "rule"}, "rules"),
        ({"split": "x"}, "split=x is not known"),
        ({"system": "word"}, "system=word is not known"),
        ({"system": "metacognitve"}, "metacognitive"),
        ({"system": "nowhere.txt"}, "there is no file"),
        ({"prompt": "nowhere.txt"}, "there is no file"),
        ({"judge_prompts": "nowhere.json"}, "there is no file"),
        ({"batch_judgments": "perhaps"}, "batch_judgments=perhaps is neither true nor false"),
        ({"dataset": "fact"}, "dataset=fact is not known"),
        ({"dataset": "facts,facts"}, "names a data set twice"),
        ({"dataset": "nowhere.csv"}, "there is no file"),
        ({"dataset": "popqa", "split": "train"}, "dataset=popqa has no split=train"),
        ({"items": 0}, "items=0"),
        ({"items": "nowhere.txt"}, "there is no file"),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"draw": 3}, "There is no task argument 'draw'. Did you mean 'draws'?"),
        ({"unknown": 3}, "There is no task argument 'unknown'"),
    ],
)
def test_arguments_that_are_refused(home: Path, arguments: Mapping[str, object], said: str) -> None:
    """One line each that names what is wrong."""
    assert said in refusal(build, **arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"judge": "x"}, "judge=x is not known"),
        ({"parts": "x"}, "parts=x is not known"),
        ({"parts": "pairs,pairs"}, "twice"),
        ({"parts": ""}, "empty"),
        ({"items": 0}, "items=0"),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"part": "pairs"}, "There is no task argument 'part'. Did you mean 'parts'?"),
        ({"judge_prompts": "nowhere.json"}, "there is no file"),
    ],
)
def test_arguments_of_the_check_that_are_refused(
    home: Path, arguments: Mapping[str, object], said: str
) -> None:
    """Likewise."""
    assert said in refusal(judge_check, **arguments)


def test_judges_prompts_are_for_models(home: Path) -> None:
    """Rules read none."""
    (home / "mine.json").write_text('{"markers": "{sentence}"}', "utf-8")
    for task in (build, judge_check):
        assert "judge=rules" in refusal(task, judge="rules", judge_prompts="mine.json")


@pytest.mark.parametrize("task", [build, judge_check])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "mine.json is not JSON"),
        ("", "mine.json is not JSON"),
        ('["{sentence}"]', "mine.json is no JSON object"),
        ('"{sentence}"', "mine.json is no JSON object"),
        (
            '{"marker": "{sentence}"}',
            "there is no judge's prompt 'marker'. Did you mean 'markers'?",
        ),
        ('{"markers": "Which markers?"}', "mine.json, markers: the fields of this prompt are"),
        ('{"markers": "{sentence} {question}"}', "the file has {question} {sentence}"),
        ('{"consistency": "{sentence} {reply}"}', "are {question} {reply} {sentence}"),
        ('{"correctness": "{question} {answers}"}', "are {answers} {question} {reply}"),
        ('{"sentence": "{question} {sentence}"}', "are {question} {replies} {sentence}"),
        ('{"decisiveness": "{sentence} {\\"decisiveness\\": 1}"}', "write braces themselves as"),
        ('{"decisiveness": "{sentence"}', "write braces themselves as"),
        ('{"decisiveness": "{sentence!r}"}', "mine.json, decisiveness"),
        ('{"decisiveness": 1}', "mine.json: the prompt 'decisiveness' is no text"),
        ('{"decisiveness": null}', "mine.json: the prompt 'decisiveness' is no text"),
    ],
)
def test_judges_prompts_that_are_refused(
    home: Path, task: Callable[..., Task], text: str, said: str
) -> None:
    """Before any call, and by the name of what is wrong."""
    (home / "mine.json").write_text(text, "utf-8")
    assert said in refusal(task, judge_prompts="mine.json")


def test_a_judges_prompt_that_is_no_text_is_refused(home: Path) -> None:
    """A list of lines would reach the judge with its brackets."""
    (home / "mine.json").write_text('{"markers": ["Markers?", "{sentence}"]}', "utf-8")
    assert "markers" in refusal(build, judge_prompts="mine.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [("No field", "the file has none"), ("{question} {x}", "{x}"), ("{question", "braces")],
)
def test_prompts_that_are_refused(home: Path, text: str, said: str) -> None:
    """A file for the user message holds `{question}` and nothing else."""
    (home / "mine.txt").write_text(text, "utf-8")
    assert said in refusal(build, prompt="mine.txt")


# Before the first call


def answered(request: Request) -> Reply:
    """As a speaker or, without a system message, as a judge."""
    return Reply("It is probably Fyn." if request.system else json.dumps(JUDGED))


def run(task: Task, server: ProviderServer, folder: Path, *, grader: bool = True) -> EvalLog:
    """The task with one server for model and judge."""
    both = get_model(SPEAKER, base_url=server.url + "/v1", api_key="test", memoize=False)
    (log,) = eval(
        task,
        model=both,
        model_roles={"grader": both} if grader else None,
        log_dir=str(folder),
        display="none",
        max_retries=0,
    )
    return log


def test_without_a_grader_there_is_one_error_and_no_call(home: Path) -> None:
    """It says what to add."""
    with ProviderServer(answered) as server:
        log = run(build(items=20), server, home / "logs", grader=False)
    assert not server.requests
    assert log.status == "error"
    assert log.error
    assert "--model-role grader=NAME" in log.error.message
    assert "judge=rules" in log.error.message


@pytest.mark.slow
def test_without_a_grader_the_command_line_says_what_to_add(command: Command, home: Path) -> None:
    """Once, before any call."""
    with ProviderServer(answered) as server:
        done = command(
            *("inspect", "eval", "inspect_confidence/hedge_markers", "--model", SPEAKER),
            *("--model-base-url", server.url + "/v1", "-T", "dataset=facts", "-T", "items=5"),
            *("--log-dir", home / "logs", "--display", "plain"),
            check=False,
        )
    assert not server.requests
    assert "--model-role grader=NAME" in " ".join((done.stdout + done.stderr).split())


# Wording


def test_judges_prompts_of_a_file_replace_ours(home: Path) -> None:
    """Those it names; the others stay."""
    mine = {
        "markers": "MARKERS of {sentence} as {{markers}}",
        "correctness": "RIGHT? {question}; {answers}; {reply}",
    }
    (home / "mine.json").write_text(json.dumps(mine), "utf-8")
    (home / "q.csv").write_text('question,answers\n"Where {is} it?",Fyn|Funen\n', "utf-8")
    task = hedge_markers("q.csv", split="all", draws=4, judge_prompts="mine.json")
    with ProviderServer(answered) as server:
        log = run(task, server, home / "logs")
    assert log.status == "success"
    asked = [request.prompt for request, _ in server.requests if request.system is None]
    assert len(asked) == 1 + 2 + 1
    assert "MARKERS of It is probably Fyn. as {markers}" in asked
    assert "RIGHT? Where {is} it?; Fyn; Funen; It is probably Fyn." in asked
    assert len([text for text in asked if text.startswith("A language model")]) == 2
    assert (log.eval.metadata or {})["judge_prompts"]
    assert not (build().metadata or {})["judge_prompts"]
    frame = read_judgments(home / "logs")["hedge_markers"]
    assert frame["marker"].tolist() == ["probably"]


def test_a_batched_judges_prompt_of_a_file(home: Path) -> None:
    """With all draws, numbered, each once."""
    (home / "mine.json").write_text(
        json.dumps({"sentence": "ALL {question}|{sentence}|{replies}"}), "utf-8"
    )
    (home / "q.csv").write_text("question,answers\nWhere?,Fyn\n", "utf-8")
    task = hedge_markers(
        "q.csv", split="all", draws=5, batch_judgments=True, judge_prompts="mine.json"
    )
    texts = ["Ely.", "Fyn {x}.", "Ely.", " Ely.\n", "Lund."]

    def answer(request: Request) -> Reply | list[Reply]:
        if request.system and request.body.get("n", 1) > 1:
            return [Reply(text) for text in texts]
        judged = {**JUDGED, "agreement": ["no", "yes", "n/a"]}
        return Reply("It is probably Fyn." if request.system else json.dumps(judged))

    with ProviderServer(answer) as server:
        run(task, server, home / "logs")
    asked = [request.prompt for request, _ in server.requests if request.system is None]
    assert "ALL Where?|It is probably Fyn.|[1] Ely.\n[2] Fyn {x}.\n[3] Lund." in asked
    (row,) = read_judgments(home / "logs")["hedge_markers"].to_dict("records")
    assert [row[name] for name in ("inconsistent", "consistent", "undecided")] == [3, 1, 1]
    assert row["confidence"] == pytest.approx(1.5 / 5)


@pytest.mark.parametrize("system", ["standard", "metacognitive", "mine.txt", "./folder/mine"])
def test_the_system_prompt_reaches_the_provider(home: Path, system: str) -> None:
    """To the letter, before each answer."""
    mine = "Hedge {well}.\nAlways."
    (home / "folder").mkdir()
    for place in ("mine.txt", "folder/mine"):
        (home / place).write_text(mine, "utf-8")
    text = {"standard": STANDARD, "metacognitive": METACOGNITIVE}.get(system, mine)
    with ProviderServer(lambda _: Reply("Perhaps Fyn.")) as server:
        log = run(build(items=1, judge="rules", system=system), server, home / "logs")
    assert log.status == "success"
    assert [request.system for request, _ in server.requests] == [text, text]


def test_a_prompt_of_a_file_replaces_both_of_ours(home: Path) -> None:
    """For questions with choices and without; a question's own braces stay."""
    (home / "mine.txt").write_text("Q {{so}}: {question}\nHedge!", "utf-8")
    (home / "q.csv").write_text(
        "question,answers,choices,target\nWhere {is} it?,Fyn,,\nWhich?,,lead|cork,A\n", "utf-8"
    )
    with ProviderServer(lambda _: Reply("Perhaps Fyn.")) as server:
        task = hedge_markers("q.csv", split="all", judge="rules", draws=1, prompt="mine.txt")
        run(task, server, home / "logs")
    prompts = {request.prompt for request, _ in server.requests}
    short, choices = sorted(prompts, key=len)
    assert short == "Q {so}: Where {is} it?\nHedge!"
    assert choices in {
        f"Q {{so}}: Which?\n(A) {one}\n(B) {other}\nHedge!"
        for one, other in (("lead", "cork"), ("cork", "lead"))
    }


# The plan


@pytest.mark.parametrize(
    ("arguments", "epochs", "samples", "calls"),
    [
        (["dataset=facts", "items=6"], 1, 6, 6 * 21),
        (["dataset=facts", "items=6", "draws=1"], 1, 6, 12),
        (["dataset=bundled", "split=all", "draws=50"], 2, 1248, 1248 * 51),
        (["dataset=bundled", "split=train", "judge=rules"], 1, 312, 312 * 21),
    ],
)
def test_plan(arguments: list[str], epochs: int, samples: int, calls: int) -> None:
    """1 + K calls a question, as for a provider of one choice a call."""
    said = plan_run("hedge_markers", arguments, epochs=epochs)
    assert re.search(rf"samples: +{samples:,}\b", said)
    assert re.search(rf"calls: +{calls:,}\n", said)


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        (["draws=20"], 6 * (2 + 20 + 1)),
        (["draws=3"], 6 * (2 + 3 + 1)),
        (["draws=20", "batch_judgments=true"], 6 * 2),
        (["judge=rules"], None),
    ],
)
def test_plan_of_the_grader(arguments: list[str], calls: int | None) -> None:
    """At most, if replies have one sentence: markers, decisiveness, each draw, the verdict."""
    said = plan_run("hedge_markers", ["dataset=facts", "items=6", *arguments])
    assert re.findall(r"([\d,]+) more of the grader", said) == ([str(calls)] if calls else [])


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        ([], 132 * 2 + 126 + 63),
        (["parts=sentences"], 264),
        (["parts=pairs,answers"], 189),
        (["judge=rules"], 0),
    ],
)
def test_plan_of_the_check(arguments: list[str], calls: int) -> None:
    """Sentences are judged twice; rules make no call."""
    assert re.search(rf"calls: +{calls}\n", plan_run("judge_check", arguments))


# The check of judges


def overlaps(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two spans share a character."""
    return bool(set(range(*a)) & set(range(*b)))


def compared(
    text: str, found: Iterable[tuple[int, int]], labels: Sequence[tuple[int, int]]
) -> dict[str, float]:
    """Labels met, labels not met, and what meets none; by overlap, at most four words longer."""
    said = list(found)

    def words(span: tuple[int, int]) -> int:
        return len(text[slice(*span)].split())

    def same(one: tuple[int, int], label: tuple[int, int]) -> bool:
        return overlaps(one, label) and words(one) <= words(label) + 4

    hit = [any(same(one, label) for one in said) for label in labels]
    return {
        "found": float(sum(hit)),
        "missed": float(len(hit) - sum(hit)),
        "false": float(sum(not any(same(one, label) for label in labels) for one in said)),
    }


def plain(text: str) -> str:
    """Lower case with straight apostrophes."""
    return text.lower().replace("’", "'")  # noqa: RUF001 # as it is written


def spans(item: JudgeItem) -> list[tuple[int, int]]:
    """Where the labelled markers stand, as words of their own."""
    text, places = plain(item.sentence), []
    for marker in map(plain, item.markers):
        edge = r"\b" if marker.isascii() else ""
        match = re.search(f"{edge}{re.escape(marker)}{edge}", text)
        assert match, (item.id, marker)
        places.append(match.span())
    return places


FORMS = {"pairs": "consistency", "answers": "correctness"}
Meant = dict[tuple[str, str], dict[str, float]]
"""By item and form the values meant; empty where the judgment can't be read."""


def check_log(log: EvalLog, meant: Meant) -> None:
    """Every value and metric."""
    assert log.status == "success"
    values = {}
    for sample in log.samples or []:
        score = (sample.scores or {})["judge_item"]
        value = cast(dict[str, float], score.value)
        key = str(sample.metadata["item"]), str(sample.metadata["form"])
        values[key] = value
        assert set(value) == VALUES
        status = (score.metadata or {})["status"]
        assert status == ("ok" if meant[key] else "grader_failed")
    assert values.keys() == meant.keys()
    for key, wanted in meant.items():
        full = {**dict.fromkeys(VALUES, NAN), "format_ok": float(bool(wanted)), **wanted}
        assert values[key] == pytest.approx(full, nan_ok=True), key
    assert log.results
    inside = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert inside.keys() == METRICS
    assert inside == pytest.approx(metrics_of(meant))


def metrics_of(meant: Meant) -> dict[str, float]:
    """The log's metrics."""

    def total(name: str) -> float:
        return sum(one.get(name, 0) for one in meant.values())

    def share(name: str) -> float:
        return mean(one[name] for one in meant.values() if name in one)

    return {
        "extraction_precision": total("found") / (total("found") + total("false")),
        "extraction_recall": total("found") / (total("found") + total("missed")),
        "agreement_accuracy": share("agreed"),
        "verdict_accuracy": share("verdict"),
        "grader_failure_rate": mean(not one for one in meant.values()),
    }


def check_results(folder: Path, meant: Meant) -> None:
    """The same from the log's judgments, and decisiveness against the survey and our labels."""
    frame = read_judgments(folder)["judge_check"]
    assert len(frame) == len(meant)
    rows = summarize(folder, resamples=20).to_dict("records")
    found = {(row["condition"], row["metric"]): row["value"] for row in rows}
    wanted = {("", name): value for name, value in metrics_of(meant).items()}
    words = {item.id for item in labelled()["sentences"] if item.word}
    for reference in ("survey", "labels"):
        pairs = [
            (one["decisiveness"], one["labelled"])
            for (item, _), one in meant.items()
            if "labelled" in one and (item in words) == (reference == "survey")
        ]
        where = f"reference={reference}"
        wanted[where, "decisiveness_error"] = mean(abs(a - b) for a, b in pairs)
        said, label = ([pair[k] for pair in pairs] for k in (0, 1))
        rank = float(stats.spearmanr(said, label).statistic)
        wanted[where, "decisiveness_rank_correlation"] = rank
    for (where, metric), value in wanted.items():
        (key,) = [k for k in found if k[1] == metric and where in k[0]]
        assert found[key] == pytest.approx(value), key


@pytest.mark.parametrize("items", [100, pytest.param(None, marks=pytest.mark.slow)])
def test_check_by_rules(home: Path, items: int | None) -> None:
    """No call; the values are those of the rules on labelled items."""
    task = judge_check(judge="rules", items=items)
    drawn = {(sample.metadata or {})["item"] for sample in task.dataset}
    assert len(drawn) == (items or 132 + 126 + 63)
    meant: Meant = {}
    for item in (one for part in labelled().values() for one in part if one.id in drawn):
        if item.part == "sentences":
            marked = [(m.start, m.end) for m in find_markers(item.sentence)]
            meant[item.id, "markers"] = compared(item.sentence, marked, spans(item))
            decided = sentence_decisiveness(item.sentence)
            numbers = {"decisiveness": decided, "labelled": item.decisiveness}
            meant[item.id, "decisiveness"] = numbers
        elif item.part == "pairs":
            same = agreement(item.question, item.sentence, item.reply) == item.verdict
            meant[item.id, "consistency"] = {"agreed": float(same)}
        else:
            right = verdict(item.answers, item.reply) == item.verdict
            meant[item.id, "correctness"] = {"verdict": float(right)}
    with ProviderServer(answered) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.requests
    check_log(log, meant)
    check_results(home / "logs", meant)


class Examinee:
    """A judge that is right, wrong or unreadable, as it thinks fit."""

    def __init__(self) -> None:
        self.meant: Meant = {}
        self.temperatures: set[float] = set()
        self._items = [one for part in labelled().values() for one in part]

    def __call__(self, request: Request) -> Reply:
        """What is said of an item, after it has been noted what that is worth."""
        self.temperatures.add(request.body["temperature"])
        item, form = self._asked(request.prompt)
        rng = Random(f"{item.id} {form}")
        kind = rng.random()
        if kind < 0.15:
            self.meant[item.id, form] = {}
            rubbish = ["", "Hm.", '{"markers": ["zebra"], "decisiveness": 7, "verdict": "yes"}']
            return Reply(rng.choice(rubbish))
        if form == "markers":
            return self._markers(rng, item)
        if form == "decisiveness":
            number = round(min(max(item.decisiveness + rng.gauss(0, 0.2), 0), 1), 2)
            numbers = {"decisiveness": number, "labelled": item.decisiveness}
            self.meant[item.id, form] = numbers
            return Reply(f'```json\n{{"decisiveness": {number}}}\n```')
        key, words = {
            "consistency": ("agreement", ["yes", "no", "n/a"]),
            "correctness": ("verdict", ["correct", "incorrect", "punt"]),
        }[form]
        word = item.verdict if kind < 0.6 else rng.choice(words)
        name = "agreed" if form == "consistency" else "verdict"
        self.meant[item.id, form] = {name: float(word == item.verdict)}
        return Reply(json.dumps({key: word.capitalize() if kind < 0.3 else word}))

    def _markers(self, rng: Random, item: JudgeItem) -> Reply:
        """Labels, each kept, cut to its last word or left out, and maybe what is none."""
        labels, said, places = spans(item), [], []
        for start, end in labels:
            way = rng.choice(["whole", "whole", "part", "none"])
            last = plain(item.sentence).rfind(" ", start, end) + 1
            begin = max(start, last) if way == "part" else start
            text = item.sentence[begin:end].lower()
            if way != "none" and text not in said:
                said.append(text)
                places.append((begin, end))
        first = re.match(r"[\w'’-]+", item.sentence)  # noqa: RUF001 # as it is written
        once = first and len(re.findall(rf"\b{first[0]}\b", item.sentence, re.IGNORECASE)) == 1
        if first and once and first[0].isascii() and rng.random() < 0.3:
            said.append(first[0].lower())
            places.append(first.span())
        self.meant[item.id, "markers"] = compared(item.sentence, places, labels)
        listed = [one.title() if rng.random() < 0.2 else one for one in said]
        return Reply(json.dumps({"markers": listed}, ensure_ascii=False))

    def _asked(self, prompt: str) -> tuple[JudgeItem, str]:
        if prompt.startswith("A language model answered"):
            form = "markers" if "List the epistemic" in prompt else "decisiveness"
            (item,) = [i for i in self._items if f"\nSentence: {i.sentence}\n" in prompt]
            return item, form
        (item,) = [
            one
            for one in self._items
            if one.question
            and f"Question: {one.question}\n" in prompt
            and f"answer: {one.reply}\n" in prompt
            and (f"first answer: {one.sentence}\n" in prompt or not one.sentence)
        ]
        if item.part == "answers":
            listed = "; ".join(item.answers)
            assert f"Accepted answers, any of which is right: {listed}\n" in prompt
        return item, FORMS[item.part]


@pytest.mark.parametrize(
    ("items", "calls"), [(70, None), pytest.param(None, 453, marks=pytest.mark.slow)]
)
def test_check_of_a_model(home: Path, items: int | None, calls: int | None) -> None:
    """Calls of the model of the run, at temperature 0; values, metrics, results."""
    judge = Examinee()
    task = judge_check(items=items)
    with ProviderServer(judge) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.errors
    assert len(server.requests) == len(task.dataset) == (calls or len(task.dataset))
    assert judge.temperatures == {0}
    assert {request.system for request, _ in server.requests} == {None}
    check_log(log, judge.meant)
    check_results(home / "logs", judge.meant)


def test_check_of_one_part_leaves_the_others_metrics_undefined(home: Path) -> None:
    """And a prompt of the user's is asked."""
    (home / "mine.json").write_text('{"consistency": "{question}|{sentence}|{reply}"}', "utf-8")
    task = judge_check(parts="pairs", items=10, judge_prompts="mine.json")
    with ProviderServer(lambda _: Reply('{"agreement": "yes"}')) as server:
        log = run(task, server, home / "logs", grader=False)
    by_prompt = {f"{i.question}|{i.sentence}|{i.reply}": i.verdict for i in labelled()["pairs"]}
    asked = [by_prompt[request.prompt] for request, _ in server.requests]
    assert len(asked) == 10
    assert log.results
    inside = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    share = sum(one == "yes" for one in asked) / 10
    wanted = {**dict.fromkeys(METRICS, NAN), "agreement_accuracy": share, "grader_failure_rate": 0}
    assert inside == pytest.approx(wanted, nan_ok=True)


# Which form stands for a marker


def fresh_model() -> str:
    """A name that Inspect hasn't met: it keeps models, with their address, by name."""
    return f"{SPEAKER}-{next(numbers)}"


ROWS = [
    *[("it is likely that", 0.8), ("it's likely", 0.6), ("likely", 1.0), ("Likely", 0.2)],
    *[("probably", 0.5), ("probably", 0.9), ("perhaps", 0.4), ("<no_hedge>", 1.0)],
]


def judgments_file(folder: Path) -> Path:
    """A csv file of one sentence an item."""
    place = folder / "judgments.csv"
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "dataset", "split", "item", "sentence", "marker", "confidence"])
        for k, (marker, confidence) in enumerate(ROWS):
            writer.writerow(["hedge_markers", "mine", "test", f"i{k}", 1, marker, confidence])
    return place


def mics(rows: Iterable[Mapping[Any, Any]]) -> dict[str, float]:
    """MICs by marker."""
    found = {}
    for row in rows:
        condition = dict(part.split("=", 1) for part in row["condition"].split(";") if part)
        if row["metric"] == "mic" and not {"outcome", "faithful"} & condition.keys():
            name = condition["marker"].replace("%3C", "<").replace("%3E", ">")
            found[name.replace("%20", " ")] = row["value"]
    return found


def test_canonicalize_by_rules_and_summarize_by_its_file(command: Command, home: Path) -> None:
    """Forms of one marker share a MIC; a file that joins two more joins theirs."""
    place = judgments_file(home)
    command("inspect-confidence", "canonicalize", place, "-o", home / "forms.json")
    forms = json.loads((home / "forms.json").read_text("utf-8"))
    assert forms.keys() == {marker for marker, _ in ROWS} - {"<no_hedge>"}
    same = {forms[name] for name in ("it is likely that", "it's likely", "likely", "Likely")}
    assert same == {"likely"}
    assert (forms["probably"], forms["perhaps"]) == ("probably", "perhaps")
    by_rules = {"likely": (0.8 + 0.6 + 1.0 + 0.2) / 4, "probably": 0.7, "perhaps": 0.4}
    by_rules["<no_hedge>"] = 1.0

    def summarized(**options: Any) -> dict[str, float]:
        own = {f"hedge_markers.{name}": value for name, value in options.items()}
        frame = summarize(
            place, resamples=20, options={"hedge_markers.marker_thresholds": 1, **own}
        )
        return mics(frame.to_dict("records"))

    assert summarized() == pytest.approx(by_rules)
    assert summarized(markers=home / "forms.json") == pytest.approx(by_rules)
    # The user joins what rules keep apart, and keeps apart what they join.
    joined = {**forms, "probably": "sure", "perhaps": "sure", "likely": "likely (bare)"}
    (home / "mine.json").write_text(json.dumps(joined), "utf-8")
    own = ("marker_thresholds=1", f"markers={home / 'mine.json'}")
    words = ("--resamples", 20, *(f"--option=hedge_markers.{one}" for one in own))
    done = command("inspect-confidence", "summarize", place, *words, "--json")
    assert mics(json.loads(done.stdout)) == pytest.approx(
        {
            "sure": (0.5 + 0.9 + 0.4) / 3,
            "likely (bare)": 1.0,
            "likely": (0.8 + 0.6 + 0.2) / 3,
            "<no_hedge>": 1.0,
        }
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no file"),
        ("{", "is not JSON"),
        ('["likely"]', "is no JSON object"),
        ('{"likely": 3}', "is no JSON object of a form"),
        ('{"likely": ["probably"]}', "is no JSON object of a form"),
    ],
)
def test_files_of_forms_that_are_refused(home: Path, text: str | None, said: str) -> None:
    """Whatever isn't an object of texts."""
    place = judgments_file(home)
    if text is not None:
        (home / "forms.json").write_text(text, "utf-8")
    assert said in refusal(
        lambda: summarize(place, resamples=5, options={"hedge_markers.markers": "forms.json"})
    )


def test_a_model_groups_markers(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one call; what it leaves out rules decide on, what it makes up is dropped."""
    said = {"probably": "likely", "Likely": "LIKELY", "perhaps": " ", "maybe": "perhaps"}
    with ProviderServer(lambda _: Reply(f"```json\n{json.dumps(said)}\n```")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        forms = canonical_forms(judgments_file(home), model=fresh_model())
    ((request, _),) = server.requests
    assert request.body["temperature"] == 0
    for marker in {marker for marker, _ in ROWS} - {"<no_hedge>"}:
        assert json.dumps(marker) in request.prompt
    assert "<no_hedge>" not in request.prompt
    assert forms == {
        **dict.fromkeys(["it is likely that", "it's likely", "likely", "probably"], "likely"),
        "Likely": "LIKELY",
        "perhaps": "perhaps",
    }


@pytest.mark.parametrize("said", ["I can't.", "", '["likely"]'])
def test_a_model_that_groups_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """One clear error."""
    place = judgments_file(home)
    with ProviderServer(lambda _: Reply(said)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        message = refusal(lambda: canonical_forms(place, model=fresh_model()))
    assert "gave no JSON object" in message


def test_a_models_forms_that_are_no_texts_are_dropped(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list or a number is no form of a marker: rules decide then."""
    said = {"probably": ["likely", "perhaps"], "perhaps": 3}
    with ProviderServer(lambda _: Reply(json.dumps(said))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        forms = canonical_forms(judgments_file(home), model=fresh_model())
    assert (forms["probably"], forms["perhaps"]) == ("probably", "perhaps")


def test_canonicalize_refuses_other_judgments(home: Path) -> None:
    """A file of another study has no markers."""
    (home / "fermi.csv").write_text(
        "task,item,truth,level,lower,upper\nfermi_eval,i,3,90,1,5\n", "utf-8"
    )
    assert "no judgments of hedge_markers" in refusal(lambda: canonical_forms(home / "fermi.csv"))


def test_canonicalize_into_no_folder(command: Command, home: Path) -> None:
    """One error without a traceback."""
    place = judgments_file(home)
    words = ("inspect-confidence", "canonicalize", place, "-o", home / "no" / "forms.json")
    done = command(*words, check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
