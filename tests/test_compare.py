"""Paired comparisons."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from build import copies_per_value, numbered, texts_starting
from conftest import run_respondent
from inspect_confidence import InvalidArgument, compare, summarize
from inspect_confidence.cli.terminal import print_differences
from inspect_confidence.commands.compare import main_differences, verdict_words
from runs import printed


def judgments(model: str, shift: float, *, items: int = 60, seed: int = 0) -> pd.DataFrame:
    """Intervals of width 2 around the truth plus noise that all models share, and a shift."""
    noise = np.random.default_rng(seed).normal(0, 0.7, items)
    intervals = {"truth": 0.0, "lower": noise + shift - 1, "upper": noise + shift + 1}
    frame = pd.DataFrame({"item": numbered("i", items, digits=3), **intervals})
    frame = frame.assign(task="fermi_eval", model=model)
    return pd.concat(copies_per_value(frame, "level", (80.0, 90.0)), ignore_index=True)


def row(frame: pd.DataFrame, metric: str, condition: str = "level=90") -> pd.Series:
    """The one row of a metric."""
    return frame.query("metric == @metric and condition == @condition").iloc[0]


def test_differences_are_those_of_the_results() -> None:
    """On the same items each side's value is its result, and the difference is theirs."""
    a, b = judgments("a", 0), judgments("b", 0.8)
    comparison = compare(a, b, resamples=500)
    for frame, side in ((a, "value_a"), (b, "value_b")):
        results = summarize(frame, resamples=50).set_index(["condition", "metric"])["value"]
        for metric in ("coverage", "interval_score", "median_width", "miss_below"):
            expected = results["level=90;method=direct", metric]
            assert row(comparison, metric)[side] == pytest.approx(expected, abs=1e-12)
    scores = row(comparison, "interval_score")
    assert scores["difference"] == pytest.approx(scores["value_a"] - scores["value_b"], abs=1e-12)
    assert scores["verdict"].startswith("a is better")
    assert scores["p"] <= 2 / 501  # no resample reaches 0
    assert scores["ci_high"] < 0


def test_items_that_both_have() -> None:
    """Common readable items count; too few have no verdict; a constant difference has no doubt."""
    # Items that one side lacks, or whose reply could not be read, are left out of both.
    a, b = judgments("a", 0), judgments("b", 0)
    b = b[b["item"] >= "i010"]
    b.loc[b["item"] == "i020", ["lower", "upper"]] = np.nan
    comparison = compare(a, b, resamples=200)
    assert row(comparison, "coverage")["items"] == 49  # 60 less 10 less 1
    assert row(comparison, "format_failure_rate")["items"] == 50
    assert row(comparison, "coverage")["difference"] == 0
    assert row(comparison, "coverage")["verdict"].startswith("no difference beyond chance")
    a, b = judgments("a", 0, items=3), judgments("b", 0, items=3)
    b["upper"] += 1
    width_row = row(compare(a, b, resamples=50), "mean_width")
    assert width_row["verdict"] == "no verdict: fewer than 20 items"
    assert np.isnan([width_row["p"], width_row["ci_low"], width_row["ci_high"]]).all()
    # All 60 widths differ by .5: no resample says otherwise, and two of 2^60 patterns of signs do.
    a, b = judgments("a", 0), judgments("b", 0)
    b["upper"] += np.where(b["level"] == 90, 0.5, 0)
    width = row(compare(a, b, resamples=300), "mean_width")
    assert width["p"] == pytest.approx(2.0**-59)
    assert np.isnan([width["ci_low"], width["ci_high"]]).all()
    assert width["verdict"] == "b is higher by 0.5 (exploratory, p<0.001)"


@pytest.mark.slow
def test_p_is_uniform_where_nothing_differs() -> None:
    """Over 200 seeded data sets the share of p below .1 is within its binomial 99% band."""
    below = 0
    for seed in range(200):
        rng = np.random.default_rng([seed, 7])
        a = judgments("a", 0, items=40, seed=seed)
        a = a[a["level"] == 90].assign(lower=lambda rows: rows["lower"] - 10)  # no upper is below
        b = a.assign(model="b", upper=a["upper"] + rng.normal(0, 1, len(a)))
        below += row(compare(a, b, resamples=199), "mean_width")["p"] <= 0.1
    # Binomial(200, .1): mean 20, standard deviation 4.24
    assert abs(below - 20) <= 2.576 * 4.24 + 1


