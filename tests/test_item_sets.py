"""Numbers on different sets of items are marked beside the number, wherever they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import numbered
from inspect_confidence import summarize, write_report
from inspect_confidence.commands.views import headline_views, views_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.export import export
from inspect_confidence.studies.notes import reason_in


def answers(model: str, items: int, epochs: int = 1) -> pd.DataFrame:
    """Judgments of the first items of a data set, the easier ones first."""
    rng = np.random.default_rng(items)
    frames = []
    for epoch in range(epochs):
        confidence = rng.choice([0.6, 0.8, 0.9, 1.0], items)
        frames.append(
            pd.DataFrame(
                {
                    "task": "any_eval",
                    "model": model,
                    "item": numbered("i", items),
                    "epoch": epoch,
                    "status": "ok",
                    "confidence": confidence,
                    "correct": (rng.random(items) < 0.9 - np.arange(items) / 1_000).astype(float),
                }
            )
        )
    return pd.concat(frames)


@pytest.fixture(scope="module")
def judgments() -> pd.DataFrame:
    """257 easier items beside 400, and 390 of 400."""
    return pd.concat([answers("all", 400), answers("easy", 257), answers("most", 390)])


def answers_of_sets(model: str, **sizes: int) -> pd.DataFrame:
    """Judgments of one model on several data sets by their size; `unnamed` has no name."""
    frames = []
    for dataset, items in sizes.items():
        frame = answers(model, items)
        frame["item"] = dataset + frame["item"]
        frames.append(frame.assign(dataset="" if dataset == "unnamed" else dataset))
    return pd.concat(frames)


def mean_notes(judgments: pd.DataFrame, metric: str) -> dict[str, str]:
    """The notes of the mean over data sets, by model."""
    results = summarize(judgments, resamples=20)
    rows = results[(results["dataset"] == "mean") & (results["metric"] == metric)]
    return dict(zip(rows["model"], rows["note"], strict=True))


def test_a_mean_without_an_interval_names_the_data_sets_with_too_few_items() -> None:
    """Of the confidence, which needs 20 items in each data set; accuracy has its interval."""
    frame = answers_of_sets("m", maths=60, trivia=12, unnamed=3)
    assert mean_notes(frame, "mean_confidence")["m"] == (
        "unweighted mean of the data set without a name, maths, trivia; no interval: fewer than 20 "
        "items in the data set without a name, trivia"
    )
    assert "no interval" not in mean_notes(frame, "accuracy")["m"]
    frame.loc[frame["dataset"] == "", "correct"] = 1.0
    assert mean_notes(frame, "auroc")["m"].startswith(
        "undefined: undefined in the data set without a name (every answer is right); unweighted"
    )
    # A reason with a semicolon would end within its brackets.
    results = summarize(frame, resamples=20)
    undefined_means = results[(results["dataset"] == "mean") & results["value"].isna()]
    reasons = [reason_in(note, "undefined") or "" for note in undefined_means["note"]]
    assert "meta_information_corrected" in set(undefined_means["metric"])
    assert [reason for reason in reasons if not reason.endswith(")")] == []


def test_common_items_of_a_data_set_without_a_name_are_named_in_words() -> None:
    """In the note of a mean, and in the error if there are none."""
    frame = pd.concat([answers_of_sets(name, maths=30, unnamed=30) for name in "ab"])
    results = summarize(frame, resamples=10, common_items=True)
    note = results.loc[results["dataset"] == "mean", "note"].iloc[0]
    assert "; the data set without a name: 30 of 30 items that all 2 models and variants" in note
    frame["item"] += np.where(frame["dataset"] == "", frame["model"], "")
    with pytest.raises(InvalidArgument, match="no item of the data set without a name was"):
        summarize(frame, common_items=True)


def test_the_note_of_a_number_on_clearly_fewer_items_is_marked(judgments: pd.DataFrame) -> None:
    """257 of 400 are marked in results and files of them, 390 of 400 aren't, nor counts."""
    results = summarize(judgments, resamples=20)
    accuracy = results[results["metric"] == "accuracy"].set_index("model")["note"]
    assert accuracy["easy"].startswith("† other items: n = 257 beside 400")
    assert "†" not in accuracy["all"] + accuracy["most"]
    marked = results[results["note"].str.contains("†")]
    assert set(marked["model"]) == {"easy"}
    assert "ece" in set(marked["metric"])
    assert not marked["metric"].isin(["unread_share", "n_scored"]).any()


def test_a_mean_over_other_data_sets_than_most_models_is_marked() -> None:
    """With 200 items each: by data sets, not by n; of two models the one that lacks a data set."""
    most = [answers_of_sets(name, maths=100, trivia=100) for name in "ab"]
    other = answers_of_sets("c", maths=100, extra=100)
    text = "† other data sets than those of other models; unweighted mean of extra, maths"
    notes = mean_notes(pd.concat([*most, other]), "accuracy")
    assert notes["c"].startswith(text)
    assert "†" not in notes["a"] + notes["b"]
    more = answers_of_sets("c", maths=100, trivia=100, extra=10)
    notes = mean_notes(pd.concat([most[0], more]), "accuracy")
    assert notes["a"].startswith("† other data sets than those of other models; unweighted mean")
    assert "†" not in notes["c"]
    results = summarize(pd.concat([*most, other]), resamples=20)
    ((_, views),) = headline_views(results)
    lines = views[0].table.to_dict("records")
    marked = [line for line in lines if "†" in line["Accuracy"]]
    assert [(line["model"], line["data set"]) for line in marked] == [("c", "mean")]
    assert "† other data sets than those of other models: these means are not" in views[0].caption
    assert "on fewer items" not in views[0].caption


