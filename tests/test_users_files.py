"""Files as other tools write them: what they mean, through the command line."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Sequence
from itertools import chain, product, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import roc_auc_score

from build import numbered, path_or_skip, rows_by, texts_with
from inspect_confidence import summarize
from inspect_confidence.grades import is_same_answer
from inspect_confidence.judgments.read import judgments_of, read_judgments
from inspect_confidence.results import Condition
from inspect_confidence.studies import Recorded, all_tables
from inspect_confidence.studies.any_eval.judgments import complete_judgments
from runs import printed

ITEMS = 40
SURE = np.tile([50, 60, 70, 80, 90], ITEMS // 5)
RIGHT = np.tile([1, 0, 0, 1, 1], ITEMS // 5)
"""24 of 40 answers are right, at a mean confidence of .7."""


def write(path: Path, separator: str = ",", **columns: Any) -> Path:
    """A file of 40 items with confidence and correctness, and other columns in their place."""
    cells = {"item": numbered("q", ITEMS), "confidence": SURE, "correct": RIGHT, **columns}
    frame = pd.DataFrame({name: cell for name, cell in cells.items() if cell is not None})
    frame.to_csv(path, sep=separator, index=False)
    return path


def rows_of(*words: object) -> pd.DataFrame:
    """The results that summarize prints, each with its condition parsed."""
    done = printed("summarize", *words, "--json", "--resamples", 2)
    rows = pd.DataFrame(json.loads(done.stdout))
    return rows.assign(condition=rows["condition"].map(Condition.read).map(dict))


def values_by_model(rows: pd.DataFrame, metric: str) -> dict[str, float]:
    """The values of a metric."""
    chosen = rows[rows["metric"] == metric]
    return dict(zip(chosen["model"], chosen["value"], strict=True))


def value_of(metric: str, *words: object, model: str | None = None, **parts: str) -> float:
    """The value of a metric, NaN if it is undefined."""
    rows = rows_of(*words, "--metric", metric)
    rows = rows[rows["metric"] == metric]
    for row in rows.to_dict("records"):
        condition = row["condition"]
        is_chosen = parts.items() <= condition.items() and "by" not in condition
        if is_chosen and model in (None, row["model"]):
            return float(row["value"])
    raise AssertionError(metric)


def error_of(*words: object) -> str:
    """The error in which summarize ends; it has one line of less than 400 characters."""
    message = " ".join(printed("summarize", *words, code=2).stderr.split())
    message = message.partition("Error: ")[2]
    assert 0 < len(re.sub(r"\S*/", "", message)) < 400  # without folders
    return message


# Formats


@pytest.mark.slow
def test_separators_json_and_gzip_give_the_same_numbers(tmp_path: Path) -> None:
    """Also bars, records by line, under a name and by id, columns by name, UTF-16, and packed."""
    separated = {"a.tsv": "\t", "b.csv": "\t", "c.csv": ";", "d.txt": "|", "e.csv": ","}
    paths = [write(tmp_path / name, separator) for name, separator in separated.items()]
    frame = pd.read_csv(paths[-1])
    records = frame.to_dict("records")
    by_id = {record["item"]: {**record} for record in records}
    texts = {
        "f.jsonl": "\n".join(map(json.dumps, records)),
        "g.json": json.dumps(records),
        "h.json": json.dumps({"config": {"k": 1}, "results": records}),
        "i.json": json.dumps(by_id),
        "k.json": frame.to_json(),
        "l.json": json.dumps(frame.to_dict("list")),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "m.csv").write_bytes(paths[0].read_text("utf-8").encode("utf-16"))
    for name in ("e.csv", "f.jsonl", "g.json"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    frame.to_parquet(tmp_path / "j.parquet")
    rows = rows_of(*sorted(tmp_path.iterdir()), "--confidence-scale", "0-100")
    accuracy = values_by_model(rows, "accuracy")
    assert len(accuracy) == 16
    assert set(accuracy.values()) == {0.6}
    assert list(values_by_model(rows, "mean_confidence").values()) == pytest.approx([0.7] * 16)


def test_decimal_commas_of_files_with_semicolons_are_read(tmp_path: Path) -> None:
    """With points for thousands, and in percentages."""
    shares = [f"{sure / 100:.3f}".replace(".", ",") for sure in SURE]
    path = write(tmp_path / "mine.csv", ";", confidence=shares)
    assert value_of("mean_confidence", path) == pytest.approx(0.7)
    path = write(tmp_path / "mine.csv", ";", confidence=[f"{sure},0 %" for sure in SURE])
    assert value_of("mean_confidence", path, scale="0-100") == pytest.approx(0.7)


def test_what_spreadsheets_add_to_a_table_changes_nothing(tmp_path: Path) -> None:
    """A line with the separator, empty rows and columns, and an ending in capitals."""
    shares = [f"{sure / 100}".replace(".", ",") for sure in SURE]
    lines = write(tmp_path / "mine.csv", ";", confidence=shares).read_text("utf-8").splitlines()
    added = [f"{line};;" for line in ["sep=;", *lines[:5], ";;", *lines[5:], ";;"]]
    path = tmp_path / "MINE.CSV"
    path.write_text("\r\n".join(added).replace("sep=;;;", "sep=;"), "utf-8-sig")
    judgments = read_judgments(path)
    assert judgments.notices == (f"{path}: 2 empty rows were left out",)
    frame = judgments["any_eval"]
    assert frame["confidence"].mean() == pytest.approx(0.7)
    assert (len(frame), frame["correct"].sum()) == (40, 24)
    assert set(frame["model"]) == {"MINE"}
    # The line of the ninth answer, after the separator, the header and an empty row.
    path.write_text(path.read_text("utf-8").replace("q8;0,8", "q8;about 0,8"), "utf-8")
    assert "line 12: 'about 0,8' in the column 'confidence'" in error_of(path)


def test_missing_fields_of_by_are_named_as_in_csv_files(tmp_path: Path) -> None:
    """A row with a missing cell is of no value, not of one called `nan`; the text `none` is one."""
    fields = ["law", "none", None, "math"] * (ITEMS // 4)
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, model=["m"] * ITEMS, domain=fields)
    frame = pd.read_csv(path, keep_default_na=False)
    frame["domain"] = frame["domain"].mask(frame["domain"] == "", None)
    frame.to_parquet(tmp_path / "mine.parquet")
    by_domain = Recorded(by=("domain",))
    (expected,) = read_judgments(path, recorded=by_domain).values()
    (judgments,) = read_judgments(tmp_path / "mine.parquet", recorded=by_domain).values()
    assert set(expected["by"]) == {"domain=law", "domain=none", "", "domain=math"}
    pd.testing.assert_series_equal(judgments["by"], expected["by"])


def test_shares_of_32_bits_are_the_decimals_they_stand_for(tmp_path: Path) -> None:
    """Else 0.9 lies below the edge of its bin, and the ECE is another one than of the csv file."""
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, model=["m"] * ITEMS)
    frame = pd.read_csv(path)
    frame["confidence"] = frame["confidence"].astype("float32")
    frame.to_parquet(tmp_path / "mine.parquet")
    (expected,) = read_judgments(path).values()
    (judgments,) = read_judgments(tmp_path / "mine.parquet").values()
    pd.testing.assert_frame_equal(judgments, expected, check_exact=True)
    (checked,) = judgments_of(expected.astype({"confidence": "float32"})).values()
    assert checked["confidence"].tolist() == expected["confidence"].tolist()


def test_fields_of_records_in_parquet_are_columns(tmp_path: Path) -> None:
    """As in json; a row may lack its record."""
    pairs = zip(SURE / 100, RIGHT == 1, strict=True)
    records = [{"conf": share, "is_correct": is_right} for share, is_right in pairs]
    table = pa.table({"id": numbered("q", ITEMS + 1), "meta": pa.array([*records, None])})
    pq.write_table(table, tmp_path / "mine.parquet")
    (frame,) = read_judgments(tmp_path / "mine.parquet").values()
    ok = frame[frame["status"] == "ok"]
    assert (len(frame), len(ok)) == (41, 40)
    assert (ok["confidence"].mean(), ok["correct"].mean()) == pytest.approx((0.7, 0.6))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", b'{"item": 1}\n{"item": \n', "1 line is no JSON record {...}; correct line 2"),
        ("a.jsonl", b"[1]\n", "1 line is no JSON record"),
        (
            "a.jsonl",
            b"[1]\n{}\nx\n",
            "2 lines are no JSON record {...}; correct line 1 and any others",
        ),
        ("a.csv", b"item\n1,2\n3\n4,5,6\n7,8\n", "the first line 1 (2 more rows too long)"),
        ("a.json", b'[{"item": 1}, 2]', "is not a list of records"),
        ("a.json", b"[" * 100_000, "nested too deep"),
        ("a.json", b"[]", "has no rows"),
        ("a.csv", b"", "has no rows"),
        ("a.csv", b"item,confidence,correct\n", "has no rows"),
        (
            "a.csv",
            b"# of us\nitem,confidence,correct\n1,0.5,1\n",
            "first line 1 (1 more row too long); the first line names",
        ),
        ("a.csv", "item,correct\n1,1\n".encode("utf-16-le"), "as UTF-16 without a byte order"),
        ("a.csv", b"Of us,,,\nitem,model,confidence,correct\n", "3 columns without a name"),
        ("a.csv", b"item,confidence,correct\n1,.5,1\n,.5,0", "line 3: the column 'item' is empty"),
        ("a.csv.gz", b"item", "can't be read"),
        ("a.csv.gz", gzip.compress(b"item,confidence,correct\n" + b"0" * 2**27), "unpacked"),
    ],
)
def test_damaged_files_are_refused_by_line_or_size(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    """A packed file is not unpacked beyond the limit of logs."""
    (tmp_path / name).write_bytes(content)
    assert says in error_of(tmp_path / name)


def test_mistakes_of_several_kinds_are_in_one_error(tmp_path: Path) -> None:
    """The kind in the most rows has its remedy; others follow if they fit, or are counted."""
    cells: dict[str, Any] = {
        "item": list(numbered("q", ITEMS)),
        "confidence": list(SURE / 100),
        "correct": list(RIGHT),
    }
    cells["confidence"][3] = "high"  # line 5
    cells["item"][9] = ""
    for row in (20, 30, 31):
        cells["confidence"][row] = 1.7
    for cell in cells.values():
        cell[12] = cell[11]
    message = error_of(write(tmp_path / "mine.csv", **cells))
    assert "line 22: confidence=1.7 is not in [0, 1] (2 more are like it: lines 32, 33)" in message
    assert message.endswith(
        "parse failure. Correct as well: line 5: 'high' in the column "
        "'confidence' is not a number; 2 more kinds of mistakes."
    )
    for row in (20, 30, 31):
        cells["confidence"][row] = 0.7
    cells["confidence"][3] = 0.7
    message = error_of(write(tmp_path / "mine.csv", **cells))
    assert "line 11: the column 'item' is empty; name the question in each row" in message
    assert message.endswith("Correct as well: line 14 is the same as line 13.")


def test_the_remedy_is_that_of_the_column_with_the_most_unreadable_cells(tmp_path: Path) -> None:
    """All confidences are words, and one grade is no grade."""
    path = write(tmp_path / "mine.csv", confidence=["likely"] * ITEMS, correct=["foo", *RIGHT[1:]])
    message = error_of(path)
    assert "'likely' in the column 'confidence' is not a number" in message
    assert "'foo' in the column 'correct'" in message
    assert "write words as probabilities" in message


# Names of columns


@pytest.mark.parametrize(
    "names",
    [
        ("question_id", "confidence", "is_correct"),
        ("id", "prob", "score"),
        ("Question ID", "Verbal Confidence", "isCorrect"),
        ("item_id", "p_true", "acc"),
        ("sample_id", "score", "correct"),
        ("question", "Confidence (%)", "exact_match"),
        ("Item", "Confidence", "Correct?"),
        ("id", "result.confidence", "result.is_correct"),
        ("meta.id", "model.verbalized_confidence", "eval.correct"),
        ("item.id", "conf.rating", "is.correct"),
    ],
)
def test_common_names_are_taken_with_a_notice(tmp_path: Path, names: tuple[str, ...]) -> None:
    """In any case, with blanks and in camel case."""
    path = write(tmp_path / "mine.csv")
    pd.read_csv(path).set_axis(names, axis="columns").to_csv(path, index=False)
    words = (path, "--confidence-scale", "0-100")
    assert value_of("accuracy", *words) == 0.6
    assert value_of("mean_confidence", *words) == pytest.approx(0.7)
    done = printed("summarize", *words, "--resamples", 2, "--metric", "n")
    notice = " ".join(done.stderr.split())
    for name, column in zip(("item", "confidence", "correct"), names, strict=True):
        assert f"{name}={column}" in notice or name == column


def test_a_column_that_lacks_is_named_with_the_option(tmp_path: Path) -> None:
    """Two that may both be meant are named, too."""
    path = write(tmp_path / "mine.csv", correct=None, ok=RIGHT)
    error = error_of(path, "--confidence-scale", "0-100")
    assert "there is no column 'correct'; its" in error
    assert "Name it: --column correct=COLUMN; docs/any_eval.md" in error
    assert (
        value_of("accuracy", path, "--confidence-scale", "0-100", "--column", "correct=ok") == 0.6
    )
    path = write(tmp_path / "mine.csv", confidence=None, conf_a=SURE, conf=SURE, certainty=SURE)
    assert "the columns conf, certainty may each be 'confidence'" in error_of(path)
    assert "--column confidence=conf" in error_of(path)
    grades: dict[str, Any] = {"Is correct?": RIGHT, "Was Right?": RIGHT}
    path = write(tmp_path / "mine.csv", correct=None, **grades)
    assert "--column 'correct=Is correct?'" in error_of(path)
    # A name that a judge's log has too does not make it one.
    path = write(tmp_path / "mine.csv", correct=None, label=RIGHT)
    assert "there is no column 'correct'; its" in error_of(path)


def test_rows_are_items_if_no_column_names_them(tmp_path: Path) -> None:
    """With a notice."""
    path = write(tmp_path / "mine.csv", item=None)
    words = (path, "--confidence-scale", "0-100")
    assert value_of("n", *words) == ITEMS
    assert "each row is one" in " ".join(printed("summarize", *words).stderr.split())


def test_the_index_that_pandas_writes_tells_which_rows_are_the_same_item(tmp_path: Path) -> None:
    """Rows of two files are paired by it in any order, and by their number if indices repeat."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"confidence": SURE / 100, "correct": RIGHT})
    other = frame.assign(confidence=1 - SURE / 200).sample(frac=1, random_state=rng)
    (first, second) = tmp_path / "a.csv", tmp_path / "b.csv"
    frame.to_csv(first)
    other.to_csv(second)
    words = ("--resamples", 20, "--csv", tmp_path / "out.csv")
    done = printed("compare", first, second, "--metric", "accuracy", *words)
    assert "the index in the first column tells which rows" in " ".join(done.stderr.split())
    out = pd.read_csv(tmp_path / "out.csv")
    # The pairs are equal answers: their difference has the interval of equal pairs, not of others.
    assert (out.loc[out["metric"] == "accuracy", "ci_high"] < 0.15).all()
    frame.set_axis([0] * ITEMS).to_csv(first)
    assert "the number of the row tells" in " ".join(printed("summarize", first).stderr.split())


