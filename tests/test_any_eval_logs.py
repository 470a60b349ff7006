"""Logs of other people's evals: what they hold of confidence, by epochs, in fields, or asked."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval, task, task_with
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    Logprob,
    Logprobs,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from sklearn.metrics import roc_auc_score

from build import column_of, path_or_skip, prefixed, texts_with
from inspect_confidence import InvalidArgument, read_judgments, summarize, with_confidence
from inspect_confidence.commands.views import views_of
from inspect_confidence.studies import Recorded
from runs import QUIET, printed
from studies.frames import value

MODEL = "mockllm/model"
NAN = math.nan
UNREAD = "?"
Said = str | Sequence[str | None]


def _epoch_value(state: TaskState, name: str) -> Any:
    """What a sample's metadata has for this epoch; a list is by epoch."""
    value = state.metadata.get(name)
    return value[state.epoch - 1] if isinstance(value, list) else value


@solver
def says() -> Solver:
    """Answers as the sample's metadata has it; None is an error."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = _epoch_value(state, "says")
        if text is None:
            raise RuntimeError("no answer came")
        chosen = ChatCompletionChoice(message=ChatMessageAssistant(content=text))
        if share := state.metadata.get("share"):
            token = Logprob(token=text, logprob=math.log(share), top_logprobs=[])
            chosen.logprobs = Logprobs(content=[token])
        state.output = ModelOutput(model=MODEL, choices=[chosen], usage=ModelUsage())
        state.store.set("belief", state.metadata.get("stored"))
        return state

    return solve


@scorer(metrics=[accuracy()])
def exactly() -> Scorer:
    """Right where the answer ends in the target; what it can't read is no number."""

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        right = NAN if text == UNREAD else float(text.endswith(target.text))
        return Score(value=right, answer=text, metadata=_epoch_value(state, "noted"))

    return score


@scorer(metrics=[accuracy()], name="given")
def metadata_value(name: str = "value") -> Scorer:
    """The value that a sample's metadata names."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=_epoch_value(state, name), answer=state.output.completion)

    return score


@scorer(metrics=[accuracy()])
def marked() -> Scorer:
    """The value and the metadata that a sample's metadata names."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(
            value=_epoch_value(state, "value"),
            answer=state.output.completion,
            metadata=_epoch_value(state, "noted"),
        )

    return score


def quiz(
    *answers: Said, scorers: Sequence[Scorer] = (), noted: Sequence[Any] = (), **more: Any
) -> Task:
    """A task of these answers to questions whose answer is 4."""
    samples = []
    for k, answer in enumerate(answers):
        values = {name: values[k] for name, values in more.items()}
        metadata = {"says": answer, "noted": noted[k] if noted else {}, **values}
        samples.append(Sample(input=f"Question {k}", target="4", id=f"q{k}", metadata=metadata))
    return Task(dataset=samples, solver=says(), scorer=list(scorers) or exactly(), name="quiz")


@task
def sums(cot: bool = False) -> Task:
    """An eval with an argument."""
    return quiz("4", "5", "4", ["4", None])


def sure_of_85() -> Model:
    """Says so whatever it is asked."""
    output = ModelOutput.from_content(MODEL, "Confidence: 85")
    output.usage = ModelUsage()
    return get_model(MODEL, custom_outputs=lambda *_: output, memoize=False)


def run(task: Task, folder: Path, **options: Any) -> Path:
    """The folder of a log; samples that err stand in it."""
    settings = {"fail_on_error": False, **QUIET, **options}
    (log,) = eval(task, sure_of_85(), log_dir=str(folder), **settings)
    assert log.status == "success", log.error
    return folder


def path_of(folder: Path) -> str:
    """The path of the folder's only log."""
    (path,) = folder.glob("*.eval")
    return str(path)


def rows_of(folder: Path, **recorded: Any) -> pd.DataFrame:
    """The judgments in logs, by item and epoch."""
    frame = read_judgments(folder, recorded=Recorded(**recorded))["any_eval"]
    return frame.sort_values(["item", "epoch", "method"], ignore_index=True)


