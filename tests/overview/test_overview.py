"""The matrix and the sentences: their numbers are the results', their ranks by hand."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from html import unescape
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build import attributes_of, column_of, entries_of
from inspect_confidence import summarize
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.front import Front, front_of
from inspect_confidence.overview.matrix import LineKey, Matrix, boards_of, matrix_of
from inspect_confidence.overview.numbers import (
    format_difference,
    format_minuend,
    format_with_interval,
)
from inspect_confidence.overview.ranks import headline_ranks
from inspect_confidence.overview.sentences import study_finding, study_sentences
from inspect_confidence.report import write_report
from inspect_confidence.results import Condition, Key, Result, ResultTable, results_frame
from report.pages import elements, rows_of, small_judgments

MODELS = ["vendor/a", "vendor/b"]


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    """Of two models, two tasks, two epochs, with unreadable replies."""
    return summarize(small_judgments(*MODELS), resamples=100)


@pytest.fixture(scope="module")
def first_view(results: pd.DataFrame) -> Front:
    """What is seen of them first."""
    first_view = front_of(ResultTable.from_frame(results), MODELS)
    assert first_view is not None
    return first_view


def test_every_number_of_the_matrix_is_that_of_the_row_it_names(
    first_view: Front, results: pd.DataFrame
) -> None:
    """Value, interval, n and unread share are those of the rows that they name."""
    checked_numbers, records = 0, results.to_dict("index")
    for line in first_view.matrix.lines:
        for column, number in zip(first_view.matrix.columns, line.numbers, strict=True):
            assert number is not None
            row = records[number.row]
            assert (row["model"], row["metric"]) == (line.key.model, column.metric)
            assert row["dataset"] == column.dataset
            ends = row["ci_low"], row["ci_high"]
            texts = format_with_interval(column.metric, row["value"], *ends, row["n"])
            assert (number.text, number.interval) == texts
            share = records[number.unread_row or 0]
            assert (share["metric"], share["model"]) == ("unread_share", line.key.model)
            # 3 times 6 of 120 intervals are unreadable, and 12 of 120 stated confidences
            expected_share = {"fermi_eval": 18 / 120, "scale_variants": 12 / 120}[column.task]
            assert share["value"] == pytest.approx(expected_share)
            assert number.unread == f"{100 * expected_share:.0f}%"
            checked_numbers += 1
    assert checked_numbers == 2 * len(first_view.matrix.columns) >= 6


def test_numbers_in_sentences_are_those_of_the_models_rows(
    first_view: Front, results: pd.DataFrame
) -> None:
    """Each number is the row's, with its interval; task, data set and n stand behind it."""
    assert attributes_of(column_of(first_view.sentences, 0), "model") == MODELS
    table = ResultTable.from_frame(results)
    for key, parts in first_view.sentences:
        text = "".join(attributes_of(parts, "text"))
        number = r"\d+%( \[[\d., ]+\])?"
        assert re.match(
            rf"it states {number} and is right {number} of the time; its confidence", text
        )
        assert "its 90% intervals contain the true value" in text  # the level of the headlines
        numbers = [part for part in parts if part.row is not None]
        rows = [table.rows[part.row or 0] for part in numbers]
        assert column_of(rows, "metric") == [*("mean_confidence", "accuracy", "auroc", "coverage")]
        assert len(set(column_of(rows[:3], "dataset"))) == 1
        for part, row in zip(numbers, rows, strict=True):
            assert row["model"] == key.model
            value, low_high = format_with_interval(
                row["metric"], row.value, row.low, row.high, row.n
            )
            assert part.text == f"{value} [{low_high}]"
        for row in (rows[0], rows[3]):
            assert f"{row['task']} on {row['dataset']}, n = {row.n}" in text


def table_of(rows: Iterable[Result]) -> ResultTable:
    """Results as a table."""
    return ResultTable.from_frame(results_frame(rows))


def clause_rows(
    task: str, dataset: str, n: int, **values: tuple[float, float, float]
) -> list[Result]:
    """Numbers of model m in a sentence's clause: value and interval by metric."""
    where = {"scale_variants": "scale=0-100", "question_sets": "", "life_eval": ""}[task]
    return [
        Result(task, "m", dataset, where, metric, *number, n, n, "")
        for metric, number in values.items()
    ]