@pytest.mark.parametrize("n_files", [3, 4])
def test_many_notices_that_differ_in_numbers_are_one(n_files: int, tmp_path: Path) -> None:
    """Three are printed; of four, the first stands for all."""
    files = []
    for k in range(n_files):
        sure = SURE.astype(float)
        sure[: k + 1] = np.nan
        files.append(write(tmp_path / f"m{k}.csv", confidence=sure))
    errors = printed("summarize", *files, "--confidence-scale", "0-100").stderr
    lines = texts_with(errors.splitlines(), "no confidence in")
    one_file = "no confidence in 1 of 40 rows: a parse failure each"
    if n_files == 3:
        assert len(lines) == 3
        assert lines[0] == f"note: {files[0]}: {one_file}"
    else:
        assert lines == [f"note: {files[0]}, and 3 more files with other numbers: {one_file}"]


@pytest.mark.parametrize("task", sorted(all_tables()))
def test_a_file_of_a_named_task_needs_its_columns(task: str, tmp_path: Path) -> None:
    """Whichever of the required columns it lacks is named, also the items."""
    table = all_tables()[task]
    path = tmp_path / "mine.csv"
    for lacking in table.required:
        cells = {name: ["a", "b"] for name in table.required if name != lacking}
        pd.DataFrame({"other": [1, 2], **cells}).to_csv(path, index=False)
        error = error_of(path, "--column", f"task=:{task}")
        assert f"lacks the column {lacking!r}; judgments of {task} need item" in error
        assert f"Name it: --column {lacking}=COLUMN." in error


GAPS = {
    "abstain": ("item,correct,confidence_target\na,1,0.5\nb,0,\nc,1,\n", "payoff"),
    "scale_variants": ("item,raw,correct,low,high\na,80,1,0,100\nb,70,0,,100\n", "mean_confidence"),
}
"""Files of tasks with rows that lack a number of the question, and a metric of the first row."""


@pytest.mark.parametrize("task", sorted(GAPS))
@pytest.mark.parametrize("is_filled", [True, False], ids=["some", "none"])
def test_rows_without_a_number_of_the_question_are_failures(
    task: str, is_filled: bool, tmp_path: Path
) -> None:
    """Their answer has no number, also if no row of the file has one."""
    text, metric = GAPS[task]
    path = tmp_path / "mine.csv"
    path.write_text(text if is_filled else text.replace("0.5", "").replace("1,0,100", "1,,100"))
    rows = rows_of(path, "--column", f"task=:{task}")
    n = rows.loc[(rows["metric"] == metric) & rows["value"].notna(), "n"]
    assert set(n) == ({1} if is_filled else set())
    judgments = read_judgments(path, recorded=Recorded(columns={"task": f":{task}"}))[task]
    assert (judgments["status"] == "ok").sum() == is_filled


