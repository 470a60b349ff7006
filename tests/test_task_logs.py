"""Every task's log: its metrics, recomputed, and the viewer's configuration against its scores."""

from __future__ import annotations

import math
from itertools import chain, product
from pathlib import Path
from string import ascii_uppercase
from typing import cast

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, headline_metric, read_eval_log, recompute_metrics
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import MetricProtocol, SampleScore, Score
from inspect_ai.viewer import ScoreColorScale, TaskSamplesView, ViewerConfig

from build import attributes_of, column_of
from inspect_confidence import _registry, read_judgments
from inspect_confidence.scorers.log_metrics import mean_by
from inspect_confidence.scorers.parsed import exact_value
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.viewers import levels_viewer
from runs import QUIET

JUDGE = {"grader": "respondent/judge"}

RUNS: dict[str, tuple[str, dict[str, object], str | None]] = {
    "direct": ("fermi_eval", {"dataset": "bundled"}, "coverage"),
    "tunnel": ("fermi_eval", {"dataset": "bundled", "method": "tunnel", "draws": 3}, "coverage"),
    "sampling": (
        "fermi_eval",
        {"dataset": "bundled", "method": "sampling", "draws": 3},
        "coverage",
    ),
    "logprob": ("fermi_eval", {"dataset": "bundled", "method": "logprob"}, "coverage"),
    "traces": ("fermi_eval", {"dataset": "bundled", "method": "traces", "draws": 3}, "coverage"),
    "stated": ("scale_variants", {"dataset": "bundled", "scales": "0-100,0-5"}, "ece"),
    "words": (
        "wep_elicitation",
        {"words": "likely,almost certain,unlikely", "items": 6},
        "mean_probability_by_word",
    ),
    "choices": ("wep_choice", {}, "empirical_consistency_by_choices"),
    "ages": ("life_eval", {}, "overconfidence_by_radius"),
    "options": ("question_sets", {"dataset": "bundled"}, None),
    "statements": ("question_sets", {"dataset": "statements"}, None),
    "hedged": ("hedge_markers", {"dataset": "facts", "draws": 2}, "faithfulness_by_dataset"),
    "thresholds": ("abstain", {"items": 8, "confidence": "after"}, "attempted_share"),
    "kept": ("commitment", {"items": 16, "pushback": "neutral"}, None),
    "short": ("simple_qa", {"dataset": "facts", "draws": 3}, None),
    "judge": ("judge_check", {"items": 12}, None),
    "rules": ("judge_check", {"judge": "rules"}, None),
}
"""Task, its arguments, and a group of metrics that the viewer shows together."""


def samples_view(viewer: ViewerConfig | None) -> TaskSamplesView:
    """The one list of samples."""
    assert viewer is not None
    assert isinstance(viewer.task_samples_view, TaskSamplesView)
    return viewer.task_samples_view


@pytest.fixture(scope="module", params=list(RUNS))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A short run of each task as read from its file: two epochs, a third of replies unreadable."""
    name, arguments, _ = RUNS[request.param]
    task: Task = getattr(_registry, name)(**{"items": 4, **arguments})
    (log,) = eval(
        task,
        model="respondent/candid",
        model_args={"error_rate": 0.3},
        model_roles=dict(JUDGE),
        epochs=2,
        log_dir=str(tmp_path_factory.mktemp(request.param)),
        **QUIET,
    )
    assert log.status == "success", log.error
    log = read_eval_log(log.location)
    log.tags = [request.param]
    return log


def scores_of(log: EvalLog) -> list[tuple[str, Score]]:
    """The scores of all samples with the names of their scorers."""
    return list(chain.from_iterable((sample.scores or {}).items() for sample in log.samples or []))


def score_columns(view: TaskSamplesView) -> pd.DataFrame:
    """The columns of scores in the viewer's list: id, key of the score, whether it is visible."""
    columns = pd.DataFrame(map(vars, view.columns or []))
    columns = columns[columns["id"].str.startswith("score__")]
    return columns.assign(key=columns["id"].str.rpartition("__")[2])


