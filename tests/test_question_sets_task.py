"""The question sets as a task: arguments, what the model reads, and what is in the log."""

from __future__ import annotations

import json
import math
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log
from sklearn.metrics import roc_auc_score

from conftest import Command
from inspect_confidence import InvalidArgument, read_judgments
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.study import COMMON_COLUMNS
from inspect_confidence.tasks.question_sets import question_sets
from provider_server import ProviderServer, Reply, Request, Token

TASK = "question_sets"
ROWS: dict[str, dict[str, object]] = {
    "options": {"id": "o", "question": "Capital?", "choices": ["Rome", "Paris"], "target": "B"},
    "true_false": {"id": "t", "question": "Is it?", "target": True, "context": "A text."},
    "given": {"id": "g", "question": "Who?", "answer": "I", "target": False},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, with questions, a prompt and a system message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, ROWS.values())), "utf-8")
    for kind, row in ROWS.items():
        (tmp_path / f"{kind}.jsonl").write_text(json.dumps(row), "utf-8")
    (tmp_path / "p.txt").write_text("{{Think}} of this.\n{question}", "utf-8")
    (tmp_path / "s.txt").write_text("You know {much}.", "utf-8")
    return tmp_path


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data / "question_sets"


def build(**arguments: object) -> Task:
    """The task, with arguments of any type."""
    return question_sets(**arguments)  # type: ignore[arg-type]


def refusal(**arguments: object) -> str:
    """The message of the one error that arguments end in."""
    with pytest.raises(InvalidArgument) as caught:
        build(**arguments)
    message = caught.value.format_message()
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"dataset": "sciqq"}, "dataset=sciqq is not known. Did you mean 'sciq'?"),
        ({"dataset": "zzz"}, "Known: a .csv or .jsonl file, boolq, bundled, halueval"),
        ({"dataset": "none.csv"}, "dataset=none.csv: there is no file"),
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
        ({"items": 0}, "items=0 is below 1"),
        ({"items": "2.5"}, "items=2.5 is not a whole number"),
        ({"items": "ids.txt"}, "items=ids.txt: there is no file"),
        ({"split": "dev"}, "split=dev is not known. Known: all, test, train."),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"prompt": "none.txt"}, "prompt=none.txt: there is no file"),
        ({"prompt": "s.txt"}, "the fields of this prompt are {question}, the file has {much}"),
        ({"system": "none.txt"}, "system=none.txt: there is no file"),
        ({"datasets": "sciq"}, "There is no task argument 'datasets'. Did you mean 'dataset'?"),
        ({"ages": 40}, "There is no task argument 'ages'. Known: dataset, format, items"),
    ],
)
@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy(arguments: dict[str, object], says: str) -> None:
    """Each is one error that says what was given and what can be."""
    assert says in refusal(**arguments)


@pytest.mark.parametrize("tokens", [True, "True", "true", False, "False", "false"])
def test_tokens_decide_what_is_asked_of_the_provider(tokens: object) -> None:
    """With tokens, log probabilities and their 20 alternatives; without, neither."""
    config = build(tokens=tokens).config.model_dump(exclude_none=True)
    asked = {"temperature": 0, "logprobs": True, "top_logprobs": 20}
    assert config == (asked if str(tokens).lower() == "true" else {"temperature": 0})


@pytest.mark.parametrize("word", ["off", "no", "yes"])
def test_plan_reads_booleans_as_inspect_does(word: str) -> None:
    """What YAML takes for a boolean is one to `plan` as well."""
    assert "calls:   168" in plan_run(TASK, [f"tokens={word}"])


@pytest.mark.parametrize(
    ("dataset", "samples", "kind"),
    [
        *(("bundled", 168, "options"), ("statements", 126, "true_false")),
        *(("boolq", 3270, "true_false"), ("sciq", 1000, "options"), ("lsat_ar", 230, "options")),
        *(("sat_en", 206, "options"), ("halueval", 2000, "given")),
    ],
)
@pytest.mark.usefixtures("published")
def test_samples_of_every_set(dataset: str, samples: int, kind: str) -> None:
    """One sample a question, of HaluEval one an answer; ids differ, targets are of the kind."""
    task = build(dataset=dataset)
    assert len(task.dataset) == len({sample.id for sample in task.dataset}) == samples
    for sample in task.dataset:
        facts = sample.metadata or {}
        assert facts["kind"] == kind
        if kind == "options":
            assert facts["choices"] == len(sample.choices or [])
            assert str(sample.target) in ascii_uppercase[: facts["choices"]]
        else:
            assert facts["choices"] == (2 if kind == "true_false" else 0)
            assert sample.target in ("True", "False")
    if kind == "given":
        pairs = list(task.dataset)
        for right, wrong in zip(pairs[::2], pairs[1::2], strict=True):
            assert ((right.metadata or {})["item"], right.target, wrong.target) == (
                (wrong.metadata or {})["item"],
                "True",
                "False",
            )
            assert [(one.metadata or {})["given"] for one in (right, wrong)] == ["r", "h"]