def test_a_column_by_of_other_texts_is_left_out(tmp_path: Path) -> None:
    """With a notice; the column of this package's own files has `FIELD=VALUE`."""
    path = write(tmp_path / "mine.csv", by="Anna; Ben")
    scale = ("--confidence-scale", "0-100")
    notices = printed("summarize", path, *scale).stderr
    assert "the column 'by' holds other values and was left out" in notices
    assert value_of("n", path, *scale) == ITEMS
    path = write(tmp_path / "ours.csv", by=np.repeat(["law=x", "law=y"], ITEMS // 2))
    assert "'by'" not in printed("summarize", path, *scale).stderr
    conditions = rows_of(path, *scale)["condition"].str.get("by")
    assert {"law=x", "law=y"} <= set(conditions)


def test_a_rare_value_beyond_0_and_1_is_a_parse_failure_if_the_scale_is_said(
    tmp_path: Path,
) -> None:
    """One of forty; the error without the option names the option."""
    path = write(tmp_path / "mine.csv", confidence=[683, *SURE[1:] / 100])
    assert "give --confidence-scale 0-1, on which it counts as a parse failure" in error_of(path)
    rows = rows_of(path, "--confidence-scale", "0-1")
    assert set(rows.loc[rows["metric"] == "unread_share", "value"]) == {1 / ITEMS}
    assert set(rows.loc[rows["metric"] == "auroc", "n"]) == {ITEMS - 1}


def test_columns_of_other_tools_with_our_names_are_left_out_with_a_notice(tmp_path: Path) -> None:
    """Lists of choices are counted, and runs that are named are numbered."""
    columns = {"status": "success", "choices": '["x", "y"]', "task": "sums", "draws": "none of it"}
    path = write(
        tmp_path / "mine.csv",
        epoch=["a", "b"] * 20,
        item=np.repeat(numbered("q", 20), 2),
        **columns,
    )
    out = tmp_path / "judgments.csv"
    done = printed("judgments", path, "--confidence-scale", "0-100", "-o", out)
    judgments = pd.read_csv(out)
    assert set(judgments["choices"]) == {2}
    assert (set(judgments["dataset"]), set(judgments["status"])) == ({"sums"}, {"ok"})
    assert judgments["epoch"].tolist() == [0, 1] * 20
    notices = " ".join(done.stderr.split())
    for column in ("'status'", "'task'", "'draws'"):
        assert column in notices


def test_texts_in_columns_of_scales_are_left_out_with_a_notice(tmp_path: Path) -> None:
    """`raw` may be the text of a reply; without another confidence it is refused."""
    texts: dict[str, Any] = {"raw": "I am 85% sure", "low": "cheap", "high": 9}
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, **texts)
    assert value_of("mean_confidence", path) == pytest.approx(0.7)
    stderr = " ".join(printed("summarize", path).stderr.split())
    for name in ("raw", "low"):
        assert f"the column {name!r} holds other values and was left out" in stderr
    message = error_of(write(tmp_path / "mine.csv", confidence=None, raw="I am 85% sure"))
    assert "'I am 85% sure' in the column 'raw' is not a number" in message


def test_low_and_high_beside_probabilities_have_a_notice(tmp_path: Path) -> None:
    """They may be another tool's, such as prices."""
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, low=3, high=9)
    stderr = " ".join(printed("summarize", path).stderr.split())
    assert "'low' and 'high' were taken as ends of scales; rename others" in stderr


def test_a_uuid_of_several_items_is_no_samples(tmp_path: Path) -> None:
    """Judgments with the uuid of one sample count once: that of a run would leave one of 40."""
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, uuid="run-1")
    assert value_of("n", path) == ITEMS
    notices = " ".join(printed("summarize", path).stderr.split())
    assert "the column 'uuid' is of no samples and was left out" in notices


def test_a_constant_names_the_model_of_all_files(tmp_path: Path) -> None:
    """Of shards, whose items differ."""
    first = write(tmp_path / "part-1.csv")
    second = write(tmp_path / "part-2.csv", item=numbered("r", ITEMS))
    words = (first, second, "--confidence-scale", "0-100", "--column", "model=:openai/gpt-4o")
    assert value_of("n", *words, model="openai/gpt-4o") == 2 * ITEMS


def test_an_inverse_column_gives_the_share_of_right_answers(tmp_path: Path) -> None:
    """Numbers and words; an empty cell has no grade."""
    words = ("--confidence-scale", "0-100", "--column", "error=wrong")
    wrong = 1 - RIGHT
    path = write(tmp_path / "mine.csv", correct=None, wrong=wrong)
    assert value_of("accuracy", path, *words) == 0.6
    yes_no = np.where(wrong, "yes", "no")
    path = write(tmp_path / "mine.csv", correct=None, wrong=["", *yes_no[1:]])
    assert value_of("accuracy", path, *words) == pytest.approx(23 / 39)


def test_columns_of_each_model_are_rows_of_each_model(tmp_path: Path) -> None:
    """Items are the file's rows, so that models have the same ones."""
    path = write(tmp_path / "mine.csv")
    columns = {"a_conf": SURE, "a_ok": RIGHT, "b-2_conf": SURE[::-1], "b-2_ok": [1] * ITEMS}
    pd.DataFrame(columns).to_csv(path, index=False)
    options = ("--column", "confidence={model}_conf", "--column", "correct={model}_ok")
    words = (path, *options, "--confidence-scale", "0-100")
    rows = rows_of(*words)
    assert values_by_model(rows, "accuracy") == {"a": 0.6, "b-2": 1.0}
    out = tmp_path / "judgments.csv"
    printed("judgments", *words, "-o", out)
    assert pd.read_csv(out).groupby("model")["item"].nunique().to_dict() == {"a": 40, "b-2": 40}
    assert "no such column" in error_of(path, "--column", "confidence={model}_sure")
    pd.DataFrame({**columns, "c_conf": SURE}).to_csv(path, index=False)
    notices = " ".join(printed("summarize", *words).stderr.split())
    assert "c left out: no column 'c_ok' of --column correct={model}_ok" in notices


def test_several_columns_of_confidence_are_refused_with_both_remedies(tmp_path: Path) -> None:
    """The second remedy gives the numbers of both models."""
    sure = SURE / 100
    columns: dict[str, Any] = {
        "gpt_confidence": sure,
        "claude_confidence": sure,
        "claude_correct": RIGHT,
    }
    wide = write(tmp_path / "wide.csv", confidence=None, correct=None, gpt_correct=RIGHT, **columns)
    message = error_of(wide)
    assert "Name one: --column confidence=gpt_confidence" in message
    option = "confidence={model}_confidence"
    assert f"take them as columns of models: --column '{option}'" in message
    columns_of_models = ("--column", option, "--column", "correct={model}_correct")
    for model in ("gpt", "claude"):
        assert value_of("accuracy", wide, *columns_of_models, model=model) == 0.6
    unlike = write(tmp_path / "two.csv", confidence=None, my_confidence=sure, p_certainty=sure)
    assert "columns of models" not in error_of(unlike)