def exclusion_reason(folder: Path, **recorded: Any) -> str:
    """Why the logs were left out."""
    with pytest.raises(InvalidArgument) as caught:
        read_judgments(folder, recorded=Recorded(**recorded))
    return caught.value.format_message()


# Epochs

LONG = "It takes some words to say what the sum of these two numbers comes to, and it is, "
DRAWN: list[Said] = [
    ["4", "4", "4.", "5", "4"],
    ["5", "4", "5", "4", "6"],
    [None, UNREAD, "7", "7", "8"],
    [None, None, None, None, "4"],
    [LONG + end for end in ("4", "5", "6", "so 4", "7")],
]
SHARES: dict[int, list[tuple[float, float]]] = {
    2: [(1, 1), (1 / 2, 0), (NAN, NAN), (NAN, NAN), (1 / 2, 1)],
    5: [(4 / 5, 3 / 4), (2 / 5, 0), (2 / 3, 0), (NAN, 1), (3 / 5, 0)],
}
"""By epochs the confidence and correctness of each; ties go to the first, long answers by score.

"4." is the answer 4, and yet wrong by the eval's own score.
"""


@pytest.mark.parametrize("epochs", [2, 5])
def test_epochs_are_draws(epochs: int, tmp_path: Path) -> None:
    """The share of the commonest answer or score, by hand, and who can't be counted."""
    run(quiz(*DRAWN), tmp_path, epochs=epochs)
    results = summarize(tmp_path, resamples=20)
    expected = np.array(SHARES[epochs])
    for column, name in enumerate(("mean_confidence", "accuracy")):
        number = value(results, "method=epochs", name)
        assert number == pytest.approx(np.nanmean(expected[:, column])), name
    complete = expected[~np.isnan(expected).any(axis=1)]
    sure, right = complete.T
    brier = np.mean((sure - right) ** 2)
    assert value(results, "method=epochs", "brier") == pytest.approx(brier)
    (note,) = results.loc[results["metric"] == "brier", "note"]
    lost_count = len(expected) - len(complete)
    assert f"{lost_count} of 5 judgments left out: {lost_count} sample_error" in note
    texts = len(complete) - 1
    assert f"compared 1 by score, {texts} by text" in note
    ((_, (calibration, *_)),) = views_of(results)
    assert "With epochs as the method, it is that of each item's most" in calibration.caption


def test_one_epoch_answersnothing(tmp_path: Path) -> None:
    """Such a log is left out with the remedy, also where a sample of it failed."""
    run(quiz("4", "5", [None]), tmp_path)
    assert "quiz: no confidence: wrap the eval in with_confidence, name" in exclusion_reason(
        tmp_path
    )
    assert "--confidence-from" in exclusion_reason(tmp_path)


# Fields


def noted(*values: Any, name: str = "confidence") -> list[dict[str, Any]]:
    """Scores' metadata; an ellipsis is none."""
    return [{} if value is ... else {name: value} for value in values]


FOUND = "exactly.metadata.confidence"


def test_a_share_is_found_by_its_name(tmp_path: Path) -> None:
    """All in [0, 1] are shares: 0 stays 0; what is missing is counted, beside a failed sample."""
    run(quiz("4", "4", "5", "4", [None], noted=noted(0.9, 0, 1, ..., 1)), tmp_path)
    rows = rows_of(tmp_path)
    assert set(rows["method"]) == {FOUND}
    assert rows["confidence"].tolist() == pytest.approx([0.9, 0, 1, NAN, NAN], nan_ok=True)
    assert rows["status"].tolist() == ["ok"] * 3 + ["scoring_failed", "sample_error"]
    assert f"the log holds nothing in {FOUND}" in rows["reason"][3]
    results = summarize(tmp_path, resamples=20)
    assert value(results, f"method={FOUND}", "mean_confidence") == pytest.approx(1.9 / 3)
    assert value(results, f"method={FOUND}", "n") == 5


