"""Files of answers that others gathered: whose they are, what their columns mean, the atlas."""

from __future__ import annotations

import json
import re
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from build import path_or_skip, rows_with
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.results import Condition
from inspect_confidence.studies import SELF_DESCRIBING, Recorded
from runs import printed
from studies.frames import result_row, value

SURE = [0.9, 0.8, 0.8, 0.6, 0.3, 0.0]
RIGHT = [1, 1, 0, 1, 0, 0]


def write_columns(folder: Path, ending: str = "csv", /, **columns: Any) -> Path:
    """A file with these columns beside confidence and correct of six items."""
    frame = pd.DataFrame({"item": range(6), "confidence": SURE, "correct": RIGHT, **columns})
    frame = frame.drop(columns=[name for name in columns if columns[name] is None])
    path = folder / f"mine.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    return path


def task_of(path: Path, recorded: Recorded = SELF_DESCRIBING) -> str:
    """Of what task a file's judgments are."""
    (task,) = read_judgments(path, recorded=recorded)
    return task


def refused(path: Path, **recorded: Any) -> str:
    """The one line that a file ends in."""
    with pytest.raises(InvalidArgument) as caught:
        read_judgments(path, recorded=Recorded(**recorded))
    message = caught.value.format_message()
    assert "\n" not in message
    return message


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_item_confidence_and_correct_are_any_evals(ending: str, tmp_path: Path) -> None:
    """They are enough for all that needs no raw report; 0 stays 0."""
    path = write_columns(tmp_path, ending)
    assert task_of(path) == "any_eval"
    results, condition = summarize(path, resamples=20), "method=recorded"
    assert value(results, condition, "mean_confidence") == pytest.approx(np.mean(SURE))
    assert value(results, condition, "auroc") == pytest.approx(roc_auc_score(RIGHT, SURE))
    brier = np.mean(np.subtract(SURE, RIGHT) ** 2)
    assert value(results, condition, "brier") == pytest.approx(brier)
    assert (value(results, condition, "accuracy"), value(results, condition, "n")) == (0.5, 6)
    assert not set(results["metric"]) & {"entropy_bits", "top1_share", "utilization"}
    assert np.isnan(result_row(results, condition, "violation_rate")["value"])


