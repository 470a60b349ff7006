"""The wrapper: what it takes, what it refuses before any call, and what it leaves as it was."""

from __future__ import annotations

import math
import random
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, eval_retry, eval_set, task
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, accuracy, exact, f1, includes, match, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesView, ViewerConfig

from any_eval.small import confidence_of, far_end, kinds, metrics_of, sample_of, sums
from build import attributes_of, column_of, requests_to
from inspect_confidence import confidence, with_confidence
from inspect_confidence.tasks.fermi_eval import fermi_eval
from provider_server import ProviderServer, Reply, Request
from refusals import refused
from runs import ANTHROPIC, OPENAI, check_refusals, run_task, served, terminal_error

FILE = """
from __future__ import annotations

import random
from dataclasses import dataclass

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from beside import QUESTION
from inspect_confidence.tasks.fermi_eval import fermi_eval


@dataclass
class Sum:
    text: str


@task
def sums(more: int = 2, style: str = "plain") -> Task:
    open("beside.py").close()
    assert random.random() < 1
    asked = [Sample(QUESTION, target="2", id="a"), Sample(f"1 + {more}?", target="3", id="b")]
    return Task(asked, scorer=match(numeric=True), metadata={"theirs": 1})
"""
OTHER = """

@task
def other(needed: int) -> Task:
    return sums()[needed]


@task
def broken() -> Task:
    return {}["a key of theirs"]
"""


@task
def of_an_author(more: int) -> Task:
    """A task of this file."""
    return sums()


@pytest.fixture
def files(home: Path) -> Path:
    """Where the user stands, with a folder of task files."""
    (home / "evals").mkdir()
    (home / "evals" / "beside.py").write_text('QUESTION = "1 + 1?"\n', "utf-8")
    # Called as a module of Python's is.
    (home / "evals" / "random.py").write_text(FILE, "utf-8")
    (home / "evals" / "several.py").write_text(FILE + OTHER, "utf-8")
    return home


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets Inspect make models anew that reach a server, as `eval_retry` does."""

    def to(server: ProviderServer) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "test")

    return to


@pytest.mark.parametrize(
    ("name", "task_args"),
    [
        ("evals/random.py", None),
        ("evals/random.py@sums", '{"more": 3}'),
        ("evals/several.py@sums", {"more": 3}),
    ],
)
def test_a_file_is_found_from_where_the_user_stands(
    name: str, task_args: Any, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while Inspect loads another file; it reads what lies beside it, and hides no module."""
    monkeypatch.chdir("/")
    wrapped = with_confidence(name, task_args=task_args)
    assert attributes_of(wrapped.dataset, "input") == ["1 + 1?", f"1 + {3 if task_args else 2}?"]
    assert wrapped.metadata
    assert wrapped.metadata["theirs"] == 1
    assert wrapped.metadata["confidence"]["task_args"] == {
        "more": 3 if task_args else 2,
        "style": "plain",
    }
    assert __import__("random") is random
    assert with_confidence(str(files / name)).name == wrapped.name == "sums"


def test_names_that_are_no_task(files: Path) -> None:
    """One line each, with what could be meant."""
    check_refusals(
        with_confidence,
        [
            ({"task": "evals/none.py"}, "there is no such file; paths are relative to"),
            ({"task": "evals/several.py"}, "name one of its tasks, as evals/several.py@sums"),
            ({"task": "evals/several.py@sum"}, "Did you mean 'sums'?"),
            ({"task": "evals/beside.py"}, "name one of its tasks"),
            ({"task": "inspect_evals/no_such_eval"}, "no such task is installed"),
            ({"task": "sums_of_nobody"}, "no such task is installed"),
            ({"task": 7}, "task=7: no such task is installed"),
            ({"task": "evals/random.py", "task_args": "{more"}, "task_args is no JSON object"),
            ({"task": "evals/random.py", "task_args": "[1]"}, "task_args is no JSON object"),
            ({"task": "evals/random.py", "task_args": {"mor": 1}}, "argument 'mor'"),
            ({"task": "evals/several.py@other"}, "missing 1 required positional argument"),
            ({"task": "of_an_author", "task_args": {"mor": 1}}, "argument 'mor'"),
        ],
    )