def test_a_notice_of_several_files_is_printed_once(tmp_path: Path) -> None:
    """With their number; a notice of one file names it."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"]
    for path in paths:
        write(path, item=None, id=range(ITEMS), confidence=sorted(SURE))
    scale = ("--confidence-scale", "0-100", "--resamples", "2")
    notice = "columns were taken as item=id; --column NAME=COLUMN takes another"
    several = " ".join(printed("summarize", *paths, *scale).stderr.split())
    assert several.count(notice) == 1
    assert f"note: 3 files: {notice}" in several
    single = " ".join(printed("summarize", paths[0], *scale).stderr.split())
    assert f"a.csv: {notice}" in single


def test_a_cell_of_a_model_is_named_by_its_own_line_and_column(tmp_path: Path) -> None:
    """And a column of names without names is no item."""
    columns = {"problem_id": [""] * 3, "a_conf": [0.5, 0.6, 0.7], "b_conf": [0.5, 0.6, "high"]}
    path = tmp_path / "mine.csv"
    frame = pd.DataFrame({**columns, "a_ok": [1, 0, 1], "b_ok": [1, 1, 0]})
    frame.to_csv(path, index=False)
    options = ("--column", "confidence={model}_conf", "--column", "correct={model}_ok")
    assert "line 4: 'high' in the column 'b_conf' is not a number" in error_of(path, *options)
    frame.replace("high", "missing").to_csv(path, index=False)
    assert value_of("n", path, *options, model="b") == 3
    out = tmp_path / "judgments.csv"
    printed("judgments", path, *options, "-o", out)
    assert pd.read_csv(out)["item"].nunique() == 3


# Models, epochs and conditions


def test_files_name_their_models(tmp_path: Path) -> None:
    """By the file where no column does; by folders where files have the same name."""
    write(tmp_path / "model-a.csv")
    write(tmp_path / "model-b.csv", correct=[1] * 35 + [0] * 5)
    words = (tmp_path / "model-a.csv", tmp_path / "model-b.csv", "--confidence-scale", "0-100")
    rows = rows_of(*words)
    assert values_by_model(rows, "accuracy") == {"model-a": 0.6, "model-b": 0.875}
    files = [tmp_path / "x" / "answers.csv", tmp_path / "y" / "answers.csv"]
    for file in files:
        file.parent.mkdir()
        write(file)
    rows = rows_of(*files, "--confidence-scale", "0-100")
    assert set(rows["model"]) == {"x/answers", "y/answers"}


def test_files_of_one_model_with_the_same_items_are_variants(tmp_path: Path) -> None:
    """They are never pooled without a word; files that number epochs are one."""
    files = [write(tmp_path / f"{name}.csv", model="m") for name in ("first", "second")]
    rows = rows_of(*files, "--confidence-scale", "0-100")
    variants = rows.loc[rows["metric"] == "n", "condition"].str.get("variant")
    assert set(variants) == {"file=first", "file=second"}
    files = [write(tmp_path / f"{k}.csv", model="m", epoch=k) for k in range(2)]
    assert value_of("n", *files, "--confidence-scale", "0-100") == 2 * ITEMS
    assert value_of("n", files[0], files[0], "--confidence-scale", "0-100") == ITEMS


@pytest.mark.parametrize("variant", ["second prompt", "a=b; c", "50%", ";", "effort=low"])
def test_a_variant_is_any_text(variant: str, tmp_path: Path) -> None:
    """It stays in the names that two files with the same items, and a map, add to."""
    files = [write(tmp_path / f"{k}.csv", model="m", variant=variant) for k in ("x", "y")]
    scale = ("--confidence-scale", "0-100")
    rows = rows_of(*files, *scale)
    variants = set(rows.loc[rows["metric"] == "n", "condition"].str.get("variant"))
    assert len(variants) == 2
    parts = [set(text.split(";")) - set(variant.split(";")) for text in sorted(variants)]
    assert parts == [{"file=x"}, {"file=y"}]
    maps = tmp_path / "map.json"
    printed("recalibrate", files[0], *scale, "--method", "platt", "-o", maps)
    recalibrated = rows_of(files[0], *scale, "--recalibrated", maps)
    (name,) = recalibrated.loc[recalibrated["metric"] == "n", "condition"].str.get("variant")
    assert set(name.split(";")) - set(variant.split(";")) == {"recalibrated=platt"}


def test_items_named_like_versions_keep_their_last_zero(tmp_path: Path) -> None:
    """`1.2` and `1.2.0` are two items; only `12.0`, a whole number, is the item 12."""
    names = ["1.2", "1.2.0", "v2", "v2.0", *numbered("q", ITEMS - 4)]
    path = write(tmp_path / "mine.csv", item=names, model="m")
    recorded = Recorded(scale=(0, 100))
    (judgments,) = read_judgments(path, recorded=recorded).values()
    assert set(judgments["item"]) == set(names)
    numbers = write(tmp_path / "numbers.csv", item=np.arange(ITEMS) * 1.0, model="m")
    (judgments,) = read_judgments(numbers, recorded=recorded).values()
    assert set(judgments["item"]) == set(map(str, range(ITEMS)))


def test_rows_of_an_item_are_told_apart_or_refused(tmp_path: Path) -> None:
    """A column with a value for each of an item's rows is a condition until it is named."""
    items = np.repeat(numbered("q", ITEMS // 2), 2)
    scale = ("--confidence-scale", "0-100")
    path = write(tmp_path / "mine.csv", item=items, wording=["short", "long"] * 20)
    assert "the column 'wording' tells apart" in error_of(path, *scale)
    words = (path, *scale, "--column", "method=wording")
    methods = rows_of(*words)["condition"].str.get("method")
    assert set(methods.dropna()) == {"short", "long"}
    assert value_of("n", path, *scale, "--column", "epoch=wording") == ITEMS
    path = write(tmp_path / "mine.csv", item=items, seconds=range(ITEMS))
    done = printed("summarize", path, *scale)
    notice = " ".join(done.stderr.split())
    # The first of them is named, with its lines below the header.
    assert "20 items have several rows (such as 'q0' in lines 2, 3), which were read" in notice
    path = write(tmp_path / "mine.csv", item=[*numbered("q", ITEMS - 4), *["last"] * 4])
    notice = " ".join(printed("summarize", path, *scale).stderr.split())
    lines = ", ".join(str(ITEMS - 2 + k) for k in range(3))  # of four, below the header
    assert f"1 item has several rows ('last' in lines {lines}, ...)" in notice


# Grades


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("yes", "no"),
        ("Y", "N"),
        ("C", "I"),
        ("CORRECT", "INCORRECT"),
        ("T", "F"),
        ("true", "FALSE"),
        ("100%", "0%"),
        ("pass", "fail"),
    ],
)
def test_grades_in_words_and_letters(tmp_path: Path, right: str, wrong: str) -> None:
    """As judges and spreadsheets write them."""
    path = write(tmp_path / "mine.csv", correct=np.where(RIGHT, right, wrong))
    assert value_of("accuracy", path, "--confidence-scale", "0-100") == 0.6


def test_partial_grades_are_fractions_and_declined_answers_neither_right_nor_wrong(
    tmp_path: Path,
) -> None:
    """12 right, 8 half right, 10 wrong and 10 not attempted."""
    words = ("CORRECT", "PARTIAL", "INCORRECT", "NOT_ATTEMPTED")
    grades = list(chain(*map(repeat, words, (12, 8, 10, 10))))
    path = write(tmp_path / "mine.csv", correct=grades)
    out = tmp_path / "judgments.csv"
    printed("judgments", path, "--confidence-scale", "0-100", "-o", out)
    judgments = pd.read_csv(out)
    assert judgments["status"].value_counts().to_dict() == {"ok": 30, "declined": 10}
    assert judgments["correct"].sum() == 16
    assert value_of("format_failure_rate", path, "--confidence-scale", "0-100") == 0


@pytest.mark.parametrize("empty", ["", "None", "null", "N/A", "-", "nan"])
def test_rows_without_a_grade_are_scoring_failed(tmp_path: Path, empty: str) -> None:
    """The replies were readable, so that the model has no parse failure."""
    path = write(tmp_path / "mine.csv", correct=[*[empty] * 5, *RIGHT[5:]])
    rows = rows_of(path, "--confidence-scale", "0-100")
    is_overall = rows["condition"].map(lambda condition: set(condition) <= {"method", "scale"})
    values = rows[is_overall].set_index("metric")["value"]
    assert values["format_failure_rate"] == 0
    assert values["accuracy"] == pytest.approx(21 / 35)
    (note,) = set(rows.loc[rows["metric"] == "brier", "note"])
    assert "5 of 40 judgments left out: 5 scoring_failed" in note


def test_rows_without_a_confidence_are_parse_failures(tmp_path: Path) -> None:
    """They have a grade, so that there was a reply."""
    path = write(tmp_path / "mine.csv", confidence=[*["N/A"] * 10, *SURE[10:]])
    assert value_of("format_failure_rate", path, "--confidence-scale", "0-100") == 0.25
    assert value_of("accuracy", path, "--confidence-scale", "0-100") == 0.6


@pytest.mark.parametrize("graded", [("correct",), ("answer", "target")])
def test_an_empty_confidence_is_called_so_and_is_no_missing_reply(
    graded: tuple[str, ...], tmp_path: Path
) -> None:
    """A grade or an answer is evidence of a reply; a row without any of them has none."""
    cells = {"correct": [*RIGHT[:-1], ""], "answer": [*["B"] * 39, ""], "target": ["B"] * 40}
    columns: dict[str, Any] = {"correct": None, **{name: cells[name] for name in graded}}
    confidence = ["", "NA", *SURE[2:-1] / 100, ""]
    path = write(tmp_path / "mine.csv", confidence=confidence, **columns)
    judgments = read_judgments(path)
    rows = judgments["any_eval"].set_index("item")
    failures = rows.loc[rows["status"] != "ok", ["status", "reason"]]
    assert failures.to_dict("index") == {
        "q0": {"status": "invalid_response_format", "reason": "no confidence in the file"},
        "q1": {"status": "invalid_response_format", "reason": "no confidence in the file"},
        "q39": {"status": "no_response", "reason": "no answer in the file"},
    }
    assert f"{path}: no confidence in 2 of 40 rows: a parse failure each" in judgments.notices


def test_parse_failures_of_empty_cells_are_told_by_what_the_file_lacks(tmp_path: Path) -> None:
    """The model did not fail there: the sentence has the file's reason, not the reply's status."""
    confidence, correct = ["", "", *SURE[2:-1], ""], [*RIGHT[:-2], "", ""]
    path = write(tmp_path / "mine.csv", confidence=confidence, correct=correct)
    text = " ".join(printed("summarize", path, "--confidence-scale", "0-100").stdout.split())
    assert (
        "mine: Parse failures: 7.7% of 39 replies (1 with no answer in the file, 2 with no "
        "confidence in the file; not counted: 1 with no grade in the file)."
    ) in text