def test_some_judgments_that_cannot_be_used_are_counted_with_the_reason(tmp_path: Path) -> None:
    """80% is read, but the three numbers beside it may be on 0-1 or 0-100, and one is missing."""
    run(quiz(*["4"] * 5, noted=noted("80%", 90, 0.5, 1, ...)), tmp_path)
    notices = read_judgments(tmp_path).notices
    remedy = "some lie outside 0 to 1: say the scale with --confidence-scale (in 3)"
    assert notices[0].endswith(f"{FOUND}: 4 of 5 judgments cannot be used: {remedy}")


@pytest.mark.parametrize(
    ("grades", "usable"),
    [
        ([0, 50, 100, 0, 1, 0], 0),  # 1 may be right, or 1 of 100
        ([0] * 18 + [100, 100], 0),  # a tenth, but of the others none is right
        ([0, 1] * 9 + [-1, -1], 18),  # a tenth are marks
        ([0, 1] * 3 + [-1] * 4, 6),  # more than a tenth, all of them marks
        ([0] * 5 + [1] * 5 + [2] * 2, 0),  # from 0 to 2
    ],
)
def test_grades_on_another_scale_are_not_read_in_part(
    grades: list[int], usable: int, tmp_path: Path
) -> None:
    """Those within 0 to 1 alone would be the wrong answers, or count a hundredth as right."""
    marks = noted(*[0.5 + k / 100 for k in range(len(grades))])
    scored = quiz(*["4"] * len(grades), scorers=[marked()], noted=marks, value=grades)
    run(scored, tmp_path)
    if not usable:
        outside = sum(grade > 1 for grade in grades)
        reason = exclusion_reason(tmp_path)
        extent = f"is not between 0 and 1, as in {outside} of {len(grades)} judgments"
        assert extent in reason
        assert "name another by --score" in reason
        return
    rows = rows_of(tmp_path)
    assert (rows["status"] == "ok").sum() == usable
    assert rows["correct"].mean() == 0.5


def test_a_damaged_sample_costs_only_its_own_judgment(tmp_path: Path) -> None:
    """Its score of confidence lost the value; five such samples of one log have one notice."""
    task = with_confidence(quiz(*["4"] * 6))
    log = read_eval_log(path_of(run(task, tmp_path / "asked")))
    for sample in (log.samples or [])[:5]:
        scores = sample.scores or {}
        scores["confidence"] = scores["confidence"].model_copy(update={"value": "none"})
    (tmp_path / "damaged").mkdir()
    write_eval_log(log, str(tmp_path / "damaged" / "log.eval"))
    judgments = read_judgments(tmp_path / "damaged")
    statuses = judgments["any_eval"].sort_values("item")["status"].tolist()
    assert statuses == ["scoring_failed"] * 5 + ["ok"]
    (notice,) = texts_with(judgments.notices, "sample 1 q0 (epoch and id): the sample could not be")
    assert "log.eval, several times with other numbers: sample 1 q0" in notice


def test_samples_of_the_same_id_in_one_log_have_a_notice(tmp_path: Path) -> None:
    """Only a log in JSON can hold both samples, here with the ids 1 and "1"."""
    log = read_eval_log(path_of(run(quiz("4", "5", noted=noted(0.9, 0.2)), tmp_path / "first")))
    first, second = log.samples or []
    first.id, second.id = 1, "1"
    name = "2026-01-01T00-00-00-00-00_quiz_abcdefghijklmnopqrstuv.json"
    (tmp_path / "equal").mkdir()
    write_eval_log(log, str(tmp_path / "equal" / name))
    judgments = read_judgments(tmp_path / "equal")
    assert judgments["any_eval"]["confidence"].tolist() == [0.2]
    (notice,) = judgments.loss_notices
    assert "1 sample has the id and epoch of a later one, which counts" in notice


