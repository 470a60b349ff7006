"""Judgments from logs and files: nothing lost, nothing twice, nothing pooled silently."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile, ZipInfo

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import EvalLog, edit_score, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig
from inspect_ai.scorer import ScoreEdit

from build import entries_of, notices_with
from conftest import run_respondent
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.judgments.files import write_judgments
from inspect_confidence.judgments.read import pooling_notices
from inspect_confidence.judgments.rewriting import edited_scores
from inspect_confidence.studies import all_tables
from studies.recorded import recorded_ages

COMMON = [
    *("task", "task_version", "package_version", "run", "uuid", "model", "variant", "dataset"),
    *("split", "item", "cluster", "draw", "epoch", "status", "reason"),
]


@pytest.mark.parametrize("source", [None, 5, pd.DataFrame({"item": ["q"]}), [pd.DataFrame()]])
def test_what_is_no_path_is_refused_by_its_type(source: Any) -> None:
    """A frame is not taken for paths of the names of its columns."""
    with pytest.raises(InvalidArgument, match=r"(NoneType|int|DataFrame) is no path of a log"):
        read_judgments(source)


def test_columns_are_the_common_ones_then_the_tasks(tmp_path: Path) -> None:
    """A frame has the columns that the documentation lists, one row a judgment."""
    run_respondent("erratic", tmp_path, items=10)
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert list(frame.columns[: len(COMMON)]) == COMMON
    assert len(frame) == 40
    assert set(frame["split"]) == {"train", "test"}
    assert frame["package_version"].iloc[0] == "0.1.0"
    assert frame["task"].eq("fermi_eval").all()
    unread = frame[frame["status"] != "ok"]
    assert len(unread)
    assert unread["lower"].isna().all()
    assert (unread["reason"] != "").all()


def test_files_give_back_what_was_written(tmp_path: Path) -> None:
    """Writing judgments and reading the file gives the same frame and the same results."""
    run_respondent("erratic", tmp_path / "logs", items=12)
    frames = read_judgments(tmp_path / "logs")
    results = summarize(frames, resamples=50)
    for name in ("judgments.csv", "judgments.parquet"):
        file = tmp_path / name
        write_judgments(frames, file)
        pd.testing.assert_frame_equal(read_judgments(file)["fermi_eval"], frames["fermi_eval"])
        pd.testing.assert_frame_equal(summarize(file, resamples=50), results)


def test_copies_and_files_of_the_same_logs_count_once(tmp_path: Path) -> None:
    """A copied log and a file made of the log add no judgment, and are reported."""
    log = run_respondent("calibrated", tmp_path / "logs", items=5)
    once = read_judgments(tmp_path / "logs")
    write_judgments(once, tmp_path / "j.csv")
    shutil.copy(log.location, tmp_path / "logs" / "copy.eval")
    frames = read_judgments([tmp_path / "logs", tmp_path / "j.csv"])
    assert len(frames["fermi_eval"]) == len(once["fermi_eval"]) == 20
    assert "20 samples are in several logs" in " ".join(frames.notices)
    assert "20 judgments of fermi_eval were read twice" in " ".join(frames.notices)


def test_a_damaged_log_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    """A log that can't be read costs only itself."""
    run_respondent("calibrated", tmp_path, items=3)
    (tmp_path / "2030-01-01T00-00-00_fermi-eval_x.eval").write_bytes(b"PK\x03\x04 not a log")
    frames = read_judgments(tmp_path)
    assert len(frames["fermi_eval"]) == 12
    assert "could not be read and was left out" in " ".join(frames.notices)


def test_runs_that_differ_are_kept_apart(tmp_path: Path) -> None:
    """Respondents' parameters and generation settings that differ stand in `variant`."""
    run_respondent("tunnel", tmp_path, items=3, respondent_tunnel=0.3)
    run_respondent("tunnel", tmp_path, items=3, respondent_tunnel=0.9)
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert set(frame["variant"]) == {"tunnel=0.3", "tunnel=0.9"}
    conditions = summarize(frame, resamples=50)["condition"]
    assert conditions.str.contains("variant=tunnel%3D0.3").any()