@pytest.mark.parametrize(
    "right",
    [["True", "TRUE", "False", "true", "false", "FALSE"], [True, True, False, True, False, False]],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_right_or_wrong_in_words(right: list[Any], ending: str, tmp_path: Path) -> None:
    """As spreadsheets and frames write it; another word is refused by its column."""
    rows = read_judgments(write_columns(tmp_path, ending, correct=right))["any_eval"]
    assert rows["correct"].tolist() == RIGHT
    message = refused(write_columns(tmp_path, ending, correct=["maybe"] * 6))
    assert "'maybe' in the column 'correct' is not a grade such as 1, yes, C" in message


def test_mistakes_of_two_columns_are_told_at_once(tmp_path: Path) -> None:
    """One repair of the file is enough: the error names both columns, and the remedy once."""
    sides = {
        "confidence": [0.9, "high", 0.8, 0.7, 0.6, 0.5],
        "correct": [1, 0, "maybe", 1, "so", 1],
    }
    path = write_columns(tmp_path, **sides)
    assert refused(path) == (
        f"{path}: line 3: 'high' in the column 'confidence' is not a number; line 4: 'maybe' in "
        "the column 'correct' is not a grade such as 1, yes, C, correct or 0.5 (1 more is like it: "
        "line 6); correct the cell, or leave it empty."
    )


def test_correct_follows_from_answer_and_target(tmp_path: Path) -> None:
    """As in the scale study's files; an answer that lacks is unreadable."""
    sides = {"answer": [*list("ABCDA"), ""], "target": list("ABDDDC")}
    path = write_columns(tmp_path, correct=None, **sides)
    assert task_of(path) == "any_eval"
    results = summarize(path, resamples=20)
    assert value(results, "method=recorded", "accuracy") == pytest.approx(3 / 5)
    assert value(results, "method=recorded", "format_failure_rate") == pytest.approx(1 / 6)


def test_whose_a_file_is(tmp_path: Path) -> None:
    """Reports on a scale are the scale study's, unless something says that they are another's."""
    raw = {"confidence": None, "raw": [9, 8, 8, 6, 3, 0], "low": 0, "high": 10}
    assert task_of(write_columns(tmp_path, **raw)) == "scale_variants"
    assert task_of(write_columns(tmp_path, **raw, method="stated")) == "any_eval"
    assert task_of(write_columns(tmp_path, **raw, kind="x"), Recorded(by=("kind",))) == "any_eval"
    assert task_of(write_columns(tmp_path, **raw, task="any_eval")) == "any_eval"
    assert task_of(write_columns(tmp_path, task="scale_variants")) == "scale_variants"


def test_a_scale_that_is_said(tmp_path: Path) -> None:
    """Confidence or raw on 0-10; without the option both are refused with the remedy."""
    tens = [9, 8, 8, 6, 3, 0]
    for columns in ({"confidence": tens}, {"confidence": None, "raw": tens}):
        path = write_columns(tmp_path, **columns)
        rows = read_judgments(path, recorded=Recorded(scale=(0, 10)))
        results = summarize(rows, resamples=20)
        mean = value(results, "method=recorded;scale=0-10", "mean_confidence")
        assert mean == pytest.approx(np.mean(SURE))
    unsaid = refused(path)
    assert (
        "5 of 6 values of 'raw' not in 0-1, such as 9 in line 2; give the scale, such as" in unsaid
    )
    below = refused(write_columns(tmp_path, confidence=None, raw=[-0.5, 0.5, 0.7, 0.9, -2, 3]))
    assert "3 of 6 values of 'raw' not in 0-1, such as -0.5 in line 2; give the scale" in below
    stderr = printed("summarize", write_columns(tmp_path, confidence=tens), code=2).stderr
    assert "confidence=9 is not in [0, 1]" in stderr
    assert "name their scale, as --confidence-scale 0-100" in stderr


def test_notices_have_the_order_of_the_columns(tmp_path: Path) -> None:
    """Whatever the order of their names; five columns of other tools are left out."""
    names = ["unseen_mass", "draws", "ordinal", "choices", "clipped"]
    for order in (names, names[::-1]):
        path = write_columns(tmp_path, **dict.fromkeys(order, "some text"))
        notices = " ".join(read_judgments(path).notices)
        assert re.findall(r"the column '(\w+)' holds other values", notices) == order


def test_columns_take_their_names(tmp_path: Path) -> None:
    """What was called so before is dropped, two may change places, one may serve twice."""
    path = write_columns(tmp_path, sure=SURE[::-1], answer=list("ABCDEF"), target=list("UVWXYZ"))
    columns = {"confidence": "sure", "answer": "target", "target": "answer", "split": "sure"}
    settings = Recorded(columns=columns, by=("target", "sure"))
    rows = read_judgments(path, recorded=settings)["any_eval"]
    assert rows["confidence"].tolist() == SURE[::-1]
    assert (rows["answer"][0], rows["target"][0], rows["split"][3]) == ("U", "A", "0.8")
    assert Condition.read(rows["by"][0]) == {"target": "U", "sure": "0.0"}


def test_a_wrong_column_is_one_clear_error(tmp_path: Path) -> None:
    """It names the option, the file and the nearest column."""
    path = write_columns(tmp_path, domain="x")
    for recorded, says in (
        ({"columns": {"correct": "corect"}}, "--column correct=corect"),
        ({"by": ("domian",)}, "--by domian"),
    ):
        message = refused(path, **recorded)
        assert message.startswith(f"{says}: {path} has no column")
        assert "Did you mean" in message
    moved = refused(path, columns={"confidence": "correct"})
    assert "no column 'correct'; its columns after --column are 'item', " in moved
    wrong = refused(path, columns={"corect": "correct"})
    assert wrong == "--column corect: no column has that name. Did you mean 'correct'?"
    assert (
        "--column corect is not of the form NAME=COLUMN"
        in printed("summarize", path, "--column", "corect", code=2).stderr
    )
    assert (
        "--confidence-scale=9-3 is not a scale"
        in printed("summarize", path, "--confidence-scale", "9-3", code=2).stderr
    )


def test_what_is_said_of_logs_alone_is_told(tmp_path: Path) -> None:
    """A field of logs says nothing of a file."""
    stderr = printed("summarize", write_columns(tmp_path), "--confidence-from", "score.x").stderr
    note = "note: --confidence-from, --score and --outcome are for logs, --column is for files"
    assert note in stderr
    path = write_columns(tmp_path)
    assert note in printed("summarize", path, "--outcome", path).stderr


# The atlas

DOMAINS = {
    "applied_professional": "Applied",
    "factual_recall": "Factual",
    "formal_reasoning": "Formal",
    "humanities": "Human.",
    "natural_science": "Science",
    "social_moral": "Social",
}
PUBLISHED = {
    "anthropic/claude-haiku-4-5@20251001": "Haiku 4.5",
    "anthropic/claude-opus-4-5@20251101": "Opus 4.5",
    "anthropic/claude-opus-4-6@default": "Opus 4.6",
    "anthropic/claude-opus-4-7@default": "Opus 4.7",
    "anthropic/claude-sonnet-4@20250514": "Sonnet 4",
    "anthropic/claude-sonnet-4-5@20250929": "Sonnet 4.5",
    "anthropic/claude-sonnet-4-6@default": "Sonnet 4.6",
    "deepseek-ai/deepseek-r1-0528": "DeepSeek-R1",
    "deepseek-ai/deepseek-v3.1": "DeepSeek V3.1",
    "deepseek-ai/deepseek-v3.2": "DeepSeek V3.2",
    "google/gemini-2.5-flash": "Gemini 2.5 Flash",
    "google/gemini-3-flash-preview": "Gemini 3 Flash",
    "google/gemini-3.1-pro-preview": "Gemini 3.1 Pro",
    "google/gemma-4-31b": "Gemma 4 31B",
    "openai/gpt-oss-20b": "GPT-oss-20B",
    "qwen/qwen3-next-80b-a3b-thinking": "Qwen Think",
}


def test_the_screen_names_where_numbers_within_values_are(tmp_path: Path) -> None:
    """Main numbers are of all judgments; those of each domain are printed by metric."""
    path = tmp_path / "answers.csv"
    path.write_text("item,confidence,correct,domain\na,.9,1,x\nb,.8,0,y\n", "utf-8")
    hint = "Numbers for each value of --by are in --metric NAME"
    assert hint in printed("summarize", path, "--by", "domain").stdout
    assert hint not in printed("summarize", path).stdout
    of_metric = printed("summarize", path, "--by", "domain", "--metric", "accuracy").stdout
    lines = [line.split() for line in of_metric.splitlines()]
    # The judgments of all, then of each domain. Two numbers with other n have a column of them.
    assert ["Accuracy,", "recorded", "answers,"] in [line[:3] for line in lines]
    assert "domain=x" in of_metric
    assert [line[-2:] for line in lines if "[" in "".join(line)] == [
        ["2", "higher"],
        ["1", "higher"],
        ["1", "higher"],
    ]


def test_scores_without_a_scale_are_named_so(tmp_path: Path) -> None:
    """The heading of scores such as entropies, of which only the order counts."""
    path = tmp_path / "answers.csv"
    path.write_text("item,confidence,correct\na,3.9,1\nb,2.8,0\n", "utf-8")
    screen = printed("summarize", path, "--confidence-scale", "none").stdout
    assert "recorded answers on no scale: n = 2 judgments" in screen


def test_tables_in_a_folder_are_read_if_they_are_named(tmp_path: Path) -> None:
    """The error of a folder without logs names one of its tables, and no other file."""
    (tmp_path / "a.txt").write_text("notes", "utf-8")
    endings = "give Inspect's logs, a folder of them, or tables"
    assert endings in printed("summarize", tmp_path, code=2).stderr
    table = tmp_path / "runs" / "b.csv"
    table.parent.mkdir()
    table.write_text("item,score,correct\na,.9,1\nb,.8,0\n", "utf-8")
    for words in ((), ("--column", "confidence=score")):
        error = printed("summarize", tmp_path, *words, code=2).stderr
        assert f"name its tables, such as {table}." in error
    assert "n = 2 judgments" in printed("summarize", table, "--column", "confidence=score").stdout


def test_equal_numbers_share_an_interval_only_if_it_is_equal(tmp_path: Path) -> None:
    """Two models with one mean and accuracy: one sentence for both, unless one has less data."""
    path = tmp_path / "answers.csv"
    frames = []
    for model in "ab":
        cells = {"item": range(120), "confidence": [0.9, 0.7] * 60, "correct": [1, 0, 1, 1] * 30}
        frames.append(pd.DataFrame(cells).assign(model=model))
    pd.concat(frames).to_csv(path, index=False)
    assert "for both models" in printed("summarize", path).stdout
    pd.concat([frames[0], frames[1][:40]]).to_csv(path, index=False)
    screen = printed("summarize", path).stdout
    assert "for both models" not in screen
    finding = " ".join(screen.partition("\n\n")[0].split())
    assert re.findall(r"pts \[[^]]+\][ †]* for (\w)", finding) == ["a", "b"]


def test_a_column_of_words_is_named_as_in_the_file(tmp_path: Path) -> None:
    """Also if the file has another column with the name that `--column` gives to it."""
    path = tmp_path / "answers.csv"
    rows = "".join(f"q{k},.{k},1,high\n" for k in range(1, 9))
    path.write_text(f"item,confidence,correct,expert\n{rows}", "utf-8")
    error = printed("summarize", path, "--column", "confidence=expert", code=2).stderr
    assert "'high' in the column 'expert' is not a number (7 more" in error
    assert error.endswith("; name another column by --column NAME=COLUMN, or correct its cells.\n")


def test_confidence_in_words_is_to_be_written_as_probabilities(tmp_path: Path) -> None:
    """What a word means differs from person to person: none is taken for a number."""
    path = tmp_path / "answers.csv"
    path.write_text("item,confidence,correct\n" + "".join(f"q{k},likely,1\n" for k in range(8)))
    error = printed("summarize", path, code=2).stderr
    assert "'likely' in the column 'confidence' is not a number (7 more are like it" in error
    assert "; write words as probabilities, or name another column" in error


def test_a_sentence_has_the_n_of_all_its_numbers(tmp_path: Path) -> None:
    """Two of four answers have no confidence, and accuracy counts them."""
    path = tmp_path / "answers.csv"
    path.write_text("item,confidence,correct\na,,1\nb,,1\nc,.4,0\nd,.6,0\n", "utf-8")
    screen = " ".join(printed("summarize", path).stdout.split())
    assert "its confidence is 50% and it is right 50% [15, 85]" in screen  # Wilson by hand
    assert "(any_eval, n = 2 to 4)." in screen


def test_intervals_that_are_all_wide_are_named_together(tmp_path: Path) -> None:
    """ECE's intervals are often too wide: alone in a table they are not listed one by one."""
    path = tmp_path / "answers.csv"
    rows = "".join(f"{item},.{item % 10},{item % 3 % 2}\n" for item in range(60))
    path.write_text(f"item,confidence,correct\n{rows}", "utf-8")
    wide = "Intervals often wider than 95% needs: "
    assert f"{wide}all of this table." in printed("summarize", path, "--metric", "ece").stdout
    assert f"{wide}ECE." in printed("summarize", path).stdout


@pytest.fixture
def atlas(shared_data: Path) -> Path:
    """Verbalised confidence of 16 models on 1,500 items of MMLU."""
    return path_or_skip(shared_data / "atlas")


@pytest.mark.slow
def test_the_published_numbers_of_the_atlas(atlas: Path) -> None:
    """All 96 AUROC by domain, to four decimals, and the judgments that each rests on."""
    files = sorted(atlas.glob("metacognitive_profile_results*.csv"))
    assert len(files) == len(PUBLISHED) == 16
    columns = ("item=item_id", "correct=is_correct", "target=correct_answer")
    done = printed(
        *("summarize", *files, "--confidence-scale", "0-100", "--by", "domain", "--json"),
        *chain.from_iterable(product(["--column"], columns)),
        *("--resamples", 1),
    )
    rows = rows_with(json.loads(done.stdout), metric="auroc")
    value_by_metric = {}
    for row in rows:
        condition = Condition.read(row["condition"])
        assert (condition["method"], condition["scale"]) == ("recorded", "0-100")
        if "by" in condition:
            domain = DOMAINS[Condition.read(condition["by"])["domain"]]
            value_by_metric[PUBLISHED[row["model"]], domain] = (round(row["value"], 4), row["n"])
    table = pd.read_csv(atlas / "atlas_bootstrap_cis.csv")
    published_rows = table[table["model"].isin(PUBLISHED.values())]
    expected = {}
    for row in published_rows.to_dict("records"):
        expected[row["model"], row["domain"]] = (row["auroc"], row["n"])
    assert len(expected) == 96
    assert value_by_metric == expected


def test_a_headline_needs_replies_that_were_read(tmp_path: Path) -> None:
    """Of 20 rows 1 has a confidence, below the 10% that a sentence needs: only the note stays."""
    path = tmp_path / "mine.csv"
    rows = pd.DataFrame({"item": range(20), "confidence": [5.0, *[np.nan] * 19], "correct": 1})
    rows.to_csv(path, index=False)
    scale = ("--confidence-scale", "0-10")
    text = " ".join(printed("summarize", path, *scale).output.split())
    assert "19 of 20 replies could not be read, so that next to no number is defined." in text
    assert "its confidence is" not in text
    report = printed("report", path, *scale, "-o", tmp_path / "page").output
    assert "its confidence is" not in report
    rows.assign(confidence=5).to_csv(path, index=False)
    text = " ".join(printed("summarize", path, *scale).output.split())
    assert "its confidence is 50%" in text


def test_most_values_outside_a_scale_contradict_it(tmp_path: Path) -> None:
    """Percentages on 0-10 are a mistake of the option; up to half may be mistakes in the file."""
    values = {"item": range(20), "confidence": [60] * 11 + [5] * 9, "correct": 1}
    path = tmp_path / "mine.csv"
    pd.DataFrame(values).to_csv(path, index=False)
    output = printed("summarize", path, "--confidence-scale", "0-10", code=2).output
    assert "11 of 20 values outside 0-10, such as 60 in line 2; give the scale" in output
    pd.DataFrame(values).assign(confidence=[60] * 10 + [5] * 10).to_csv(path, index=False)
    output = printed("summarize", path, "--confidence-scale", "0-10").output
    assert "10 of 20 values are outside 0-10" in output


@pytest.mark.slow
def test_models_without_a_common_item_are_neither_ranked_nor_compared(tmp_path: Path) -> None:
    """Each row of a file without items is an item; with items, `compare` and ranks come back."""
    path = tmp_path / "mine.csv"
    rows = pd.DataFrame({"model": ["a"] * 30 + ["b"] * 30, "confidence": 0.9})
    rows["correct"] = [1] * 30 + [0, 0, 1] * 10  # 100% and 33%, far beyond chance
    rows.to_csv(path, index=False)
    clause = "; not compared: no two models answered the same item"

    def texts() -> tuple[str, str]:
        printed("report", path, "-o", tmp_path)
        html = (tmp_path / "index.html").read_text("utf-8")
        finding = printed("summarize", path).output
        return " ".join(finding.split()), " ".join(re.sub("<[^>]+>", "", html).split())

    finding, page = texts()
    assert clause in finding
    assert "`compare` tests" not in finding
    assert clause in page
    assert "beyond chance." not in page
    assert not re.search(r"rank [12] of 2", page)
    rows.assign(item=[*range(30), *range(30)]).to_csv(path, index=False)
    finding, page = texts()
    assert clause not in finding + page
    assert "`compare` tests the difference" in finding
    assert re.search(r"rank [12] of 2", page)
