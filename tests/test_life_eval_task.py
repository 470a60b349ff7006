"""LifeEval as a task: its arguments, what the model reads, and what is in the log."""

from __future__ import annotations

import json
import math
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog, read_eval_log

from build import attributes_of, by_id, map_values, sample_table, texts_starting
from conftest import CHECKOUT, Command
from contract.far_end import check
from contract.life_eval import AUTHORS, FORMS, Actuary, study_rows
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.prompts.life_eval import DIRECTIONS, SCHEMA_DIRECTIONS
from inspect_confidence.tasks.life_eval import life_eval
from provider_server import Reply, Request, Token
from runs import check_refusals, responded, served, values

TASK = "life_eval"
OWN = "age,female\n0,0.1\n1,0.2\n2,0.5\n"
"""Of those at 0 dies a tenth at 0, .9 * .2 at 1, and .72 at 2."""


@pytest.fixture
def home(home: Path) -> Path:
    """A folder that the user stands in, with a life table, a prompt and a system message."""
    (home / "mine.csv").write_text(OWN, "utf-8")
    (home / "p.txt").write_text("{{Think}} of this.\n{question}", "utf-8")
    (home / "s.txt").write_text("You know {mortality}.", "utf-8")
    return home


def build(**arguments: object) -> Task:
    """The task, with arguments of any type."""
    return life_eval(**arguments)  # type: ignore[arg-type]


def sample_facts(task: Task) -> set[tuple[str, int, float]]:
    """Sex, age and radius of all samples."""
    facts = sample_table(task)[["sex", "age", "radius"]]
    assert not facts.duplicated().any()
    return set(facts.itertuples(index=False, name=None))