@pytest.mark.usefixtures("published")
def test_plan_counts_calls() -> None:
    """168 calls by default, two a question of HaluEval, times epochs."""
    assert "calls:   168" in plan_run(TASK, []).splitlines()
    lines = plan_run(TASK, ["dataset=halueval", "items=10", "tokens=false"], epochs=3).splitlines()
    assert lines[0] == "question_sets on halueval: 10 items (5 train, 5 test)"
    assert "calls:   60" in lines


# What a model is sent


def heard(
    home: Path, reply: Reply | None = None, **arguments: object
) -> tuple[list[Request], EvalLog]:
    """The requests of a run, sent by the real client to a local server, and its log."""
    with ProviderServer(lambda _: reply or Reply("{}")) as server:
        (log,) = eval(
            build(**arguments),
            model="openai/gpt-4o-mini",
            model_base_url=server.url + "/v1",
            log_dir=str(home / "logs"),
            display="none",
        )
    assert log.status == "success", log.error
    return [request for request, _ in server.requests], log


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


@pytest.mark.parametrize("kind", ROWS)
def test_directions_by_kind(home: Path, kind: str) -> None:
    """Directions are the system message and stand before the question; their example's keys are.

    Log probabilities are asked for by default.
    """
    (request,), _ = heard(home, dataset=f"{kind}.jsonl")
    assert request.system
    assert request.prompt == f"Directions:\n{request.system}\n\n{BODIES[kind]}\n\nResponse:"
    example = json.loads(request.system[request.system.index("{") :])
    assert list(example) == list(FIELDS[kind])
    assert (request.body["temperature"], request.body["logprobs"]) == (0, True)
    assert request.body["top_logprobs"] == 20
    assert "response_format" not in request.body
    (request,), _ = heard(home, dataset=f"{kind}.jsonl", tokens=False)
    assert not request.body.get("logprobs")
    assert "top_logprobs" not in request.body


@pytest.mark.parametrize("kind", ROWS)
def test_schemas_by_kind(home: Path, kind: str) -> None:
    """json_schema: the form of the reply in the request, and no example in the text."""
    (request,), _ = heard(home, dataset=f"{kind}.jsonl", format="json_schema")
    assert "{" not in request.prompt
    form = request.body["response_format"]["json_schema"]
    assert form["strict"] is True
    schema = form["schema"]
    found = {name: one["type"] for name, one in schema["properties"].items()}
    assert found == FIELDS[kind]
    assert list(found) == list(FIELDS[kind]) == schema["required"]
    if kind == "options":
        assert schema["properties"]["Answer"]["enum"] == ["A", "B"]


def test_a_mixed_file_has_directions_by_question(home: Path) -> None:
    """Each question of a file with all kinds has its own directions."""
    requests, _ = heard(home, dataset="mine.jsonl")
    assert len(requests) == 3
    for request in requests:
        (kind,) = [kind for kind, body in BODIES.items() if body in request.prompt]
        assert request.system
        example = json.loads(request.system[request.system.index("{") :])
        assert list(example) == list(FIELDS[kind])


def test_own_prompt_and_system_reach_the_message(home: Path) -> None:
    """A prompt replaces the user message, without a system message but one's own."""
    mine: dict[str, Any] = {"dataset": "options.jsonl", "prompt": "p.txt"}
    (request,), _ = heard(home, **mine)
    wanted = f"{{Think}} of this.\n{BODIES['options']}"
    assert (request.system, request.prompt) == (None, wanted)
    (request,), _ = heard(home, system="s.txt", **mine)
    assert (request.system, request.prompt) == ("You know {much}.", wanted)
    (request,), _ = heard(home, system="s.txt", dataset="options.jsonl")
    assert request.system == "You know {much}."
    assert request.prompt.startswith("Directions:\n")


