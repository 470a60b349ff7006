"""LifeEval through the providers' own packages, against a local server.

The server notes what each reply means before it sends it, and the life table is read and summed
here in plain loops, so that the expected numbers need neither our reader nor our table.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from statistics import correlation, linear_regression, mean
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from sklearn.metrics import roc_auc_score

from conftest import CHECKOUT, Command
from inspect_confidence import read_judgments, summarize
from inspect_confidence.tasks.life_eval import life_eval
from provider_server import Finish, ProviderServer, Reply, Request

Person = tuple[str, int, Fraction]
Values = dict[tuple[str, str], float]

OURS = re.compile(
    r"American.* (man|boy|woman|girl) .*is alive at the age of (\d+)\."
    r".* lies within (\d+(?:\.\d+)?) years? of"
)
AUTHORS = re.compile(
    r"an American (male|female) has lived at least (\d+) years?.* within (\d+) years? of", re.DOTALL
)
SEX = {"man": "male", "boy": "male", "woman": "female", "girl": "female"}

# Replies that state an age @A with a probability @C, or @P percent.
READABLE = [
    '{"Reasoning": "Life tables.", "Answer": @A, "Confidence": @C}',
    '```json\n{\n "Reasoning": "Older, {sic}.",\n "Answer": "@A",\n "Confidence": "@C",\n}\n```',
    "{'Reasoning': 'It isn\\'t certain.', 'Answer': @A, 'Confidence': @C}",
    'Sure, here it is:\n\n{"Reasoning": "x", "Answer": "about @A", "Confidence": "@P%"}\n\nDone.',
    '{"Reasoning": "x", "Answer": @A, "Confidence": @P%,}',
    '{"Answer": "@A years", "Confidence": "about @C", "Reasoning": "Said last."}',
    '{\n  "answer": @A, // in years\n  "CONFIDENCE": @C\n}',
    '<think>{"Answer": 1, "Confidence": 1}?</think>\n{"Answer": @A.0, "Confidence": @C}',
    '{"Reasoning": "He said \\"90\\", 0.9 sure.", "Answer": @A, "Confidence": @C',
    '{"response": {"Reasoning": "x", "Answer": @A, "Confidence": @C}}',
    '\n\n{"Reasoning":"x","Answer":@A,"Confidence":"@C (fairly sure)"}\r\n',
]
HALF = '{"Reasoning": "Between two years.", "Answer": @A.5, "Confidence": @C}'


@dataclass(frozen=True)
class Form:
    """A kind of reply: what it looks like and what can be read in it."""

    text: str
    has_age: bool = False
    has_confidence: bool = False
    half: bool = False
    status: str = "ok"
    finish: Finish = "stop"


FORMS = [
    *(Form(text, has_age=True, has_confidence=True) for text in READABLE),
    Form(HALF, has_age=True, has_confidence=True, half=True),
    Form('{"Answer": @A, "Confidence": "high"}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A, "Confidence": 85}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A, "Confidence": 0.', has_age=True, status="truncated", finish="length"),
    Form('{"Reasoning": "First, the', status="truncated", finish="length"),
    Form('{"Answer": "75-80", "Confidence": "maybe"}', status="ambiguous"),
    Form('{"Answer": "maybe", "Confidence": "maybe"}', status="invalid_response_format"),
    Form('{"Answer": 200, "Confidence": "?"}', status="out_of_range"),
    Form("It will be @A, of which I'm @P% sure.", status="invalid_response_format"),
    Form("I'm sorry, but I can't answer that.", status="refusal"),
    Form("", status="no_response"),
    Form('{"Answer": "<the age at death>", "Confidence": "<a number>"}', status="echo"),
    Form("", status="content_filter", finish="content_filter"),
]


@dataclass(frozen=True)
class Meant:
    """What a reply says of whom; None where it doesn't say it."""

    person: Person
    age: Fraction | None
    hundredths: int | None
    status: str