def sentence_of(rows: list[Result]) -> str:
    """The sentence on model m."""
    view = front_of(table_of(rows), ["m"])
    assert view is not None
    ((_, parts),) = view.sentences
    return "".join(attributes_of(parts, "text"))


STATED = {"mean_confidence": (0.9, 0.88, 0.92), "accuracy": (0.7, 0.6, 0.79)}


@pytest.mark.parametrize(
    ("auroc", "words"),
    [
        ((0.86, 0.81, 0.9), "its confidence tells right from wrong answers well"),
        ((0.86, 0.79, 0.9), "its confidence tells right from wrong answers fairly well"),
        ((0.86, 0.6951, 0.9), "its confidence tells right from wrong answers fairly well"),
        ((0.86, 0.55, 0.97), "tells right from wrong answers better than chance"),
        ((0.75, 0.45, 0.92), "is not shown to tell right from wrong answers better than chance"),
        ((0.3, 0.2, 0.45), "its confidence is higher in wrong than in right answers"),
        ((0.86, math.nan, math.nan), "AUROC of its confidence is 0.86"),
    ],
)
def test_a_sentence_judges_a_number_only_as_far_as_its_interval_allows(
    auroc: tuple[float, float, float], words: str
) -> None:
    """The lower limit as printed decides on the adverb; without an interval is no verdict."""
    text = sentence_of(clause_rows("scale_variants", "mmlu", 60, **STATED, auroc=auroc))
    interval = "" if math.isnan(auroc[1]) else f" [{auroc[1]:.2f}, {auroc[2]:.2f}]"
    ranking = words if math.isnan(auroc[1]) else f"{words}: AUROC {auroc[0]:.2f}{interval}"
    assert text.startswith("it states 90% [88, 92] and is right 70% [60, 79] of the time; ")
    assert text.endswith(f"{ranking} (scale_variants on mmlu, n = 60).")


def test_the_numbers_of_a_sentence_are_of_the_largest_data_set() -> None:
    """Neither of a smaller set that alone has an AUROC, nor of the mean over sets."""
    rows = [
        *clause_rows("scale_variants", "gsm8k", 40, **STATED, auroc=(0.9, 0.85, 0.95)),
        *clause_rows("scale_variants", "mmlu", 80, **STATED),
        *clause_rows("scale_variants", "mean", 120, **STATED),
    ]
    assert sentence_of(rows) == (
        "it states 90% [88, 92] and is right 70% [60, 79] of the time "
        "(scale_variants on mmlu, n = 80)."
    )


def test_a_sentence_on_one_study_is_complete_and_one_on_several_names_each_source() -> None:
    """Of life expectancy alone, then beside the scale study."""
    life = clause_rows("life_eval", "", 808, **STATED, overconfidence=(0.2, 0.1, 0.3))
    alone = "it states 90% [88, 92] for ages at death whose true probability is 70% [60, 79]"
    assert sentence_of(life) == f"{alone} (life_eval, n = 808)."
    both = [*clause_rows("scale_variants", "mmlu", 60, **STATED), *life]
    assert sentence_of(both) == (
        "it states 90% [88, 92] and is right 70% [60, 79] of the time "
        f"(scale_variants on mmlu, n = 60); {alone} (life_eval, n = 808)."
    )


def test_a_sentence_names_the_groups_that_its_interval_is_over() -> None:
    """They are fewer than the judgments, and explain a wide interval; two counts are not named."""
    rows = clause_rows("scale_variants", "mmlu", 60, **STATED, overconfidence=(0.2, 0.1, 0.3))
    grouped = [replace(row, note="interval over 10 groups of like prompts") for row in rows]
    assert sentence_of(grouped).endswith(" (scale_variants on mmlu, n = 60 in 10 groups).")
    other = [grouped[0], replace(rows[1], note="interval over 9 groups of like prompts"), rows[2]]
    assert sentence_of(other).endswith(" (scale_variants on mmlu, n = 60).")


