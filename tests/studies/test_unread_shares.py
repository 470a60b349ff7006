"""Unread replies in the results: shares by condition, and the sentence about them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, column_of, combinations_of, copies_with, frame_rows, rows_by
from inspect_confidence import summarize
from inspect_confidence.commands.views import headline_views
from inspect_confidence.metrics import clustered_wilson_interval
from inspect_confidence.report.tables import Table
from inspect_confidence.report.tables import unread_table as shown
from inspect_confidence.studies import all_studies, all_tables
from inspect_confidence.studies.unread import UNREAD_SHARE, summarize_failures

EPOCHS = 2


def judgments(refused_share: float = 0.3, model: str = "m", dataset: str = "d") -> pd.DataFrame:
    """Thirty items on two scales in two epochs; on 0-5 that share of replies is refused.

    One reply on 0-100 is out of range, and one never came.
    """
    rng = np.random.default_rng(0)
    cells = list(product(range(30), (100.0, 5.0), range(EPOCHS)))
    frame = pd.DataFrame(cells, columns=["item", "high", "epoch"]).assign(
        task="scale_variants", model=model, dataset=dataset, low=0.0, answer="A", target="A"
    )
    frame["item"] = frame["item"].map("i{}".format)
    frame["raw"] = frame["high"] / 2
    frame["status"] = "ok"
    frame.loc[(frame["high"] == 5) & (rng.random(len(frame)) < refused_share), "status"] = "refusal"
    frame.loc[0, "status"] = "out_of_range"
    frame.loc[1, "status"] = "sample_error"
    return frame


def unread_rows(*frames: pd.DataFrame, common_items: bool = False) -> pd.DataFrame:
    """The rows on unread replies."""
    all_judgments = pd.concat(frames, ignore_index=True)
    rows = summarize(all_judgments, resamples=200, common_items=common_items)
    return rows[rows["metric"] == UNREAD_SHARE].reset_index(drop=True)


def by_condition(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Rows by condition."""
    return rows_by(frame_rows(rows), "condition")


def test_shares_and_intervals_follow_from_the_judgments() -> None:
    """What gave no reply is left out; items are clusters."""
    frame = judgments()
    rows = by_condition(unread_rows(frame))
    replied = frame[frame["status"] != "sample_error"]
    unread_counts = (
        (replied["status"] != "ok").groupby([replied["item"], replied["high"]]).sum().unstack()
    )
    replies = replied.groupby(["item", "high"]).size().unstack()
    high_of_scale = {"scale=0-5": 5.0, "scale=0-100": 100.0}
    assert set(rows) == {"", *high_of_scale}
    for condition, high in high_of_scale.items():
        row = rows[condition]
        assert row["value"] == pytest.approx(unread_counts[high].sum() / replies[high].sum())
        ends = clustered_wilson_interval(unread_counts[high], replies[high])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends)
    overall = rows[""]
    refused = int((frame["status"] == "refusal").sum())
    assert overall["n"] == 119
    assert overall["value"] == (refused + 1) / 119
    assert overall["note"] == f"1 out_of_range, {refused} refusal; not counted: 1 sample_error"


def test_the_sentence_says_that_all_or_no_replies_were_read() -> None:
    """It names no condition then, and says so where no reply counts."""
    frame = judgments(0).iloc[2:].reset_index(drop=True)
    for status, says in (
        ("ok", "Parse failures: none of 118 replies."),
        ("echo", "Parse failures: all of 118 replies (118 echo)."),
    ):
        rows = unread_rows(frame.assign(status=status))
        assert attributes_of(summarize_failures(rows), "sentence") == [says]
    rows = unread_rows(frame.assign(status="sample_error"))
    assert rows["value"].isna().all()
    assert (
        summarize_failures(rows)[0].sentence
        == "Parse failures: no reply counts (undefined: no reply; not counted: 118 "
        "sample_error): `inspect-confidence unread` says why."
    )


def test_a_share_below_1_is_never_100_percent() -> None:
    """The missing 1 of 118, 0.8475%, has two digits: 99.15%. 0.996 is no 100%."""
    rows = unread_rows(judgments(0).iloc[2:].assign(status="echo"))
    for share, text in ((117 / 118, "99.15%"), (0.996, "99.6%"), (0.99, "99%"), (0.998, "99.8%")):
        (summary,) = summarize_failures(rows[rows["condition"] == ""].assign(value=share))
        assert summary.share.startswith(f"{text} of 118 replies"), summary.share


def test_common_items_hide_no_unread_reply() -> None:
    """The other numbers rest on items that were read; these rows on all that were asked."""
    pd.testing.assert_frame_equal(
        unread_rows(judgments(), common_items=True), unread_rows(judgments())
    )


def test_the_sentence_names_the_conditions_with_the_least_and_the_greatest_share() -> None:
    """34 of 60 replies on 0-5 and one of 59 on 0-100 are unread; one on 0-100 never came."""
    frame = judgments(0)
    frame.loc[frame[frame["high"] == 5].index[:34], "status"] = "refusal"
    (summary,) = summarize_failures(unread_rows(frame))
    assert summary.group == ["scale_variants", "m", "d", ""]
    assert summary.sentence == (
        "Parse failures: 29% of 119 replies (1 out_of_range, 34 refusal; not counted: "
        "1 sample_error); by scale 1.7% (0-100) to 57% (0-5)."
    )