def test_runs_with_different_models_in_a_role_are_kept_apart(tmp_path: Path) -> None:
    """Any of several models makes a difference, and so do a model's settings."""
    log = read_eval_log(run_respondent("calibrated", tmp_path / "run", items=3).location)
    graders: list[ModelConfig | list[ModelConfig]]
    last, cold = ModelConfig(model="b/y"), GenerateConfig(temperature=0, max_retries=9)
    graders = [
        [ModelConfig(model="a/x"), last],
        [ModelConfig(model="c/z"), last],
        last,
        ModelConfig(model="b/y", config=cold),
        ModelConfig(model="b/y", args={"api_key": "SECRET", "device": "cuda"}),
    ]
    for number, grader in enumerate(graders):
        log.eval.task_id = log.eval.eval_id = str(number)
        for sample in log.samples or []:
            sample.uuid = f"{number}-{sample.id}-{sample.epoch}"
        log.eval.model_roles = {"grader": grader}
        write_eval_log(log, str(tmp_path / "graders" / f"{number}.eval"))
    variants = read_judgments(tmp_path / "graders")["fermi_eval"]["variant"].unique()
    assert set(variants) == {
        "grader=a/x, b/y",
        "grader=c/z, b/y",
        "grader=b/y",
        "grader=b/y temperature%3D0.0",
        "grader=b/y device%3Dcuda",
    }


def test_what_a_column_shows_is_no_variant(tmp_path: Path) -> None:
    """Runs of other items or levels of one set are the same way of asking."""
    run_respondent("calibrated", tmp_path, items=3, levels="80")
    run_respondent("calibrated", tmp_path, items=5, levels="90")
    frames = read_judgments(tmp_path)
    assert set(frames["fermi_eval"]["variant"]) == {""}
    assert not notices_with(frames, "pooled")


def test_pooling_of_equal_runs_is_said(tmp_path: Path) -> None:
    """Two runs that differ in nothing are pooled, and a notice says so."""
    for _ in range(2):
        run_respondent("calibrated", tmp_path, items=3, levels="80")
    frames = read_judgments(tmp_path)
    assert len(frames["fermi_eval"]) == 6
    assert notices_with(frames, "2 runs of fermi_eval")


def test_runs_of_different_conditions_are_not_pooled() -> None:
    """By hand: A and B share target .5, C has the option to decline; A and B asked two scales."""
    key = {"task": "abstain", "model": "m", "dataset": "d", "variant": "v"}
    decisions = [
        {"run": "A", "confidence_target": 0.5, "format": "open"},
        {"run": "A", "confidence_target": 0.9, "format": "open"},
        {"run": "B", "confidence_target": 0.5, "format": "open"},
        {"run": "C", "confidence_target": 0.5, "format": "option"},
    ]
    notices = list(pooling_notices(pd.DataFrame(decisions).assign(**key)))
    assert notices == ["2 runs of abstain with m on d are pooled (v)"]
    scales = pd.DataFrame({"run": ["A", "B"], "low": 0, "high": [10, 100]}).assign(**key)
    assert not list(pooling_notices(scales))
    twice = pd.concat([scales, scales.assign(run=["B", "A"])])
    assert list(pooling_notices(twice)) == notices


def test_runs_of_judgments_without_a_level_are_pooled() -> None:
    """A judgment of FermiEval's point estimates has no level: two runs of them have a notice."""
    key = {"task": "fermi_eval", "model": "m", "dataset": "d", "variant": "", "method": "point"}
    points = pd.DataFrame({"run": ["A", "B"], "level": float("nan")}).assign(**key)
    notice = "2 runs of fermi_eval with m on d are pooled (point)"
    assert list(pooling_notices(points)) == [notice]
    intervals = points.assign(method="direct", level=90.0)
    assert list(pooling_notices(pd.concat([points, intervals]))) == [
        "2 runs of fermi_eval with m on d are pooled (direct 90.0)",
        notice,
    ]