def test_the_name_of_a_scorer_may_contain_points(tmp_path: Path) -> None:
    """Its field, the answer and a key of its value are found by the whole name."""
    log = read_eval_log(path_of(run(quiz("4", "5", noted=noted(0.9, 0.2)), tmp_path / "first")))
    for sample in log.samples or []:
        grade = (sample.scores or {})["exactly"]
        sample.scores = {"judge v2.1": grade.model_copy(update={"value": {"truth": grade.value}})}
    (tmp_path / "renamed").mkdir()
    write_eval_log(log, str(tmp_path / "renamed" / "log.eval"))
    for options in (Recorded(), Recorded(score="judge v2.1.truth")):
        (frame,) = read_judgments(tmp_path / "renamed", recorded=options).values()
        assert frame["scorer"].tolist() == ["judge v2.1"] * 2
        assert frame["answer"].tolist() == ["4", "5"]
        assert frame["confidence"].tolist() == [0.9, 0.2]
        assert frame["correct"].tolist() == [1, 0]


def test_a_scale_that_nobody_said_is_not_guessed(tmp_path: Path) -> None:
    """1 beside 90 may be all or a hundredth; said, 1 is a hundredth and 130 out of range."""
    values = (90, 0, 1, ..., "80%", "nan", True, 130, 102, "about 70 or so", "70")
    run(quiz(*["4"] * len(values), noted=noted(*values)), tmp_path)
    remedy = "some lie outside 0 to 1: say the scale with --confidence-scale"
    assert {remedy} & set(rows_of(tmp_path)["reason"])
    log_folder = run(quiz("4", "5", noted=noted(90, 1)), tmp_path / "numbers")
    assert remedy in exclusion_reason(log_folder)
    tmp_path = tmp_path / "said"
    run(quiz(*["4"] * len(values), noted=noted(*values)), tmp_path)
    judgments = read_judgments(tmp_path, recorded=Recorded(scale=(0, 100)))
    outside = f"{FOUND}: 1 of 6 values is outside 0-100, such as 130: a parse failure each"
    assert outside in " ".join(judgments.notices)
    by_raw = judgments["any_eval"].set_index("raw")
    assert by_raw.loc[[90, 1], "confidence"].tolist() == [0.9, 0.01]
    assert by_raw.loc[[130, 102], "status"].tolist() == ["out_of_range", "ok"]
    assert by_raw.loc[[130, 102], "clipped"].tolist() == [False, True]
    results = summarize(judgments, resamples=20)
    condition = f"method={FOUND};scale=0-100"
    mean = (0.9 + 0 + 0.01 + 0.8 + 1 + 0.7) / 6
    assert value(results, condition, "mean_confidence") == pytest.approx(mean)
    assert value(results, condition, "n") == len(values)
    assert value(results, condition, "clip_rate") == pytest.approx(1 / 7)
    assert value(results, condition, "violation_rate") == pytest.approx(1 / 7)
    (note,) = results.loc[(results["metric"] == "brier"), "note"]
    # What a scorer wrote and is no confidence is the scorer's failure, not the model's.
    assert note.startswith("5 of 11 judgments left out: 1 out_of_range, 4 scoring_failed")
    assert value(results, condition, "format_failure_rate") == 0


def test_a_field_that_gives_no_confidence_is_named_beside_epochs_that_do(tmp_path: Path) -> None:
    """A field in words has no scale; a mistyped one is empty. Without epochs either is an error."""
    task = quiz("4", "5", "4", noted=noted("likely", "certain", "unsure"))
    run(task, tmp_path / "two", epochs=2)
    run(task, tmp_path / "one")
    for field, reason in (
        ("score.metadata.confidence", "holds words; a confidence in words has no scale"),
        ("score.metadata.wrong", "the log holds nothing in score.metadata.wrong"),
    ):
        recorded = Recorded(confidence=[field])
        judgments = read_judgments(tmp_path / "two", recorded=recorded)
        assert (judgments["any_eval"]["method"] == "epochs").any()
        (notice,) = [text for text in judgments.notices if "no judgment can be used" in text]
        assert field in notice
        assert reason in notice
        assert reason in exclusion_reason(tmp_path / "one", confidence=[field])


