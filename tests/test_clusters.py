"""Clusters of items: how logs and files name them, and what is resampled then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from build import numbered, prefixed, records_with
from inspect_confidence import InvalidArgument, compare, read_judgments, summarize
from inspect_confidence.commands.groups import is_train_item
from inspect_confidence.judgments.clusters import cluster_name
from inspect_confidence.judgments.store import ingest
from inspect_confidence.metrics import clustered_wilson_interval
from inspect_confidence.results import Result
from inspect_confidence.studies import Recorded
from inspect_confidence.studies.any_eval.study import summarize as summarize_any_eval
from inspect_confidence.studies.estimate import MIN_CLUSTERS
from inspect_confidence.studies.study import ResampledValue, Resampling
from runs import QUIET, printed
from studies.frames import result_row

PASSAGES, QUESTIONS = 24, 4
CONDITION = "method=recorded"
NOTE = "24 clusters of 96 items are resampled"


def dependent_rows(**columns: Any) -> pd.DataFrame:
    """Judgments of 96 questions, four on each of 24 passages that are hard or easy."""
    rng = np.random.default_rng(2)
    passage = np.repeat(np.arange(PASSAGES), QUESTIONS)
    ability = rng.beta(0.7, 0.3, PASSAGES)[passage]
    return pd.DataFrame(
        {
            "task": "any_eval",
            "item": numbered("q", len(passage)),
            "cluster": prefixed("passage ", passage),
            "confidence": np.round(np.clip(ability + rng.normal(0, 0.1, len(passage)), 0, 1), 2),
            "correct": (rng.random(len(passage)) < ability).astype(float),
            **columns,
        }
    )


@solver
def silence() -> Solver:
    """Asks nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics=[mean(), stderr(cluster="passage")])
def metadata_confidence() -> Scorer:
    """The confidence of a sample's metadata, as a score and as a recorded confidence."""

    async def score(state: TaskState, target: Target) -> Score:
        value = state.metadata["sure"]
        return Score(value=value, answer="4", metadata={"confidence": value})

    return score


@task
def reading() -> Task:
    """Questions on passages of different numbers of questions."""
    rows = dependent_rows().drop(index=[1, 2, 6, 11])
    samples = []
    for item, cluster, sure in rows[["item", "cluster", "confidence"]].itertuples(index=False):
        samples.append(
            Sample(input="?", target="4", id=item, metadata={"passage": cluster, "sure": sure})
        )
    return Task(dataset=samples, solver=silence(), scorer=metadata_confidence())


@pytest.fixture(scope="module")
def log_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of `reading`."""
    folder = tmp_path_factory.mktemp("logs")
    (log,) = eval(reading(), model="mockllm/model", log_dir=str(folder), **QUIET)
    assert log.status == "success", log.error
    return folder


def test_the_standard_error_of_a_mean_is_that_of_inspects_stderr_cluster(log_folder: Path) -> None:
    """Inspect's has the factor C/(C - 1) for C clusters, which our t quantile has instead."""
    (log,) = [*log_folder.glob("*.eval")]
    judgments = read_judgments(log, recorded=Recorded(cluster="passage"))
    by_metric: dict[str, float] = {}

    def observe(result: Result, value: ResampledValue) -> None:
        by_metric[result.metric] = float(np.std(value.draws))

    resampling = Resampling(resamples=40_000, observe=observe)
    results = summarize_any_eval(judgments, resampling)
    scores = dependent_rows().drop(index=[1, 2, 6, 11])
    deviations = scores["confidence"] - scores["confidence"].mean()
    sums = deviations.groupby(scores["cluster"]).sum()
    inspects = np.sqrt((sums**2).sum() * PASSAGES / (PASSAGES - 1)) / len(scores)
    metrics = read_eval_log(str(log)).results.scores[0].metrics  # type: ignore[union-attr]
    assert metrics["stderr"].value == pytest.approx(inspects, rel=1e-12)
    # The draws' own error is .4%; the ratio of two sums adds terms of the order of 1/C.
    expected = inspects * np.sqrt((PASSAGES - 1) / PASSAGES)
    assert by_metric["mean_confidence"] == pytest.approx(expected, rel=0.03)
    (row,) = records_with(results, metric="mean_confidence")
    assert "24 clusters of 92 items are resampled" in row.note