def test_each_model_with_few_parse_failures_is_named_or_counted(tmp_path: Path) -> None:
    """One of 40 replies, 2.5%, of four models and two of another; the sixth has none."""
    rows = []
    for model, empty in {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1, "f": 0}.items():
        confidence = [np.nan] * empty + list(SURE[empty:])
        columns = {"model": model, "confidence": confidence, "correct": RIGHT}
        rows.append(pd.DataFrame(columns).assign(item=numbered("q", ITEMS)))
    path = tmp_path / "mine.csv"
    pd.concat(rows).to_csv(path, index=False)
    words = ("summarize", path, "--confidence-scale", "0-100", "--resamples", 100)
    text = " ".join(printed(*words).stdout.split())
    reason = "with no confidence in the file"
    assert f"c: Parse failures: 5% of 40 replies (2 {reason})." in text
    assert (
        f"Parse failures below 5%: a 2.5% of 40 replies (1 {reason}); b 2.5% of 40 "
        f"replies (1 {reason}); d 2.5% of 40 replies (1 {reason}); and 1 more."
    ) in text
    assert " f 0" not in text.partition("below 5%")[2]


def test_equal_judgments_of_logs_and_files_are_counted_apart() -> None:
    """Of many judgments, equal ones are one row; a reply's failure is not that of a file's cell."""
    frame = pd.DataFrame({"confidence": [0.5, 0.9] * 3_000, "correct": [0.0, 1.0, 1.0] * 2_000})
    frame = frame.assign(task="any_eval", item=list(map(str, frame.index)), status="ok", reason="")
    frame.loc[:3, ["confidence", "correct"]] = [math.nan, 1]
    frame.loc[:3, "status"] = "invalid_response_format"
    frame.loc[:2, "reason"] = [
        "no number",
        "no confidence in the file",
        "no confidence in the file",
    ]
    results = summarize(frame, resamples=2)
    (note,) = results.loc[results["metric"] == "unread_share", "note"]
    assert note == "2 invalid_response_format, 2 with no confidence in the file"


@pytest.mark.parametrize(
    ("grades", "says"),
    [(["1", "0", "N"], True), (["C", "I", "N"], False), (["Y", "1", "N"], False)],
)
def test_a_grade_n_beside_numbers_has_a_notice(
    tmp_path: Path, grades: list[str], says: bool
) -> None:
    """Beside 0 and 1, N may mean no; beside C and I it is Inspect's "no answer", beside Y no."""
    correct = [*grades, *[grades[0]] * 37]
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, correct=correct)
    notice = f"{path}: the grade N in 1 of 40 rows counts as no answer; write 0 if it means no"
    assert (notice in read_judgments(path).notices) == says


def test_the_number_of_rows_without_a_grade_has_a_notice(tmp_path: Path) -> None:
    """They are left out, so that the number of judgments is explained."""
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, correct=["", *RIGHT[1:]])
    assert read_judgments(path).notices == (
        f"{path}: no grade in 1 of 40 rows: left out of all metrics",
    )


def test_an_interval_without_a_truth_is_left_out_with_a_notice(tmp_path: Path) -> None:
    """It cannot be scored, whatever the model answered."""
    path = tmp_path / "mine.csv"
    path.write_text("item,level,lower,upper,truth\nq1,90,2,4,3\nq2,90,1,2,\nq3,90,,,\n", "utf-8")
    judgments = read_judgments(path)
    statuses = judgments["fermi_eval"]["status"].tolist()
    assert statuses == ["ok", "scoring_failed", "no_response"]
    assert judgments.notices == (
        f"{path}: no truth in 1 of 3 rows: left out of all metrics",
        f"{path}: no answer in 1 of 3 rows: a parse failure each",
    )


def test_values_in_place_of_exponents_of_ten_have_a_notice(tmp_path: Path) -> None:
    """Eight billion people are the exponent 9.9."""
    path = tmp_path / "mine.csv"
    path.write_text("item,level,lower,upper,truth\nq1,90,9,10,8e9\nq2,90,1,2,-3\n", "utf-8")
    assert read_judgments(path).notices == (
        f"{path}: truth is far from 0 in 1 of 2 rows, such as 8e+09; it is an exponent of ten: "
        "write 3 for 1000",
    )


@pytest.mark.parametrize(
    ("levels", "main"), [((50, 80), 80), ((80, 95), 95), ((85, 95), 95), ((50, 90, 99), 90)]
)
def test_main_numbers_are_of_the_level_nearest_to_90(
    tmp_path: Path, levels: Sequence[int], main: int
) -> None:
    """Of two that are equally near it is the higher one; columns have names of other tools.

    At each level and in both epochs one of four intervals lies below the truth, 3, and one of five
    replies is empty.
    """
    path = tmp_path / "mine.csv"
    lines = ["model,question_id,epoch,level,low,high,truth"]
    for model, item, epoch, level in product("ab", range(5), (1, 2), levels):
        bounds = ",," if item == 4 else ",1,2" if item == 3 else ",2,4"
        lines.append(f"{model},q{item},{epoch},{level}{bounds},3")
    path.write_text("\n".join(lines), "utf-8")
    screen = " ".join(printed("summarize", path, "--resamples", 50).stdout.split())
    difference = 75 - main  # in percentage points; three of four intervals contain the truth
    assert f"Coverage at {main}%, minus {main}%: {difference:+d} pts" in screen
    compared = " ".join(printed("compare", path, "--resamples", 50).stdout.split())
    compared = compared.replace("minus -", f"minus {main}% -")  # the label is on two lines
    label = f"Coverage at {main}%, minus {main}%"
    assert f"{label} {difference:+d} pts {difference:+d} pts" in compared
    assert not any(f"at {level}%" in compared for level in set(levels) - {main})


EQUAL = {
    "B": ["b", "(B)", "B.", " B ", "B) Paris", "B: Paris", "**B**", "Option B", '"B"'],
    "1000": ["1,000", "1000.0", "$1,000", "1000", " 1000."],
    "1.5": ["1.50", "1 1/2", "3/2", "150%", "1.5%"],
    "Paris": ["paris", "Paris ", "PARIS.", "'Paris'", "**Paris**"],
    "True": ["true", "TRUE."],
    "(C)": ["c", "C", "C. something"],
    "-3": ["\N{MINUS SIGN}3", "-3.0"],
    "0.5": [r"$\frac{1}{2}$", r"\boxed{0.5}", r"\boxed{\frac{1}{2}}", "1/2"],
    "D": [r"\boxed{D}", r"\text{D}"],
}
DIFFERENT = {
    "B": ["A", "AB", "Bern", "", "8", "A. B"],
    "1000": ["1001", "100", "1", "ten"],
    "Paris": ["Parish", "Paris or Rome", "P"],
    "C++": ["C#", "c"],
    "747": ["Boeing", "7"],
    "-3": ["3"],
    "0.5": [r"\frac{1}{3}", r"\boxed{2}"],
}


def test_answers_equal_targets_as_readers_of_replies_compare_them() -> None:
    """Letters, numbers by value, and texts without case and marks around them."""
    for target, answers in EQUAL.items():
        for answer in answers:
            assert is_same_answer(answer, target)
            assert is_same_answer(target, answer)
    for target, answers in DIFFERENT.items():
        for answer in answers:
            assert not is_same_answer(answer, target), (answer, target)


def test_letters_in_any_case_and_marks_are_graded(tmp_path: Path) -> None:
    """24 of 40 are right; one column of answers is enough."""
    forms = ["b", "(B)", "B.", "b ", "B) x"] * (ITEMS // 5)
    answers = np.where(RIGHT, forms, "c")
    path = write(tmp_path / "mine.csv", correct=None, answer=answers, target="B")
    assert value_of("accuracy", path, "--confidence-scale", "0-100") == 0.6
    path = write(tmp_path / "mine.csv", correct=None, answer=["None", *answers[1:]], target="B")
    assert value_of("accuracy", path, "--confidence-scale", "0-100") == pytest.approx(23 / 39)


def test_an_answer_beside_a_predicted_one_is_the_target(tmp_path: Path) -> None:
    """And a prediction of IDK is declined: neither right nor wrong."""
    predicted = ["IDK", *np.where(RIGHT[1:], "b", "c")]
    path = write(tmp_path / "mine.csv", correct=None, answer="B", predicted_answer=predicted)
    words = (path, "--confidence-scale", "0-100")
    assert value_of("accuracy", *words) == pytest.approx(23 / 39)
    out = tmp_path / "judgments.csv"
    printed("judgments", *words, "-o", out)
    assert pd.read_csv(out)["status"].value_counts().to_dict() == {"ok": 39, "declined": 1}


def test_rows_without_a_model_have_a_notice(tmp_path: Path) -> None:
    """As where a spreadsheet merges the cells of a model; a table without models has none."""
    models = ["a", *[""] * 19, *["b"] * 20]
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, model=models)
    judgments = read_judgments(path)
    assert judgments["any_eval"]["model"].value_counts().to_dict() == {"b": 20, "mine": 19, "a": 1}
    assert judgments.notices == (
        f"{path}: no model in 19 of 40 rows, which count as of 'mine'; if a model is named in its "
        "first row only, name it in each",
    )
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, model=[""] * 40)
    assert not read_judgments(path).notices