def test_a_log_whose_summaries_do_not_say_that_samples_are_completed_is_read(
    tmp_path: Path,
) -> None:
    """Logs until early 2025: every sample of a run that succeeded counts."""
    run(quiz("4", "5", "4", sure=[0.5, 0.25, 1]), tmp_path / "new")
    (log,) = (tmp_path / "new").glob("*.eval")
    (tmp_path / "old").mkdir()
    with ZipFile(log) as new, ZipFile(tmp_path / "old" / log.name, "w") as old:
        for name in new.namelist():
            content = new.read(name)
            if "summaries" in name:
                summaries = json.loads(content)
                for summary in summaries:
                    del summary["completed"], summary["metadata"]
                content = json.dumps(summaries).encode()
            old.writestr(name, content)
    field = ["metadata.sure"]
    rows = rows_of(tmp_path / "new", confidence=field)
    old_rows = rows_of(tmp_path / "old", confidence=field)
    assert len(old_rows) == 3
    pd.testing.assert_frame_equal(old_rows, rows)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ((0.85, 0.5, 1, 0.25), "4 of 4 values from 0 to 1, such as 0.85, and none above 1"),
        ((0.85, 90, 70, 1), "1 of 4 values between 0 and 1, such as 0.85, and 2 above 1"),
    ],
)
def test_a_declared_scale_that_the_field_contradicts_is_refused(
    values: Sequence[float], says: str, tmp_path: Path
) -> None:
    """Shares on 0 to 100, or mixed with percentages, are not divided by 100."""
    run(quiz("4", "5", "4", "5", noted=noted(*values)), tmp_path)
    assert f"--confidence-scale 0-100: {FOUND} has {says}" in exclusion_reason(
        tmp_path, scale=(0, 100)
    )


def test_a_field_in_the_lowest_tenth_of_the_scale_has_a_notice(tmp_path: Path) -> None:
    """Reports on 0-10 that are read on 0-100 count, with the remedy."""
    run(quiz("4", "5", "4", "5", noted=noted(8, 5, 10, 7)), tmp_path)
    judgments = read_judgments(tmp_path, recorded=Recorded(scale=(0, 100)))
    assert sorted(judgments["any_eval"]["raw"]) == [5, 7, 8, 10]
    (notice,) = judgments.notices
    assert notice.endswith(
        f"{FOUND}: the confidences are all from 5 to 10, the lowest tenth of 0-100; if they are "
        "on another scale, give it: --confidence-scale LOW-HIGH"
    )


def test_two_fields_that_fit_are_refused(tmp_path: Path) -> None:
    """Neither is guessed; named, each gives its own numbers."""
    metadata = [{"confidence": 0.5, "label_confidence": 0.25}] * 2
    run(quiz("4", "5", noted=metadata), tmp_path)
    names = prefixed("exactly.metadata.", metadata[0])
    assert f"{', '.join(names)} may hold it: name one with --confidence-from" in exclusion_reason(
        tmp_path
    )
    results = summarize(read_judgments(tmp_path, recorded=Recorded(confidence=names)), resamples=20)
    for name, expected in zip(names, (0.5, 0.25), strict=True):
        assert value(results, f"method={name}", "mean_confidence") == expected


def test_fields_that_are_named(tmp_path: Path) -> None:
    """Of scores, samples, the store, the answer and its token: what stands there, on its scale."""
    task = quiz(
        *("4", "5", [None]),
        noted=noted(0.5, 0.25, ..., name="sure"),
        certain=[0.125, 0, None],
        deep=[{"est": 1}, {"est": 0.75}, {}],
        stored=[{"share": 0.375}, {"share": 0.625}, {}],
        share=[0.9, 0.2, None],
    )
    run(task, tmp_path)
    expected = {
        "score.metadata.sure": [0.5, 0.25],
        "exactly.metadata.sure": [0.5, 0.25],
        "metadata.certain": [0.125, 0],
        "metadata.deep.est": [1, 0.75],
        "store.belief.share": [0.375, 0.625],
        "output.logprobs": [0.9, 0.2],
    }
    rows = rows_of(tmp_path, confidence=list(expected))
    assert set(rows["status"]) == {"ok", "sample_error"}
    for field, values in expected.items():
        read_rows = rows[(rows["method"] == field) & (rows["status"] == "ok")]
        assert read_rows["confidence"].tolist() == pytest.approx(values), field
    texts = rows_of(tmp_path, confidence=["answer", "output.completion"], scale=(0, 100))
    assert texts["raw"].dropna().tolist() == [4, 4, 5, 5]
    # Where nothing stands in a field the log is left out, also if one of its samples failed.
    for field in ("metadata.sure", "store.sure", "score.value.sure", "sure"):
        assert f"the log holds nothing in {field}" in exclusion_reason(tmp_path, confidence=[field])


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_samples_that_are_read_whole_keep_their_place(tmp_path: Path, log_format: str) -> None:
    """A long text is cut in the summary: such samples are read together, 200 at once."""
    k = np.arange(210)
    task = quiz(
        *np.where(k % 2, "4", "5"),
        certain=list(k / 1_000),
        comment=["x" * 2_000 if number % 3 else "short" for number in k],
    )
    run(task, tmp_path, log_format=log_format)
    rows = rows_of(tmp_path, confidence=["metadata.certain"]).set_index("item")
    for number in k:
        row = rows.loc[f"q{number}"]
        assert (row["confidence"], row["correct"]) == (number / 1_000, number % 2)