def test_an_unknown_field_of_a_log_is_one_error_with_the_nearest_name(log_folder: Path) -> None:
    """It names the option, the log and the field that was meant, in two lines at most."""
    with pytest.raises(InvalidArgument) as caught:
        read_judgments(log_folder, recorded=Recorded(cluster="pasage"))
    message = caught.value.format_message()
    assert message.startswith("--cluster pasage: the samples of ")
    assert message.endswith("lack that field. Did you mean 'passage'?")
    stderr_text = printed("summarize", log_folder, "--cluster", "pasage", code=2).stderr
    assert "Did you mean 'passage'?" in stderr_text


def test_a_store_is_not_read_with_other_clusters(log_folder: Path, tmp_path: Path) -> None:
    """A store keeps the field that its logs were read with, and refuses another."""
    recorded = Recorded(cluster="passage")
    ingest(log_folder, tmp_path / "clustered", recorded=recorded)
    frame = read_judgments(tmp_path / "clustered")["any_eval"]
    assert set(frame["cluster"]) == set(dependent_rows()["cluster"])
    ingest(log_folder, tmp_path / "plain")
    assert (read_judgments(tmp_path / "plain")["any_eval"]["cluster"] == "").all()
    with pytest.raises(InvalidArgument, match="--cluster"):
        read_judgments(tmp_path / "plain", recorded=recorded)


def test_metadata_called_cluster_of_an_eval_of_others_is_not_taken(tmp_path: Path) -> None:
    """Another eval may use the word for something else; only `--cluster` names its clusters."""
    samples = [
        Sample(input="?", target="4", id=f"q{k}", metadata={"cluster": "gpu", "sure": 0.5})
        for k in range(3)
    ]
    task = Task(dataset=samples, solver=silence(), scorer=metadata_confidence(), name="plain")
    eval(task, model="mockllm/model", log_dir=str(tmp_path), **QUIET)
    assert (read_judgments(tmp_path)["any_eval"]["cluster"] == "").all()
    judgments = read_judgments(tmp_path, recorded=Recorded(cluster="cluster"))
    assert (judgments["any_eval"]["cluster"] == "gpu").all()


def test_a_column_of_a_file_names_clusters(tmp_path: Path) -> None:
    """By `--cluster`, or by the column `cluster`; both give the same numbers and their note."""
    path, renamed_path = tmp_path / "a.csv", tmp_path / "renamed" / "a.csv"
    renamed_path.parent.mkdir()
    dependent_rows().to_csv(path, index=False)
    dependent_rows().rename(columns={"cluster": "passage"}).to_csv(renamed_path, index=False)
    by_column = summarize(path, resamples=200)
    renamed = read_judgments(renamed_path, recorded=Recorded(cluster="passage"))
    pd.testing.assert_frame_equal(by_column, summarize(renamed, resamples=200))
    for metric in ("accuracy", "mean_confidence", "brier", "auroc"):
        assert NOTE in result_row(by_column, CONDITION, metric)["note"]
    assert NOTE not in result_row(by_column, CONDITION, "n")["note"]
    plain = summarize(read_judgments(renamed_path), resamples=200)
    assert "resampled" not in result_row(plain, CONDITION, "accuracy")["note"]
    with pytest.raises(InvalidArgument) as caught:
        read_judgments(renamed_path, recorded=Recorded(cluster="pasage"))
    message = caught.value.format_message()
    expected = f"--cluster pasage: {renamed_path} has no column 'pasage'. Did you mean 'passage'?"
    assert message == expected


def test_accuracy_has_wilsons_interval_over_clusters() -> None:
    """At the effective sample size of 24 clusters, which is wider than that of 96 items."""
    rows = dependent_rows()
    row = result_row(summarize(rows, resamples=200), CONDITION, "accuracy")
    hits = rows.groupby("cluster")["correct"].sum()
    expected = clustered_wilson_interval(hits, np.full(PASSAGES, QUESTIONS))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)
    independent = clustered_wilson_interval(rows["correct"], np.ones(len(rows)))
    width = expected[1] - expected[0]
    assert width > 1.4 * (independent[1] - independent[0])


def test_two_epochs_and_parse_failures_stay_in_their_cluster() -> None:
    """Epochs of an item and unread replies change neither the clusters nor their number."""
    rows = dependent_rows()
    second = rows.assign(epoch=2)
    second.loc[second.index[:5], "confidence"] = np.nan
    two_epochs = pd.concat([rows.assign(epoch=1), second], ignore_index=True)
    row = result_row(summarize(two_epochs, resamples=200), CONDITION, "mean_confidence")
    assert row["n"] == 2 * len(rows) - 5
    assert NOTE in row["note"]


