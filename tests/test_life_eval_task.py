"""LifeEval as a task: its arguments, what the model reads, and what is in the log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log

from conftest import Command
from inspect_confidence import InvalidArgument, read_judgments
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.prompts.life_eval import DIRECTIONS, SCHEMA_DIRECTIONS
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.study import COMMON_COLUMNS
from inspect_confidence.tasks.life_eval import life_eval
from provider_server import ProviderServer, Reply, Request

TASK = "life_eval"
OWN = "age,female\n0,0.1\n1,0.2\n2,0.5\n"
"""Of those at 0 dies a tenth at 0, .9 * .2 at 1, and .72 at 2."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, with a life table, a prompt and a system message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    (tmp_path / "mine.csv").write_text(OWN, "utf-8")
    (tmp_path / "p.txt").write_text("{{Think}} of this.\n{question}", "utf-8")
    (tmp_path / "s.txt").write_text("You know {mortality}.", "utf-8")
    return tmp_path


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data


def build(**arguments: object) -> Task:
    """The task, with arguments of any type."""
    return life_eval(**arguments)  # type: ignore[arg-type]


def refusal(**arguments: object) -> str:
    """The message of the one error that arguments end in."""
    with pytest.raises(InvalidArgument) as caught:
        build(**arguments)
    message = caught.value.format_message()
    assert "\n" not in message
    return message


def asked(task: Task) -> set[tuple[str, int, float]]:
    """Sex, age and radius of all samples."""
    facts = [sample.metadata or {} for sample in task.dataset]
    found = {(one["sex"], one["age"], one["radius"]) for one in facts}
    assert len(found) == len(task.dataset)
    return found


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
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
        ({"sexes": "male,male"}, "sexes=male,male is empty or names one twice"),
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
        ({"items": 0}, "items=0 is below 1"),
        ({"items": "ids.txt"}, "items=ids.txt: there is no file"),
        ({"split": "dev"}, "split=dev is not known. Known: all, test, train."),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"prompt": "none.txt"}, "prompt=none.txt: there is no file"),
        ({"prompt": "s.txt"}, "the fields of this prompt are {question}, the file has {mortality}"),
        ({"system": "none.txt"}, "system=none.txt: there is no file"),
        ({"age": 40}, "There is no task argument 'age'. Did you mean 'ages'?"),
        ({"tokens": True}, "There is no task argument 'tokens'."),
    ],
)
@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy(arguments: dict[str, object], says: str) -> None:
    """Each is one error that says what was given and what can be."""
    assert says in refusal(**arguments)


@pytest.mark.usefixtures("published", "home")
def test_the_study_has_prompts_for_its_own_items_only() -> None:
    """Other ages and radii are refused with prompts=authors."""
    for arguments in ({"ages": "99-101"}, {"radii": "1,2"}):
        message = refusal(prompts="authors", **arguments)
        assert "its ages are 0 to 100, its radii 1, 5, 10 and 20" in message


def test_an_empty_list_of_ages_names_the_argument() -> None:
    """As empty text does, and as empty radii and sexes do."""
    assert "ages=" in refusal(ages=[])


def test_population_is_text() -> None:
    """`-T population=Swedish,Danish` arrives as a list."""
    assert "population=" in refusal(population=["Swedish", "Danish"])


def test_radii_that_differ_have_ids_that_differ() -> None:
    """Every sample has an id of its own."""
    task = build(ages=40, sexes="male", radii=[1, 1.0000001])
    assert len({sample.id for sample in task.dataset}) == 2


# As Inspect's command line reads YAML: `-T ages=40`, `-T ages=20,40`, `-T ages=[20, 40]`, and so on


@pytest.mark.parametrize(
    ("given", "ages"),
    [
        (40, {40}),
        ("40", {40}),
        ([20, 40], {20, 40}),
        (["20", "40", "60-62"], {20, 40, 60, 61, 62}),
        ("20,40,60-62", {20, 40, 60, 61, 62}),
        (" 0 - 2 , 119", {0, 1, 2, 119}),
    ],
)
def test_ages_in_any_form(given: object, ages: set[int]) -> None:
    """Numbers, text, lists, ranges."""
    expected = {(sex, age, 5.0) for sex in ("male", "female") for age in ages}
    assert asked(build(ages=given, radii=5)) == expected