@pytest.mark.slow
def test_the_page_shows_all_numbers_of_the_matrix_and_all_sentences(tmp_path: Path) -> None:
    """All of both, with their rows, without a script having run."""
    judgments = small_judgments(*MODELS)
    page = write_report(judgments, tmp_path, resamples=100)
    page_elements, rows = elements(page), rows_of(page)
    first_view = front_of(ResultTable.from_frame(rows), MODELS)
    assert first_view is not None
    shown_numbers = {
        (int(element.attributes["data-row"]), element.text)
        for element in page_elements
        if "data-row" in element.attributes
    }
    for line in first_view.matrix.lines:
        for number in line.numbers:
            assert number is not None
            ends = f" [{number.interval}]" if number.interval else ""
            assert (number.row, f"{number.text}{ends}") in shown_numbers
    lines = [
        element.text
        for element in page_elements
        if element.tag == "li" and "data-model" in element.attributes
    ]
    for (key, parts), text in zip(first_view.sentences, lines, strict=True):
        assert " ".join(text.split()) == f"{key.model}: {''.join(attributes_of(parts, 'text'))}"
    text = page.read_text("utf-8")
    for note in (
        "numbers of a task in a sentence are those of the data set with the most judgments",
        "A rank by a number over several data sets uses all of them; compare tests each data set",
    ):
        assert text.count(note) == 1, note
    hidden = [
        element.attributes.get("id") for element in page_elements if "hidden" in element.attributes
    ]
    assert hidden == ["choose"]  # what is of use with the script alone


def legend_of(judgments: dict[str, pd.DataFrame], folder: Path) -> str:
    """The legend below the matrix of a page."""
    page = write_report(judgments, folder, resamples=20).read_text("utf-8")
    return page[page.index("board-legend") : page.index("<nav")]


@pytest.mark.slow
def test_the_legend_explains_only_what_the_matrix_has(tmp_path: Path) -> None:
    """Some replies are unread; without them, and if all models were asked all, it is silent."""
    frames = small_judgments(*"abc")
    read_frames = {}
    for task, rows in frames.items():
        read_frames[task] = rows[rows["status"] == "ok"]
    failures, empty = "The share of parse failures", "An empty cell was not asked."
    intervals = read_frames["fermi_eval"]
    without_c = {**read_frames, "fermi_eval": intervals[intervals["model"] != "c"]}
    for judgments, expected in (
        (frames, [True, False]),
        (read_frames, [False, False]),
        (without_c, [False, True]),
    ):
        legend = legend_of(judgments, tmp_path)
        assert [failures in legend, empty in legend] == expected


def test_a_cell_has_the_parse_failures_of_its_own_condition() -> None:
    """Of a confidence target whose decisions none could be read, not of all replies."""
    rows = []
    for target, share in ((0, 0.0), (0.75, 1.0)):
        condition = str(Condition(confidence_target=target, format="open"))
        rows.append(Result("abstain", "m", "d", condition, "payoff", 0.1, 0.0, 0.2, 60, 60, ""))
        of_target = str(Condition(confidence_target=target))
        rows.append(
            Result(
                "abstain",
                "m",
                "d",
                of_target,
                "unread_share",
                share,
                math.nan,
                math.nan,
                60,
                60,
                "",
            )
        )
    rows.append(
        Result("abstain", "m", "d", "", "unread_share", 0.5, math.nan, math.nan, 120, 120, "")
    )
    matrix = matrix_of(table_of(rows), ["m"])
    (line,) = matrix.lines
    shares = {}
    for column, number in zip(matrix.columns, line.numbers, strict=True):
        assert number is not None
        shares[column.heading] = number.unread
    assert sorted(shares.values()) == ["0%", "100%"]


def test_a_page_of_one_model_has_no_ranks_and_names_it_in_its_title(tmp_path: Path) -> None:
    """The question is not which model; each heading has its data set, n and a definition."""
    page = write_report(small_judgments("vendor/a"), tmp_path, resamples=100).read_text("utf-8")
    assert "<title>Confidence of vendor/a in 2 studies</title>" in page
    assert "Does it know what it knows?" in page
    assert "Which model" not in page
    assert "rank" not in page[page.index("board-legend") : page.index("<nav")]
    headings = re.findall(
        r'<th scope="col" data-study="\w+"><span .*? aria-describedby="(.*?)">.*?</span>'
        r'<small>(.*?)</small><span class="tip" role="tooltip" id="(.*?)">(.*?)</span>',
        page,
    )
    assert headings
    for described_by, subheading, place, definition in headings:
        assert re.match(r"\w+, n\s=\s\d+(; |$)", subheading), subheading
        assert described_by == place
        of_metric = unescape(definition).removesuffix(" Intervals often wider than 95% needs.")
        assert of_metric in set(attributes_of(METRICS.values(), "definition"))