def test_own_answers_need_only_the_required_columns(tmp_path: Path) -> None:
    """A csv of answers gathered elsewhere is read; what is empty is an unreadable reply."""
    (tmp_path / "mine.csv").write_text(
        "item,level,lower,upper,truth\n1,90,2,4,3\n2,90,5,6,3\n3,90,,,3\n", "utf-8"
    )
    frame = read_judgments(tmp_path / "mine.csv")["fermi_eval"]
    assert frame["status"].tolist() == ["ok", "ok", "no_response"]
    results = summarize(frame, resamples=50).set_index("metric")
    assert results.loc["coverage", "value"] == 0.5  # of the two that can be read, one covers
    assert results.loc["format_failure_rate", "value"] == pytest.approx(1 / 3)
    # (2 + 0) and (1 + 2/0.1 * 2): their mean
    assert results.loc["interval_score", "value"] == pytest.approx((2 + 41) / 2)


def test_a_method_of_ones_own_is_not_dropped(tmp_path: Path) -> None:
    """Intervals under a name that isn't ours are read as stated, under that name."""
    (tmp_path / "mine.csv").write_text(
        "item,method,level,lower,upper,truth\n1,mine,90,2,4,3\n2,mine,90,5,6,3\n", "utf-8"
    )
    results = summarize(tmp_path / "mine.csv", resamples=50)
    coverage_rows = results.query("metric == 'coverage'")
    assert coverage_rows["condition"].tolist() == ["level=90;method=mine"]
    assert coverage_rows["value"].tolist() == [0.5]


@pytest.mark.usefixtures("home")
def test_ages_need_no_score(tmp_path: Path) -> None:
    """What an age at death is worth follows from the life table; two epochs, one unreadable."""
    # Of girls of 0 die .1 at 0, .18 at 1 and .72 at 2: within a year of 1, half-open, are .28, of 2
    # .9, which is the most; closed, 1 has all.
    (tmp_path / "q.csv").write_text("age,female\n0,0.1\n1,0.2\n2,1\n", "utf-8")
    head, file = "item,epoch,sex,age,radius,answer,confidence,table,window", tmp_path / "mine.csv"
    read = ["a,1,Female,0,1,1,0.5,q.csv,", "b,1,female,0,1,2,0.6,q.csv,half-open"]
    file.write_text("\n".join([head, *read, "a,2,female,0,1,,,q.csv,"]), "utf-8")
    results = summarize(file, resamples=20)
    value_by_metric = results[results["condition"] == ""].set_index("metric")["value"]
    expected = {
        **{"accuracy": 0.59, "mean_confidence": 0.55, "overconfidence": -0.04, "n": 3},
        **{"maximum_achievable_score": 0.9, "optimal_answer_gap": 0.31},
        "format_failure_rate": 1 / 3,
    }
    assert entries_of(dict(value_by_metric), expected) == pytest.approx(expected)
    file.write_text("\n".join([head, "a,1,female,0,1,1,0.5,q.csv,closed"]), "utf-8")
    closed = summarize(file, resamples=20).set_index(["condition", "metric"])["value"]
    assert closed["window=closed", "accuracy"] == pytest.approx(1)
    for wrong, says in (
        ("a,1,woman,40,1,80,0.5,,", "sex=woman is not in the life table ssa-2022; it has: male, f"),
        ("a,1,female,130,1,80,0.5,,", "age=130.0 is not in the life table ssa-2022; give a whole"),
        ("a,1,female,40.5,1,80,0.5,,", "age=40.5 is not in the life table"),
        ("a,1,male,0,1,1,0.5,q.csv,", "sex=male is not in the life table q.csv; it has: female"),
        ("a,1,F,40,1,80,0.5,,", "sex=F is not in the life table ssa-2022; it has: male, female"),
        ("a,1,male,40,-1,80,0.5,,", "radius=-1 is not 0 or more"),
        ("a,1,male,40,1,80,0.5,none.csv,", "table=none.csv"),
    ):
        file.write_text("\n".join([head, "b,1,male,40,1,80,0.5,,", wrong]), "utf-8")
        with pytest.raises(InvalidArgument, match=rf"mine\.csv, line 3: {re.escape(says)}"):
            summarize(file)
    file.write_text(
        "task,item,gender,age,radius,answer,confidence\nlife_eval,a,f,1,1,80,.5", "utf-8"
    )
    with pytest.raises(InvalidArgument, match="lacks the column 'sex'"):
        summarize(file)