def test_recomputing_gives_the_same_metrics(run: EvalLog) -> None:
    """Names and numbers of a log's metrics follow from the log alone, NaN from NaN."""

    def numbers(log: EvalLog) -> dict[tuple[str, str, str | None], float]:
        assert log.results
        values = {}
        for score in log.results.scores:
            for name, metric in score.metrics.items():
                values[score.name, name, metric.group] = metric.value
        return values

    before = numbers(run)
    failure_rates = [value for (_, name, _), value in before.items() if "_failure_rate" in name]
    reasons = [score.reason for _, score in scores_of(run)]
    assert any(failure_rates) or any(reasons) or run.tags == ["rules"]
    rescored = run.model_copy(deep=True)
    recompute_metrics(rescored)
    after = numbers(rescored)
    assert set(after) == set(before)
    for name, value in before.items():
        # Samples stand in another order in the file, so that sums differ in their last digit.
        assert after[name] == pytest.approx(value, rel=1e-9, abs=2e-9, nan_ok=True), name
    assert rescored.results
    assert run.results
    assert rescored.results.headline == run.results.headline


def test_scores_have_four_decimals_and_their_metadata_the_exact_numbers(run: EvalLog) -> None:
    """A number has an exact one exactly if rounding changed it."""
    for _, score in scores_of(run):
        assert isinstance(score.value, dict)
        numbers = {key: part for key, part in score.value.items() if not isinstance(part, str)}
        exact = (score.metadata or {}).get("exact", {})
        for key, number in numbers.items():
            assert math.isnan(float(number or 0)) or number == round(float(number or 0), 4), key
        assert set(exact) <= set(numbers)
        for key, number in exact.items():
            assert round(number, 4) == numbers[key] != number, key
        assert exact_value(score.value, score.metadata) == {**score.value, **exact}


def test_judgments_take_the_exact_numbers(run: EvalLog) -> None:
    """Confidences of a log are read with all decimals, and not as the viewer shows them."""
    expected = set()
    for _, score in scores_of(run):
        expected.add((score.metadata or {}).get("exact", {}).get("confidence"))
    expected.discard(None)
    confidences: set[float] = set()
    for frame in read_judgments(run.location).values():
        confidences.update(frame.get("confidence", []))
    assert expected <= confidences
    assert expected or run.tags not in (["ages"], ["options"])


def test_options_are_not_in_the_input_too(run: EvalLog) -> None:
    """The viewer lists a sample's choices below its input."""
    for sample in run.samples or []:
        lines = str(sample.input).splitlines()
        choices = sample.choices or []
        for letter, choice in zip(ascii_uppercase, choices, strict=False):
            assert f"{letter}) {choice}" not in lines
    assert run.samples
    assert run.samples[0].choices or run.tags != ["options"]


def test_headings_fit_into_their_columns(run: EvalLog) -> None:
    """The widest column of the viewer holds 13 letters, 11 beside the marks of the order."""
    view = samples_view(run.eval.viewer)
    labels = view.score_labels or {}
    keys = score_columns(view)["key"]
    sorted_keys = {sort.column.rsplit("__", 1)[1] for sort in view.sort or []}
    headings = keys.map(labels).str.rstrip()
    assert headings.is_unique
    for key, heading in zip(keys, headings, strict=True):
        assert len(heading) <= (11 if key in sorted_keys else 13), heading
        assert len(labels[key]) - len(heading) == (6 if key in sorted_keys else 2), heading


def test_secondary_columns_are_off_and_last(run: EvalLog) -> None:
    """The viewer of inspect-ai 0.3.285 shows all columns of scores, also those that are off."""
    columns = pd.DataFrame(map(vars, samples_view(run.eval.viewer).columns or []))
    is_off = columns["id"].str.startswith("score__") & ~columns["visible"].astype(bool)
    assert is_off.is_monotonic_increasing
    # What the viewer shows by itself if it happened: epochs, errors, limits.
    assert {"epoch", "error", "limit", "retries"}.isdisjoint(columns["id"])


def test_colour_scales_have_fixed_ends(run: EvalLog) -> None:
    """With the ends of the observed range one outlier would take the colour from all others."""
    scales = samples_view(run.eval.viewer).score_color_scales or {}
    assert scales
    for key, scale in scales.items():
        assert isinstance(scale, ScoreColorScale), key
        assert scale.min is not None, key
        assert scale.max is not None, key


def test_columns_are_what_scores_hold(run: EvalLog) -> None:
    """Every column, its label, its colours and the order refer to a number in the scores."""
    view = samples_view(run.eval.viewer)
    assert run.samples
    columns_held: set[tuple[str, str]] = set()
    for scorer, score in scores_of(run):
        if isinstance(score.value, dict):
            columns_held.update(product([scorer], score.value))
    columns = score_columns(view)
    assert len(columns)
    # What only another method of the same scorer gives may have a hidden column.
    columns_shown = set(columns.loc[columns["visible"].astype(bool), "id"])
    assert columns_shown <= {f"score__{scorer}__{key}" for scorer, key in columns_held}
    keys = set(columns["key"])
    labels = set(view.score_labels or {})
    assert keys <= labels
    assert labels.issuperset(column_of(columns_held, 1))
    assert set(view.score_color_scales or {}) <= keys
    assert view.sort
    assert columns_shown.issuperset(attributes_of(view.sort, "column"))


