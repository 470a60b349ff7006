"""The question sets as a task: arguments, what the model reads, tokens, and what is in the log."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog

from build import (
    attributes_of,
    column_of,
    combinations_of,
    frame_rows,
    map_values,
    rows_by,
    sample_table,
    slow_cases,
)
from contract.far_end import check
from contract.question_sets import PUBLISHED, Teacher, csv_rows, own_file, published_questions
from inspect_confidence import read_judgments, summarize
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.prompts.question_sets import with_options
from inspect_confidence.results import Condition
from inspect_confidence.tasks.question_sets import question_sets
from provider_server import Reply, Request, Token
from runs import check_refusals, printed, responded, served, values

TASK = "question_sets"
BASE = "variant=prompts%3Dours"


ROWS: dict[str, dict[str, object]] = {
    "options": {"id": "o", "question": "Capital?", "choices": ["Rome", "Paris"], "target": "B"},
    "true_false": {"id": "t", "question": "Is it?", "target": True, "context": "A text."},
    "given": {"id": "g", "question": "Who?", "answer": "I", "target": False},
}


@pytest.fixture
def home(home: Path) -> Path:
    """A folder that the user stands in, with questions, a prompt and a system message."""
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, ROWS.values())), "utf-8")
    for kind, row in ROWS.items():
        (home / f"{kind}.jsonl").write_text(json.dumps(row), "utf-8")
    (home / "p.txt").write_text("{{Think}} of this.\n{question}", "utf-8")
    (home / "s.txt").write_text("You know {much}.", "utf-8")
    return home


def build(**arguments: object) -> Task:
    """The task, with arguments of any type."""
    return question_sets(**arguments)  # type: ignore[arg-type]


# Arguments and samples


@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy() -> None:
    """Each is one error that says what was given and what can be."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"dataset": "sciqq"}, "dataset=sciqq is not known. Did you mean 'sciq'?"),
        ({"dataset": "zzz"}, "Known: a .csv or .jsonl file, boolq, bundled, halueval"),
        ({"dataset": "p.txt"}, "p.txt: a data set is a .csv or .jsonl file."),
        ({"dataset": ["sciq", "boolq"]}, "dataset=['sciq', 'boolq'] is not known"),
        ({"prompts": "x"}, "prompts=x is not known. Known: authors, ours."),
        ({"prompts": "authors"}, "the study has no prompts for bundled, only for boolq"),
        ({"prompts": "authors", "dataset": "mine.jsonl"}, "no prompts for mine.jsonl"),
        ({"prompts": "authors", "prompt": "p.txt"}, "prompts=authors with prompt=p.txt: the"),
        ({"prompts": "authors", "system": "s.txt"}, "prompts=authors with system=s.txt: the"),
        (
            {"prompts": "authors", "format": "json_schema", "dataset": "sciq"},
            "prompts=authors with format=json_schema: the study's prompts are asked as they are; "
            "leave format out, or use prompts=ours.",
        ),
        ({"format": "x"}, "format=x is not known. Known: example, json_schema."),
        ({"tokens": "maybe"}, "tokens=maybe is neither true nor false."),
        ({"tokens": 2}, "tokens=2 is neither true nor false"),
        ({"prompt": "s.txt"}, "the fields of this prompt are {question}, the file has {much}"),
        ({"datasets": "sciq"}, "There is no task argument 'datasets'. Did you mean 'dataset'?"),
        ({"ages": 40}, "There is no task argument 'ages'. Known: dataset, format, items"),
    ]
    check_refusals(build, cases)


def test_booleans_decide_what_is_asked_of_the_provider() -> None:
    """Log probabilities and their 20 alternatives, or neither."""
    for tokens in (True, "True", "true", False, "False", "false"):
        config = build(tokens=tokens).config.model_dump(exclude_none=True)
        settings = {"temperature": 0, "logprobs": True, "top_logprobs": 20}
        expected = settings if str(tokens).lower() == "true" else {"temperature": 0}
        assert config == expected, tokens
    for word in ("off", "no", "yes"):  # as YAML, and so Inspect, takes them
        assert "calls:   168" in plan_run(TASK, [f"tokens={word}"]), word


