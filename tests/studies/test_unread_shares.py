"""Unread replies in the results: shares by condition, the test, and what is said of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_confidence import summarize
from inspect_confidence.metrics import clustered_wilson_interval, unread_dependence
from inspect_confidence.report.tables import Table
from inspect_confidence.report.tables import unread_table as shown
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.unread import METRICS, summarize_failures

EPOCHS = 2


def judgments(refused_share: float = 0.3, model: str = "m", dataset: str = "d") -> pd.DataFrame:
    """Thirty items on two scales in two epochs; on 0-5 that share of replies is refused.

    One reply on 0-100 is out of range, and one never came.
    """
    rng = np.random.default_rng(0)
    cells = [(i, high, e) for i in range(30) for high in (100.0, 5.0) for e in range(EPOCHS)]
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
    return rows[rows["metric"].isin(METRICS)].reset_index(drop=True)


def by_name(rows: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows by condition and metric."""
    return {
        (row["condition"], row["metric"]): {str(name): cell for name, cell in row.items()}
        for row in rows.to_dict("records")
    }


def test_shares_and_test_follow_from_the_judgments() -> None:
    """What gave no reply is left out; items are clusters, and stay together in the test."""
    frame = judgments()
    rows = by_name(unread_rows(frame))
    replied = frame[frame["status"] != "sample_error"]
    unread_counts = (
        (replied["status"] != "ok").groupby([replied["item"], replied["high"]]).sum().unstack()
    )
    replies = replied.groupby(["item", "high"]).size().unstack()
    high_of_scale = {"scale=0-5": 5.0, "scale=0-100": 100.0}
    assert {condition for condition, _ in rows} == {"", "by=scale", *high_of_scale}
    for condition, high in high_of_scale.items():
        row = rows[condition, "unread_share"]
        assert row["value"] == pytest.approx(unread_counts[high].sum() / replies[high].sum())
        ends = clustered_wilson_interval(unread_counts[high], replies[high])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(ends)
    overall = rows["", "unread_share"]
    refused = int((frame["status"] == "refusal").sum())
    assert overall["n"] == 119
    assert overall["value"] == (refused + 1) / 119
    assert overall["note"] == f"1 out_of_range, {refused} refusal; without a reply: 1 sample_error"
    test = rows["by=scale", "unread_dependence"]
    assert test["value"] == pytest.approx(
        unread_dependence(unread_counts, replies, resamples=200), abs=0.02
    )
    assert test["note"] == "200 permutations within 30 items"
    assert test["value"] < 0.02


def test_all_read_and_none_read_are_said() -> None:
    """No p where nothing can depend on anything, with the reason."""
    frame = judgments(0).iloc[2:].reset_index(drop=True)
    for status, reason, says in (
        ("ok", "every reply was read", "Unread: none of 118 replies."),
        ("echo", "no reply was read", "Unread: all of 118 replies (118 echo)."),
    ):
        rows = unread_rows(frame.assign(status=status))
        (test,) = rows[rows["metric"] == "unread_dependence"].to_dict("records")
        assert math.isnan(test["value"])
        assert test["note"] == f"undefined: {reason}"
        assert [sentence.sentence for sentence in summarize_failures(rows)[0]] == [says]
    rows = unread_rows(frame.assign(status="sample_error"))
    assert rows["value"].isna().all()
    assert (
        summarize_failures(rows)[0][0].sentence
        == "Unread: no reply came (undefined: no reply; without a reply: 118 sample_error)."
    )


def test_common_items_hide_no_unread_reply() -> None:
    """The other numbers rest on items that were read; these rows on all that were asked."""
    pd.testing.assert_frame_equal(
        unread_rows(judgments(), common_items=True), unread_rows(judgments())
    )


def test_sentences_name_what_the_share_depends_on() -> None:
    """One a model and data set; p is Holm's over the sentences of the study."""
    dependent, independent = judgments(0.3, "a"), judgments(0, "b")
    rows = unread_rows(dependent, independent)
    raw = rows.loc[rows["metric"] == "unread_dependence", "value"]
    first, second = summarize_failures(rows)[0]
    assert summarize_failures(rows)[1] == "p after Holm's adjustment over 2 tests."
    assert "; the share depends on the scale (p = .0" in first.sentence
    assert first.sentence.endswith("comparisons by scale may be comparisons of format.")
    assert first.group == ["scale_variants", "a", "d", ""]
    # One reply of b's 119 is unread: exchanged within its item it is as far out as before.
    assert raw.iloc[1] == 1
    assert second.sentence == (
        "Unread: 0.84% of 119 replies (1 out_of_range; without a reply: 1 sample_error); no sign "
        "that it depends on the scale (p = 1.00)."
    )


def test_the_report_has_a_sentence_of_one_model_and_a_table_of_several() -> None:
    """Each number of the table with its row of the results."""
    rows = unread_rows(judgments())
    assert shown(rows) == summarize_failures(rows)[0][0].sentence
    table = shown(unread_rows(judgments(model="a"), judgments(0, model="b")))
    assert isinstance(table, Table)
    assert [line[0].text for line in table.lines] == ["scale_variants"] * 2
    assert [line[3].row for line in table.lines] == [0, 4]
    assert table.caption == "p after Holm's adjustment over 2 tests."


def test_data_sets_are_a_condition_of_whole_items() -> None:
    """Items of the same name in two data sets are different items."""
    rows = unread_rows(judgments(0.4), judgments(0, dataset="e"))
    over = by_name(rows[rows["dataset"] == "all"])
    test = over["by=dataset", "unread_dependence"]
    assert test["note"] == "200 permutations of 60 whole items"
    assert test["value"] < 0.02
    assert over["", "unread_share"]["n"] == 238


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
    sets = pd.DataFrame(
        [
            {**option_reply, "source": source, "status": status}
            for status in ("ok", "truncated")
            for source in ("stated", "token")
        ]
    ).assign(task="question_sets", epoch=[1, 1, 2, 2])
    rows = unread_rows(sets)
    assert rows["value"].tolist() == [1 / 2]
    assert rows["n"].tolist() == [2]


def test_what_is_varied_are_columns_of_replies() -> None:
    """Every task's record names columns that its replies have."""
    for table in all_tables().values():
        assert set(table.varied) <= {*table.columns, "scale"}, table.task