def test_the_report_has_a_sentence_of_one_model_and_a_table_of_several() -> None:
    """Each number of the table with its row of the results."""
    rows = unread_rows(judgments())
    assert shown(rows) == summarize_failures(rows)[0].sentence
    table = shown(unread_rows(judgments(model="a"), judgments(0, model="b")))
    assert isinstance(table, Table)
    assert attributes_of(column_of(table.lines, 0), "text") == ["scale_variants"] * 2
    assert attributes_of(column_of(table.lines, 3), "row") == [0, 3]


def test_items_of_the_same_name_in_two_data_sets_are_different_items() -> None:
    """Wilson's interval over both data sets is that of all sixty items."""
    rows = unread_rows(judgments(0.4), judgments(0, dataset="e"))
    (over,) = rows[rows["dataset"] == "all"].to_dict("records")
    assert over["n"] == 238
    unread_counts = [[0] * 60, [0] * 60]
    frames = judgments(0.4), judgments(0, dataset="e")
    for k, frame in enumerate(frames):
        lost = frame["status"].isin(["refusal", "out_of_range"])
        unread_counts[k] = list(lost.groupby(frame["item"]).sum())
    replies = [frame["status"].ne("sample_error").groupby(frame["item"]).sum() for frame in frames]
    ends = clustered_wilson_interval(np.concatenate(unread_counts), np.concatenate(replies))
    assert (over["ci_low"], over["ci_high"]) == pytest.approx(ends)


def test_a_reply_counts_once() -> None:
    """Of several sentences, and with its token's probability; a sentence read makes it read."""
    reply = {"uuid": "u", "item": "i", "epoch": 1, "marker": "", "confidence": 0.5, "model": "m"}
    hedged = pd.DataFrame(
        [
            {**reply, "sentence": 1, "status": "grader_failed"},
            {**reply, "sentence": 2, "status": "ok"},
            {**reply, "uuid": "v", "epoch": 2, "sentence": math.nan, "status": "no_response"},
        ]
    ).assign(task="hedge_markers", dataset="facts")
    assert unread_rows(hedged)["value"].tolist() == [1 / 2]
    option_reply = {"item": "i", "kind": "options", "confidence": 0.5, "correct": 1.0}
    sources = combinations_of(status=("ok", "truncated"), source=("stated", "token"))
    sets = pd.DataFrame(copies_with(sources, **option_reply))
    sets = sets.assign(task="question_sets", epoch=[1, 1, 2, 2])
    rows = unread_rows(sets)
    assert rows["value"].tolist() == [1 / 2]
    assert rows["n"].tolist() == [2]


def test_what_is_varied_are_columns_of_replies() -> None:
    """Every task's record names columns that its replies have."""
    for table in all_tables().values():
        assert set(table.varied) <= {*table.names, "scale"}, table.task


def test_tables_say_what_all_and_mean_are_shares_of() -> None:
    """On evals of 10 and 30 replies 1 and 0 are unread: 2.5% of all replies, the mean is 5%."""
    evals = []
    for dataset, size, unread in (("small", 10, 1), ("large", 30, 0)):
        items = pd.DataFrame({"item": map(str, range(size)), "dataset": dataset, "status": "ok"})
        items["confidence"], items["correct"] = 0.7, (items.index % 2).astype(float)
        items.loc[: unread - 1, ["confidence", "status"]] = math.nan, "refusal"
        evals.append(items)
    frame = pd.concat(evals).assign(task="any_eval", model="m")
    results = summarize(frame, resamples=20)
    rows = results[results["metric"] == UNREAD_SHARE]
    assert rows.set_index("dataset")["value"]["all"] == 1 / 40
    table = shown(rows)
    assert isinstance(table, Table)
    assert table.caption.endswith('Lines "all" are of the replies on all data sets together.')
    other_table = shown(unread_rows(judgments(), judgments(model="n")))
    assert isinstance(other_table, Table)
    assert '"all"' not in other_table.caption
    views = next(study.views(results) for study in all_studies() if study.name == "any_eval")
    calibration = views[0].table.set_index("eval")
    assert calibration["format failures"]["mean"].startswith("0.050 ")
    means = (
        'Lines "mean" have the mean of the evals\' numbers, each with the same weight, also of '
        "format failures."
    )
    assert means in views[0].caption
    assert "parse failures without confidences out of range." in views[0].caption
    note = (
        'Parse failures are counted on each data set, not for "mean" (mean of the data sets, each '
        "with the same weight)."
    )
    ((_, (headlines,)),) = headline_views(results)
    assert headlines.table.set_index("data set")["Parse failures"]["mean"] == "-"
    assert note in headlines.caption
    ((_, (headlines,)),) = headline_views(summarize(evals[0].assign(task="any_eval", model="m")))
    assert note not in headlines.caption