@pytest.mark.parametrize(
    ("column", "effect"),
    [
        ("dataset", "data set in 1 of 40 rows, which count as a further data set; if a data set"),
        ("method", "method in 1 of 40 rows, which count as of 'recorded'; if a method"),
        ("variant", "variant in 1 of 40 rows, which count as a further variant; if a variant"),
    ],
)
def test_rows_without_a_name_that_others_have_have_a_notice(
    tmp_path: Path, column: str, effect: str
) -> None:
    """The row is a data set (method, variant) of its own; a wholly empty column has no notice."""
    cells: dict[str, Any] = {"confidence": SURE / 100, column: ["a"] * 39 + [""]}
    path = write(tmp_path / "mine.csv", **cells)
    judgments = read_judgments(path)
    assert judgments["any_eval"].groupby(column).size().max() == 39
    (notice,) = judgments.notices
    assert notice == f"{path}: no {effect} is named in its first row only, name it in each"
    path = write(tmp_path / "mine.csv", **{**cells, column: [""] * 40})
    assert not read_judgments(path).notices


def test_a_variant_missing_for_a_whole_data_set_has_no_notice(tmp_path: Path) -> None:
    """As in judgments of two evals of which one has a setting that varies."""
    datasets, variants = np.repeat(["a", "b"], 20), np.repeat(["seed=1", ""], 20)
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, dataset=datasets, variant=variants)
    assert not read_judgments(path).notices


def test_a_row_without_a_value_of_a_field_by_which_results_are_given_has_a_notice(
    tmp_path: Path,
) -> None:
    """It is in no group; a group whose name differs only in capital letters has a notice, too."""
    domains = ["law"] * 38 + ["Law", ""]
    path = write(tmp_path / "mine.csv", confidence=SURE / 100, domain=domains)
    judgments = read_judgments(path, recorded=Recorded(by=("domain",)))
    assert judgments.notices == (
        f"{path}: no domain in 1 of 40 rows, which are in no group of it",
        "the groups 'domain=law' and 'domain=Law' differ only in blanks or capital letters, and "
        "count as two",
    )


@pytest.mark.parametrize("column", ["dataset", "method", "variant"])
def test_names_that_differ_only_in_capital_letters_have_one_notice(
    tmp_path: Path, column: str
) -> None:
    """Of two pairs, in several files, the commoner names come first; the other pair is counted."""
    cells: dict[str, Any] = {"confidence": SURE / 100, column: ["x y"] * 21 + ["b"] * 19}
    path = write(tmp_path / "a.csv", **cells)
    other = write(tmp_path / "b.csv", **{**cells, "model": "other", column: "XY"})
    third = write(tmp_path / "c.csv", **{**cells, "model": "third", column: "B"})
    word = {"dataset": "data set"}.get(column, column)
    text = "differ only in blanks or capital letters, and count as two"
    assert read_judgments([path, other]).notices == (f"the {word}s 'XY' and 'x y' {text}",)
    assert read_judgments([path, other, third]).notices == (
        f"the {word}s 'XY' and 'x y' (and 1 more pair) {text}",
    )


def test_equal_rows_without_a_model_name_may_be_of_several_models(tmp_path: Path) -> None:
    """Of a half-empty column of models, the error asks for them; with all names it does not."""
    for models, asks in ((["a"] * 20 + [""] * 20, True), (["a"] * 20 + ["b"] * 20, False)):
        items = [*range(39), 38]
        path = write(
            tmp_path / "mine.csv", item=items, confidence=0.7, correct=1, answer="x", model=models
        )
        message = error_of(path)
        assert "line 41 is the same as line 40" in message
        assert ("If they are of several models, name these in a column 'model'." in message) == asks


def test_model_names_that_differ_only_in_capital_letters_have_a_notice(tmp_path: Path) -> None:
    """They stay two models; a name that differs otherwise has no notice."""
    scale = ("--confidence-scale", "0-100")
    for other, says in (("Model-A", True), ("model- a", True), ("model-b", False)):
        path = write(tmp_path / "mine.csv", model=["model-a"] * 39 + [other])
        notice = " ".join(printed("summarize", path, *scale).stderr.split())
        text = f"the models 'model-a' and {other!r} differ only in blanks or capital letters"
        assert (text in notice) == says
        assert "begins or ends" not in notice
    path = write(tmp_path / "mine.csv", model=["model-a "] * 40)
    notice = " ".join(printed("summarize", path, *scale).stderr.split())
    assert "the model 'model-a ' begins or ends with a blank, and counts as another than" in notice


def test_grades_that_no_target_or_another_supports_have_a_notice(tmp_path: Path) -> None:
    """With counts; wordings that a judge accepted have none."""
    scale = ("--confidence-scale", "0-100")
    path = write(tmp_path / "mine.csv", correct=None, answer="x y", target="B")
    notice = " ".join(printed("summarize", path, *scale).stderr.split())
    assert "no answer equals its target in 40 rows" in notice
    letters = np.where(RIGHT, "A", "B")
    path = write(tmp_path / "mine.csv", answer=letters, target="B")
    notice = " ".join(printed("summarize", path, *scale).stderr.split())
    assert "contradicts 'answer' and 'target' in 40 of 40 rows" in notice
    assert "(16 equal but graded wrong, 24 different but graded right)" in notice
    path = write(tmp_path / "mine.csv", answer="the city of Paris", target="Paris")
    assert "contradicts" not in printed("summarize", path, *scale).stderr


# Scales


def test_a_scale_that_the_values_contradict_is_refused_with_counts(tmp_path: Path) -> None:
    """Shares on 0-100, percentages on 0-1, and both mixed."""
    shares = SURE / 100
    mixed = [*shares[:10], *SURE[10:]]
    path = write(tmp_path / "mine.csv", confidence=shares)
    message = error_of(path, "--confidence-scale", "0-100")
    assert "40 of 40 values from 0 to 1, such as 0.5 in line 2, and none above 1; leave" in message
    path = write(tmp_path / "mine.csv", confidence=mixed)
    message = error_of(path, "--confidence-scale", "0-100")
    assert "10 of 40 values between 0 and 1, such as 0.5 in line 2, and 30 above 1" in message
    message = error_of(path, "--confidence-scale", "0-1")
    assert "30 of 40 values from 2 on, such as 50 in line 12, and 10 below" in message
    assert "name their scale, as --confidence-scale 0-100" in error_of(path)
    products = [100 * share for share in (0.56, 0.57, 0.58)]  # 56.00000000000001 and so on
    path = write(tmp_path / "mine.csv", confidence=[*shares[:10], *products * 10])
    message = error_of(path, "--confidence-scale", "0-100")
    assert "10 of 40 values between 0 and 1, such as 0.5 in line 2, and 30 above 1" in message
    percentages = [f"{sure}%" for sure in SURE[10:]]
    path = write(tmp_path / "mine.csv", confidence=[*map(str, shares[:10]), *percentages])
    message = error_of(path)
    assert (
        f"the confidence has 30 percentages, such as {percentages[0]} in line 12, and " in message
    )
    assert f"10 numbers, such as 0.5 in line 2; write {percentages[0]} as " in message
    whole = [*map(str, SURE[:10]), *percentages]
    assert "write all in one way" in error_of(write(tmp_path / "mine.csv", confidence=whole))