@pytest.mark.parametrize(("name", "file"), [("sciq", "sciq_test"), ("halueval", "halu_eval_qa")])
def test_authors_prompts_are_sent_as_they_are(
    home: Path, published: Path, name: str, file: str
) -> None:
    """Both messages of each call are the published ones, byte for byte."""
    requests, log = heard(home, dataset=name, prompts="authors", items=3)
    rows = pd.read_csv(published / "prompts" / f"{file}_prompts.csv", dtype=str)
    known = set(zip(rows["Full Prompt"], rows["System Prompt"], strict=True))
    assert len(requests) == (6 if name == "halueval" else 3)
    assert {(request.prompt, request.system) for request in requests} <= known
    by_id = rows.set_index("Question ID")["Full Prompt"]
    assert log.samples
    for sample in log.samples:
        assert sample.input == by_id[sample.metadata["source_id"]]


def spoken(text: str, answer: str, alternatives: dict[str, float]) -> Reply:
    """A reply whose Answer is a token with alternatives."""
    before, after = text.split(f'"Answer": "{answer}"')
    logs = {token: math.log(p) for token, p in alternatives.items()}
    return Reply(
        text,
        logprobs=[
            Token(before + '"Answer": "', 0.0),
            Token(answer, logs[answer], logs),
            Token('"' + after, 0.0),
        ],
    )


@pytest.mark.parametrize("repeat", [1, 4])
def test_long_probabilities_are_read_whole(home: Path, repeat: int) -> None:
    """Twenty-six options with long probabilities lose nothing to Inspect's summaries.

    Choices are long too where repeated.
    """
    rng = np.random.default_rng(5)
    stated = rng.dirichlet(np.ones(26))
    seen = dict(zip(ascii_uppercase[6:], rng.dirichlet(np.ones(20)), strict=True))
    fields = ", ".join(
        f'"{x}": {p!r}' for x, p in zip(ascii_uppercase, map(float, stated), strict=True)
    )
    reply = spoken(f'{{"Reasoning": "", "Answer": "M", {fields}}}', "M", seen)
    row = {
        "id": "long",
        "question": "Which? " * 100 * repeat,
        "choices": [f"{'very ' * 30 * repeat}{x}" for x in ascii_uppercase],
        "target": "M",
        "context": "Read this. " * 300 * repeat,
    }
    (home / "long.jsonl").write_text(json.dumps(row), "utf-8")
    heard(home, reply, dataset="long.jsonl")
    rows = read_judgments(home / "logs")[TASK].set_index("source")
    assert list(rows.index) == ["stated", "token"]
    assert set(rows["status"]) == {"ok"}
    assert json.loads(rows["probabilities"]["stated"]) == pytest.approx(
        list(stated / stated.sum()), abs=1e-15
    )
    expected = [0.0] * 6 + list(seen.values())
    assert json.loads(rows["probabilities"]["token"]) == pytest.approx(expected, abs=1e-12)
    assert rows["confidence"]["token"] == pytest.approx(seen["M"], abs=1e-12)
    assert rows["confidence"]["stated"] == pytest.approx(stated[12], abs=1e-12)
    assert set(rows["choices"]) == {26}
    assert (set(rows["target"]), set(rows["answer"]), set(rows["correct"])) == ({"M"}, {"M"}, {1})


def test_a_long_id_and_a_long_reply_are_read_whole(home: Path) -> None:
    """An id longer than summaries keep is that of the judgments."""
    row = {"id": "x" * 3000, "question": "Is it?", "target": True}
    (home / "long.jsonl").write_text(json.dumps(row), "utf-8")
    text = json.dumps({"Reasoning": "Well. " * 1000, "Answer": "True", "Confidence": 0.7})
    heard(home, Reply(text), dataset="long.jsonl", tokens=False)
    (judgment,) = read_judgments(home / "logs")[TASK].to_dict("records")
    assert judgment["item"] == row["id"]
    assert (judgment["status"], judgment["confidence"], judgment["correct"]) == ("ok", 0.7, 1)


# Runs with respondents


def run(log_dir: Path, dataset: str, epochs: int = 2, **parameters: object) -> EvalLog:
    """A few items answered by the metacognitive respondent, in this process."""
    (log,) = eval(
        build(dataset=dataset, items=20),
        model="respondent/metacognitive",
        model_args=parameters,
        log_dir=str(log_dir),
        epochs=epochs,
        display="none",
    )
    assert log.status == "success", log.error
    return log


def log_metrics(log: EvalLog) -> dict[str, float]:
    """The log's own metrics by name."""
    assert log.results is not None
    return {name: m.value for name, m in log.results.scores[0].metrics.items()}