def test_a_missing_file_is_sought_in_the_folder_of_the_process_first(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PWD is stale in a program that another one starts in a folder of its choice."""
    folder = tmp_path / "of the process"
    folder.mkdir()
    monkeypatch.setenv("PWD", str(files))
    monkeypatch.chdir(folder)
    error = refused(with_confidence, "evals/none.py")
    assert error.endswith(f"; paths are relative to {folder.resolve()} and {files.resolve()}.")
    monkeypatch.setenv("PWD", str(folder))
    error = refused(with_confidence, "evals/none.py")
    assert error.endswith(f"; paths are relative to {folder.resolve()}.")


def test_an_error_of_the_task_itself_is_not_ours(files: Path) -> None:
    """A KeyError in its function doesn't mean that it isn't installed."""
    with pytest.raises(KeyError, match="a key of theirs"):
        with_confidence("evals/several.py@broken")
    with pytest.raises(TypeError, match="subscriptable"):
        with_confidence("evals/several.py@other", task_args={"needed": 1})


def test_arguments_that_cannot_be_used() -> None:
    """Each ends in one line that names the value, whatever type the command line made of it."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"way": "stated"}, "Did you mean 'ways'?"),
        ({"ways": "stated,sated"}, "ways=sated is not known. Did you mean 'stated'?"),
        ({"ways": []}, "is empty"),
        ({"ways": ["stated", "stated"]}, "names a word twice"),
        ({"scale": "0-100,0-20"}, "is not one scale"),
        ({"scale": "100-0"}, "scale=100-0: the first number must be below the second"),
        ({"scale": "high"}, "scale=high is not one scale; give one such as 0-100"),
        ({"scale": "all"}, "scale=all is not one scale"),
        ({"scale": 10}, "scale=10 is not one scale"),
        ({"draws": 0}, "draws=0 is below 1"),
        ({"draws": "2.5"}, "draws=2.5 is not a whole number"),
        ({"agreement": "txt"}, "Did you mean 'text'?"),
        ({"score": "mach"}, "score=mach is no scorer of sums. Did you mean 'match'?"),
        (
            {"score": ["match"]},
            "score=['match'] is not the name of a scorer. Did you mean 'match'?",
        ),
        ({"score": True}, "score=True is not the name of a scorer."),
        ({"score": "match.mean"}, "score=match.mean: match gives one number; use score=match."),
    ]
    check_refusals(partial(with_confidence, task=sums()), cases)


def test_tasks_whose_correctness_is_not_told() -> None:
    """Without scorer, with several, with ours, and ours themselves; a headline decides."""
    two = sums(scorer=[match(), f1()])
    asking = sums(scorer=[match(), confidence()])
    check_refusals(
        with_confidence,
        [
            ({"task": sums(scorer=None)}, "has no scorer"),
            ({"task": two}, "has the scorers match, f1: say whose score tells right from wrong"),
            ({"task": asking}, "asks for confidence itself"),
            ({"task": with_confidence(sums())}, "asks for confidence itself"),
            ({"task": fermi_eval(dataset="bundled")}, "asks for confidence itself"),
            ({"task": sums(scorer=includes()), "agreement": "scorer"}, "needs equality"),
        ],
    )
    assert len(with_confidence(two, score="f1").scorer or []) == 3


@scorer(metrics={"truth": [accuracy()]})
def graded() -> Scorer:
    """Two numbers a sample."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"truth": 0.75, "style": 0.2})

    return score


@pytest.mark.parametrize(
    ("scorers", "headline", "score_name", "right"),
    [
        ([match(), f1()], "f1", None, 1.0),
        ([graded()], "graded.truth", None, 0.75),
        ([match(), graded()], None, "graded.style", 0.2),
        # Inspect numbers scores of one name; the first of these takes the end, the second all.
        ([match(), match("exact")], None, "match1", 0.0),
    ],
)
def test_the_score_that_tells_is_named_or_the_headline(
    scorers: list[Scorer],
    headline: str | None,
    score_name: str | None,
    right: float,
    tmp_path: Path,
) -> None:
    """Correctness is of it, also where it is one of several numbers or of one name."""
    task = sums(scorer=scorers, headline_metric=headline)
    says = Reply("2") if headline else Reply("It is 2")
    log, _ = served(with_confidence(task, score=score_name), tmp_path, far_end(own=says))
    assert confidence_of(log)[0]["correct"] == right


@pytest.mark.parametrize(
    ("score_name", "says"),
    [
        ("graded.trth", "The eval has no score graded.trth; it has graded.truth, graded.style"),
        ("graded", "The eval has no score graded; it has graded.truth, graded.style"),
        (None, "The eval has the scores graded.truth, graded.style"),
    ],
)
def test_a_score_that_is_not_there_stops_the_run_at_the_first_sample(
    score_name: str | None, says: str, tmp_path: Path
) -> None:
    """Its keys are known then, and in one line; no confidence is asked for."""
    task = with_confidence(sums(scorer=graded()), score=score_name)
    with ProviderServer(far_end()) as server:
        log = run_task(task, server, tmp_path, max_samples=1)
    assert log.status == "error"
    error = terminal_error(log)
    assert says in error
    assert "name one of them by score=" in error
    assert "no confidence was asked for" in error
    assert kinds(requests_to(server)) == {"": 1}


@scorer(metrics=[accuracy()])
def graded_in_part() -> Scorer:
    """Two numbers of the first sample, one of the second."""

    async def score(state: TaskState, target: Target) -> Score:
        style = {"style": 0.2} if state.sample_id == "a" else {}
        return Score(value={"truth": 0.75, **style})

    return score


def test_a_key_that_one_sample_lacks_costs_its_judgment(tmp_path: Path) -> None:
    """Once a sample has had it."""
    task = with_confidence(sums(scorer=graded_in_part(), metrics=[]), score="graded_in_part.style")
    log, _ = served(task, tmp_path, far_end(), max_samples=1)
    assert confidence_of(log, "a")[0]["correct"] == pytest.approx(0.2)
    assert math.isnan(confidence_of(log, "b")[0]["correct"])


def test_the_task_that_is_wrapped_stays_as_it_was() -> None:
    """So that it can be run as it is, or wrapped again in another way."""
    plain = sums(metadata={"theirs": 1}, config=GenerateConfig(temperature=0.5), setup=generate())
    before = copy(vars(plain))
    for ways in ("stated", "before,logprob"):
        wrapped = with_confidence(plain, ways)
        assert wrapped is not plain
        assert wrapped.dataset is plain.dataset
    assert vars(plain) == before
    assert plain.metadata == {"theirs": 1}
    assert plain.config == GenerateConfig(temperature=0.5)
    assert len(plain.scorer or []) == 1


@solver
def keeps(key: str = "confidence") -> Solver:
    """An eval that keeps something of that name itself."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(key, 0.7)
        return await generate(state, temperature=0.25)

    return solve