def rows_of_source(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """The judgments from stated confidence or from tokens."""
    return rows[rows["source"] == source]


def sure_tokens(*parts: str) -> list[Token]:
    """Tokens that have no alternative."""
    return [Token(part, 0.0, {part: 0.0}) for part in parts]


# Arguments


@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy() -> None:
    """Each is one error that says what was given and what can be."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"ages": "abc"}, "ages=abc is neither a whole number nor a range such as 0-100."),
        ({"ages": "50-20"}, "ages=50-20 is neither a whole number nor a range"),
        ({"ages": "0-500"}, "ages=0-500 is not within 0 to 119."),
        ({"ages": 120}, "ages=120 is not within 0 to 119."),
        ({"ages": "-1"}, "ages=-1 is neither a whole number nor a range"),
        ({"ages": 40.5}, "ages=40.5 is neither"),
        ({"ages": True}, "ages=True is neither"),
        ({"ages": ""}, "ages= is neither"),
        ({"ages": "20,10-30"}, "ages=20,10-30 is empty or names a number twice."),
        ({"sexes": "x"}, "sexes=x is not known. Known: female, male."),
        ({"sexes": "males"}, "sexes=males is not known. Did you mean 'male'?"),
        ({"sexes": "male,male"}, "sexes=male,male is empty or names a word twice"),
        ({"sexes": []}, "sexes=[] is empty"),
        ({"radii": 0}, "radii=0 is not between 0 and 120, both excluded."),
        ({"radii": "5,120"}, "radii=120 is not between 0 and 120"),
        ({"radii": -1}, "radii=-1 is not between"),
        ({"radii": "nan"}, "radii=nan is not a number"),
        ({"radii": "5,five"}, "radii=five is not a number"),
        ({"radii": True}, "radii=True is not a number"),
        ({"radii": []}, "radii is empty"),
        ({"radii": [5, "5.0"]}, "names a number twice"),
        ({"window": "x"}, "window=x is not known. Known: closed, half-open."),
        ({"window": "half_open"}, "Did you mean 'half-open'?"),
        ({"table": "missing"}, "table=missing is not known."),
        ({"table": "ssa2022"}, "Did you mean 'ssa-2022'?"),
        ({"table": "missing.csv"}, "table=missing.csv: there is no file"),
        ({"table": "p.txt"}, "table=p.txt: a life table is a .csv file"),
        ({"table": "mine.csv"}, "ages=0-100 is not within 0 to 2."),
        ({"table": "mine.csv", "ages": "0-2"}, "sexes=male is not in the table mine.csv"),
        ({"prompts": "x"}, "prompts=x is not known. Known: authors, ours."),
        ({"prompts": "authors", "prompt": "p.txt"}, "prompts=authors with prompt=p.txt: the"),
        ({"prompts": "authors", "system": "s.txt"}, "prompts=authors with system=s.txt: the"),
        (
            {"prompts": "authors", "format": "json_schema"},
            "prompts=authors with format=json_schema: the study's prompts are asked as they are; "
            "leave format out, or use prompts=ours.",
        ),
        ({"prompts": "authors", "population": "French"}, "prompts=authors with population=French"),
        ({"format": "x"}, "format=x is not known. Known: example, json_schema."),
        ({"format": "json"}, "Did you mean 'json_schema'?"),
        ({"prompt": "s.txt"}, "the fields of this prompt are {question}, the file has {mortality}"),
        ({"tokens": "perhaps"}, "tokens=perhaps"),
        ({"ages": []}, "ages="),
        ({"population": ["Swedish", "Danish"]}, "population="),  # as -T reads commas
        ({"population": None}, "population=None is no adjective such as American."),
        ({"population": {"a": 1}}, "population={'a': 1} is no adjective"),
    ]
    check_refusals(build, cases)


@pytest.mark.usefixtures("published", "home")
def test_the_study_has_prompts_for_its_own_items_only() -> None:
    """Other ages and radii are refused with prompts=authors."""
    says = "its ages are 0 to 100, its radii 1, 5, 10 and 20"
    check_refusals(build, [({"prompts": "authors", "ages": "99-101"}, says)])
    check_refusals(build, [({"prompts": "authors", "radii": "1,2"}, says)])


def test_ages_radii_and_sexes_in_any_form() -> None:
    """As Inspect's command line reads YAML: `-T ages=40`, `-T ages=20,40`, `-T ages=[20, 40]`."""
    ages: list[tuple[object, set[int]]] = [
        (40, {40}),
        ("40", {40}),
        ([20, 40], {20, 40}),
        (["20", "40", "60-62"], {20, 40, 60, 61, 62}),
        ("20,40,60-62", {20, 40, 60, 61, 62}),
        (" 0 - 2 , 119", {0, 1, 2, 119}),
    ]
    for argument, years in ages:
        expected = set(product(("male", "female"), years, (5.0,)))
        assert sample_facts(build(ages=argument, radii=5)) == expected, argument
    radii: list[tuple[object, set[float]]] = [
        (5, {5}),
        (2.5, {2.5}),
        ("1,5", {1, 5}),
        ([1, 5], {1, 5}),
        (["1", "5.5"], {1, 5.5}),
        ([0.5, "20"], {0.5, 20}),
    ]
    for argument, around in radii:
        rows = sample_table(build(ages=40, radii=argument))
        assert set(rows["radius"]) == around, argument
    sexes: list[tuple[object, set[str]]] = [
        ("both", {"male", "female"}),
        ("female", {"female"}),
        ("male, female", {"male", "female"}),
        (["female", "male"], {"male", "female"}),
    ]
    for argument, sexes_expected in sexes:
        rows = sample_table(build(ages=40, sexes=argument))
        assert set(rows["sex"]) == sexes_expected, argument


def test_defaults_are_the_studys_808_items() -> None:
    """Ages 0 to 100, both sexes, four radii; as many calls; radii that differ have other ids."""
    task = build()
    items = product(("male", "female"), range(101), (1.0, 5.0, 10.0, 20.0))
    assert sample_facts(task) == set(items)
    facts = task.metadata or {}
    assert (facts["items"], facts["train_items"], facts["test_items"]) == (808, 404, 404)
    assert (facts["dataset"], facts["calls_per_sample"], facts["system"]) == ("ssa-2022", 1, "")
    assert task.config.model_dump(exclude_none=True) == {"temperature": 0}
    counts = sample_table(task)["radius"][:40].value_counts()
    assert counts.to_dict() == {1.0: 10, 5.0: 10, 10.0: 10, 20.0: 10}
    lines = plan_run(TASK, []).splitlines()
    assert lines[0] == "life_eval on ssa-2022: 808 items (404 train, 404 test)"
    assert "samples: 808" in lines
    assert "calls:   808" in lines
    assert "calls:   20" in plan_run(TASK, ["items=10"], epochs=2).splitlines()
    with pytest.raises(InvalidArgument, match="ages=abc is neither"):
        plan_run(TASK, ["ages=abc"])
    task = build(ages=40, sexes="male", radii=[1, 1.00001])
    assert sample_table(task)["id"].nunique() == 2


# What a model is sent


def heard(home: Path, reply: str = "{}", **arguments: object) -> tuple[Request, EvalLog]:
    """The one request of a run of one person, sent by the real client, and its log."""
    log, (request,) = served(build(**{**ONE, **arguments}), home / "logs", lambda _: Reply(reply))
    return request, log


QUESTION = (
    "Think of the American population: a man of it is alive at the age of 40. How old will he be "
    "at death, and how probable is it that your answer lies within 5 years of his true age at "
    "death?"
)
ONE: dict[str, Any] = {"ages": 40, "sexes": "male", "radii": 5}


def test_directions_are_system_message_and_repeated(home: Path) -> None:
    """By default: directions with the example as system message and before the question."""
    request, _ = heard(home)
    assert request.system == DIRECTIONS
    assert request.prompt == f"Directions:\n{DIRECTIONS}\n\nQuestion:\n{QUESTION}\n\nResponse:"
    example = json.loads(DIRECTIONS[DIRECTIONS.index("{") :])
    assert list(example) == ["Reasoning", "Answer", "Confidence"]


def test_a_schema_is_given_instead_of_the_example(tmp_path: Path) -> None:
    """Structured output: strict, nothing else allowed, reasoning first, and no braces in text."""
    actuary = Actuary()
    task = build(items=30, format="json_schema")
    log, requests = served(task, tmp_path, actuary)
    for request in requests:
        assert request.system == SCHEMA_DIRECTIONS
        assert "{" not in SCHEMA_DIRECTIONS + request.prompt
        form = request.body["response_format"]
        assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
        schema = form["json_schema"]["schema"]
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        kinds = map_values(itemgetter("type"), schema["properties"])
        assert kinds == {"Reasoning": "string", "Answer": "integer", "Confidence": "number"}
        assert list(kinds) == schema["required"] == ["Reasoning", "Answer", "Confidence"]
    check(log, tmp_path, actuary)


def test_another_countrys_table(home: Path) -> None:
    """A relative table with its population is asked about and scored against, by hand."""
    # Of those at 0 die .1 at 0, .18 at 1, .72 at 2 or later. Within 1 year of 2, half-open, are the
    # ages 1 and 2: .9, and no answer has more (1: .28). Closed, 1 has all.
    arguments: dict[str, Any] = {"table": "mine.csv", "ages": 0, "radii": 1, "sexes": "female"}
    reply = '{"Reasoning": "", "Answer": 1, "Confidence": 0.5}'
    request, log = heard(home, reply, population="Ruritanian", **arguments)
    assert (
        "Think of the Ruritanian population: a girl of it is alive at the age of 0."
        in request.prompt
    )
    assert "within 1 year of her true age" in request.prompt
    (sample,) = log.samples or []
    assert sample.target == "2"
    assert (sample.scores or {})["age_at_death"].value == pytest.approx(
        {
            **{"answer": 1, "confidence": 0.5, "score": 0.28, "mas": 0.9, "best_answer": 2},
            **{"overconfidence": 0.22, "format_ok": 1},
        }
    )
    _, log = heard(home, reply, window="closed", **arguments)
    (sample,) = log.samples or []
    assert sample.target == "1"
    value: Any = (sample.scores or {})["age_at_death"].value
    assert (value["score"], value["mas"]) == pytest.approx((1, 1))
    assert (log.eval.metadata or {})["dataset"] == "mine.csv"


def ages_at_death(log: EvalLog) -> dict[int | str, Any]:
    """The values of the samples' scores by the samples' ids."""
    samples = by_id(log.samples or [])
    return {name: (sample.scores or {})["age_at_death"].value for name, sample in samples.items()}


@pytest.mark.slow
def test_files_are_found_from_any_folder(command: Command, home: Path, tmp_path: Path) -> None:
    """By the command line: paths from where the user stands, and the same scores from elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command(
        *("inspect", "eval", "inspect_confidence/life_eval", "--model", "respondent/actuary"),
        *("-T", "table=mine.csv", "-T", "prompt=p.txt", "-T", "system=s.txt", "-T", "ages=0-2"),
        *("-T", "sexes=female", "-T", "radii=1,2", "-T", "window=closed"),
        *("--log-dir", "logs", "--display", "none"),
        cwd=home,
    )
    (path,) = (home / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    new = elsewhere / "new.eval"
    (elsewhere / "scorers").symlink_to(CHECKOUT / "scorers")
    command(
        *("inspect", "score", path, "--scorer", "scorers/options.py@age_at_death"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
        cwd=elsewhere,
    )
    before, after = ages_at_death(log), ages_at_death(read_eval_log(str(new)))
    assert len(before) == 6
    assert after == before


# The study's own wording


@pytest.mark.parametrize("items", [60, pytest.param(808, marks=pytest.mark.slow)])
def test_authors_prompts_to_the_letter(tmp_path: Path, published: Path, items: int) -> None:
    """Both messages are the study's, each of the person that its judgment is of, each once."""
    study = {person: (user, system) for person, user, system in study_rows(published)}
    assert len(study) == 808
    actuary = Actuary(asked=AUTHORS)
    log, requests = served(life_eval(items=items, prompts="authors", seed=3), tmp_path, actuary)
    assert len(requests) == len(set(attributes_of(actuary.meant, "person"))) == items
    for request, case in zip(requests, actuary.meant, strict=True):
        user, system = study[case.person]
        assert request.body["messages"] == [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        assert request.body["temperature"] == 0
    check(log, tmp_path, actuary)
    assert set(read_judgments(tmp_path)[TASK]["variant"]) == {"prompts=authors"}


@pytest.mark.slow
@pytest.mark.usefixtures("published")
def test_two_wordings_are_two_variants(tmp_path: Path) -> None:
    """Judgments of one folder say whose wording was asked, and the table keeps them apart."""
    own_actuary, authors = Actuary(), Actuary(FORMS[:8], AUTHORS)
    served(build(items=40), tmp_path, own_actuary)
    served(build(items=40, prompts="authors"), tmp_path, authors)
    frames = read_judgments(tmp_path)
    estimates = values(summarize(frames, resamples=10))
    for name, actuary in (("ours", own_actuary), ("authors", authors)):
        assert frames[TASK]["variant"].str.contains(f"prompts={name}").sum() == 40
        of_prompts = f"prompts%3D{name}"
        conditions = {condition for condition, _ in estimates if of_prompts in condition}
        (overall,) = texts_starting(conditions, "variant=")
        numbers = actuary.numbers()
        for metric in ("accuracy", "overconfidence", "ece", "hard_easy_slope"):
            assert estimates[overall, metric] == pytest.approx(numbers[metric], abs=1e-9), metric


@pytest.mark.slow
def test_closed_windows_change_the_truth(tmp_path: Path) -> None:
    """The same replies are truer where the window has both its ends."""
    actuaries = {}
    for window in ("half-open", "closed"):
        actuaries[window] = actuary = Actuary(window=window)
        task, folder = build(items=50, window=window), tmp_path / window
        log, _ = served(task, folder, actuary, max_connections=1, max_samples=1)
        check(log, folder, actuary)
    assert actuaries["closed"].meant == actuaries["half-open"].meant
    open_, closed = actuaries["half-open"].numbers(), actuaries["closed"].numbers()
    assert closed["accuracy"] > open_["accuracy"] + 0.01


# The answer's token


def test_tokens_beside_what_is_stated(tmp_path: Path) -> None:
    """Through the real package at two epochs: .6 of the ages listed, or missing; by hand."""

    def answer(request: Request) -> Reply:
        assert request.body["logprobs"] is True
        assert request.body["top_logprobs"] == 20
        if "within 1 year " in request.prompt:
            return Reply("I can't say.", logprobs=[Token("I can't say.", 0.0, {})])
        parts = ['{"Reasoning": "", "Answer": ', "78", ', "Confidence": 0.9}']
        top = {"78": math.log(0.3), "79": math.log(0.2), "about": math.log(0.5)}
        tokens = sure_tokens(*parts)
        tokens[1] = Token("78", math.log(0.3), top)
        return Reply("".join(parts), logprobs=tokens)

    task = build(ages=40, sexes="male", radii="1,5", tokens=True)
    log, _ = served(task, tmp_path, answer, epochs=2)
    (sample, *_) = [sample for sample in log.samples or [] if "r5" in str(sample.id)]
    value: Any = (sample.scores or {})["age_at_death"].value
    assert value["token_confidence"] == pytest.approx(0.6)
    rows = read_judgments(tmp_path)[TASK]
    token = rows[rows["source"] == "token"]
    assert len(rows) == 2 * len(token) == 8
    wide, narrow = token[token["radius"] == 5], token[token["radius"] == 1]
    assert wide["confidence"].tolist() == pytest.approx([0.6, 0.6])
    assert wide["unseen_mass"].tolist() == pytest.approx([0.5, 0.5])
    assert set(narrow["status"]) == {"invalid_response_format"}
    estimates = values(summarize(rows, resamples=10))
    base = "variant=prompts%3Dours"
    assert estimates[base, "mean_confidence"] == pytest.approx(0.9)
    assert estimates[f"source=token;{base}", "mean_confidence"] == pytest.approx(0.6)
    score = rows.loc[rows["score"].notna(), "score"].iloc[0]
    gap = abs(0.9 - score) - abs(0.6 - score)
    assert estimates[f"of=ece;{base};versus=token", "difference"] == pytest.approx(gap)


def test_providers_without_tokens(tmp_path: Path) -> None:
    """Missing is missing: `scoring_failed`, and what is stated is read all the same."""
    reply = '{"Reasoning": "", "Answer": 78, "Confidence": 0.9}'
    served(build(**ONE, tokens=True), tmp_path, lambda _: Reply(reply))
    rows = read_judgments(tmp_path)[TASK].set_index("source")
    assert rows["status"].to_dict() == {"stated": "ok", "token": "scoring_failed"}
    assert rows.loc["token", "reason"] == "the provider gave no log probabilities"


def test_tokens_of_an_answer_without_probability(tmp_path: Path) -> None:
    """Counted as missing; what is stated is read all the same."""

    def answer(_: Request) -> Reply:
        parts = ['{"Reasoning": "", "Answer": ', "78.0", ', "Confidence": 0.9}']
        tokens = sure_tokens(*parts)
        tokens[1] = Token("78.0", -1.0, {"78.0": -1.0, "79": -2.0, "80": -2.0})
        return Reply("".join(parts), logprobs=tokens)

    served(build(**ONE, tokens=True), tmp_path, answer, epochs=2)
    rows = read_judgments(tmp_path)[TASK]
    stated_rows, token = rows_of_source(rows, "stated"), rows_of_source(rows, "token")
    assert stated_rows["confidence"].tolist() == [0.9, 0.9]
    assert token["confidence"].isna().all()
    assert token["status"].tolist() == ["scoring_failed"] * 2
    assert set(token["reason"]) == {"the answer has no probability"}
    notes = summarize(rows, resamples=10).set_index(["condition", "metric"])["note"]
    note = notes["source=token;variant=prompts%3Dours", "mean_confidence"]
    assert "2 of 2 judgments left out: 2 scoring_failed" in note


def test_simulated_tokens(tmp_path: Path) -> None:
    """The actuary's token has the probability that it states."""
    responded(build(items=12, tokens=True), "actuary", tmp_path, epochs=2, error_rate=0.2)
    rows = read_judgments(tmp_path)[TASK].set_index(["item", "radius", "epoch"])
    stated_rows, token = rows_of_source(rows, "stated"), rows_of_source(rows, "token")
    assert 0 < (token["status"] != "ok").mean() < 0.6
    read = token[token["status"] == "ok"]
    stated_beside = stated_rows["confidence"].loc[read.index].to_numpy()
    assert read["confidence"].to_numpy() == pytest.approx(stated_beside)