def test_clusters_of_one_item_each_change_nothing() -> None:
    """A cluster for each item gives the numbers without clusters, and no note."""
    rows = dependent_rows()
    by_item = summarize(rows.assign(cluster=rows["item"]), resamples=200)
    pd.testing.assert_frame_equal(by_item, summarize(rows.assign(cluster=""), resamples=200))


def test_few_clusters_have_no_interval() -> None:
    """Below ten clusters the note says why."""
    rows = dependent_rows().iloc[: QUESTIONS * (MIN_CLUSTERS - 1)]
    row = result_row(summarize(rows, resamples=200), CONDITION, "accuracy")
    assert np.isnan(row["ci_low"])
    assert f"no interval: fewer than {MIN_CLUSTERS} clusters" in row["note"]


def test_an_item_in_two_clusters_is_refused() -> None:
    """It names the item and both clusters; a judgment without a cluster has its item's."""
    rows = dependent_rows()
    moved = rows.iloc[:1].assign(cluster="passage 7", epoch=2)
    two_epochs = pd.concat([rows.assign(epoch=1), moved], ignore_index=True)
    with pytest.raises(InvalidArgument, match="'q0' is in 'passage 0' and in 'passage 7'"):
        summarize(two_epochs, resamples=20)
    unnamed = pd.concat([rows.assign(epoch=1), moved.assign(cluster="")], ignore_index=True)
    assert NOTE in result_row(summarize(unnamed, resamples=20), CONDITION, "accuracy")["note"]


def test_items_without_a_cluster_are_counted(tmp_path: Path) -> None:
    """Each is a cluster of its own, and a notice says how many there are."""
    rows = dependent_rows().rename(columns={"cluster": "passage"})
    rows.loc[rows.index[:3], "passage"] = None
    path = tmp_path / "a.csv"
    rows.to_csv(path, index=False)
    judgments = read_judgments(path, recorded=Recorded(cluster="passage"))
    assert judgments.notices == (
        "--cluster passage: 3 of 96 items of any_eval without a value; each is a cluster of its "
        "own",
    )
    row = result_row(summarize(judgments, resamples=20), CONDITION, "accuracy")
    assert "27 clusters of 96 items are resampled" in row["note"]


def test_paired_comparisons_resample_clusters() -> None:
    """The difference of two models on the same passages names the clusters and is less certain."""
    first = dependent_rows(model="a")
    rng = np.random.default_rng(3)
    shift = rng.normal(0.05, 0.1, PASSAGES)[np.repeat(np.arange(PASSAGES), QUESTIONS)]
    second = first.assign(model="b", confidence=(first["confidence"] - shift).clip(0, 1))
    frame = pd.concat([first, second], ignore_index=True)
    clustered = compare(frame, resamples=2_000)
    plain = compare(frame.assign(cluster=""), resamples=2_000)
    rows = [table[table["metric"] == "mean_confidence"].iloc[0] for table in (clustered, plain)]
    widths = [row["ci_high"] - row["ci_low"] for row in rows]
    assert rows[0]["difference"] == pytest.approx(rows[1]["difference"])
    assert NOTE in rows[0]["note"]
    assert widths[0] > 1.5 * widths[1]


def test_halves_of_recalibrate_share_no_cluster() -> None:
    """A passage is in the train or in the test half as a whole."""
    rows = dependent_rows(dataset="d")
    halves = rows.assign(train=is_train_item(rows, 0)).groupby("cluster")["train"].nunique()
    assert (halves == 1).all()


def test_long_values_are_named_by_their_fingerprint() -> None:
    """A passage itself may be the field; missing values name no cluster."""
    passage = "It was a dark and stormy night. " * 10
    assert cluster_name(passage) == cluster_name(passage)
    assert len(cluster_name(passage)) == 12
    assert cluster_name("two\nlines") != "two\nlines"
    assert cluster_name(None) == cluster_name(np.nan) == cluster_name("") == ""
    assert cluster_name(12.0) == cluster_name(12) == cluster_name("12") == "12"
    assert cluster_name("1.2.0") == "1.2.0"  # a version, which is not 1.2