def test_recorded_ages_need_no_score(shared_data: Path) -> None:
    """Of the study's recorded answers scores that follow are those that the loader computed."""
    whole = recorded_ages(shared_data / "life_eval" / "answers" / "life_eval.csv")
    bare = whole.drop(columns=["score", "mas", "best_answer"])
    whole_results = summarize(whole, resamples=20)
    pd.testing.assert_frame_equal(whole_results, summarize(bare, resamples=20))


def test_unusable_and_missing_files_are_refused(tmp_path: Path) -> None:
    """A file that can't be used is one error that names the value, a missing path its name."""
    for content, says in (
        ("item,level,lower,upper\n1,90,2,4\n", "there is no column 'truth' of fermi_eval"),
        ("item,level,least,most,truth\n1,90,2,4,3\n", "no column 'lower' or 'upper' of fermi_eval"),
        ("item,word,answer\n1,likely,4\n", "there is no column 'confidence' or 'correct'; its"),
        # `status` alone is no sign of a task of this package.
        ("item,status,low_90\n1,ok,2\n", "there is no column 'confidence' or 'correct'; its"),
        ("task,item,level,lower,upper\nfermi_eval,1,90,2,4\n", "lacks the column 'truth'"),
        ("task,item\nfermy,1\n", "there is no task 'fermy'"),
        ("item,level,lower,upper,truth\n1,90,two,4,3\n", "'two' in the column 'lower'"),
    ):
        (tmp_path / "mine.csv").write_text(content, "utf-8")
        with pytest.raises(InvalidArgument, match=says):
            read_judgments(tmp_path / "mine.csv")
    for name in ("nothing", "nothing.csv", "nothing.eval"):
        with pytest.raises(InvalidArgument, match=name):
            read_judgments(tmp_path / name)


def test_a_file_that_fits_two_tasks_is_asked_for_the_task(tmp_path: Path) -> None:
    """Any two tasks of this package: the error names both, or the first cell it cannot read."""
    own_tables = [table for table in all_tables().values() if not table.fallback]
    named_both = 0
    for first, second in combinations(own_tables, 2):
        columns = dict.fromkeys([*first.kinds, *second.kinds], 0.5)
        row = pd.DataFrame(columns, index=[0]).drop(columns="task")
        row.to_csv(tmp_path / "x.csv", index=False)
        with pytest.raises(InvalidArgument) as caught:
            read_judgments(tmp_path / "x.csv")
        text = caught.value.format_message()
        assert "there is no column" not in text
        named_both += f"has the columns of {first.task} and {second.task}; name the task" in text
    assert named_both > len(own_tables)


def test_what_logs_share_is_noticed_once(tmp_path: Path) -> None:
    """Items that no run of a data set asks are one notice, whose places have no `file://`."""
    for model in ("calibrated", "overconfident"):
        run_respondent(model, tmp_path, items=3, exponents="0..9")
    shutil.copy(next(tmp_path.glob("*.eval")), tmp_path / "copy.eval")
    judgments = read_judgments(tmp_path)
    (unasked,) = notices_with(judgments, "not asked")
    assert re.fullmatch(
        r"\d+ items of bundled are not asked: \d+ exponent out of range(, \d+ [a-z ]+)*", unasked
    )
    (twice,) = notices_with(judgments, "several logs")
    assert f"from {tmp_path}" in twice
    assert "file://" not in " ".join(judgments.notices)