@pytest.mark.usefixtures("published")
def test_samples_and_calls_of_every_set() -> None:
    """One sample a question, of HaluEval one an answer; ids differ, targets are of the kind."""
    for dataset, samples, kind in (
        *(("bundled", 168, "options"), ("statements", 126, "true_false")),
        *(("boolq", 3270, "true_false"), ("sciq", 1000, "options"), ("lsat_ar", 230, "options")),
        *(("sat_en", 206, "options"), ("halueval", 2000, "given")),
    ):
        task = build(dataset=dataset)
        assert sample_table(task)["id"].nunique() == len(task.dataset) == samples, dataset
        for sample in task.dataset:
            facts = sample.metadata or {}
            assert facts["kind"] == kind, sample.id
            if kind == "options":
                assert facts["choices"] == len(sample.choices or []), sample.id
                assert str(sample.target) in ascii_uppercase[: facts["choices"]], sample.id
            else:
                assert facts["choices"] == (2 if kind == "true_false" else 0), sample.id
                assert sample.target in ("True", "False"), sample.id
    pairs = sample_table(task)
    right, wrong = pairs[::2], pairs[1::2]
    assert right["item"].tolist() == wrong["item"].tolist()
    assert set(right["target"]) == {"True"}
    assert set(wrong["target"]) == {"False"}
    assert set(right["given"]) == {"r"}
    assert set(wrong["given"]) == {"h"}
    # 168 calls by default, two a question of HaluEval, times epochs.
    assert "calls:   168" in plan_run(TASK, []).splitlines()
    lines = plan_run(TASK, ["dataset=halueval", "items=10", "tokens=false"], epochs=3).splitlines()
    assert lines[0] == "question_sets on halueval: 10 items (5 train, 5 test)"
    assert "calls:   60" in lines


# What a model is sent


def heard(home: Path, **arguments: object) -> tuple[list[Request], EvalLog]:
    """The requests of a run, sent by the real client to a local server, and its log."""
    log, requests = served(build(**arguments), home / "logs", lambda _: Reply("{}"))
    return requests, log


def planned_tokens(**arguments: object) -> int:
    """The input tokens that the plan of a run announces."""
    words = [f"{name}={value}" for name, value in arguments.items()]
    (tokens,) = re.findall(r"tokens:  about ([\d,]+) in", plan_run(TASK, words))
    return int(tokens.replace(",", ""))


def tokens_of(requests: Sequence[Request]) -> int:
    """Those of the messages that were sent, of four characters each, as plans count them."""
    return sum(len((request.system or "") + request.prompt) for request in requests) // 4


@pytest.mark.parametrize(
    "arguments", [{}, {"dataset": "statements"}, {"format": "json_schema"}], ids=str
)
def test_planned_tokens_are_those_that_are_sent(home: Path, arguments: dict[str, str]) -> None:
    """With the letters of the options."""
    requests, _ = heard(home, items=12, **arguments)
    assert planned_tokens(items=12, **arguments) == tokens_of(requests)


BODIES = {
    "options": "Question: Capital?\nOptions:\nA) Rome\nB) Paris",
    "true_false": "Context: A text.\nQuestion: Is it?",
    "given": "Question: Who?\nYour answer: I",
}
FIELDS = {
    "options": {"Reasoning": "string", "Answer": "string", "A": "number", "B": "number"},
    "true_false": {"Reasoning": "string", "Answer": "boolean", "Confidence": "number"},
    "given": {"Confidence": "number"},
}


def kind_of(request: Request) -> str:
    """The kind of the question that is asked."""
    (kind,) = [kind for kind, body in BODIES.items() if body in request.prompt]
    return kind


def test_directions_by_kind(home: Path) -> None:
    """Directions are the system message and stand before the question; their example's keys are."""
    # So each question of a file with all kinds has its own. Log probabilities are asked for by
    # default.
    for tokens in (True, False):
        requests, _ = heard(home, dataset="mine.jsonl", tokens=tokens)
        assert len(requests) == 3
        for request in requests:
            kind = kind_of(request)
            assert request.system, kind
            text = f"Directions:\n{request.system}\n\n{BODIES[kind]}\n\nResponse:"
            assert request.prompt == text
            example = json.loads(request.system[request.system.index("{") :])
            assert list(example) == list(FIELDS[kind])
            logprob_settings = (
                request.body.get("logprobs") or False,
                request.body.get("top_logprobs"),
            )
            assert logprob_settings == ((True, 20) if tokens else (False, None)), kind