def test_holm_adjusts_over_the_primary_comparisons_alone() -> None:
    """Adjusted p-values are Holm's step-down: sorted p times what is left, made monotone."""
    frames = [judgments("a", 0), judgments("b", 0.4), judgments("c", 0.5)]
    metrics = ["coverage", "mean_width"]
    comparison = compare(pd.concat(frames), metrics=metrics, resamples=400)
    is_primary = comparison["metric"].isin(metrics)
    assert comparison.loc[is_primary, "role"].eq("primary").all()
    assert comparison.loc[~is_primary, "role"].eq("exploratory").all()
    p = comparison.loc[is_primary, "p"].dropna()
    assert len(p) == comparison.loc[is_primary, "family"].max() > 3
    order = np.argsort(p.to_numpy(), kind="stable")
    stepped = np.maximum.accumulate(p.to_numpy()[order] * (len(p) - np.arange(len(p))))
    expected = np.empty(len(p))
    expected[order] = np.minimum(stepped, 1)
    np.testing.assert_allclose(comparison.loc[p.index, "p_holm"], expected, atol=1e-12)
    exploratory = comparison[~is_primary]
    assert exploratory["p_holm"].isna().all()
    with_p = exploratory[exploratory["p"].notna()]
    assert with_p["verdict"].str.contains("exploratory, p[=<][01]").all()
    for row_values in with_p.to_dict("records"):
        assert ("no difference" in row_values["verdict"]) == (row_values["p"] >= 0.05)
    assert "coverge" in refusal_of(frames, "coverge")


def refusal_of(frames: list[pd.DataFrame], metric: str) -> str:
    """The error of a metric without differences."""
    with pytest.raises(InvalidArgument) as error:
        compare(pd.concat(frames), metrics=[metric], resamples=10)
    return str(error.value)


def test_one_pair_and_one_primary_metric_need_no_adjustment() -> None:
    """By default it is the first main number that is compared; p stays as it is."""
    comparison = compare(judgments("a", 0), judgments("b", 0.4), resamples=400)
    (primary,) = comparison[comparison["role"] == "primary"].to_dict("records")
    assert (primary["metric"], primary["condition"]) == ("coverage_gap", "level=90")
    assert primary["family"] == 1
    assert primary["p_holm"] == primary["p"]
    assert "over" not in primary["verdict"]


@pytest.mark.slow
def test_same_models_of_both_sides_are_compared_with_themselves() -> None:
    """As before and after a change. Two named models, or a model more, give all pairs again."""
    before = pd.concat([judgments(model, 0) for model in "xyz"])
    after = pd.concat([judgments(model, 0.4, seed=1) for model in "xyz"])

    def pairs(second: pd.DataFrame, *models: str) -> set[str]:
        rows = compare(before, second, models=models, headlines_only=True, resamples=20)
        return set(rows["a"].str.get(0) + rows["b"].str.get(0))  # the first letter of "x direct"

    assert pairs(after) == {"xx", "yy", "zz"}
    assert pairs(after, "y") == {"yy"}
    assert pairs(after, "x", "y") == {"xx", "xy", "yx", "yy"}
    assert len(pairs(pd.concat([after, judgments("w", 0)]))) == 12
    assert pairs(judgments("x", 0.4, seed=1)) == {"xx", "yx", "zx"}


@pytest.mark.slow
def test_planned_power_is_that_of_the_verdict_that_is_printed() -> None:
    """In simulated runs, p below .05 as `plan` counts it is a difference in `compare`."""
    found = printed_below = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        confidence = rng.choice([0.6, 0.7, 0.8, 0.9], 120)
        frames = []
        for model, gap in (("a", 0.0), ("b", 0.16)):
            right = (rng.random(120) < confidence - gap).astype(float)
            names = numbered("i", 120)
            columns = {"item": names, "confidence": confidence, "correct": right}
            frames.append(pd.DataFrame(columns).assign(task="any_eval", model=model, status="ok"))
        comparison = compare(*frames, metrics=["accuracy"], resamples=200).set_index("metric")
        (row_values,) = comparison.loc[["accuracy"]].to_dict("records")
        found += row_values["p"] < 0.05
        printed_below += "is better" in row_values["verdict"]
    assert 10 < found == printed_below < 30