def row_of(model: str, value: float, low: float, high: float, metric: str = "ece") -> Result:
    """A headline number of the scale study."""
    identifiers = ("scale_variants", model, "mine", "scale=0-100", metric)
    return Result(*identifiers, value, low, high, 60, 60, "")


@pytest.mark.parametrize(
    ("metric", "value", "ends", "expected"),
    [
        ("overconfidence", -0.007, (-0.2, 0.2), ("-0.7 pts", "-20.0, +20.0")),
        ("overconfidence", 0.1749, (0.088, 0.261), ("+17 pts", "+9, +26")),
        # The sign of an end is seen, and that of 0 is not.
        ("overconfidence", 0.05, (0.003, 0.1), ("+5.0 pts", "+0.3, +10.0")),
        ("overconfidence", 1e-14, (-0.3, 0.09), ("0 pts", "-30, +9")),
        ("coverage", 0.004, (0.0, 0.0371), ("0.4%", "0.0, 3.7")),
        ("coverage", 0.996, (0.96, 0.9996), ("99.6%", "96.0, 100.0")),
        ("coverage", 0.5, (0.004, 0.98), ("50%", "0, 98")),
        ("withdraw_delta", 0.0, (-12.06, 14.87), ("0.0", "-12.1, 14.9")),
        ("withdraw_delta", 0.5, (-0.06, 4.87), ("0.50", "-0.06, 4.87")),
    ],
)
def test_a_number_and_its_interval_have_the_same_decimals(
    metric: str, value: float, ends: tuple[float, float], expected: tuple[str, str]
) -> None:
    """Of shares near 0 and 1, of points, and of other numbers."""
    assert format_with_interval(metric, value, *ends) == expected


def test_values_that_differ_in_the_last_bits_are_rounded_alike() -> None:
    """A mean of 0.485 is printed alike, whichever way its sum was computed."""
    texts = {format_with_interval("accuracy", 0.485 + change)[0] for change in (-1e-16, 0, 1e-16)}
    assert len(texts) == 1


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.sampled_from(["overconfidence", "coverage", "ece", "meta_d", "brier"]),
    st.lists(st.floats(-1, 1), min_size=3, max_size=3),
)
def test_all_numbers_have_the_decimals_of_their_intervals(metric: str, ends: list[float]) -> None:
    """Of both functions that write an interval."""
    low, value, high = sorted(ends)
    for write in (format_with_interval, format_difference):
        decimals = {
            len(number.partition(".")[2])
            for text in write(metric, value, low, high)
            for number in re.findall(r"[\d.]+", text)
        }
        assert len(decimals) == 1


def test_ranks_without_resamples_follow_from_the_intervals() -> None:
    """Of a 0 to .1, b .05 to .2, c .5 to .6, d without one: a and b are 1 to 3, c is 3 or 4."""
    rows = [
        row_of("a", 0.05, 0, 0.1),
        row_of("b", 0.12, 0.05, 0.2),
        row_of("c", 0.55, 0.5, 0.6),
        row_of("d", 0.3, math.nan, math.nan),
    ]
    ranked = headline_ranks(table_of(rows), list("abcd"), {})
    ends = [(ranked[row].low, ranked[row].high) for row in range(3)]
    assert ends == [(1, 3), (1, 3), (3, 4)]
    assert attributes_of(entries_of(ranked, range(4)).values(), "rank") == [1, 2, 4, 3]
    assert math.isnan(ranked[3].low)
    assert ranked[3].note == "no rank interval: the value has none"


def ranked_matrix(rows: list[Result], models: list[str]) -> Matrix:
    """The matrix of rows, with ranks by their intervals."""
    table = table_of(rows)
    return matrix_of(table, models, headline_ranks(table, models, {}))


SOURCE = "(scale_variants on mine, n = 60)"
"""Task, data set and n of the rows of `row_of`."""