@pytest.mark.parametrize(
    ("values", "score_label", "expected"),
    [
        (["C", "I", "P", "I"], None, [1, 0, 0.5, 0]),
        ([1, True, 0.25, "yes"], None, [1, 1, 0.25, 1]),
        ([{"truth": 0.5, "style": "vivid"}] * 4, "given.truth", [0.5] * 4),
    ],
)
def test_what_is_right_is_as_inspect_has_it(
    values: list[Any], score_label: str | None, expected: list[float], tmp_path: Path
) -> None:
    """By its letters and numbers, a key of several, and a fraction where credit is partial."""
    run(quiz(*"4444", scorers=[metadata_value()], value=values, sure=[0.5] * 4), tmp_path)
    rows = rows_of(tmp_path, confidence=["metadata.sure"], score=score_label)
    assert rows["correct"].tolist() == expected
    assert rows["status"].tolist() == ["ok"] * 4


def test_which_of_several_scores_is_right_has_to_be_said(tmp_path: Path) -> None:
    """None is taken for it unasked; a name that isn't there, or is no number, is told."""
    task = quiz(
        "4", "5", scorers=[exactly(), metadata_value()], value=["vivid"] * 2, sure=[0.5] * 2
    )
    run(task, tmp_path, epochs=2)
    sure = {"confidence": ["metadata.sure"]}
    assert "the scores exactly, given: name one of them by score= or --score" in exclusion_reason(
        tmp_path
    )
    assert "the eval has no score exact; it has" in exclusion_reason(
        tmp_path, score="exact", **sure
    )
    assert "score given: vivid is no grade" in exclusion_reason(tmp_path, score="given", **sure)
    rows = rows_of(tmp_path, score="exactly", **sure)
    assert rows["correct"].tolist() == [1] * 4 + [0] * 4


def test_a_scorer_of_theirs_may_be_called_confidence(tmp_path: Path) -> None:
    """It is none of ours: its value is a field that can be named, and no verdict on the answer."""

    @scorer(metrics=[accuracy()], name="confidence")
    def confidence_scorer() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=0.75)

        return score

    run(quiz("4", "5", scorers=[exactly(), confidence_scorer()]), tmp_path)
    rows = rows_of(tmp_path, confidence=["confidence.value"])
    assert rows["confidence"].tolist() == [0.75, 0.75]
    assert rows["correct"].tolist() == [1, 0]


def test_samples_are_items_whatever_their_metadata_call_them(tmp_path: Path) -> None:
    """An `item` of theirs may be the same for many."""
    run(quiz(["4", "4"], ["5", "4"], item=["sofa", "sofa"]), tmp_path, epochs=2)
    results = summarize(tmp_path, resamples=20)
    assert value(results, "method=epochs", "n") == 2
    assert value(results, "method=epochs", "mean_confidence") == 0.75