@pytest.mark.parametrize(
    ("given", "radii"),
    [
        (5, {5}),
        (2.5, {2.5}),
        ("1,5", {1, 5}),
        ([1, 5], {1, 5}),
        (["1", "5.5"], {1, 5.5}),
        ([0.5, "20"], {0.5, 20}),
    ],
)
def test_radii_in_any_form(given: object, radii: set[float]) -> None:
    """Numbers, text, lists."""
    assert {radius for _, _, radius in asked(build(ages=40, radii=given))} == radii


@pytest.mark.parametrize(
    ("given", "sexes"),
    [
        ("both", {"male", "female"}),
        ("female", {"female"}),
        ("male, female", {"male", "female"}),
        (["female", "male"], {"male", "female"}),
    ],
)
def test_sexes_in_any_form(given: object, sexes: set[str]) -> None:
    """One, both by name, both by list."""
    assert {sex for sex, _, _ in asked(build(ages=40, sexes=given))} == sexes


def test_defaults_are_the_studys_808_items() -> None:
    """Ages 0 to 100, both sexes, four radii; the best answer is the target; temperature 0."""
    task = build()
    assert asked(task) == {
        (sex, age, radius)
        for sex in ("male", "female")
        for age in range(101)
        for radius in (1.0, 5.0, 10.0, 20.0)
    }
    facts = task.metadata or {}
    assert (facts["items"], facts["train_items"], facts["test_items"]) == (808, 404, 404)
    assert (facts["dataset"], facts["calls_per_sample"], facts["system"]) == ("ssa-2022", 1, "")
    assert task.config.model_dump(exclude_none=True) == {"temperature": 0}
    counts = Counter((sample.metadata or {})["radius"] for sample in list(task.dataset)[:40])
    assert set(counts.values()) == {10}


def test_plan_says_808_calls() -> None:
    """Without arguments 808 calls; two epochs of ten items are twenty."""
    lines = plan_run(TASK, []).splitlines()
    assert lines[0] == "life_eval on ssa-2022: 808 items (404 train, 404 test)"
    assert "samples: 808" in lines
    assert "calls:   808" in lines
    assert "calls:   20" in plan_run(TASK, ["items=10"], epochs=2).splitlines()
    with pytest.raises(InvalidArgument, match="ages=abc is neither"):
        plan_run(TASK, ["ages=abc"])


# What a model is sent


def heard(home: Path, reply: str = "{}", **arguments: object) -> tuple[list[Request], EvalLog]:
    """The requests of a run, sent by the real client to a local server, and its log."""
    with ProviderServer(lambda _: Reply(reply)) as server:
        (log,) = eval(
            build(**arguments),
            model="openai/gpt-4o-mini",
            model_base_url=server.url + "/v1",
            log_dir=str(home / "logs"),
            display="none",
        )
    assert log.status == "success", log.error
    return [request for request, _ in server.requests], log


QUESTION = (
    "Think of the American population: a man of it is alive at the age of 40. How old will he be "
    "at death, and how probable is it that your answer lies within 5 years of his true age at "
    "death?"
)
ONE: dict[str, Any] = {"ages": 40, "sexes": "male", "radii": 5}


def test_directions_are_system_message_and_repeated(home: Path) -> None:
    """By default: directions with the example as system message and before the question."""
    (request,), _ = heard(home, **ONE)
    assert request.system == DIRECTIONS
    assert request.prompt == (f"Directions:\n{DIRECTIONS}\n\nQuestion:\n{QUESTION}\n\nResponse:")
    for key in ('"Reasoning"', '"Answer"', '"Confidence"'):
        assert key in request.prompt
    assert request.body["temperature"] == 0
    assert "response_format" not in request.body
    assert not request.body.get("logprobs")