def test_the_best_and_the_worst_model_are_shaded_and_named() -> None:
    """The best of three is shaded so, the worst too; the sentence names both."""
    rows = [row_of("a", 0.05, 0, 0.1), row_of("b", 0.2, 0.15, 0.25), row_of("c", 0.35, 0.3, 0.4)]
    matrix = ranked_matrix(rows, ["c", "b", "a"])
    numbers = {line.key: line.numbers[0] for line in matrix.lines}
    assert attributes_of(numbers, "model") == ["c", "b", "a"]
    shades = {key.model: number.rank.shade for key, number in numbers.items() if number}
    assert shades == {"a": "better", "b": "", "c": "worse"}
    assert matrix.columns[0].definition.endswith(". Intervals often wider than 95% needs.")
    (sentence,) = study_sentences(matrix)
    assert "".join(attributes_of(sentence, "text")) == (
        f"ECE on 0-100 {SOURCE}: lowest for a, 0.05 [0.00, 0.10]; highest for c, 0.35 "
        "[0.30, 0.40]; the first is lower than each of the 2 others, beyond chance."
    )


def test_each_task_of_a_study_has_a_sentence_on_its_first_number() -> None:
    """A metric of two tasks has two sentences, before any on the second metric of a task."""
    parts = [("life_eval", "ece"), ("question_sets", "ece"), ("question_sets", "auroc")]
    rows = []
    for task, metric in parts:
        for model in "ab":
            rows.append(Result(task, model, "mine", "", metric, 0.3, 0.2, 0.4, 60, 60, ""))
    texts = [
        "".join(attributes_of(sentence, "text"))
        for sentence in study_sentences(ranked_matrix(rows, ["a", "b"]))
    ]
    assert [text.partition(" (")[0] for text in texts] == ["LifeEval: ECE", "Question sets: ECE"]


def test_a_sentence_on_two_models_says_what_n_can_show() -> None:
    """A shown difference, one within chance, two equal numbers, and numbers without intervals."""
    no_ends = math.nan, math.nan
    ends = {
        "apart": (row_of("a", 0.05, 0, 0.1), row_of("b", 0.35, 0.3, 0.4)),
        "close": (row_of("a", 0.05, 0, 0.3), row_of("b", 0.15, 0, 0.4)),
        "equal": (row_of("a", 0.1, 0, 0.3), row_of("b", 0.1, 0, 0.3)),
        "untested": (row_of("a", 0.1, *no_ends), row_of("b", 0.2, *no_ends)),
        "one interval": (
            replace(
                row_of("a", 0.1, *no_ends), note="no interval: every resample gave the same value"
            ),
            row_of("b", 0.35, 0.3, 0.4),
        ),
        "few": tuple(
            replace(row_of(name, v, *no_ends), n=5) for name, v in (("a", 0.1), ("b", 0.2))
        ),
        "three close": tuple(row_of(name, 0.1 * k, 0, 0.5) for k, name in enumerate("abc")),
        "three": tuple(row_of(name, 0.1 * k, *no_ends) for k, name in enumerate("abc")),
        "one ranked": (
            row_of("a", 0.05, 0, 0.1),
            row_of("b", 0.35, 0.3, 0.4),
            row_of("c", 0.4, *no_ends),
        ),
    }
    texts = {}
    for name, rows in ends.items():
        (sentence,) = study_sentences(ranked_matrix(list(rows), attributes_of(rows, "model")))
        texts[name] = "".join(attributes_of(sentence, "text"))
    assert texts["apart"].endswith("0.35 [0.30, 0.40]; the difference is beyond chance.")
    # Without a shown difference no model is called the best: the values are in order of size.
    heading = f"ECE on 0-100 {SOURCE}: "
    assert texts["close"] == (
        f"{heading}0.05 [0.00, 0.30] for a, 0.15 [0.00, 0.40] for b; "
        "it is not shown which is lower."
    )
    assert texts["three close"] == (
        f"{heading}from 0.00 [0.00, 0.50] for a to 0.20 [0.00, 0.50] for c; "
        "it is not shown which is best."
    )
    ending = "no interval, so not ranked here; `compare` tests the difference"
    assert texts["untested"] == f"{heading}0.10 for a, 0.20 for b; {ending}."
    assert texts["one interval"] == (
        f"{heading}0.10 for a, 0.35 [0.30, 0.40] for b; not ranked here; `compare` tests the "
        "difference."
    )
    assert texts["three"] == f"{heading}from 0.00 for a to 0.20 for c; {ending}s."
    # 5 items are too few for `compare`, too.
    assert texts["few"] == (
        "ECE on 0-100 (scale_variants on mine, n = 5): 0.10 for a, 0.20 for b; "
        "the difference is not tested."
    )
    # The highest value has no interval: the sentence is on the others.
    assert texts["one ranked"] == (
        f"{heading}lowest for a, 0.05 [0.00, 0.10]; highest for b, 0.35 [0.30, 0.40]; the "
        "difference is beyond chance; 1 model without an interval left out."
    )
    assert texts["equal"] == f"ECE on 0-100 {SOURCE}: 0.10 [0.00, 0.30] for both models."