def test_the_evals_own_setup_store_and_metrics_are_kept(tmp_path: Path) -> None:
    """Also where they are called as ours are; metrics of a task are of its own scorers."""
    task = sums(setup=keeps("mine"), solver=keeps(), metrics=[accuracy()], scorer=exact())
    log, requests = served(with_confidence(task, "stated,before"), tmp_path, far_end())
    values, _ = confidence_of(log)
    assert values == {"correct": 1, "stated": 0.8, "stated_ok": 1, "before": 0.6, "before_ok": 1}
    assert list(metrics_of(log, "exact")) == ["accuracy"]
    assert metrics_of(log)["mean_confidence_stated"] == 0.8
    store = sample_of(log).store
    assert (store["mine"], store["confidence"]) == (0.7, 0.7)
    assert kinds(requests) == {"before": 2, "": 4, "stated": 2}


def test_logprob_asks_for_what_the_eval_did_not(tmp_path: Path) -> None:
    """And changes nothing else of its settings; no call more."""
    task = sums(config=GenerateConfig(temperature=0.5, top_logprobs=2))
    log, requests = served(with_confidence(task, "logprob"), tmp_path, far_end())
    assert confidence_of(log)[0] == {"correct": 1, "logprob": pytest.approx(0.9), "logprob_ok": 1}
    assert column_of(attributes_of(requests, "body"), "top_logprobs") == [20, 20]
    assert set(column_of(attributes_of(requests, "body"), "temperature")) == {0.5}
    plain, _ = served(with_confidence(sums(), "stated"), tmp_path, far_end())
    assert plain.plan.config.logprobs is None


@pytest.mark.parametrize("ways", ["p_true", "stated,logprob"])
def test_a_provider_without_log_probabilities_is_refused(ways: str, tmp_path: Path) -> None:
    """Before any call."""
    with ProviderServer(far_end()) as server:
        log = run_task(with_confidence(sums(), ways), server, tmp_path, ANTHROPIC)
    assert (log.status, server.requests) == ("error", [])
    assert "claude-haiku-4-5 gives no log probabilities" in terminal_error(log)


def test_a_judge_is_not_the_model_itself(tmp_path: Path) -> None:
    """Without a model in the role grader there is no call; the remedy is one of this task's."""
    with ProviderServer(far_end()) as server:
        task = with_confidence(sums(), "consistency", agreement="judge")
        log = run_task(task, server, tmp_path)
    assert (log.status, server.requests) == ("error", [])
    assert log.error
    assert "agreement=judge needs a model in the role grader" in log.error.message


def test_limit_takes_so_many(tmp_path: Path) -> None:
    """As of any eval."""
    log, requests = served(with_confidence(sums()), tmp_path, far_end(), limit=1)
    assert attributes_of(log.samples or [], "id") == ["a"]
    assert kinds(requests) == {"": 1, "stated": 1}