def test_schemas_by_kind(home: Path) -> None:
    """json_schema: the form of the reply in the request, and no example in the text."""
    requests, _ = heard(home, dataset="mine.jsonl", format="json_schema")
    for request in requests:
        kind = kind_of(request)
        assert "{" not in f"{request.system}{request.prompt}", kind
        form = request.body["response_format"]
        assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True), kind
        schema = form["json_schema"]["schema"]
        assert schema["additionalProperties"] is False, kind
        type_by_name = map_values(itemgetter("type"), schema["properties"])
        assert type_by_name == FIELDS[kind]
        assert list(type_by_name) == list(FIELDS[kind]) == schema["required"]
        if kind == "options":
            assert schema["properties"]["Answer"]["enum"] == ["A", "B"]


@pytest.mark.slow
def test_answers_to_schemas_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As answers to the example are, and without tokens there are no token judgments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    own_questions = own_file(tmp_path)
    for name, arguments in (("schema", {"format": "json_schema"}), ("none", {"tokens": False})):
        task = build(dataset="mine.jsonl", items=30, **arguments)
        teacher = Teacher(task, own_questions, tokens="unasked" if name == "none" else "read")
        log, _ = served(task, tmp_path / name, teacher)
        check(log, tmp_path / name, teacher)
    rows = read_judgments(tmp_path / "none")[TASK]
    assert set(rows["source"]) == {"stated"}
    assert not summarize(rows, resamples=5)["condition"].str.contains("token").any()


# The study's own sets


@pytest.mark.parametrize("name", ["sciq", "halueval", *slow_cases(["lsat_ar", "sat_en"])])
def test_authors_prompts_are_sent_byte_for_byte(tmp_path: Path, published: Path, name: str) -> None:
    """Both messages are the study's, each of the question that its judgment is of."""
    folder = published / "question_sets"
    file = folder / "prompts" / f"{PUBLISHED[name]}_prompts.csv"
    study = pd.DataFrame(csv_rows(file)).set_index("Question ID")
    task = build(dataset=name, prompts="authors", items=12)
    # Inspect's viewer would show choices below a prompt that has them.
    assert not any(sample.choices for sample in task.dataset)
    teacher = Teacher(task, published_questions(name, folder), prompts="authors")
    log, requests = served(task, tmp_path, teacher)
    assert len(requests) == 12 * (1 + (name == "halueval"))
    assert planned_tokens(dataset=name, prompts="authors", items=12) == tokens_of(requests)
    sent = set(map(attrgetter("prompt", "system"), requests))
    item_ids = sample_table(task)["id"].str.removeprefix(f"{name}-")
    prompts = study.loc[item_ids.tolist(), ["Full Prompt", "System Prompt"]]
    assert sent == set(prompts.itertuples(index=False, name=None))
    for request in requests:
        assert column_of(request.body["messages"], "role") == ["system", "user"]
        assert request.body["temperature"] == 0
    check(log, tmp_path, teacher)
    assert set(read_judgments(tmp_path)[TASK]["variant"]) == {"prompts=authors"}


@pytest.mark.parametrize("name", ["sat_en", "halueval", "boolq", *slow_cases(["sciq", "lsat_ar"])])
def test_published_sets(tmp_path: Path, published: Path, name: str) -> None:
    """Twenty questions of each of the study's sets; HaluEval's have two calls each."""
    folder = published / "question_sets"
    task = build(dataset=name, items=20, seed=4)
    teacher = Teacher(task, published_questions(name, folder))
    log, requests = served(task, tmp_path, teacher)
    check(log, tmp_path, teacher)
    assert len(requests) == 20 * (1 + (name == "halueval"))
    read = csv_rows(folder / "items" / f"{PUBLISHED[name]}.csv")
    rows = {f"{name}-{row['Question ID']}": row for row in read}
    prompts = set(attributes_of(requests, "prompt"))
    for sample in task.dataset:
        row = rows[(sample.metadata or {})["item"]]
        question = with_options(str(sample.input), sample.choices or [])
        ending = f"{question}\n\nResponse:"
        (prompt,) = [text for text in prompts if text.endswith(ending)]
        if name == "halueval":
            right = str(sample.id).endswith("_r")
            answer = row["right_answer" if right else "hallucinated_answer"]
            assert f"Question: {row['Question']}\nYour answer: {answer}\n" in prompt
            assert row["knowledge"].strip() in prompt
        for key, text in row.items():
            if key.startswith("Option "):
                assert f"\n{key[-1]}) {text}\n" in prompt


# Tokens and probabilities by hand