class Actuary:
    """Answers by turns in every form, and notes what it means."""

    def __init__(self, forms: Sequence[Form] = FORMS, asked: re.Pattern[str] = OURS) -> None:
        self.meant: list[Meant] = []
        self._forms = forms
        self._asked = asked

    def __call__(self, request: Request) -> Reply:
        """A reply; each has its own age and probability."""
        found = self._asked.search(request.prompt)
        assert found, request.prompt
        person = (SEX.get(found[1], found[1]), int(found[2]), Fraction(found[3]))
        rng = Random(len(self.meant))
        form = self._forms[len(self.meant) % len(self._forms)]
        years = rng.choice([rng.randint(55, 100), rng.randint(74, 88), rng.randint(0, 130)])
        hundredths = rng.choice([rng.randint(0, 100), 5 * rng.randint(0, 20), 0, 100])
        age = years + Fraction(form.half, 2) if form.has_age else None
        stated = hundredths if form.has_confidence else None
        self.meant.append(Meant(person, age, stated, form.status))
        text = form.text.replace("@A", str(years)).replace("@P", str(hundredths))
        return Reply(text.replace("@C", f"{hundredths / 100:g}"), form.finish)


@cache
def dying() -> dict[str, list[float]]:
    """The probabilities to die, by sex and age, from the csv file."""
    folder = CHECKOUT / "src" / "inspect_confidence" / "datasets" / "bundled"
    with (folder / "ssa_2022.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {sex: [float(row[sex]) for row in rows] for sex in ("male", "female")}


@cache
def deaths(sex: str, age: int) -> list[float]:
    """The probability of dying at each age, of somebody alive at an age; 119 takes all the rest."""
    alive, found = 1.0, [0.0] * age
    for k in range(age, 120):
        dies = 1.0 if k == 119 else dying()[sex][k]
        found.append(alive * dies)
        alive *= 1 - dies
    return found


@cache
def truth(person: Person, answer: Fraction, window: str = "half-open") -> float:
    """The probability of dying in the window around an answer, age by age."""
    sex, age, radius = person
    low, high = answer - radius, answer + radius
    first, last = math.ceil(low), math.floor(high)
    if window == "half-open":
        first, last = math.floor(low), math.ceil(high) - 1
    total = 0.0
    for k in range(max(first, 0), min(last, 119) + 1):
        total += deaths(sex, age)[k]
    return total


@cache
def highest(person: Person, window: str = "half-open") -> float:
    """The most that a whole answer can have."""
    return max(truth(person, Fraction(answer), window) for answer in range(-20, 141))


def expected(meant: list[Meant], window: str = "half-open") -> dict[str, float]:
    """Metric -> value, from what the replies mean."""
    ages = [(truth(m.person, m.age, window), m) for m in meant if m.age is not None]
    full = [(p, m.hundredths, m) for p, m in ages if m.hundredths is not None]
    true, sure = [p for p, _, _ in full], [h / 100 for _, h, _ in full]
    excess = [s - p for s, p in zip(sure, true, strict=True)]
    gaps: dict[int, float] = defaultdict(float)
    for p, hundredths, _ in full:
        gaps[hundredths // 10] += hundredths / 100 - p  # 100 has a bin of its own
    right = [1] * len(full) + [0] * len(full)
    weights = true + [1 - p for p in true]
    brier = [p * (1 - s) ** 2 + (1 - p) * s**2 for p, s in zip(true, sure, strict=True)]
    hard = [1 - highest(m.person, window) for _, _, m in full]
    replied = [m.status != "ok" for m in meant if m.status != "content_filter"]
    return {
        "accuracy": mean(p for p, _ in ages),
        "mean_confidence": mean(sure),
        "overconfidence": mean(excess),
        "ece": sum(map(abs, gaps.values())) / len(full),
        "auroc": float(roc_auc_score(right, sure + sure, sample_weight=weights)),
        "hard_easy_slope": linear_regression(hard, excess).slope if len(set(hard)) > 1 else 0.0,
        "format_failure_rate": mean(replied),
        "brier": mean(brier),
        "round_rate": mean(h % 5 == 0 for _, h, _ in full),
        "confidence_truth_correlation": correlation(sure, true),
        "maximum_achievable_score": mean(highest(m.person, window) for m in meant),
        "optimal_answer_gap": mean(highest(m.person, window) - p for p, m in ages),
        "n": len(meant),
    }


LOGGED = (
    *("overconfidence", "accuracy", "mean_confidence", "ece", "auroc", "hard_easy_slope"),
    "format_failure_rate",
)


def check_log(log: EvalLog, meant: list[Meant], window: str = "half-open") -> None:
    """The log's own metrics are those of what was meant."""
    assert log.results
    wanted = expected(meant, window)
    inside = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert inside == pytest.approx({name: wanted[name] for name in LOGGED}, abs=1e-9)


def check_table(found: Values, meant: list[Meant], radii: Sequence[int]) -> None:
    """The table has the same numbers over all radii and for each."""
    for metric, value in expected(meant).items():
        assert found["variant=prompts%3Dours", metric] == pytest.approx(value, abs=1e-9), metric
    for radius in radii:
        where = f"radius={radius};variant=prompts%3Dours"
        for metric, value in expected([m for m in meant if m.person[2] == radius]).items():
            if metric != "hard_easy_slope":
                assert found[where, metric] == pytest.approx(value, abs=1e-9), (radius, metric)


def check_judgments(frame: pd.DataFrame, meant: list[Meant], window: str = "half-open") -> None:
    """Each item's judgments say what its replies mean, in whatever order these were given."""

    def key(status: str, numbers: Sequence[float | None]) -> tuple[str, ...]:
        plain = [None if n is None or math.isnan(n) else n for n in numbers]
        return (status, *("-" if n is None else f"{n:.9f}" for n in plain))

    wanted: dict[Person, list[tuple[str, ...]]] = defaultdict(list)
    for m in meant:
        true = None if m.age is None else truth(m.person, m.age, window)
        sure = None if m.hundredths is None else m.hundredths / 100
        years = None if m.age is None else float(m.age)
        numbers = [years, sure, true, highest(m.person, window)]
        wanted[m.person].append(key(m.status, numbers))
    found: dict[Person, list[tuple[str, ...]]] = defaultdict(list)
    for row in frame.to_dict("records"):
        person = (row["sex"], int(row["age"]), Fraction(row["radius"]))
        names = ("answer", "confidence", "score", "mas")
        found[person].append(key(row["status"], [row[name] for name in names]))
        best = truth(person, Fraction(row["best_answer"]), window)
        assert best == pytest.approx(row["mas"], abs=1e-9)
    assert {k: sorted(v) for k, v in found.items()} == {k: sorted(v) for k, v in wanted.items()}


def values(rows: Sequence[dict[Any, Any]]) -> Values:
    """Values by condition and metric."""
    return {(row["condition"], row["metric"]): row["value"] for row in rows}


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
    assert log.status == "success", log.error
    assert not server.errors
    return log, [request for request, _ in server.requests]


# What is sent


def directions_in(request: Request) -> str:
    """The directions, which are the system message and stand before the question once more."""
    system, user = request.body["messages"]
    assert [system["role"], user["role"]] == ["system", "user"]
    assert request.system == system["content"]
    head = f"Directions:\n{system['content']}\n\nQuestion:\n"
    assert user["content"].startswith(head)
    assert OURS.search(user["content"].removeprefix(head))
    return str(system["content"])


def test_what_reaches_the_wire(tmp_path: Path) -> None:
    """Temperature 0, and the directions with an example of the JSON object, twice."""
    task = life_eval(ages="17,64", radii="1,5")
    _, requests = served(task, tmp_path, Actuary())
    assert len(requests) == 8
    for request in requests:
        assert request.body["temperature"] == 0
        assert not {"response_format", "logprobs", "top_logprobs"} & request.body.keys()
        said = directions_in(request)
        assert list(json.loads(said[said.index("{") :])) == ["Reasoning", "Answer", "Confidence"]
    asked = {OURS.findall(request.prompt)[0] for request in requests}
    assert asked == {
        (who, age, radius)
        for age, pair in (("17", ("boy", "girl")), ("64", ("man", "woman")))
        for who in pair
        for radius in "15"
    }
    assert len({directions_in(request) for request in requests}) == 1


def test_json_schema_is_given_instead_of_the_example(tmp_path: Path) -> None:
    """Structured output: strict, nothing else allowed, reasoning first, and no braces in text."""
    actuary = Actuary()
    log, requests = served(life_eval(items=30, format="json_schema"), tmp_path, actuary)
    for request in requests:
        assert "{" not in directions_in(request) + request.prompt
        form = request.body["response_format"]
        assert form["type"] == "json_schema"
        assert form["json_schema"]["strict"] is True
        schema = form["json_schema"]["schema"]
        assert schema["additionalProperties"] is False
        assert schema["type"] == "object"
        assert {name: one["type"] for name, one in schema["properties"].items()} == {
            "Reasoning": "string",
            "Answer": "integer",
            "Confidence": "number",
        }
        assert list(schema["properties"]) == schema["required"]
        assert schema["required"][0] == "Reasoning"
    check_log(log, actuary.meant)


def study_rows(data: Path) -> list[tuple[Person, str, str]]:
    """Person, user and system message of the study's 808 prompts."""
    with (data / "life_eval" / "life_eval_prompts.csv").open(encoding="utf-8", newline="") as file:
        prompts = {row["Question ID"]: row for row in csv.DictReader(file)}
    rows = []
    with (data / "life_eval" / "items.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said = row["Question Prompt"] + row["Confidence Prompt"]
            found = re.search(r"American (\w+) .* least (\d+) years.*within (\d+) years", said)
            assert found
            prompt = prompts[row["Question ID"]]
            person = (found[1], int(found[2]), Fraction(found[3]))
            rows.append((person, prompt["Full Prompt"], prompt["System Prompt"]))
    return rows


def test_the_authors_prompts_are_sent_byte_for_byte(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both messages are the study's, each of the person that its judgment is of."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    study = {person: (user, system) for person, user, system in study_rows(shared_data)}
    assert len(study) == 808
    actuary = Actuary(asked=AUTHORS)
    log, requests = served(life_eval(items=60, prompts="authors", seed=3), tmp_path, actuary)
    assert len(requests) == 60
    for request, meant in zip(requests, actuary.meant, strict=True):
        user, system = study[meant.person]
        assert request.body["messages"] == [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        assert request.body["temperature"] == 0
    check_log(log, actuary.meant)
    frame = read_judgments(tmp_path)["life_eval"]
    check_judgments(frame, actuary.meant)
    assert set(frame["variant"]) == {"prompts=authors"}


@pytest.mark.slow
def test_all_of_the_authors_prompts(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 808, each once."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    actuary = Actuary(asked=AUTHORS)
    task = life_eval(prompts="authors")
    log, requests = served(task, tmp_path, actuary, max_connections=50)
    sent = sorted((request.prompt, request.system) for request in requests)
    assert sent == sorted((user, system) for _, user, system in study_rows(shared_data))
    check_log(log, actuary.meant)


def test_two_wordings_are_two_variants(
    tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judgments of one folder say whose wording was asked, and the table keeps them apart."""
    monkeypatch.setenv("INSPECT_CONFIDENCE_DATA", str(shared_data))
    ours, authors = Actuary(), Actuary(FORMS[:8], AUTHORS)
    served(life_eval(items=40), tmp_path, ours)
    served(life_eval(items=40, prompts="authors"), tmp_path, authors)
    frames = read_judgments(tmp_path)
    found = values(summarize(frames, resamples=20).to_dict("records"))
    for name, actuary in (("ours", ours), ("authors", authors)):
        rows = frames["life_eval"]
        mine = rows[rows["variant"].str.contains(f"prompts={name}")]
        assert len(mine) == 40
        check_judgments(mine, actuary.meant)
        (overall,) = {
            where for where, _ in found if f"prompts%3D{name}" in where and "radius=" not in where
        }
        for metric in ("accuracy", "overconfidence", "ece", "hard_easy_slope"):
            value = expected(actuary.meant)[metric]
            assert found[overall, metric] == pytest.approx(value, abs=1e-9), metric


# What comes back


@pytest.mark.slow
def test_file_form_log_and_table_equal_what_the_replies_mean(
    command: Command, tmp_path: Path
) -> None:
    """Two epochs with other replies in the second, from the command line to the results."""
    actuary = Actuary()
    with ProviderServer(actuary) as server:
        command(
            *("inspect", "eval", "tasks/life_eval.py", "--model", "openai/gpt-4o-mini"),
            *("--model-base-url", server.url + "/v1", "-T", "ages=0,17,40,62-64,90,119"),
            *(
                "-T",
                "radii=1,5,20",
                "--epochs",
                2,
                "--log-dir",
                tmp_path,
                "--display",
                "none",
                "--max-retries",
                0,
            ),
        )
    assert not server.errors
    assert len(actuary.meant) == len(server.requests) == 2 * 8 * 2 * 3
    (place,) = list_eval_logs(str(tmp_path))
    check_log(read_eval_log(place, header_only=True), actuary.meant)
    check_judgments(read_judgments(tmp_path)["life_eval"], actuary.meant)
    done = command("inspect-confidence", "summarize", tmp_path, "--json", "--resamples", 50)
    check_table(values(json.loads(done.stdout)), actuary.meant, (1, 5, 20))


@pytest.mark.slow
def test_the_defaults_ask_808_items_once(command: Command, tmp_path: Path) -> None:
    """By the registered name: every age, sex and radius has one request, and numbers agree."""
    actuary = Actuary()
    with ProviderServer(actuary) as server:
        command(
            *("inspect", "eval", "inspect_confidence/life_eval", "--model", "openai/gpt-4o-mini"),
            *(
                "--model-base-url",
                server.url + "/v1",
                "--log-dir",
                tmp_path,
                "--display",
                "none",
                "--max-retries",
                0,
            ),
            *("--max-connections", 50),
            cwd=tmp_path,
        )
    assert not server.errors
    assert sorted(m.person for m in actuary.meant) == sorted(
        (sex, age, Fraction(radius))
        for sex in ("male", "female")
        for age in range(101)
        for radius in (1, 5, 10, 20)
    )
    assert {request.body["temperature"] for request, _ in server.requests} == {0}
    (place,) = list_eval_logs(str(tmp_path))
    check_log(read_eval_log(place, header_only=True), actuary.meant)
    frames = read_judgments(tmp_path)
    check_judgments(frames["life_eval"], actuary.meant)
    assert set(frames["life_eval"]["variant"]) == {"prompts=ours"}
    rows = summarize(frames, resamples=20).to_dict("records")
    check_table(values(rows), actuary.meant, (1, 5, 10, 20))


def test_closed_windows_change_the_truth(tmp_path: Path) -> None:
    """The same replies are truer where the window has both its ends."""
    actuaries = {}
    for window in ("half-open", "closed"):
        actuaries[window] = actuary = Actuary()
        task = life_eval(items=50, window=window)
        log, _ = served(task, tmp_path / window, actuary, max_connections=1, max_samples=1)
        check_log(log, actuary.meant, window)
        check_judgments(read_judgments(tmp_path / window)["life_eval"], actuary.meant, window)
    assert actuaries["closed"].meant == actuaries["half-open"].meant
    open_, closed = (expected(actuaries[w].meant, w)["accuracy"] for w in ("half-open", "closed"))
    assert closed > open_ + 0.01


@pytest.mark.parametrize("model", ["anthropic/claude-haiku-4-5", "google/gemini-2.0-flash"])
def test_other_providers(tmp_path: Path, model: str) -> None:
    """Ten items each through Anthropic's and Google's packages, every other reply in a new form."""
    actuary = Actuary([*FORMS[:5], FORMS[11], FORMS[15], FORMS[21]])
    log, requests = served(life_eval(items=10), tmp_path, actuary, model)
    assert len(requests) == 10
    for request in requests:
        if "google" in model:  # Anthropic's API takes no temperature any more
            assert request.body["generationConfig"]["temperature"] == 0
        assert request.system
        assert f"{request.system}\n\nQuestion:\n" in request.prompt
    check_log(log, actuary.meant)
    check_judgments(read_judgments(tmp_path)["life_eval"], actuary.meant)
    found = values(summarize(tmp_path, resamples=20).to_dict("records"))
    check_table(found, actuary.meant, ())


def test_a_cached_second_run_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Epochs stay apart in the cache, and the second run's judgments are the first one's."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    actuary = Actuary(FORMS[:12])
    frames = []
    with ProviderServer(actuary) as server:
        for name in "ab":
            (log,) = eval(
                life_eval(items=12),
                model="openai/gpt-4o-mini",
                model_base_url=server.url + "/v1",
                log_dir=str(tmp_path / name),
                display="none",
                max_retries=0,
                epochs=2,
                cache=True,
            )
            check_log(log, actuary.meant)
            assert len(server.requests) == 24
            frames.append(read_judgments(tmp_path / name)["life_eval"])
    columns = ["item", "epoch", "status", "answer", "confidence", "score"]
    first, second = (
        frame[columns].sort_values(columns[:2]).reset_index(drop=True) for frame in frames
    )
    pd.testing.assert_frame_equal(first, second)
    assert len(set(zip(first["answer"], first["confidence"], strict=True))) > 12


def test_mean_confidence_of_log_and_table_agree_without_an_answer(tmp_path: Path) -> None:
    """One rule for a probability that stands beside an unreadable age."""
    replies = ['{"Answer": 80, "Confidence": 0.5}', '{"Answer": "maybe", "Confidence": 0.9}']
    seen: list[str] = []

    def answer(request: Request) -> Reply:
        seen.append(request.prompt)
        return Reply(replies[len(seen) % 2])

    log, _ = served(life_eval(ages="60", radii="5"), tmp_path, answer)
    assert log.results
    inside = log.results.scores[0].metrics["mean_confidence"].value
    found = values(summarize(tmp_path, resamples=20).to_dict("records"))
    assert inside == pytest.approx(found["variant=prompts%3Dours", "mean_confidence"], abs=1e-9)