@pytest.mark.parametrize("source", ["file", "object"])
def test_a_retry_asks_only_what_is_left(
    source: str, files: Path, connect: Any, tmp_path: Path
) -> None:
    """It is made again from what the log says, and keeps samples that were done."""
    up = False

    def half(request: Request) -> Any:
        if not up and "1 + 2" in request.prompt:
            raise ConnectionError("down")
        return far_end()(request)

    options: dict[str, Any] = {
        "log_dir": str(tmp_path / "logs"),
        "display": "none",
        "max_retries": 0,
    }
    task_name = "evals/several.py@sums"
    with ProviderServer(half) as server:
        connect(server)
        task: Any = task_name if source == "file" else of_an_author(more=2)
        wrapped = with_confidence(task, "stated,before", scale="0-20", draws=3)
        (log,) = eval(wrapped, f"{OPENAI}-{source}", max_samples=1, **options)
        assert log.status == "error"
        count, up = len(server.requests), True
        (retried,) = eval_retry(log.location, **options)
        later_kinds = kinds(requests_to(server)[count:])
    assert retried.status == "success", retried.error
    assert later_kinds == {"before": 1, "": 1, "stated": 1}
    assert (retried.eval.task, retried.eval.task_args) == (log.eval.task, log.eval.task_args)
    assert confidence_of(retried)[1]["before"]["high"] == 20
    assert (retried.eval.metadata or {})["confidence"]["task_args"]["more"] == 2


def test_a_set_of_wrappings_runs_once(files: Path, connect: Any) -> None:
    """The same eval asked in two ways is two tasks; what is there isn't run again."""
    with ProviderServer(far_end()) as server:
        connect(server)
        for _ in range(2):
            tasks = [with_confidence("evals/random.py", ways) for ways in ("stated", "alone")]
            done, logs = eval_set(tasks, log_dir="set", model=f"{OPENAI}-set", display="none")
            assert done
            assert {str(log.eval.task_args["ways"]) for log in logs} == {"stated", "alone"}
            assert len(server.requests) == 2 * 2 * 2


def test_the_viewer_shows_confidence_beside_what_the_eval_shows(tmp_path: Path) -> None:
    """Columns, labels and colours of both; the eval's own win."""
    eval_viewer = ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Sums",
            columns=[TaskSamplesColumn(id="sampleId"), TaskSamplesColumn.score("match")],
            score_labels={"match": "Right", "correct": "Their word"},
        )
    )
    before = eval_viewer.model_copy(deep=True)
    for viewer in (eval_viewer, None):
        log, _ = served(with_confidence(sums(viewer=viewer), "stated,words"), tmp_path, far_end())
        header = read_eval_log(log.location, header_only=True)
        assert header.eval.viewer
        view = header.eval.viewer.task_samples_view
        assert isinstance(view, TaskSamplesView)
        added = [
            TaskSamplesColumn.score("confidence", key) for key in ("correct", "stated", "words")
        ]
        columns = view.columns or []
        place = columns.index(added[0])
        assert columns[place : place + 3] == added
        assert columns[-2:] == [
            TaskSamplesColumn.score("confidence", key, visible=False)
            for key in ("stated_ok", "words_ok")
        ]
        assert TaskSamplesColumn.score("match") in columns
        labels = {key: label.rstrip() for key, label in (view.score_labels or {}).items()}
        assert labels["stated"] == "Stated"
        assert labels["words_ok"] == "Words readable"
        assert labels["correct"] == ("Their word" if viewer else "Correct")
        assert view.name == ("Sums" if viewer else "Confidence")
    assert eval_viewer == before


def test_the_viewer_extends_each_of_the_evals_views() -> None:
    """An eval may have a list of views: all remain, in their order and with their own columns."""
    match = TaskSamplesColumn.score("match")
    own_views = [
        TaskSamplesView(name=name, columns=[TaskSamplesColumn(id="sampleId"), match])
        for name in ("Sums", "Differences")
    ]
    viewer = with_confidence(
        sums(viewer=ViewerConfig(task_samples_view=own_views)), "stated"
    ).viewer
    assert viewer
    views = viewer.task_samples_view
    assert isinstance(views, list)
    assert [view.name for view in views] == ["Sums", "Differences"]
    for view in views:
        assert match in (view.columns or [])
        assert TaskSamplesColumn.score("confidence", "stated") in (view.columns or [])


def test_the_log_says_what_it_cost_and_how_it_was_asked(tmp_path: Path) -> None:
    """A way is a call, consistency so many as draws, the log probability none."""
    task = with_confidence(sums(), "stated,consistency,logprob,p_true", draws=4)
    log, requests = served(task, tmp_path, far_end(), epochs=2)
    assert (log.eval.metadata or {})["confidence"]["calls_per_sample"] == 6
    assert sum(kinds(requests).values()) == 2 * 2 * (1 + 6)