def spoken(*parts: str | Token) -> Reply:
    """A reply of these tokens; those without log probabilities of their own are certain."""
    tokens = [Token(part, 0.0, {part: 0.0}) if isinstance(part, str) else part for part in parts]
    return Reply("".join(attributes_of(tokens, "token")), logprobs=tokens)


def picked(
    before: str, token: str, after: str, shares: dict[str, float], stated_share: float | None = None
) -> Reply:
    """A reply with these probabilities at the token of its answer."""
    top = map_values(math.log, shares)
    return spoken(before, Token(token, math.log(stated_share or shares[token]), top), after)


START, LEFT = '{"Answer": "', ', "A": 0.2, "B": 0.5, "C": 0.3}'
END = '"' + LEFT
TOKENS: dict[str, tuple[str, Reply, float | None]] = {
    "with both quotes": (
        "options",
        picked('{"Answer": ', '"B"', LEFT, {'"B"': 0.5, '"A"': 0.3, '"C"': 0.1}),
        0.5 / 0.9,
    ),
    "with a blank and a quote, another spelling of it, and what is no option": (
        "options",
        picked(
            *('{"Reasoning": "C, or \\"B\\"", "Answer":', ' "B', END),
            {' "B': 0.4, ' "b': 0.1, "B": 0.1, ' "C': 0.2, ' "The': 0.2},
        ),
        0.6 / 0.8,
    ),
    "with the end of the key": (
        "options",
        picked('{"Answer', '": "B",', LEFT[1:], {'": "B",': 0.7, '": "A",': 0.21}),
        0.7 / 0.91,
    ),
    "a token of its own": (
        "options",
        picked(START, "B", END, {"A": 0.5, "B": 0.25, "C": 0.05}),
        0.25 / 0.8,
    ),
    "said though not among the likeliest": (
        "options",
        picked(START, "B", END, {"A": 0.5, "C": 0.4}, 0.01),
        0.01 / 0.91,
    ),
    "a word in two parts": (
        "true_false",
        picked(START, "Tr", 'ue", "Confidence": 0.9}', {"Tr": 0.6, "Fal": 0.3, "Not": 0.05}),
        0.6 / 0.9,
    ),
    "a JSON word": (
        "true_false",
        picked(
            *('{"Answer":', " true", ', "Confidence": 0.9}'),
            {" true": 0.8, " false": 0.1, " ": 0.1},
        ),
        0.8 / 0.9,
    ),
    "no alternatives": ("options", spoken(START, Token("B", 0.0), END), None),
    "no other option": (
        "options",
        picked(START, "B", END, {"B": 0.9, " B": 0.05, "The": 0.05}),
        None,
    ),
    "itself alone": ("options", spoken(START, "B", END), None),
    "no log probabilities": ("options", Reply(f"{START}B{END}"), None),
    "a list without tokens": ("options", Reply(f"{START}B{END}", logprobs=()), None),
}


def test_token_confidence_computed_by_hand(tmp_path: Path) -> None:
    """The answer's share of what options have at its token; without alternatives none, never 1."""
    rows = []
    for name, (kind, _, _) in TOKENS.items():
        row: dict[str, object] = {"id": name, "question": f"Which, {name}?", "target": "true"}
        if kind == "options":
            row |= {"choices": ["red", "green", "blue"], "target": "B"}
        rows.append(row)
    place = tmp_path / "all.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def answer(request: Request) -> Reply:
        (reply,) = [
            reply for name, (_, reply, _) in TOKENS.items() if f", {name}?" in request.prompt
        ]
        return reply

    served(build(dataset=str(place)), tmp_path / "logs", answer)
    frame = read_judgments(tmp_path / "logs")[TASK]
    row_by_source = rows_by(frame_rows(frame), "item", "source")
    for name, (kind, _, expected) in TOKENS.items():
        stated_row, token = row_by_source[name, "stated"], row_by_source[name, "token"]
        assert stated_row["status"] == "ok", name
        assert stated_row["confidence"] == (0.5 if kind == "options" else 0.9), name
        assert token["status"] == ("scoring_failed" if expected is None else "ok"), name
        if expected is None:
            assert math.isnan(token["confidence"]), name
            assert not token["probabilities"], name
        else:
            assert token["confidence"] == pytest.approx(expected, abs=1e-12), name