def test_headline_and_groups(run: EvalLog) -> None:
    """The headline is one number; metrics of one name at several values stand together."""
    headline = headline_metric(run)
    assert headline is not None
    assert headline.metric.group == headline.metric.name  # alone under it
    assert not math.isnan(headline.metric.value)
    assert run.eval.headline_metric is not None
    assert run.eval.headline_metric.metric == headline.metric.name.rsplit("/", 1)[-1]
    assert run.results is not None
    metrics = chain.from_iterable(score.metrics.values() for score in run.results.scores)
    table = pd.DataFrame(map(vars, metrics))
    assert not table["name"].str.contains("/").any()
    assert table["name"].str.len().max() < 30  # Inspect cuts longer ones
    groups = set(table["group"])
    expected = RUNS[(run.tags or [""])[0]][2]
    assert expected is None or expected in groups


def test_every_score_is_explained(run: EvalLog) -> None:
    """A sentence for each, on one line, without brackets of Python's."""
    for sample in run.samples or []:
        for score in (sample.scores or {}).values():
            explanation = score.explanation or ""
            assert explanation.endswith("."), explanation
            assert not explanation.endswith((" .", "..", ";.")), explanation
            # a digit: "2 of 3 replies ..."
            assert explanation[0].isupper() or explanation[0].isdigit(), explanation
            assert "\n" not in explanation
            assert "nan" not in explanation.split(), explanation


def test_keys_of_levels_have_labels_and_colours() -> None:
    """At levels of 80 and 97.5 the widest has columns; every level's keys have labels."""
    view = samples_view(levels_viewer("token_distribution", [80, 97.5]))
    labels = view.score_labels or {}
    assert labels["covered_97.5"].rstrip() == "Covered 97.5%"
    assert labels["covered_80"].rstrip() == "Covered 80%"
    assert set(view.score_color_scales or {}) == {
        *("covered_97.5", "interval_score_97.5", "covered_80", "interval_score_80", "format_ok")
    }
    columns = score_columns(view)
    visible = columns.loc[columns["visible"].astype(bool), "key"]
    assert visible[visible.str.endswith("_97.5")].tolist() == [
        *("lower_97.5", "upper_97.5", "covered_97.5", "interval_score_97.5")
    ]
    assert not visible.str.endswith("_80").any()
    assert view.sort
    assert view.sort[0].column == "score__token_distribution__interval_score_97.5"


def scored(value: float, **metadata: object) -> SampleScore:
    """The score of a sample with that metadata."""
    return SampleScore(score=Score(value=value), sample_metadata=dict(metadata))


def test_groups_of_samples() -> None:
    """Numbers by size, each epoch by itself; without the key, or scores, there is no group."""
    scores = [scored(1, radius=10.0), scored(0, radius=1.0), scored(0, radius=10.0), scored(9)]
    means = cast(MetricProtocol, mean_by("radius", "overconfidence", "radius {}"))(scores)
    assert isinstance(means, dict)
    assert list(means.items()) == [("radius 1", 0.0), ("radius 10", 0.5)]
    for scores in ([], [scored(1)]):
        value = cast(MetricProtocol, mean_by("radius", "overconfidence"))(scores)
        assert math.isnan(float(str(value)))


def test_means_of_groups_leave_out_what_is_undefined(tmp_path: Path) -> None:
    """Two ages are asked at radius 5; of the reply without a confidence nothing counts."""
    outputs = []
    for confidence in ("1.0", '"?"'):
        reply = f'{{"answer": 80, "confidence": {confidence}}}'
        output = ModelOutput.from_content("mockllm/model", reply, "stop")
        output.usage = ModelUsage()
        outputs.append(output)
    (log,) = eval(
        life_eval(ages="40,60", sexes="male", radii=5),
        model=get_model("mockllm/model", custom_outputs=outputs, memoize=False),
        log_dir=str(tmp_path),
        display="none",
        max_connections=1,
    )
    assert log.results
    assert log.samples
    values = [exact_value(score.value, score.metadata) for _, score in scores_of(log)]
    (defined,) = pd.DataFrame(values)["overconfidence"].dropna()
    (overall,) = log.results.scores
    assert overall.metrics["overconfidence"].value == pytest.approx(defined)
    assert overall.metrics["overconfidence_5"].value == pytest.approx(defined)