def sentence_on(metric: str, *values: tuple[float, float]) -> str:
    """The sentence on models a, b, ... with these values and half widths of their intervals."""
    rows = [
        row_of(name, value, value - half, value + half, metric)
        for name, (value, half) in zip("abcdefgh", values, strict=False)
    ]
    (sentence,) = study_sentences(ranked_matrix(rows, attributes_of(rows, "model")))
    return "".join(attributes_of(sentence, "text"))


def test_of_several_models_that_may_be_the_best_none_is_called_so() -> None:
    """Up to three are named; those shown to be worse have a verdict of their own."""
    two, three = (0.8, 0.02), (0.79, 0.02)
    assert sentence_on("auroc", two, three, (0.6, 0.02)) == (
        f"AUROC on 0-100 {SOURCE}: it is not shown which is highest, a, 0.80 [0.78, 0.82], or b, "
        "0.79 [0.77, 0.81]; c, 0.60 [0.58, 0.62], is lower than both, beyond chance."
    )
    assert sentence_on("auroc", two, three, (0.78, 0.02), (0.6, 0.02), (0.5, 0.02)) == (
        f"AUROC on 0-100 {SOURCE}: it is not shown which is highest, a, 0.80 [0.78, 0.82], b, 0.79 "
        "[0.77, 0.81], or c, 0.78 [0.76, 0.80]; lowest for e, 0.50 [0.48, 0.52]; each of the 2 "
        "others is lower than each of them, beyond chance."
    )
    assert sentence_on("ece", *[(0.1, 0.05)] * 3, (0.11, 0.05), (0.4, 0.05)) == (
        f"ECE on 0-100 {SOURCE}: it is not shown which of 4 models is lowest, from 0.10 "
        "[0.05, 0.15] for a to 0.11 [0.06, 0.16] for d; e, 0.40 [0.35, 0.45], is higher "
        "than each of them, beyond chance."
    )
    assert sentence_on("overconfidence", (0.03, 0.05), (-0.04, 0.05), (0.6, 0.05)) == (
        f"Overconfidence on 0-100 {SOURCE}: it is not shown which is nearest to 0, a, +3 pts "
        "[-2, +8], or b, -4 pts [-9, +1]; c, +60 pts [+55, +65], is farther from it than both, "
        "beyond chance."
    )
    # b is so uncertain that only a is shown to be better than c.
    assert sentence_on("auroc", (0.8, 0.02), (0.7, 0.3), (0.6, 0.02)).endswith(
        "; c, 0.60 [0.58, 0.62], is lower than one of them, beyond chance."
    )
    # All d is worse than is a: the worst value is not named as shown to be the worst.
    assert sentence_on("auroc", (0.8, 0.02), (0.7, 0.01), (0.69, 0.01), (0.5, 0.35)) == (
        f"AUROC on 0-100 {SOURCE}: it is not shown which is highest, a, 0.80 [0.78, 0.82], or d, "
        "0.50 [0.15, 0.85]; each of the 2 others is lower than at least one model, beyond chance."
    )