def test_schema_is_given_to_the_provider(home: Path) -> None:
    """json_schema: no example in the text, and the form of the reply in the request."""
    (request,), _ = heard(home, format="json_schema", **ONE)
    assert request.system == SCHEMA_DIRECTIONS
    assert "Reply with one JSON object" not in request.prompt
    form = request.body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    schema = form["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["Reasoning", "Answer", "Confidence"]
    kinds = {name: one["type"] for name, one in schema["properties"].items()}
    assert kinds == {"Reasoning": "string", "Answer": "integer", "Confidence": "number"}
    assert schema["additionalProperties"] is False


def test_own_prompt_and_system_reach_the_message(home: Path) -> None:
    """A prompt replaces the user message, without a system message but one's own."""
    (request,), log = heard(home, prompt="p.txt", **ONE)
    assert (request.system, request.prompt) == (None, f"{{Think}} of this.\n{QUESTION}")
    assert (log.eval.metadata or {})["system"] == ""
    (request,), log = heard(home, prompt="p.txt", system="s.txt", **ONE)
    assert (request.system, request.prompt) == (
        "You know {mortality}.",
        f"{{Think}} of this.\n{QUESTION}",
    )
    assert len((log.eval.metadata or {})["system"]) == 12
    (request,), _ = heard(home, system="s.txt", **ONE)
    assert request.system == "You know {mortality}."
    assert QUESTION in request.prompt
    assert DIRECTIONS in request.prompt


def test_an_empty_system_file_replaces_the_message_by_none(home: Path) -> None:
    """A file that replaces the system message does so when it is empty."""
    (home / "empty.txt").write_text("", "utf-8")
    (request,), _ = heard(home, system="empty.txt", **ONE)
    assert not request.system


@pytest.mark.usefixtures("published")
def test_authors_prompts_are_sent_as_they_are(home: Path, published: Path) -> None:
    """Both messages are the published ones, byte for byte."""
    (request,), _ = heard(home, prompts="authors", **ONE)
    rows = pd.read_csv(published / "life_eval" / "life_eval_prompts.csv")
    row = rows[rows["Question ID"] == 40 * 4 + 1].iloc[0]
    assert request.prompt == row["Full Prompt"]
    assert request.system == row["System Prompt"]


def test_another_countrys_table(home: Path) -> None:
    """A relative table with its population is asked about and scored against, by hand.

    Of those at 0 die .1 at 0, .18 at 1, .72 at 2 or later. Within 1 year of 2, half-open, are the
    ages 1 and 2: .9, and no answer has more (1: .28). Closed, 1 has all.
    """
    arguments: dict[str, Any] = {"table": "mine.csv", "ages": 0, "radii": 1, "sexes": "female"}
    reply = '{"Reasoning": "", "Answer": 1, "Confidence": 0.5}'
    (request,), log = heard(home, reply, population="Ruritanian", **arguments)
    assert (
        "Think of the Ruritanian population: a girl of it is alive at the age of 0."
        in request.prompt
    )
    assert "within 1 year of her true age" in request.prompt
    assert log.samples
    assert log.samples[0].target == "2"
    scores = log.samples[0].scores
    assert scores
    assert scores["age_at_death"].value == pytest.approx(
        {
            "answer": 1,
            "confidence": 0.5,
            "score": 0.28,
            "mas": 0.9,
            "best_answer": 2,
            "overconfidence": 0.22,
            "format_ok": 1,
        }
    )
    _, log = heard(home, reply, window="closed", **arguments)
    assert log.samples
    assert log.samples[0].target == "1"
    scores = log.samples[0].scores
    assert scores
    value = scores["age_at_death"].value
    assert isinstance(value, dict)
    assert (value["score"], value["mas"]) == pytest.approx((1, 1))
    assert (log.eval.metadata or {})["dataset"] == "mine.csv"


@pytest.mark.slow
def test_table_and_prompt_are_found_from_any_folder(
    command: Command, home: Path, tmp_path: Path
) -> None:
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
    (elsewhere / "scorers").symlink_to(Path(__file__).parents[1] / "scorers")
    command(
        *("inspect", "score", path, "--scorer", "scorers/age_at_death.py"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
        cwd=elsewhere,
    )
    assert log.samples
    again = {sample.id: sample.scores for sample in read_eval_log(str(new)).samples or []}
    assert len(again) == len(log.samples) == 6
    for sample in log.samples:
        before, after = sample.scores, again[sample.id]
        assert before
        assert after
        assert after["age_at_death"].value == before["age_at_death"].value


# Runs with respondents


def run(log_dir: Path, epochs: int = 2, items: int = 12, **parameters: object) -> EvalLog:
    """A few items answered by the actuary, in this process."""
    (log,) = eval(
        build(items=items),
        model="respondent/actuary",
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


def test_a_run_is_scored_and_read(tmp_path: Path) -> None:
    """Two epochs of twelve items: judgments with every column, from which the log's metrics follow.

    Confidence is .57 + .5 (MAS - .57) + noise, the answer is the best one.
    """
    log = run(tmp_path, noise=0.02, error_rate=0.2)
    rows = read_judgments(tmp_path)[TASK]
    assert len(rows) == 24
    assert set(COMMON_COLUMNS) | set(all_tables()[TASK].columns) == set(rows.columns)
    ok = rows[rows["status"] == "ok"]
    assert 10 < len(ok) < 24
    assert (ok["answer"] == ok["best_answer"]).all()
    assert ok["score"].to_numpy() == pytest.approx(ok["mas"].to_numpy(), abs=1e-12)
    noise = ok["confidence"] - 0.285 - 0.5 * ok["mas"]
    assert 0.005 < noise.std() < 0.05
    assert set(ok["epoch"]) == {1, 2}
    assert len(set(noise.round(9))) == len(ok)  # each draw has noise of its own
    found = log_metrics(log)
    over = ok["confidence"] - ok["score"]
    assert found["overconfidence"] == pytest.approx(over.mean(), abs=1e-12)
    assert found["mean_confidence"] == pytest.approx(ok["confidence"].mean(), abs=1e-12)
    assert found["accuracy"] == pytest.approx(rows["score"].mean(), abs=1e-12)
    assert found["format_failure_rate"] == pytest.approx(1 - len(ok) / 24, abs=1e-12)
    slope = over.cov(1 - ok["mas"]) / ok["mas"].var()
    assert found["hard_easy_slope"] == pytest.approx(slope, abs=1e-12)


def test_rescoring_changes_nothing(command: Command, tmp_path: Path) -> None:
    """`inspect score` with the scorer's file gives the metrics and judgments of the run."""
    log = run(tmp_path / "run", error_rate=0.2)
    new = tmp_path / "again" / "new.eval"
    new.parent.mkdir()
    command(
        *("inspect", "score", log.location, "--scorer", "scorers/age_at_death.py"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
    )
    before, after = log_metrics(log), log_metrics(read_eval_log(str(new)))
    assert after == pytest.approx(before, rel=1e-12, nan_ok=True)
    first, again = (
        read_judgments(tmp_path / place)[TASK].sort_values("uuid", ignore_index=True)
        for place in ("run", "again")
    )
    pd.testing.assert_frame_equal(first, again)


def test_a_mistake_ends_before_any_call(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Inspect too: an argument error, no model asked, no log begun."""
    called = Mock(side_effect=AssertionError("a model was asked"))
    monkeypatch.setattr("inspect_confidence.respondents.provider.RespondentAPI.generate", called)
    with pytest.raises(InvalidArgument, match="ages=abc"):
        eval(
            "inspect_confidence/life_eval",
            task_args={"ages": "abc"},
            model="respondent/actuary",
            log_dir=str(home / "logs"),
            display="none",
        )
    called.assert_not_called()
    assert not list((home / "logs").glob("*.eval"))