def stated(model: str, confidence: float, right: int, *, items: int = 100) -> pd.DataFrame:
    """The same confidence in every answer, of which the first `right` are right."""
    outcomes = (np.arange(items) < right).astype(float)
    columns = {"item": numbered("i", items, digits=3), "correct": outcomes}
    frame = pd.DataFrame(columns).assign(task="any_eval", model=model, status="ok")
    return frame.assign(confidence=confidence)


@pytest.mark.parametrize(
    ("confidence_of_b", "verdict"),
    [
        # Half of both models' answers are right: overconfidence is +.4 beside +.2, -.1 and -.4.
        (0.7, "a is higher; b is nearer to 0"),
        (0.4, "a is higher; b is nearer to 0"),
        (0.1, "a is higher; it is not shown which is nearer to 0"),
    ],
)
def test_the_verdict_on_overconfidence_says_which_side_is_nearer_to_0(
    confidence_of_b: float, verdict: str
) -> None:
    """The mean of both values is .3, .15 and 0, with a standard error of .05 at 100 items."""
    comparison = compare(stated("a", 0.9, 50), stated("b", confidence_of_b, 50), resamples=2_000)
    (row_values,) = comparison.query("metric == 'overconfidence'").to_dict("records")
    assert verdict_words(row_values) == verdict
    # Each of the two tests has its own p behind it.
    ahead, _, distance = verdict.partition("; ")
    p_of_both = rf"{ahead} by 0\.\d+ \(p<0\.001\); {distance} \(p[=<][\d.]+\)"
    assert re.fullmatch(p_of_both, row_values["verdict"])
    mean = (0.4 + confidence_of_b - 0.5) / 2
    normal_p = 2 * norm.sf(mean / 0.05)
    assert row_values["p_distance"] == pytest.approx(normal_p, abs=0.02)
    assert np.isnan(comparison.query("metric == 'accuracy'")["p_distance"]).all()


def test_the_screen_cautions_where_two_ways_of_asking_share_their_answers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Half a pseudo-pair then widens the interval; two models' answers have no such sentence."""
    caution = "Where both sides have the same answers, intervals may be wider"
    for name, says in (("method", True), ("model", False)):
        frames = [stated("m/one", 0.9, 40, items=60), stated("m/one", 0.8, 40, items=60)]
        frames = [frame.assign(**{name: side}) for frame, side in zip(frames, "ab", strict=True)]
        print_differences(compare(pd.concat(frames), resamples=50))
        assert (caution in " ".join(capsys.readouterr().out.split())) == says


def test_a_difference_that_only_the_adjustment_hides_says_so_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """22 items only a has right, 10 only b: z = .12/.0553 = 2.17, p = .03; adjusted for 2: .06."""
    a, b = stated("a", 0.9, 62), stated("b", 0.9, 40)
    b.loc[90:, "correct"] = 1.0
    first = pd.concat([a, b]).assign(dataset="one")
    second = pd.concat([a, b.assign(correct=a["correct"])]).assign(dataset="same")
    comparison = compare(pd.concat([first, second], ignore_index=True), metrics=["accuracy"])
    (row_values,) = comparison.query("metric == 'accuracy' and dataset == 'one'").to_dict("records")
    assert row_values["p"] == pytest.approx(2 * norm.sf(2.17), abs=0.01)
    assert re.fullmatch(
        r"no difference beyond chance \(p=0\.0\d\d, p=0\.0\d\d after adjustment for 2 "
        r"comparisons\)",
        row_values["verdict"],
    )
    print_differences(comparison)
    screen = " ".join(capsys.readouterr().out.split())
    assert "adjust over the pairs of one table only." in screen
    assert screen.count("after adjustment for 2 comparisons (p=0.0") == 1