@pytest.mark.parametrize("name", ["damaged.eval", "2026-01-01T00-00-00-00-00_quiz_a.json"])
def test_the_error_of_an_unreadable_log_names_it_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the name that the user gave; a log in a folder has its own name."""
    (tmp_path / name).write_text('{"version": 2, "eval": {}}', "utf-8")
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path / name), name, f"./{name}"):
        with pytest.raises(InvalidArgument) as caught:
            read_judgments(path)
        assert caught.value.message.startswith(
            f"No judgments in {path}: it could not be read and was left out: "
        )
        assert caught.value.message.count(name) == 1
    with pytest.raises(InvalidArgument, match=rf"{name} could not be read"):
        read_judgments(tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    """A folder without logs of ours is an error, not an empty table."""
    with pytest.raises(InvalidArgument, match=r"No judgments in .*: give Inspect's logs"):
        read_judgments(tmp_path)


def test_results_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    """Shuffled judgments give the same results, intervals included."""
    run_respondent("erratic", tmp_path, items=30)
    frame = read_judgments(tmp_path)["fermi_eval"]
    rng = np.random.default_rng(3)
    shuffled = frame.iloc[rng.permutation(len(frame))]
    pd.testing.assert_frame_equal(
        summarize(frame, resamples=100), summarize(shuffled, resamples=100)
    )


def edited(log: EvalLog, samples: int) -> EvalLog:
    """The log with another explanation in the first score of so many samples."""
    for sample in (log.samples or [])[:samples]:
        name = next(iter(sample.scores or {}))
        edit_score(log, sample.id, name, ScoreEdit(explanation="looked at"), epoch=sample.epoch)
    return log


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_edited_scores_are_counted_in_a_notice(tmp_path: Path, ending: str) -> None:
    """What only looks like an edit is none: a history in a reply or in a sample's metadata."""
    log = read_eval_log(run_respondent("calibrated", tmp_path, items=3).location)
    assert log.samples
    log.samples[-1].metadata["history"] = [{"value": 1}]
    log.samples[-1].output.completion = '{"scores": {"interval": {"history": [{}]}}}'
    write_eval_log(log, str(tmp_path / f"as-it-was.{ending}"))
    write_eval_log(edited(log, 2), str(tmp_path / f"edited.{ending}"))
    assert not notices_with(read_judgments(log.location), "edited after")
    before = read_judgments(tmp_path / f"as-it-was.{ending}")
    assert not notices_with(before, "edited after")
    judgments = read_judgments(tmp_path / f"edited.{ending}")
    assert notices_with(judgments, "2 scores were edited after the run")
    pd.testing.assert_frame_equal(judgments["fermi_eval"], before["fermi_eval"])


def test_samples_scored_again_are_counted_in_a_notice(tmp_path: Path) -> None:
    """What a scorer said last counts, and how many samples have another score by it is told."""
    log = read_eval_log(run_respondent("calibrated", tmp_path, items=3).location)
    for sample in (log.samples or [])[:5]:
        assert sample.scores
        ((name, score),) = sample.scores.items()
        value = {**cast(Mapping[str, float], score.value), "upper": 99.0}
        sample.scores[f"{name}1"] = score.model_copy(update={"value": value})
    write_eval_log(log, str(tmp_path / "appended.eval"))
    judgments = read_judgments(tmp_path / "appended.eval")
    assert notices_with(judgments, "5 samples were scored again")
    assert (judgments["fermi_eval"]["upper"] == 99).sum() == 5


@pytest.mark.parametrize(("seconds", "edits"), [(2, (1, 1)), (60, (0, 0))])
def test_samples_of_an_archive_as_slow_as_its_eval_are_not_looked_at(
    tmp_path: Path, seconds: int, edits: tuple[int, int]
) -> None:
    """Of an eval of a minute, written so quickly; a sample that is no JSON is counted."""
    header = run_respondent("calibrated", tmp_path / "logs", items=3)
    header.stats.started_at = "2026-01-01T00:00:00+00:00"
    header.stats.completed_at = "2026-01-01T00:01:00+00:00"
    path = tmp_path / "made.eval"
    with ZipFile(path, "w") as archive:
        archive.writestr(ZipInfo("_journal/start.json", (2026, 1, 1, 9, 0, 0)), "{}")
        archive.writestr("samples/cut.json", '{"scores": {"x": {"history": [{')
        last = ZipInfo("samples/a.json", (2026, 1, 1, 9, seconds // 60, seconds % 60))
        archive.writestr(last, '{"scores": {"x": {"history": [{"value": 1}]}}}')
        archive.infolist()[1].date_time = last.date_time
    assert edited_scores(str(path), header) == edits