def asked_by_name(
    folder: Path, rows: list[dict[str, Any]], reply: Callable[[str], dict[str, Any]]
) -> Path:
    """The logs of questions that are asked and answered by their ids, without tokens."""
    place = folder / "named.jsonl"
    named_rows = [{**row, "question": f"Question {row['id']}?"} for row in rows]
    place.write_text("\n".join(map(json.dumps, named_rows)), encoding="utf-8")

    def answer(request: Request) -> Reply:
        (name,) = [row["id"] for row in rows if f"Question {row['id']}?" in request.prompt]
        return Reply(json.dumps(reply(name)))

    served(build(dataset=str(place), tokens=False), folder / "logs", answer)
    return folder / "logs"


def test_ties_by_hand_in_both_conventions(tmp_path: Path) -> None:
    """Four questions of which one is graded alike."""
    replies = {
        "one": ("A", [0.4, 0.4, 0.2]),  # the letter is right; of two largest one is
        "two": ("C", [0.5, 0.3, 0.2]),  # the letter is right; the largest isn't
        "three": ("B", [0.3, 0.3, 0.3]),  # the letter is wrong; a third of the largest is right
        "four": ("A", [0.6, 0.3, 0.1]),  # both wrong
    }
    targets = {"one": "A", "two": "C", "three": "A", "four": "B"}
    rows = [{"id": name, "choices": [*"xyz"], "target": targets[name]} for name in replies]

    def reply(name: str) -> dict[str, Any]:
        letter, numbers = replies[name]
        return {"Answer": letter, **dict(zip("ABC", numbers, strict=True))}

    logs = asked_by_name(tmp_path, rows, reply)
    command = ("summarize", logs, "--json", "--resamples", 20)
    by_letter = values(json.loads(printed(*command).stdout))
    by_largest = values(json.loads(printed(*command, "--convention", "text").stdout))
    third = 1 / 3
    # Confidences .4, .2, 1/3 and .6; right, right, wrong, wrong.
    assert by_letter[BASE, "accuracy"] == 0.5
    assert by_letter[BASE, "mean_confidence"] == pytest.approx((0.4 + 0.2 + third + 0.6) / 4)
    assert by_letter[BASE, "ece"] == pytest.approx((0.6 + 0.8 + third + 0.6) / 4, abs=1e-9)
    # Confidences .4, .5, 1/3 and .6; right are 1/2, none, 1/3 and none.
    condition = str(Condition({"variant": "convention=text;prompts=ours"}))
    assert by_largest[condition, "accuracy"] == pytest.approx((0.5 + third) / 4, abs=1e-9)
    assert by_largest[condition, "mean_confidence"] == pytest.approx((0.4 + 0.5 + third + 0.6) / 4)
    assert by_largest[condition, "ece"] == pytest.approx((0.1 + 0.5 + 0 + 0.6) / 4, abs=1e-9)


def test_sums_are_kept_and_divided_out(tmp_path: Path) -> None:
    """What sums to .8 or to 1.6 is normalised, and raw_sum says so."""
    sums = {"0": [0.4, 0.4], "1": [1.0, 0.6], "2": [0.25, 0.75]}
    rows = combinations_of(id=sums, choices=[["x", "y"]], target=["A"])
    logs = asked_by_name(
        tmp_path, rows, lambda name: {"Answer": "A", "A": sums[name][0], "B": sums[name][1]}
    )
    frame = read_judgments(logs)[TASK].set_index("item")
    assert frame["raw_sum"].to_dict() == pytest.approx({"0": 0.8, "1": 1.6, "2": 1.0}, abs=1e-12)
    expected = {"0": 0.5, "1": 0.625, "2": 0.25}
    assert frame["confidence"].to_dict() == pytest.approx(expected, abs=1e-12)
    assert json.loads(str(frame["probabilities"]["1"])) == pytest.approx([0.625, 0.375], abs=1e-12)