def test_a_finding_without_ranks_names_no_best_model_but_the_command_that_tests() -> None:
    """Overconfidence, which is best at 0: values in order of size; judges are not compared."""
    rows = [
        row_of(name, value, value - 0.1, value + 0.1, "overconfidence")
        for name, value in (("a", 0.01), ("b", -0.2))
    ]
    values = "-20 pts [-30, -10] for b, +1 pt [-9, +11] for a"
    finding = "".join(attributes_of(study_finding(table_of(rows), "scale_variants"), "text"))
    assert finding == (
        f"Overconfidence on 0-100: {values} {SOURCE}; `compare` tests the difference."
    )
    three = [*rows, row_of("c", 0.3, 0.2, 0.4, "overconfidence")]
    finding = "".join(attributes_of(study_finding(table_of(three), "scale_variants"), "text"))
    assert finding == (
        "Overconfidence on 0-100: from -20 pts [-30, -10] for b to +30 pts [+20, +40] for c "
        f"{SOURCE}; `compare` tests the differences."
    )
    stray = replace(row_of("d", -1, math.nan, math.nan, "overconfidence"), n=1)
    finding = "".join(
        attributes_of(study_finding(table_of([*three, stray]), "scale_variants"), "text")
    )
    assert finding == (
        "Overconfidence on 0-100: from -20 pts [-30, -10] for b to +30 pts [+20, +40] for c "
        f"{SOURCE}; `compare` tests the differences; 1 model without an interval left out."
    )
    judged = [
        replace(row, model="a", condition=f"{row.condition};judge={judge}")
        for row, judge in zip(rows, "xy", strict=True)
    ]
    finding = "".join(attributes_of(study_finding(table_of(judged), "scale_variants"), "text"))
    assert finding.endswith(f" {SOURCE}.")


def test_a_sentence_over_several_data_sets_names_them_or_their_number() -> None:
    """Names and sizes of pooled sets up to 40 characters; then their number, never a part of it."""
    rows = [row_of(name, value, 0, 1, "overconfidence") for name, value in (("a", 0.1), ("b", 0.2))]

    def source(dataset: str, note: str = "") -> str:
        changed = [replace(row, dataset=dataset, note=note) for row in rows]
        (sentence,) = study_sentences(ranked_matrix(changed, ["a", "b"]))
        return "".join(attributes_of(sentence, "text")).partition(": ")[0]

    heading = "Overconfidence on 0-100 (scale_variants, "
    assert source("mean") == f"{heading}mean of the data sets, n = 60)"
    assert source("pooled", "pooled: x 1,000, y 60") == f"{heading}pooled (x 1,000, y 60), n = 60)"
    sizes = ", ".join(f"set-{k} 1,000" for k in range(8))
    assert source("pooled", f"pooled: {sizes}") == f"{heading}pooled (8 data sets), n = 60)"


def test_a_finding_promises_only_the_tests_that_compare_makes() -> None:
    """`compare` tests within data sets, never their mean; overconfidence needs 20 items."""
    rows = [row_of(name, value, 0, 1, "overconfidence") for name, value in (("a", 0.1), ("b", 0.2))]

    def ending(dataset: str, *counts: int, note: str = "") -> str:
        changed = [
            replace(row, dataset=dataset, n=n, note=note)
            for row, n in zip(rows, counts, strict=True)
        ]
        parts = study_finding(table_of(changed), "scale_variants")
        return "".join(attributes_of(parts, "text")).rpartition(")")[2]

    assert ending("mean", 60, 60) == "; `compare` tests the difference data set by data set."
    assert ending("mine", 20, 20) == "; `compare` tests the difference."
    assert ending("mine", 60, 19) == "."
    assert ending("mean", 19, 19) == "."
    # Groups of judgments, which the note counts, are what is resampled.
    assert ending("mine", 60, 60, note="interval over 19 groups of like prompts") == "."
    assert ending("mine", 60, 60, note="interval over 20 groups of like prompts") != "."
    assert ending("mine", 60, 60, note="no interval: fewer than 10 groups of like prompts") == "."
    assert ending("mine", 60, 60, note="no interval: every resample gave the same value") != "."


def test_each_variant_has_a_line_and_an_undefined_metric_no_column() -> None:
    """A number that no model has makes no column; one that a model lacks leaves its cell empty."""
    low = row_of("a", 0.05, 0, 0.1)
    rows = [
        replace(low, condition=f"{low.condition};variant=effort%3Dlow"),
        replace(low, condition=f"{low.condition};variant=effort%3Dhigh"),
        row_of("b", math.nan, math.nan, math.nan, "auroc"),
        row_of("c", 0.7, 0.6, 0.8, "overconfidence"),
    ]
    matrix = matrix_of(table_of(rows), ["a", "b", "c"])
    assert set(attributes_of(matrix.columns, "metric")) == {"ece", "overconfidence"}
    assert attributes_of(matrix.lines, "key") == [
        LineKey("a", "effort=high"),
        LineKey("a", "effort=low"),
        LineKey("c"),
    ]
    metrics = attributes_of(matrix.columns, "metric")
    for line, has in zip(matrix.lines, ("ece", "ece", "overconfidence"), strict=True):
        has_number = [number is not None for number in line.numbers]
        assert has_number == [metric == has for metric in metrics]