@pytest.mark.parametrize(("dataset", "options"), [("bundled", 4), ("statements", 2)])
def test_a_run_is_scored_and_read(tmp_path: Path, dataset: str, options: int) -> None:
    """Two epochs of twenty items: judgments with every column, from which the metrics follow."""
    log = run(tmp_path, dataset, error_rate=0.2)
    rows = read_judgments(tmp_path)[TASK]
    assert set(COMMON_COLUMNS) | set(all_tables()[TASK].columns) == set(rows.columns)
    stated, token = (rows[rows["source"] == source] for source in ("stated", "token"))
    assert len(stated) == len(token) == 40
    assert set(rows["choices"]) == {options}
    ok = stated[stated["status"] == "ok"]
    assert 20 < len(ok) < 40
    assert (ok["correct"] == (ok["answer"] == ok["target"])).all()
    assert set(ok["correct"]) == {0, 1}
    assert (ok["confidence"] * 20).round(9).mod(1).eq(0).all()  # multiples of 5%
    said = token[token["status"] == "ok"].set_index("uuid")
    assert list(said.index) == list(ok["uuid"])
    shares = np.array([json.loads(text) for text in said["probabilities"]])
    assert shares.shape == (len(ok), options)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares.max(axis=1) == pytest.approx(said["confidence"].to_numpy(), abs=1e-9)
    # Stated is the token's, rounded to 5%.
    gap = np.abs(said["confidence"].to_numpy() - ok["confidence"].to_numpy())
    assert gap.max() <= 0.025 + 1e-9
    if dataset == "bundled":
        named = ok["answer"].map("ABCD".index)
        listed = [json.loads(text) for text in ok["probabilities"]]
        found = [one[place] for one, place in zip(listed, named, strict=True)]
        assert found == pytest.approx(list(ok["confidence"]))
        assert ok["raw_sum"].to_numpy() == pytest.approx(1)
    metrics = log_metrics(log)
    over = ok["confidence"] - ok["correct"]
    assert metrics["overconfidence"] == pytest.approx(over.mean(), abs=1e-12)
    auroc = roc_auc_score(ok["correct"], ok["confidence"])
    assert metrics["auroc"] == pytest.approx(auroc, abs=1e-12)
    assert metrics["format_failure_rate"] == pytest.approx(1 - len(ok) / 40, abs=1e-12)


@pytest.mark.parametrize("dataset", ["bundled", "statements"])
def test_rescoring_changes_nothing(command: Command, tmp_path: Path, dataset: str) -> None:
    """`inspect score` with the scorer's file gives the metrics and judgments of the run."""
    log = run(tmp_path / "run", dataset, error_rate=0.2)
    new = tmp_path / "again" / "new.eval"
    new.parent.mkdir()
    command(
        *("inspect", "score", log.location, "--scorer", "scorers/option_confidence.py"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
    )
    before, after = log_metrics(log), log_metrics(read_eval_log(str(new)))
    assert after == pytest.approx(before, rel=1e-12, nan_ok=True)
    first, again = (
        read_judgments(tmp_path / place)[TASK].sort_values(["uuid", "source"], ignore_index=True)
        for place in ("run", "again")
    )
    pd.testing.assert_frame_equal(first, again)


def test_the_surest_answers_keep_their_token(tmp_path: Path) -> None:
    """At bias 5 and meta_d 6 half of the tokens are 1 to machine precision, the others -9999.

    Providers that list all options with probability 0 do say that the answer is certain. Leaving
    those judgments out would select the less sure ones.
    """
    run(tmp_path, "bundled", epochs=1, bias=5, meta_d=6)
    rows = read_judgments(tmp_path)[TASK]
    token = rows[rows["source"] == "token"]
    assert (token["status"] == "ok").all()


def test_given_answers_are_judged(home: Path) -> None:
    """Of an answer that is given, the judgment is the confidence; right is what the target says."""
    _, log = heard(home, Reply('{"Confidence": 0.3}'), dataset="given.jsonl")
    (judgment,) = read_judgments(home / "logs")[TASK].to_dict("records")
    assert (judgment["source"], judgment["given"], judgment["target"]) == (
        "stated",
        "answer",
        "False",
    )
    assert (judgment["confidence"], judgment["correct"], judgment["status"]) == (0.3, 0, "ok")
    assert log_metrics(log)["overconfidence"] == pytest.approx(0.3)