def test_values_in_the_lowest_tenth_of_the_scale_have_a_notice(tmp_path: Path) -> None:
    """Reports on 0-10 that are read on 0-100, of one of two models."""
    low = write(tmp_path / "low.csv", confidence=SURE // 10)
    remark = (
        "are all from 5 to 9, the lowest tenth of 0-100; if they are on another scale, give it: "
        "--confidence-scale LOW-HIGH"
    )
    on_100 = Recorded(scale=(0, 100))
    assert read_judgments(low, recorded=on_100).notices == (f"{low}: the confidences {remark}",)
    assert not read_judgments(low, recorded=Recorded(scale=(0, 10))).notices
    models = np.repeat(["high", "low"], ITEMS // 2)
    values = [*SURE[: ITEMS // 2], *SURE[ITEMS // 2 :] // 10]
    both = write(tmp_path / "both.csv", confidence=values, model=models)
    (notice,) = read_judgments(both, recorded=on_100).notices
    assert notice == f"{both}: the confidences of low {remark}"


@pytest.mark.parametrize(
    ("highest", "items", "scale", "has_notice"),
    [
        *((5, 40, (0, 10), True), (5, 40, (1, 10), True), (6, 40, (0, 10), False)),
        *((5, 12, (0, 10), False), (5, 40, (1, 5), False), (50, 40, (0, 100), False)),
    ],
)
def test_whole_numbers_in_the_lower_half_of_a_short_scale_have_a_notice(
    highest: int, items: int, scale: tuple[int, int], *, has_notice: bool, tmp_path: Path
) -> None:
    """Reports from 1 to 5 that are read on 0-10: twenty or more, and none above 5."""
    values = [1 + k % highest for k in range(items)]
    lines = [f"q{k},{value},{k % 2}" for k, value in enumerate(values)]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["item,confidence,correct", *lines]), "utf-8")
    remark = f"from 1 to {highest}, the lower half of {scale[0]}-{scale[1]}"
    notices = read_judgments(path, recorded=Recorded(scale=scale)).notices
    assert any(remark in notice for notice in notices) == has_notice


@pytest.mark.parametrize(
    ("confidence", "scale"),
    [
        ([0] * ITEMS, (0, 100)),  # certainly wrong on any scale
        ([*SURE[:-1] // 10, 11], (0, 100)),
        ([f"{value // 10}%" for value in SURE], (0, 100)),
        (SURE / 1000, (0, 1)),
    ],
)
def test_low_values_that_show_no_other_scale_have_no_notice(
    confidence: Any, scale: tuple[float, float], tmp_path: Path
) -> None:
    """Zeros, a value above the tenth, percentages, and shares."""
    path = write(tmp_path / "mine.csv", confidence=confidence)
    assert not read_judgments(path, recorded=Recorded(scale=scale)).notices


def test_values_just_outside_the_scale_have_a_notice(tmp_path: Path) -> None:
    """A -1 may stand for a missing value, but counts as 0 on 0-100; 106 is out of range."""
    path = write(tmp_path / "mine.csv", confidence=[-1, 105, 106, *SURE[3:]])
    judgments = read_judgments(path, recorded=Recorded(scale=(0, 100)))
    rows = complete_judgments(judgments["any_eval"]).set_index("item")
    assert rows.loc[["q0", "q1"], "confidence"].tolist() == [0, 1]
    assert rows.loc["q2", "status"] == "out_of_range"
    assert judgments.notices == (
        f"{path}: the confidence has 2 of 40 values just outside 0-100, such as -1 in line 2: they "
        "count as its ends; leave missing values empty",
        f"{path}: 1 of 40 values is outside 0-100, such as 106 in line 4: a parse failure each",
    )


@pytest.mark.parametrize("task", ["any_eval", "scale_variants", "simple_qa"])
def test_judgments_of_a_file_have_the_confidence_that_its_scale_gives(
    task: str, tmp_path: Path
) -> None:
    """(raw - low) / (high - low), clipped to 5% of the width beyond an end, then out of range."""
    raw: list[Any] = [10, 20, 60, 105, 6, 104, 104.5, 150, "", *[50] * 31]
    columns: dict[str, Any] = {"confidence": None, "raw": raw, "low": 20, "high": 100, "task": task}
    if task == "simple_qa":
        columns["confidence_source"] = "stated"
    path = write(tmp_path / "mine.csv", **columns)
    judgments = read_judgments(path)
    rows = judgments[task].set_index("item").loc[numbered("q", ITEMS)].iloc[:9]
    beyond = [10, 105, 6, 104.5, 150]  # 16 to 104 is within 5% of the width 80
    confidences = {60: 0.5, 20: 0.0, 104: 1.0}
    expected = [confidences.get(value, math.nan) for value in raw[:9]]
    assert rows["confidence"].tolist() == pytest.approx(expected, nan_ok=True)
    statuses = ["out_of_range" if value in beyond else "ok" for value in raw[:8]]
    assert rows["status"].tolist() == [*statuses, "invalid_response_format"]
    assert rows["reason"].iloc[7] == "150 is not between 20 and 100"
    if task != "simple_qa":  # which has no such column
        assert rows["clipped"].tolist() == [*(value == 104 for value in raw[:8]), None]
    # The file that `judgments` writes has these columns, and is read back as it is.
    written = tmp_path / "written.csv"
    printed("judgments", path, "-o", written)
    pd.testing.assert_frame_equal(read_judgments(written)[task], judgments[task])


def test_values_far_outside_the_scale_have_a_notice_with_the_first_line(tmp_path: Path) -> None:
    """More than 5% of its width, on 0-100 and on 0-10, also of percentages; 105 is just outside."""
    path = write(tmp_path / "mine.csv", confidence=[*SURE[:7], 150, -6, *SURE[9:]])
    notice = (
        f"{path}: 2 of 40 values are outside 0-100, such as 150 in line 9: a parse failure each"
    )
    assert read_judgments(path, recorded=Recorded(scale=(0, 100))).notices == (notice,)
    path = write(tmp_path / "mine.csv", confidence=[*SURE[:-1] / 10, 10.6])
    notice = (
        f"{path}: 1 of 40 values is outside 0-10, such as 10.6 in line 41: a parse failure each"
    )
    assert read_judgments(path, recorded=Recorded(scale=(0, 10))).notices == (notice,)
    percentages = [*(f"{value}%" for value in SURE[:-1]), "150%"]
    path = write(tmp_path / "mine.csv", confidence=percentages)
    notice = (
        f"{path}: 1 of 40 values is outside 0-100, such as 150 in line 41: a parse failure each"
    )
    assert read_judgments(path).notices == (notice,)


def test_a_column_of_wrong_answers_is_suggested_as_such(tmp_path: Path) -> None:
    """As `correct` it would turn all grades around."""
    path = tmp_path / "mine.csv"
    path.write_text("item,model,confidence,Wrong\n1,m,0.9,0\n2,m,0.8,1\n", "utf-8")
    assert "Name it: --column error=Wrong; " in error_of(path)
    results = summarize(read_judgments(path, recorded=Recorded(columns={"error": "Wrong"})))
    assert results.loc[results["metric"] == "accuracy", "value"].tolist() == [0.5]


@pytest.mark.parametrize(("scale", "says"), [((1.0, 5.0), True), ((0.0, 5.0), False)])
def test_a_scale_that_begins_above_0_says_what_its_ends_mean(
    scale: tuple[float, float], says: bool, tmp_path: Path
) -> None:
    """Its 1 is read as 0%: a rating of 1 to 5 may mean no more than an order."""
    ratings = np.arange(40) % 5 + 1
    path = write(tmp_path / "mine.csv", confidence=ratings, correct=RIGHT)
    judgments = read_judgments(path, recorded=Recorded(scale=scale))
    notice = (
        f"{path}: 1 on the scale 1-5 counts as 0%, 5 as 100%; "
        "--confidence-scale none takes their order only"
    )
    assert (notice in judgments.notices) == says


@pytest.mark.parametrize("column", ["confidence", "correct"])
def test_a_negative_share_has_the_remedy_of_a_missing_value(column: str, tmp_path: Path) -> None:
    """Also of log probabilities, whose order counts."""
    cells: dict[str, Any] = {"confidence": SURE / 100, "correct": RIGHT}
    path = write(tmp_path / "mine.csv", **{**cells, column: [-1, *cells[column][1:]]})
    error = error_of(path)
    assert f"line 2: {column}=-1 is not in [0, 1]; leave the cell empty if" in error
    assert ("--confidence-scale none if only the order counts" in error) == (column == "confidence")


def test_percentages_with_decimals_below_one_are_no_contradiction(tmp_path: Path) -> None:
    """As token probabilities times 100, and half points of a short scale."""
    decimals = [0.4, 99.6, 12.7, 50.0] * 10
    path = write(tmp_path / "mine.csv", confidence=decimals)
    mean = value_of("mean_confidence", path, "--confidence-scale", "0-100")
    assert mean == pytest.approx(np.mean(decimals) / 100)
    path = write(tmp_path / "mine.csv", confidence=[0.5, *[8] * 39])
    assert value_of("n", path, "--confidence-scale", "0-10") == ITEMS


def test_percent_signs_say_the_scale(tmp_path: Path) -> None:
    """As in logs; with another scale they are shares of it."""
    path = write(tmp_path / "mine.csv", confidence=[f"{sure}%" for sure in SURE])
    assert value_of("mean_confidence", path, scale="0-100") == pytest.approx(0.7)
    scaled = value_of("mean_confidence", path, "--confidence-scale", "0-1", scale="0-1")
    assert scaled == pytest.approx(0.7)


def test_scores_without_a_scale_have_rank_metrics_only(tmp_path: Path) -> None:
    """AUROC and AURC are those of any increasing function; calibration has a reason."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=ITEMS).round(3) * 7
    path = write(tmp_path / "mine.csv", confidence=scores)
    rows = rows_of(path, "--confidence-scale", "none")
    assert set(rows["condition"].str.get("scale").fillna("none")) == {"none"}
    rows = rows.drop_duplicates("metric", keep="last").set_index("metric")
    assert rows.loc["auroc", "value"] == pytest.approx(roc_auc_score(RIGHT, scores))
    by_score = np.array(RIGHT)[np.argsort(-scores)]
    risks = np.cumsum(1 - by_score) / np.arange(1, ITEMS + 1)
    assert len(set(scores)) == ITEMS
    assert rows.loc["aurc", "value"] == pytest.approx(risks.mean())
    undefined = rows.loc[["ece", "brier", "overconfidence", "mean_confidence", "smooth_ece"]]
    assert undefined["value"].isna().all()
    assert undefined["note"].str.contains("only their order counts").all()
    increasing = write(tmp_path / "other.csv", confidence=1 / (1 + np.exp(-scores)))
    assert value_of("auroc", increasing) == pytest.approx(rows.loc["auroc", "value"])


def test_scores_without_a_scale_at_two_epochs_and_with_missing_ones(tmp_path: Path) -> None:
    """AUROC over readable judgments, as scikit-learn has it."""
    items = np.repeat(numbered("q", ITEMS // 2), 2)
    scores = [None, *np.linspace(-3, 5, ITEMS - 1)]
    path = write(tmp_path / "mine.csv", item=items, epoch=[1, 2] * 20, confidence=scores)
    words = (path, "--confidence-scale", "none")
    assert value_of("auroc", *words) == pytest.approx(roc_auc_score(RIGHT[1:], scores[1:]))
    assert value_of("format_failure_rate", *words) == pytest.approx(1 / 40)


def test_decisions_have_the_auroc_of_two_values_and_type_2_sensitivity(tmp_path: Path) -> None:
    """Kept answers are right more often: AUROC is half of 1 + hits - false alarms."""
    keep = np.arange(ITEMS) % 4 != 0
    words = np.where(keep, "KEEP", "WITHDRAW")
    path = write(tmp_path / "mine.csv", confidence=None, kept=words)
    options = (path, "--column", "decision=kept", "--answering", "keep")
    right = RIGHT.astype(bool)
    hits, alarms = np.mean(keep[right]), np.mean(keep[~right])
    assert value_of("auroc", *options, method="decision") == pytest.approx((1 + hits - alarms) / 2)
    assert not math.isnan(value_of("type2_dprime", *options))
    assert math.isnan(value_of("ece", *options))
    assert "--answering KEEP" in error_of(path, "--column", "decision=kept")
    assert "--column decision=COLUMN" in error_of(path, "--answering", "KEEP")


def test_a_verdict_in_the_column_of_confidence_is_refused_as_in_logs(tmp_path: Path) -> None:
    """Only 0 and 1 without a scale that has them, or a value for each grade; a constant may be."""
    path = tmp_path / "mine.csv"
    for cells in (RIGHT[::-1], np.tile(["0.0", "1.0"], ITEMS // 2)):
        write(path, confidence=cells)
        assert "--confidence-scale 0-1" in error_of(path)
        for name in ("0-1", "none"):
            value_of("auroc", path, "--confidence-scale", name)
    write(path, confidence=np.where(RIGHT, 0.9, 0.2))
    assert "--column confidence=COLUMN" in error_of(path)
    assert "--column confidence=COLUMN" in error_of(path, "--confidence-scale", "0-1")
    write(path, confidence=1)
    assert value_of("overconfidence", path) == pytest.approx(0.4)


# Fields and words


def test_thresholds_and_maps_are_given_for_each_value_of_a_field(tmp_path: Path) -> None:
    """Those of a field's value are those of a file with its rows alone."""
    rng = np.random.default_rng(3)
    sure = rng.integers(1, 100, 400)
    right = (rng.uniform(size=400) < sure / 100).astype(int)
    frame = pd.DataFrame({"item": range(400), "confidence": sure, "correct": right})
    frame["domain"] = np.where(frame["item"] % 2 == 0, "law", "art")
    path, law = tmp_path / "mine.csv", tmp_path / "law" / "mine.csv"
    law.parent.mkdir()
    frame.to_csv(path, index=False)
    frame[frame["domain"] == "law"].to_csv(law, index=False)
    scale = ("--confidence-scale", "0-100")
    words = ("--risk", 0.4, "--json", *scale)
    rows = json.loads(printed("threshold", path, "--by", "domain", *words).stdout)
    art_and_law = ["domain=art", "domain=law"]
    assert pd.DataFrame(rows)["by"].tolist() == ["", *art_and_law]
    (law_row,) = json.loads(printed("threshold", law, *words).stdout)
    assert rows[2] == {**law_row, "by": "domain=law"}
    fit = ("--json", "--resamples", 5, *scale)
    maps, maps_of_law = tmp_path / "maps.json", tmp_path / "law" / "maps.json"
    done = printed("recalibrate", path, "--by", "domain", "-o", maps, *fit)
    changes = pd.DataFrame(json.loads(done.stdout))
    assert set(changes["by"]) == set(art_and_law)
    done = printed("recalibrate", law, "-o", maps_of_law, *fit)
    law_changes = pd.DataFrame(json.loads(done.stdout)).assign(by="domain=law")
    of_law = changes[changes["by"] == "domain=law"].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_law, law_changes, check_exact=True, check_like=True)
    by_field = rows_by(json.loads(maps.read_text())["maps"], "by")
    (law_map,) = json.loads(maps_of_law.read_text())["maps"]
    assert by_field["domain=law"] == {**law_map, "by": "domain=law"}
    # A value's judgments get the map of that value, and those without the field none.
    applied = ("--recalibrated", maps, *scale)
    law_brier = value_of("brier", law, "--recalibrated", maps_of_law, *scale)
    assert law_brier == pytest.approx(value_of("brier", law, "--by", "domain", *applied))
    rows_of_both = rows_of(path, "--by", "domain", *applied)
    briers = rows_of_both[rows_of_both["metric"] == "brier"]
    (brier,) = briers.loc[briers["condition"].str.get("by") == "domain=law", "value"]
    assert brier == pytest.approx(law_brier)
    assert "add --by domain" in error_of(law, *applied)


def test_differences_are_given_within_each_value_of_a_field(tmp_path: Path) -> None:
    """Those of a value are those of files with its rows alone, beside the primary ones of all."""
    rng = np.random.default_rng(5)
    paths: list[Path] = []
    law_paths: list[Path] = []
    for model in ("a", "b"):
        sure = rng.integers(1, 100, 120)
        right = (rng.uniform(size=120) < sure / 100).astype(int)
        frame = pd.DataFrame({"item": range(120), "confidence": sure, "correct": right})
        frame["domain"] = np.where(frame["item"] % 3 == 0, "law", "art")
        for folder, rows, places in (
            ("all", frame, paths),
            ("law", frame[frame["domain"] == "law"], law_paths),
        ):
            places.append(tmp_path / folder / f"{model}.csv")
            places[-1].parent.mkdir(exist_ok=True)
            rows.to_csv(places[-1], index=False)
    words = ("--json", "--resamples", 50, "--confidence-scale", "0-100")
    rows = pd.DataFrame(json.loads(printed("compare", *paths, "--by", "domain", *words).stdout))
    law_rows = pd.DataFrame(json.loads(printed("compare", *law_paths, *words).stdout))
    is_accuracy = rows["metric"] == "accuracy"
    numbers = ["value_a", "value_b", "difference", "items"]
    (law_part,) = rows.loc[
        is_accuracy & (rows["condition"] == "by=domain%3Dlaw"), numbers
    ].to_numpy()
    (law_only,) = law_rows.loc[law_rows["metric"] == "accuracy", numbers].to_numpy()
    assert law_part.tolist() == pytest.approx(law_only.tolist())
    primary_rows = rows[rows["role"] == "primary"]
    assert len(primary_rows)
    assert not primary_rows["condition"].str.contains("by=").any()


def test_words_in_the_surveys_own_spelling_are_the_surveys(tmp_path: Path) -> None:
    """In capitals, with blanks and quotation marks: compared with the people surveyed."""
    columns = {"setting": "concise", "language": "en", "probability": 0.1}
    for word in ("chances are slight", "Chances are Slight", ' "Chances Are  Slight" '):
        frame = pd.DataFrame({"item": numbered("c", 9), "word": word, **columns})
        frame.to_csv(tmp_path / "mine.csv", index=False)
        conditions = rows_of(tmp_path / "mine.csv")["condition"]
        assert set(conditions.str.get("word").dropna()) == {"chances are slight"}
        assert conditions.str.get("versus").notna().any()


# The folder of field cases

CASES: dict[str, tuple[str, dict[str, float]]] = {
    "letter_case": ("--confidence-scale 0-100", {"accuracy": 0.6}),
    "yes_no": ("--confidence-scale 0-100", {"accuracy": 0.6}),
    "tabs": ("--confidence-scale 0-100", {"accuracy": 0.6}),
    "jsonl": ("", {"accuracy": 0.6}),
    "ungraded_rows": ("--confidence-scale 0-100", {"format_failure_rate": 0, "n": 40}),
    "hle_dropped_150": ("--confidence-scale 0-100", {"hle_calibration_error": math.nan}),
}


@pytest.mark.parametrize("case", CASES)
def test_field_cases_give_their_values(shared_data: Path, case: str) -> None:
    """As their notes have them."""
    folder = path_or_skip(shared_data.parent / "cases" / case)
    options, values = CASES[case]
    (path,) = folder.glob("answers.*")
    for metric, expected in values.items():
        parts = {"top_bin": "dropped"} if metric == "hle_calibration_error" else {}
        computed = value_of(metric, path, *options.split(), **parts)
        assert computed == pytest.approx(expected, nan_ok=True)