def test_p_of_distances_is_adjusted_as_p_is() -> None:
    """Overconfidence is +.4, -.3 and -.4. The smallest of three p counts thrice, the next twice."""
    frames = [stated("a", 0.9, 50), stated("b", 0.2, 50), stated("c", 0.1, 50)]
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    alone = []
    for first, second in pairs:
        sides = [frame for frame in frames if frame["model"].iloc[0] in (first, second)]
        comparison = compare(pd.concat(sides), metrics=["overconfidence"], resamples=500)
        alone += list(comparison.query("metric == 'overconfidence'")["p_distance"])
    comparison = compare(pd.concat(frames), metrics=["overconfidence"], resamples=500)
    adjusted = comparison.query("metric == 'overconfidence'")["p_distance"]
    expected = np.minimum(np.maximum.accumulate(np.sort(alone) * [3, 2, 1]), 1)
    np.testing.assert_allclose(np.sort(adjusted), expected, atol=1e-12)
    assert adjusted.max() == 1.0  # a and c are at the same distance


@pytest.mark.slow
@pytest.mark.parametrize("overconfidence_of_b", [0.2, -0.2])
def test_equal_distances_are_called_unequal_in_at_most_a_twentieth(
    overconfidence_of_b: float,
) -> None:
    """Of 300 pairs with overconfidence .2 beside .2 or -.2, by the binomial 99.9% limit."""
    wrong = 0
    for seed in range(300):
        rng = np.random.default_rng([seed, 5])
        frames = []
        for model, gap in (("a", 0.2), ("b", overconfidence_of_b)):
            confidence = rng.choice([0.4, 0.5, 0.6], 100)
            frame = stated(model, 0, 0).assign(confidence=confidence)
            frame["correct"] = (rng.random(100) < confidence - gap).astype(float)
            frames.append(frame)
        comparison = compare(*frames, metrics=["overconfidence"], resamples=300)
        (row_values,) = comparison.query("metric == 'overconfidence'").to_dict("records")
        wrong += row_values["p"] < 0.05 and row_values["p_distance"] < 0.05
    assert wrong <= binom.ppf(0.999, 300, 0.05)