@pytest.mark.parametrize("repeat", [1, 4])
def test_long_probabilities_are_read_whole(home: Path, repeat: int) -> None:
    """Twenty-six options with long probabilities lose nothing to Inspect's summaries."""
    # Choices are long too where repeated.
    rng = np.random.default_rng(5)
    stated_shares = rng.dirichlet(np.ones(26))
    token_shares = dict(zip(ascii_uppercase[6:], rng.dirichlet(np.ones(20)), strict=True))
    names_and_shares = zip(ascii_uppercase, map(float, stated_shares), strict=True)
    fields = ", ".join(f'"{letter}": {share!r}' for letter, share in names_and_shares)
    reply = picked('{"Reasoning": "", "Answer": "', "M", f'", {fields}}}', token_shares)
    row = {
        "id": "long",
        "question": "Which? " * 100 * repeat,
        "choices": [f"{'very ' * 30 * repeat}{x}" for x in ascii_uppercase],
        "target": "M",
        "context": "Read this. " * 300 * repeat,
    }
    (home / "long.jsonl").write_text(json.dumps(row), "utf-8")
    served(build(dataset="long.jsonl"), home / "logs", lambda _: reply)
    rows = read_judgments(home / "logs")[TASK].set_index("source")
    assert list(rows.index) == ["stated", "token"]
    assert set(rows["status"]) == {"ok"}
    assert json.loads(rows["probabilities"]["stated"]) == pytest.approx(
        list(stated_shares / stated_shares.sum()), abs=1e-15
    )
    expected = [0.0] * 6 + list(token_shares.values())
    assert json.loads(rows["probabilities"]["token"]) == pytest.approx(expected, abs=1e-12)
    assert rows["confidence"]["token"] == pytest.approx(token_shares["M"], abs=1e-12)
    assert rows["confidence"]["stated"] == pytest.approx(stated_shares[12], abs=1e-12)
    assert set(rows["choices"]) == {26}
    assert (set(rows["target"]), set(rows["answer"]), set(rows["correct"])) == ({"M"}, {"M"}, {1})


def test_a_long_id_and_a_long_reply_are_read_whole(home: Path) -> None:
    """An id longer than summaries keep is that of the judgments."""
    row = {"id": "x" * 3000, "question": "Is it?", "target": True}
    (home / "long.jsonl").write_text(json.dumps(row), "utf-8")
    text = json.dumps({"Reasoning": "Well. " * 1000, "Answer": "True", "Confidence": 0.7})
    served(build(dataset="long.jsonl", tokens=False), home / "logs", lambda _: Reply(text))
    (judgment,) = read_judgments(home / "logs")[TASK].to_dict("records")
    assert judgment["item"] == row["id"]
    assert (judgment["status"], judgment["confidence"], judgment["correct"]) == ("ok", 0.7, 1)


# Runs with respondents


@pytest.mark.parametrize(("dataset", "options"), [("bundled", 4), ("statements", 2)])
def test_stated_is_the_tokens_rounded(tmp_path: Path, dataset: str, options: int) -> None:
    """To 5%, of an answer whose token's shares sum to 1."""
    task = build(dataset=dataset, items=20)
    responded(task, "metacognitive", tmp_path, epochs=2, error_rate=0.2)
    rows = read_judgments(tmp_path)[TASK]
    stated_rows, token = rows[rows["source"] == "stated"], rows[rows["source"] == "token"]
    assert len(stated_rows) == len(token) == 40
    assert set(rows["choices"]) == {options}
    ok = stated_rows[stated_rows["status"] == "ok"]
    assert 20 < len(ok) < 40
    assert (ok["correct"] == (ok["answer"] == ok["target"])).all()
    assert set(ok["correct"]) == {0, 1}
    assert (ok["confidence"] * 20).round(9).mod(1).eq(0).all()  # multiples of 5%
    token_rows = token[token["status"] == "ok"].set_index("uuid")
    assert list(token_rows.index) == list(ok["uuid"])
    shares = np.array(token_rows["probabilities"].map(json.loads).tolist())
    assert shares.shape == (len(ok), options)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares.max(axis=1) == pytest.approx(token_rows["confidence"].to_numpy(), abs=1e-9)
    # Stated is the token's, rounded to 5%.
    gap = np.abs(token_rows["confidence"].to_numpy() - ok["confidence"].to_numpy())
    assert gap.max() <= 0.025 + 1e-9
    if dataset == "bundled":
        answer_places = ok["answer"].map("ABCD".index)
        stated_shares = np.array(ok["probabilities"].map(json.loads).tolist())
        answer_shares = stated_shares[np.arange(len(ok)), answer_places]
        assert answer_shares == pytest.approx(ok["confidence"].to_numpy())
        assert ok["raw_sum"].to_numpy() == pytest.approx(1)


def test_the_surest_answers_keep_their_token(tmp_path: Path) -> None:
    """At bias 5 and meta_d 6 half are 1 to machine precision: without them the unsure are left."""
    responded(build(items=20), "metacognitive", tmp_path, bias=5, meta_d=6)
    rows = read_judgments(tmp_path)[TASK]
    token = rows[rows["source"] == "token"]
    assert (token["status"] == "ok").all()