def test_fields_of_samples_part_the_numbers(tmp_path: Path) -> None:
    """By one field, and by one that not all have; one that none has is told."""
    kinds = ["even", "odd", "even"]
    run(quiz("4", "5", "5", noted=noted(0.5, 1, 0), kind=kinds), tmp_path)
    judgments = read_judgments(tmp_path, recorded=Recorded(by=("kind", "knid")))
    assert judgments.notices == ("--by knid: no sample has that field",)
    results = summarize(judgments, resamples=20)
    for kind, expected in (("even", 0.25), ("odd", 1.0)):
        condition = f"by=kind%3D{kind};method={FOUND}"
        assert value(results, condition, "mean_confidence") == expected


def test_evals_whose_names_differ_only_in_capital_letters_have_a_notice(tmp_path: Path) -> None:
    """They are two data sets, the commoner first, in logs as in files."""
    run(quiz("4", "5", "4", noted=noted(0.5, 1, 0)), tmp_path)
    run(task_with(quiz("4", "5", noted=noted(0.5, 1)), name="Quiz"), tmp_path)
    judgments = read_judgments(tmp_path)
    assert judgments["any_eval"]["dataset"].value_counts().to_dict() == {"quiz": 3, "Quiz": 2}
    assert judgments.notices == (
        "the data sets 'quiz' and 'Quiz' differ only in blanks or capital letters, and count as "
        "two",
    )


# Beside what was asked


def variants(folder: Path, *tasks: Task, **recorded: Any) -> set[tuple[str, str]]:
    """Variants and methods of runs, two epochs each."""
    for eval_task in tasks:
        run(eval_task, folder, epochs=2)
    rows = rows_of(folder, **recorded)
    assert set(rows["dataset"]) == {tasks[0].name or "sums"}
    return set(zip(rows["variant"], rows["method"], strict=True))


def test_a_plain_and_a_wrapped_run_are_one_contender(tmp_path: Path) -> None:
    """Same arguments of the eval: no variant, whatever is asked and which score is named."""
    expected_variants = {("", "epochs"), ("", "stated")}
    assert variants(tmp_path / "a", sums(), with_confidence(sums())) == expected_variants
    tokens = with_confidence(sums(), ways="stated,logprob")
    assert variants(tmp_path / "b", sums(), tokens) == {*expected_variants, ("", "logprob")}
    two = {"scorers": [exactly(), metadata_value("says")]}
    tasks = (quiz("4", **two), with_confidence(quiz("4", **two), score="exactly"))
    assert variants(tmp_path / "c", *tasks, score="exactly") == expected_variants


def test_other_arguments_of_the_eval_are_another_contender(tmp_path: Path) -> None:
    """Plain or wrapped; and so is what says that answers agree."""
    variants_by_epochs = {("cot=True", "epochs"), ("cot=False", "epochs")}
    stated_variant = ("cot=False", "stated")
    assert variants(tmp_path / "a", sums(cot=True), with_confidence(sums())) == {
        *variants_by_epochs,
        stated_variant,
    }
    tasks = [with_confidence(sums(cot=True)), with_confidence(sums(cot=False))]
    assert variants(tmp_path / "b", *tasks) == {
        *variants_by_epochs,
        stated_variant,
        ("cot=True", "stated"),
    }
    tasks = [with_confidence(sums(), agreement=agreement) for agreement in ("auto", "text")]
    variant_pairs = variants(tmp_path / "c", *tasks)
    assert set(column_of(variant_pairs, 0)) == {"agreement=default", "agreement=text"}


def test_a_failed_sample_failed_in_each_way(tmp_path: Path) -> None:
    """It is no method of its own, and counts on the scale that the others were asked on."""
    run(with_confidence(sums(), scale="0-20"), tmp_path, epochs=2)
    results = summarize(tmp_path, resamples=20)
    assert not results["condition"].str.contains("method=none").any()
    rows = rows_of(tmp_path)
    stated_rows = rows[rows["method"] == "stated"]
    assert set(stated_rows["high"]) == {20}
    assert stated_rows["status"].tolist() == ["out_of_range"] * 7 + ["sample_error"]
    assert value(results, "method=stated;scale=0-20", "n") == 8


# Real logs


@pytest.fixture
def real(shared_data: Path) -> Path:
    """Logs of real models by others."""
    return path_or_skip(shared_data / "logs")