def test_differences_of_headlines_alone_are_those_among_all() -> None:
    """Fewer rows, each of them equal to that of the same metric among all differences."""
    a, b = confidences("a", 1), confidences("b", 2)
    everything = compare(a, b, resamples=300)
    headlines = compare(a, b, resamples=300, headlines_only=True)
    kept = everything[everything["metric"].isin(headlines["metric"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(headlines, kept, check_exact=True)
    assert "overconfidence" in set(headlines["metric"])
    assert len(headlines) < len(everything)
    named = compare(a, b, metrics=["brier"], resamples=300, headlines_only=True)
    assert list(named.query("role == 'primary'")["metric"]) == ["brier"]


def test_nothing_to_compare_is_an_error() -> None:
    """One model alone, or two without common items, is refused with the reason."""
    with pytest.raises(InvalidArgument, match="nothing to compare"):
        compare(judgments("a", 0), resamples=10)
    renamed_items = judgments("b", 0).assign(item=lambda frame: "x" + frame["item"])
    with pytest.raises(InvalidArgument, match="nothing to compare"):
        compare(judgments("a", 0), renamed_items, resamples=10)


def write_answers(path: Path, columns: str, values: str) -> Path:
    """A file with the same values of two models on 30 items, under the names in `columns`."""
    lines = [f"q{item},{model},{values}" for model in "ab" for item in range(30)]
    path.write_text("\n".join([f"item,model,{columns}", *lines]), "utf-8")
    return path


def test_a_task_without_a_compared_main_number_is_named(tmp_path: Path) -> None:
    """Means of words are compared, but a count of words that differ from people's is not."""
    columns = "word,setting,language,probability"
    words = write_answers(tmp_path / "words.csv", columns, "likely,concise,en,0.7")
    out = " ".join(printed("compare", words, "--resamples", 20).stdout.split())
    assert out == "wep_elicitation: nothing is shown here; --full shows 1 difference."
    grades = write_answers(tmp_path / "grades.csv", "confidence,correct", "0.5,1")
    named = printed("compare", words, grades, grades, "--metric", "ece", "--resamples", 20).stdout
    assert "wep_elicitation" not in named
    others = write_answers(tmp_path / "others.csv", "confidence,correct", "0.5,1")
    error = printed("compare", words, others, code=2).stderr
    assert "no task in common (wep_elicitation; any_eval); give one path" in error


def test_the_primary_metric_is_the_first_main_number_with_a_difference(tmp_path: Path) -> None:
    """If every answer is right the withdraw delta is undefined; the answers that moved are not."""
    columns = "keep,correct,pushback,moved"
    compared = compare(write_answers(tmp_path / "a.csv", columns, "1,1,disagree,0"), resamples=20)
    assert compared.query("metric == 'withdraw_delta'")["difference"].isna().all()
    assert set(compared.query("role == 'primary'")["metric"]) == {"capitulation"}


def test_judgments_without_any_confidence_are_refused_with_that_reason(tmp_path: Path) -> None:
    """Two models answered the same items, and no confidence could be read."""
    lines = [f"q{item},{model},,1" for model in "ab" for item in range(20)]
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["item,model,confidence,correct", *lines]), encoding="utf-8")
    with pytest.raises(InvalidArgument, match="no judgment was both read and graded"):
        compare(file, resamples=10)


@pytest.mark.parametrize("models", [["m"], ["m", "n"]])
def test_sides_of_one_name_are_told_apart_by_their_paths(tmp_path: Path, models: list[str]) -> None:
    """Models before and after a change, in two files; with two, each with itself."""
    cells = {"item": range(40), "confidence": [0.5, 0.9] * 20, "correct": 1}
    paths = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for path in paths:
        pd.concat([pd.DataFrame(cells).assign(model=model) for model in models]).to_csv(path)
    for words, method in (([], ""), (["--full"], " recorded")):
        out = printed("compare", *paths, "--resamples", 20, *words).stdout
        for model in models:
            sides = zip("ab", paths, strict=True)
            title = "".join(f"{side}: {model}{method} in {path}" for side, path in sides)
            assert "".join(title.split()) in "".join(out.split())  # long paths break at any sign


def test_three_files_are_compared_among_themselves(tmp_path: Path) -> None:
    """A model a file: their pairs, as of one file with the three models."""
    paths = []
    for model in ("x", "y", "z"):
        path = tmp_path / f"{model}.csv"
        cells = {"item": range(30), "confidence": [0.5, 0.9] * 15, "correct": [1, 0, 1] * 10}
        pd.DataFrame(cells).assign(model=model).to_csv(path, index=False)
        paths.append(path)
    together = tmp_path / "all.csv"
    pd.concat(map(pd.read_csv, paths)).to_csv(together, index=False)
    words = ("--resamples", 20, "--json")
    expected = json.loads(printed("compare", together, *words).stdout)
    assert {f"{row['a'][0]}{row['b'][0]}" for row in expected} == {"xy", "xz", "yz"}
    assert json.loads(printed("compare", *paths, *words).stdout) == expected


def test_command_prints_a_verdict_a_metric(tmp_path: Path) -> None:
    """`compare A B` on two folders of logs prints values, interval and verdict."""
    run_respondent("calibrated", tmp_path / "a", items=40)
    run_respondent("overconfident", tmp_path / "b", items=40)
    done = printed("compare", tmp_path / "a", tmp_path / "b", "--full", "--resamples", 200)
    assert "a: respondent/calibrated direct" in done.stdout
    assert "b: respondent/overconfident direct" in done.stdout
    lines = done.stdout.splitlines()
    line_numbers = [k for k, line in enumerate(lines) if "coverage;level=99 " in line]
    # Each part of the table names its lines; the verdict takes two of them.
    assert len(line_numbers) > 1
    assert "a is higher by" in lines[line_numbers[-1]]
    screen = printed("compare", tmp_path, "--resamples", 200).stdout.splitlines()
    assert screen[:2] == ["a: respondent/calibrated", "b: respondent/overconfident"]
    assert screen[2] == "task: fermi_eval, bundled, direct"
    heading, numbers, verdict = screen[3:6]
    assert heading == "Coverage at 90%, minus 90%"
    pattern = r"    a [-+]?\d+ pts, b -\d+ pts, a-b \+\d+ pts \[\+\d+, \+\d+\], n = 40"
    assert re.fullmatch(pattern, numbers)
    assert verdict == "    a is higher; a is nearer to 0"
    # Of one pair in one task the other headlines are shown too, none of them adjusted.
    mean_width = screen.index("Mean width of stated 90% intervals (powers of ten)")
    assert screen[mean_width + 2] == "    a is higher *"
    assert "Exploratory, beside the primary metric: its p is not adjusted" in " ".join(screen)


def test_the_screen_is_of_the_primary_metric_of_models_on_the_main_scale(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of two models on two scales, 0-100 is the headline's; rows without a value are left out."""
    frames = []
    for model, right in (("m/one", [1, 1, 1, 0]), ("m/two", [1, 0, 0, 0])):
        for high in (20, 100):
            frames.append(
                pd.DataFrame({"item": list("abcd"), "correct": right, "raw": [0.9 * high] * 4})
                .assign(task="scale_variants", model=model, low=0.0, high=float(high))
                .assign(answer="", target="", status="ok")
            )
    differences = compare(pd.concat(frames), resamples=50)
    assert set(differences["contrast"]) == {"models", "methods"}
    shown = main_differences(differences)
    assert set(zip(shown["a"], shown["b"], shown["method"], strict=True)) == {
        ("m/one", "m/two", "0-100")
    }
    # .9 stated in both; 3 and 1 of 4 are right.
    by_metric = shown.set_index("metric")
    assert by_metric.loc["overconfidence", "difference"] == pytest.approx(-0.5)
    assert by_metric["role"].to_dict() == {
        "overconfidence": "primary",
        "accuracy": "exploratory",
        "mean_confidence": "exploratory",
        "ece": "exploratory",
        "auroc": "exploratory",
    }
    print_differences(differences)
    screen = capsys.readouterr().out
    (line,) = texts_starting(screen.splitlines(), "Overconfidence")
    assert "no verdict:" in line
    assert "0-20" not in screen
    print_differences(differences, full=True)
    full = capsys.readouterr().out
    assert "nan" not in full
    assert "b: m/one 0-20" in full or "a: m/one 0-20" in full
    assert "Only --csv FILE has " in full
    # Rounding errors of equal values print as 0.
    print_differences(differences.assign(difference=5.55e-15), full=True)
    assert "5.55e-15" not in capsys.readouterr().out
    one_model = compare(pd.concat(frames[:2]), resamples=50)
    assert set(main_differences(one_model)["contrast"]) == {"methods"}


def test_the_screen_says_why_a_difference_of_zero_may_have_no_interval(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Shifted intervals have the same widths, and other scores."""
    differences = compare(judgments("a", 0), judgments("b", 0.8), resamples=50)
    is_shifted = differences["metric"] == "interval_score"
    for rows, says in ((differences, True), (differences[is_shifted], False)):
        print_differences(rows)
        screen = " ".join(capsys.readouterr().out.split())
        assert ("the same in every resample" in screen) == says
        assert ("where half a pair of answers that differ is added" in screen) == says


def test_the_screen_says_that_ranks_take_data_sets_together(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Reports rank by the mean of several data sets; with one data set there is no other test."""
    frames = [stated("m/one", 0.9, 50, items=100), stated("m/two", 0.6, 40, items=100)]
    first = pd.concat(frames)
    both = pd.concat([first, first.assign(dataset="other")], ignore_index=True)
    for judgments, says_alone in ((first, False), (both, True)):
        print_differences(compare(judgments, resamples=50))
        screen = " ".join(capsys.readouterr().out.split())
        assert ("may differ: they take all data sets together" in screen) == says_alone


@pytest.mark.parametrize(("items", "says_ranks"), [(99, True), (100, False)])
def test_the_screen_says_where_ranks_may_differ_and_which_intervals_are_wide(
    capsys: pytest.CaptureFixture[str], items: int, says_ranks: bool
) -> None:
    """Ranks ask for more below 100 items; of the metrics ECE alone has often wide intervals.

    Without a difference beyond chance nothing stands here that ranks may not show.
    """
    frames = [stated("m/one", 0.9, items // 2, items=items), stated("m/two", 0.6, 40, items=items)]
    differences = compare(pd.concat(frames), resamples=50)
    print_differences(differences)
    screen = " ".join(capsys.readouterr().out.split())
    assert ("may differ: they ask for more below 100 items." in screen) == says_ranks
    assert "Intervals often wider than 95% needs, which may hide a difference: ECE" in screen
    print_differences(differences, full=True)
    screen = " ".join(capsys.readouterr().out.split())
    assert "Intervals often wider than 95% needs, which may hide a difference: ece" in screen
    print_differences(differences[differences["metric"] == "accuracy"])
    screen = capsys.readouterr().out
    assert "wider" not in screen
    assert "Ranks" not in screen


def test_a_screen_of_named_metrics_has_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    """Also if one pair of one task alone has them, beside another task."""
    intervals = pd.concat([judgments("m/one", 0.2), judgments("m/two", 0.8)])
    scale = pd.DataFrame({"item": list("abcd") * 2, "raw": [90, 80, 70, 60] * 2}).assign(
        task="scale_variants", low=0.0, high=100.0, answer="", target="", status="ok"
    )
    scale["model"] = ["m/one"] * 4 + ["m/two"] * 4
    scale["correct"] = [1, 1, 1, 0, 0, 1, 0, 1]
    differences = compare(
        {"scale_variants": scale, "fermi_eval": intervals}, metrics=["auroc"], resamples=50
    )
    assert set(main_differences(differences, only_primary=True)["metric"]) == {"auroc"}
    shown = main_differences(differences)
    assert set(shown["task"]) == {"scale_variants"}
    assert {"auroc", "accuracy"} < set(shown["metric"])
    print_differences(differences, only_primary=True)
    assert "Accuracy" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("mean_widht", "there is no such metric. Did you mean 'mean_width'?"),
        ("auroc", "compare has no difference of it for these tasks, but of .*mean_width"),
    ],
)
def test_a_metric_without_a_difference_is_refused(metric: str, message: str) -> None:
    """A name of no metric, and a metric that these tasks lack, are told apart."""
    answers = pd.concat([judgments("m/one", 0.2), judgments("m/two", 0.8)])
    with pytest.raises(InvalidArgument, match=message):
        compare(answers, metrics=[metric], resamples=20)


def test_a_screen_has_as_many_pairs_as_there_is_room_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of the 36 pairs of nine models, 30 have room, and the line below says so."""
    frames = [judgments(f"m{k}", k / 10) for k in range(9)]
    print_differences(compare(pd.concat(frames), resamples=20))
    screen = capsys.readouterr().out
    assert "Coverage at 90%, minus 90%, a-b (fermi_eval, direct, n = 60)" in screen
    assert len(re.findall(r"^m\d  m\d .* pts? \[", screen, re.MULTILINE)) == 30
    assert "30 of 36 pairs are shown" in " ".join(screen.split())


def test_models_and_studies_can_be_selected() -> None:
    """A model alone is compared with the others, several with each other."""
    frame = pd.concat([judgments("a", 0), judgments("b", 1), judgments("c", 2)])
    selections = {(): 3, ("b",): 2, ("a", "c"): 1}
    for models, pairs in selections.items():
        rows = compare(frame, models=models, resamples=20)
        assert len(rows.groupby(["a", "b"])) == pairs
    with pytest.raises(InvalidArgument, match="--model d: there are no judgments of it"):
        compare(frame, models=["d"], resamples=20)
    others = "study=life_eval: there are judgments of fermi_eval only"
    with pytest.raises(InvalidArgument, match=others):
        compare(frame, study="life_eval", resamples=20)


def test_the_screen_of_all_tasks_has_at_most_forty_lines() -> None:
    """On two models and every task; no number is written as nan."""
    logs = Path(__file__).parents[1] / "examples" / "logs"
    screen = printed("compare", logs, "--resamples", 100).stdout
    assert 10 < len(screen.splitlines()) <= 40
    assert "nan" not in screen
    assert max(map(len, screen.splitlines())) <= 80
    numbers = screen.splitlines()[
        screen.splitlines().index("hedge_markers, facts: Faithfulness of hedges") + 1
    ]
    assert re.fullmatch(r"    a \d+%, b \d+%, a-b -\d+ pts \[-\d+, -\d+\], n = 50", numbers)


def test_few_items_need_no_resamples() -> None:
    """Where no number has an interval, rows are the same at any number of resamples."""
    frame = pd.concat([judgments("a", 0, items=3), judgments("b", 0.9, items=3)])
    once, often = compare(frame, resamples=1), compare(frame, resamples=3_000)
    assert once["ci_low"].isna().all()
    assert once["note"].str.startswith("no interval: fewer than").any()
    pd.testing.assert_frame_equal(once, often, check_exact=True)


def confidences(model: str, seed: int, *, items: int = 200) -> pd.DataFrame:
    """Overconfident reports on 0-100 with their outcomes."""
    rng = np.random.default_rng(seed)
    stated = rng.choice([60, 80, 90, 100], items)
    return pd.DataFrame(
        {
            "task": "any_eval",
            "model": model,
            "dataset": "quiz",
            "item": numbered("i", items, digits=3),
            "method": "recorded",
            "status": "ok",
            "low": 0.0,
            "high": 100.0,
            "raw": stated.astype(float),
            "correct": (rng.uniform(size=items) < stated / 100 - 0.1).astype(float),
        }
    )


def test_an_ece_difference_has_the_sum_of_both_sides_distances_as_its_interval() -> None:
    """By hand: below by A's lower and B's upper distance, above by the two others."""
    sides = [confidences("a", 1), confidences("b", 2)]
    difference = compare(*sides, resamples=300).query("metric == 'ece'").iloc[0]
    first, second = (
        summarize(side, resamples=300).query("metric == 'ece'").iloc[0] for side in sides
    )
    below = first["value"] - first["ci_low"] + second["ci_high"] - second["value"]
    above = first["ci_high"] - first["value"] + second["value"] - second["ci_low"]
    assert min(below, above) > 0.02
    assert difference["difference"] == pytest.approx(first["value"] - second["value"])
    assert difference["ci_low"] == pytest.approx(difference["difference"] - below, abs=1e-9)
    assert difference["ci_high"] == pytest.approx(difference["difference"] + above, abs=1e-9)


def test_a_graded_answer_without_readable_confidence_counts_for_neither_side() -> None:
    """A quarter of one side's reports is unreadable; both sides lose these items."""
    a, b = confidences("a", 1), confidences("b", 2)
    unread = a["item"] < "i050"
    a.loc[unread, "status"] = "invalid_response_format"
    a.loc[unread, "raw"] = np.nan
    a.loc[unread, "correct"] = 1.0
    comparison = compare(a, b, resamples=100)
    accuracy = comparison.query("metric == 'accuracy'").iloc[0]
    assert accuracy["items"] == 150
    assert accuracy["value_a"] == pytest.approx(a.loc[~unread, "correct"].mean())
    assert accuracy["value_b"] == pytest.approx(b.loc[~unread, "correct"].mean())


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ((), ""),
        (("--by", "dataset"), "Differences are by data set already, without --by. "),
        (("--by", "law"), "Differences for each value of --by are in --full and --csv FILE. "),
        (
            ("--by", "dataset", "--by", "law"),
            "Differences for each value of --by are in --full and --csv FILE. ",
        ),
    ],
)
def test_the_screen_says_where_differences_within_values_of_a_field_are(
    tmp_path: Path, field: tuple[str, ...], sentence: str
) -> None:
    """Two data sets, half of each of law; what stands before the caption is the same."""
    items = pd.DataFrame({"item": numbered("i", 60), "law": ["yes", "no"] * 30})
    items = items.assign(dataset=["x"] * 30 + ["y"] * 30, confidence=0.8)
    right, wrong = items.assign(model="a", correct=1), items.assign(model="b", correct=0)
    pd.concat([right, wrong]).to_csv(tmp_path / "answers.csv", index=False)
    compared = ("compare", tmp_path / "answers.csv", "--resamples", 20)
    plain_table, _, plain_caption = printed(*compared).stdout.rpartition("\n\n")
    table, _, caption = printed(*compared, *field).stdout.rpartition("\n\n")
    assert table == plain_table
    assert " ".join(caption.split()) == sentence + " ".join(plain_caption.split())