def test_a_mean_over_data_sets_of_another_table_names_them() -> None:
    """Maths was also asked for agreement, and has a table of its own; the mean is over both."""
    stated = answers_of_sets("m", maths=40, trivia=40).assign(method="stated")
    agreeing = stated[stated["dataset"] == "maths"].assign(method="consistency")
    for frame, says in ((stated, False), (pd.concat([stated, agreeing]), True)):
        ((_, views),) = headline_views(summarize(frame, resamples=20))
        captions = " ".join(view.caption for view in views)
        assert ('"mean" is the mean of maths, trivia.' in captions) == says


@pytest.mark.slow
def test_a_mean_over_other_data_sets_is_neither_ranked_nor_compared(tmp_path: Path) -> None:
    """Of two models, none is; of three, the one with other data sets is left out and counted."""
    names = ("a", "b")
    alike = [answers_of_sets(name, maths=100, trivia=100) for name in names]
    alike[0]["correct"] = (alike[0]["confidence"] < 0.9).astype(float)  # the worse one
    other = answers_of_sets("c", maths=100, extra=100)
    pair = write_report(pd.concat([alike[0], other]), tmp_path / "two", resamples=20)
    text = pair.read_text("utf-8")
    assert "; not compared: the models have different data sets." in text
    assert "beyond chance" not in text.split("How ranks are found")[0]
    assert "rank 1 of" not in text
    three = write_report(pd.concat([*alike, other]), tmp_path / "three", resamples=200)
    text = three.read_text("utf-8")
    assert "the difference is beyond chance; 1 model with other data sets left out." in text
    assert "rank 2 of 2" in text
    export(pd.concat([*alike, other]), "leaderboard", tmp_path / "board", resamples=20)
    lines = (tmp_path / "board" / "leaderboard.md").read_text("utf-8")
    assert "not ranked: the mean is over other data sets than those of other models" in lines


def test_epochs_are_marked_only_where_they_differ() -> None:
    """Two epochs of all models have equal n; unread replies up to a tenth are no other items."""
    same_items = pd.concat([answers("a", 100, 2), answers("b", 100, 2)])
    is_lost = (same_items["model"] == "b") & (same_items["item"] < "i15")
    lost_items = same_items.assign(status=np.where(is_lost, "refusal", "ok"))
    for frame in (same_items, lost_items):
        assert not summarize(frame, resamples=10)["note"].str.contains("†").any()


def test_an_undefined_mean_has_the_reason_of_its_data_sets_once() -> None:
    """Every answer of model b is right, so that there is no AUROC on either set, nor a mean."""
    sizes = {"maths": 60, "trivia": 60}
    right = answers_of_sets("b", **sizes).assign(correct=1.0)
    ((_, views),) = headline_views(
        summarize(pd.concat([answers_of_sets("a", **sizes), right]), resamples=20)
    )
    assert "Undefined: AUROC of b. Reason: every answer is right." in views[0].caption
    assert "undefined in" not in views[0].caption


def test_a_table_of_a_study_explains_the_mark_if_it_has_one(judgments: pd.DataFrame) -> None:
    """The sentence stands below every table with a marked cell; without the model below none."""
    unmarked = judgments[judgments["model"] != "easy"]
    for frame, is_marked in ((judgments, True), (unmarked, False)):
        ((_, views),) = views_of(summarize(frame, resamples=20))
        for view in views:
            has_mark = bool(view.table.map(lambda cell: "†" in str(cell)).any(axis=None))
            has_sentence = "† on fewer items: n is below 90%" in view.text_below
            assert has_mark == has_sentence == is_marked


def test_the_mark_stands_in_terminal_report_and_leaderboard(
    judgments: pd.DataFrame, tmp_path: Path
) -> None:
    """In each table the cell of that model has the mark, and a line says what it means."""
    results = summarize(judgments, resamples=20)
    ((_, views),) = headline_views(results)
    table = views[0].table.set_index("model")
    assert all("†" in str(cell) for cell in table.loc["easy"].drop("Parse failures"))
    assert not any("†" in str(cell) for cell in table.loc["all"])
    assert "† on fewer items" in views[0].caption
    page = write_report(judgments, tmp_path / "report", resamples=20).read_text("utf-8")
    assert "†</abbr>" in page
    assert "† marks a number on fewer items" in page
    export(judgments, "leaderboard", tmp_path / "board", resamples=20)
    lines = (tmp_path / "board" / "leaderboard.md").read_text("utf-8").splitlines()
    values = [line for line in lines if line.startswith("|") and "| easy |" in line]
    assert values
    assert all("†" in line.split("|")[4] for line in values if line.split("|")[4].strip() != "-")
    export(judgments, "csv", tmp_path / "csv", resamples=20)
    (file,) = (tmp_path / "csv").glob("*results*.csv")
    assert "† other items: n = 257 beside 400" in file.read_text("utf-8-sig")