LABELLED = ("--confidence-from", "metadata.label_confidence", "--confidence-scale", "0-1")
QUICK = ("--resamples", 50)


def test_real_logs_without_confidence_are_left_out(real: Path) -> None:
    """One error with the first log, the remedy and the number of others; nothing is guessed."""
    stderr = printed("summarize", real, code=2).stderr
    assert "theory_of_mind: no confidence: wrap the eval in with_confidence, name the" in stderr
    assert stderr.rstrip().endswith("; 1 more notice.")


def test_a_real_log_with_a_field(real: Path) -> None:
    """Its numbers are those of what Inspect's own reader finds in it."""
    (path,) = real.glob("*popularity*")
    samples = read_eval_log(str(path)).samples or []
    sure, right = [], []
    for sample in samples:
        (score, *_) = (sample.scores or {}).values()
        sure.append(sample.metadata["label_confidence"])
        right.append(score.value == "C")
    rows = json.loads(printed("summarize", real, *LABELLED, "--json", *QUICK).stdout)
    condition = "method=metadata.label_confidence;scale=0-1"
    row_by_metric = {row["metric"]: row for row in rows if row["condition"] == condition}
    expected = {"auroc": roc_auc_score(right, sure), "mean_confidence": np.mean(sure)}
    expected |= {"accuracy": np.mean(right), "brier": np.mean(np.subtract(sure, right) ** 2)}
    for name, number in expected.items():
        assert row_by_metric[name]["value"] == pytest.approx(number), name
    assert set(column_of(rows, "dataset")) == {"popularity"}
    assert row_by_metric["brier_resolution"]["value"] is None  # 100 different numbers


@pytest.mark.slow
def test_every_command_takes_a_real_log(real: Path, tmp_path: Path) -> None:
    """Judgments, check, cite, unread, report and every format of export."""
    table = tmp_path / "judgments.csv"
    assert "100 judgments written" in printed("judgments", real, "-o", table, *LABELLED).stdout
    recorded_rows = json.loads(printed("summarize", table, "--json", *QUICK).stdout)
    first = json.loads(printed("summarize", real, *LABELLED, "--json", *QUICK).stdout)
    assert recorded_rows == first
    assert (
        "1 of 1 hold" in printed("check", real, *LABELLED, "--require", "ece<=0.5", *QUICK).stdout
    )
    assert "Every reply could be read." in printed("unread", real, *LABELLED).stdout
    cited = printed("cite", real, *LABELLED, "--only", "settings").stdout
    assert "popularity (version 0) asked openai/gpt-4o-mini in one run on 2025-09-23" in cited
    page = tmp_path / "report"
    printed("report", real, *LABELLED, "-o", page, *QUICK)
    text = (page / "index.html").read_text("utf-8")
    for word in ("metadata.label_confidence", "popularity", "gpt-4o-mini"):
        assert word in text
    for form in ("csv", "json", "markdown", "latex", "leaderboard", "every-eval-ever"):
        words = ("export", real, *LABELLED, "--format", form, "-o", tmp_path / form, *QUICK)
        files = list(map(Path, printed(*words).stdout.splitlines()))
        assert files, form
        for file in files:
            assert file.stat().st_size, file


def test_logs_with_epochs_are_compared_and_exported(tmp_path: Path) -> None:
    """Without a field or a call: a plain log at two epochs, and one of other arguments."""
    many = [["4", "4"], ["4", "5"], ["5", "5"]] * 8
    for k, answers in enumerate((many, many[1:] + many[:1])):
        run(quiz(*answers), tmp_path / f"{k}", epochs=2, model_args={"size": k})
    stdout = printed("compare", tmp_path / "0", tmp_path / "1", "--json", *QUICK).stdout
    table = pd.DataFrame(json.loads(stdout))
    assert set(table["metric"]) >= {"accuracy", "auroc", "ece", "brier"}
    assert set(table["items"]) == {24}
    done = printed("export", tmp_path, "--format", "leaderboard", "-o", tmp_path / "out", *QUICK)
    assert "epochs" in Path(done.stdout.splitlines()[0]).read_text("utf-8")