def models_of(board: Matrix) -> list[str]:
    """The model of each line."""
    return attributes_of(board.lines, "key.model")


def test_models_of_other_studies_have_a_board_of_their_own() -> None:
    """Two models in one study and two in another share no cell; one more in both joins neither."""
    rows: list[Result] = []
    for model, ece in (("a", 0.1), ("b", 0.2)):
        rows.append(Key("question_sets", model, "d").result({}, "ece", ece, n=9))
    for model, coverage in (("c", 0.0), ("d", -0.3)):
        key = Key("fermi_eval", model, "d")
        rows.append(key.result(_DIRECT_90, "coverage_gap", coverage, n=9))
    boards = boards_of(matrix_of(table_of(rows), ["a", "b", "c", "d"]))
    assert sorted(map(models_of, boards)) == [["a", "b"], ["c", "d"]]
    # Of a, b and c in two columns, one cell of six is empty, which is at most a third.
    del rows[2:]
    for model in ("a", "b", "c"):
        key = Key("fermi_eval", model, "d")
        rows.append(key.result(_DIRECT_90, "coverage_gap", -0.1, n=9))
    (board,) = boards_of(matrix_of(table_of(rows), ["a", "b", "c"]))
    assert [line.numbers.count(None) for line in board.lines] == [0, 0, 1]
    # Of four models in three columns and one in another, six cells of twenty are empty.
    rows = []
    values = (("ece", 0.1), ("auroc", 0.8), ("overconfidence", 0.1))
    for model, (metric, value) in product("abcd", values):
        rows.append(Key("question_sets", model, "d").result({}, metric, value, n=9))
    rows.append(Key("fermi_eval", "e", "d").result(_DIRECT_90, "coverage_gap", -0.1, n=9))
    boards = boards_of(matrix_of(table_of(rows), list("abcde")))
    assert ["e"] in list(map(models_of, boards))


def test_a_ranked_board_is_sorted_by_its_first_column_and_marks_ties() -> None:
    """ECE of .1, .2, .2 and none are ranks 1, 2, 2 and none."""
    values = {"a": 0.2, "b": math.nan, "c": 0.1, "d": 0.2}
    rows = [
        Key("question_sets", model, "d").result({}, "ece", value, n=9)
        for model, value in values.items()
    ]
    (board,) = boards_of(ranked_matrix(rows, list(values)), ranked=True)
    assert models_of(board) == ["c", "a", "d", "b"]
    assert board.rank_texts == ["1", "2=", "2=", ""]


_DIRECT_90 = {"level": "90", "method": "direct"}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.sampled_from(["overconfidence", "coverage", "ece", "payoff", "withdraw_delta"]),
    st.lists(st.floats(-1, 1), min_size=2, max_size=2),
    st.floats(0, 0.5),
)
def test_two_values_and_their_difference_have_the_same_decimals(
    metric: str, values: list[float], half_width: float
) -> None:
    """They can be subtracted as they are printed, whatever digits each has alone."""
    a, b = values
    difference = (a - b, a - b - half_width, a - b + half_width)
    texts = [format_minuend(metric, value, *difference) for value in values]
    texts += format_difference(metric, *difference)
    numbers = re.findall(r"[\d.]+", " ".join(texts))
    assert len({len(number.partition(".")[2]) for number in numbers}) == 1


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        ("overconfidence", (0.484, -0.002), ("+48 pts", "0 pts", "+49 pts")),
        ("payoff", (-3.4, 0.12), ("-3.4", "0.1", "-3.5")),
        ("withdraw_delta", (0.0, 44.2), ("0.0 pts", "+44.2 pts", "-44.2 pts")),
        ("wasserstein", (15.0, 2.0), ("15.0 pts", "2.0 pts", "+13.0 pts")),
    ],
)
def test_the_difference_decides_the_decimals_of_both_values(
    metric: str, values: tuple[float, float], expected: tuple[str, str, str]
) -> None:
    """By hand: shares in whole points, and other numbers of 2 and more with one decimal."""
    a, b = values
    texts = [format_minuend(metric, value, a - b) for value in values]
    assert (*texts, format_difference(metric, a - b)[0]) == expected
