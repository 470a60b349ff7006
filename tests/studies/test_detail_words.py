"""Finer rows of words and of hedge markers, against examples worked by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, column_of, numbered, values_by_key
from inspect_confidence import detail
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition, with_parts
from inspect_confidence.studies.hedge_markers.shown import FIGURES as HEDGE_FIGURES
from inspect_confidence.studies.hedge_markers.shown import HEADLINES as HEDGE_HEADLINES
from inspect_confidence.studies.study import FigureSpec
from inspect_confidence.studies.wep_probes.shown import FIGURES as WORD_FIGURES
from inspect_confidence.studies.wep_probes.shown import HEADLINES as WORD_HEADLINES
from metrics.oracles import share_interval
from studies.frames import without_choice

KNOWN = set(METRICS)


def word_judgments(
    word: str, contexts: Sequence[Sequence[float | str]], **more: str
) -> pd.DataFrame:
    """Judgments of a word: a context an entry, an epoch a value; a text is a status."""
    rows = []
    for context, values in enumerate(contexts):
        for epoch, value in enumerate(values, 1):
            row = {
                "task": "wep_elicitation",
                "model": "m",
                "dataset": "bundled",
                "item": f"c{context}",
                "setting": "concise",
                "language": "en",
                "word": word,
                "epoch": epoch,
                "status": value if isinstance(value, str) else "ok",
                "probability": np.nan if isinstance(value, str) else value,
            }
            rows.append({**row, **more})
    return pd.DataFrame(rows)


def rows_of(results: pd.DataFrame, metric: str, part: str, **condition: str) -> dict[str, Any]:
    """Rows of a metric by one part of their condition, the others being those given."""
    rows_by_part: dict[str, Any] = {}
    for row in results[results["metric"] == metric].to_dict("records"):
        parts = dict(Condition.read(row["condition"]))
        name = parts.pop(part)
        model = parts.setdefault("model", row["model"])
        if parts == {"model": model, **condition}:
            assert name not in rows_by_part
            rows_by_part[name] = row
    return rows_by_part


LIKELY = word_judgments(
    "likely", [(0.6, 0.7), (0.8, "refusal"), ("refusal", "refusal"), (1.0, 1.0), (0.15, 0.15)]
)
"""Means over epochs: .65, .8, none, 1 and .15."""

OWN = {"model": "m", "language": "en", "setting": "concise", "word": "likely"}


def filled(bins: dict[str, dict[str, Any]]) -> dict[str, float]:
    """The shares that aren't 0, by their bins."""
    return {name: row["value"] for name, row in bins.items() if row["value"]}


def test_bins_hold_the_means_over_epochs() -> None:
    """Four contexts in four bins of 20, each with 1/4 and Wilson's interval; 3 replies told."""
    bins = rows_of(detail(LIKELY), "value_share", "bin", **OWN)
    low, high = share_interval(1, 4)
    assert len(bins) == 20
    assert sum(column_of(bins.values(), "value")) == pytest.approx(1)
    full = filled(bins)
    assert set(full) == {"0.15-0.2", "0.65-0.7", "0.8-0.85", "0.95-1"}
    for name in full:
        row = bins[name]
        assert (row["value"], row["n"]) == (0.25, 4)
        assert (row["ci_low"], row["ci_high"]) == (pytest.approx(low), pytest.approx(high))
        assert row["note"] == "3 of 10 judgments left out: 3 refusal"


def test_quantiles_and_edges() -> None:
    """Linear between neighbours; every edge belongs to the bin above; settings are pooled too."""
    # Of .15, .65, .8 and 1 at places 3q: .15 + .15 (.5), .15 + .75 (.5), ... .8 + .85 (.2).
    rows = rows_of(detail(LIKELY), "probability_quantile", "q", **OWN)
    values = values_by_key(rows)
    expected = {"0.05": 0.225, "0.25": 0.525, "0.5": 0.725, "0.75": 0.85, "0.95": 0.97}
    assert values == pytest.approx(expected)
    assert set(column_of(rows.values(), "n")) == {4}
    # .05 k lies in the bin that begins with it, though .15 * 20 is not 3; 1 in the last one.
    edges = (np.arange(21)[:, None] / 20).tolist()
    bins = rows_of(detail(word_judgments("likely", edges)), "value_share", "bin", **OWN)
    shares = np.array(column_of(bins.values(), "value"))
    assert (21 * shares).round().tolist() == [1] * 19 + [2]
    # One context says .2, the other setting's of the same name .4: together they say .3 once.
    frame = pd.concat(
        [word_judgments("likely", [(0.2,)]), word_judgments("likely", [(0.4,)], setting="male")]
    )
    rows = rows_of(detail(frame), "probability_quantile", "q", **{**OWN, "setting": "all"})
    assert rows["0.5"]["value"] == pytest.approx(0.3)
    assert rows["0.5"]["n"] == 1


def test_people_are_a_model_of_their_own(tmp_path: Path) -> None:
    """Of 50, 70, 70 and 90: a quarter, a half, a quarter; the 5% quantile is .5 + .15 (.2)."""
    path = tmp_path / "survey.csv"
    path.write_text("likely,never asked\n50,1\n70,2\n70,3\n90,4\n")
    results = detail(LIKELY, options={"wep_probes.survey": path})
    people = {"model": "people surveyed", "word": "likely"}
    bins = rows_of(results, "value_share", "bin", **people)
    assert filled(bins) == {"0.5-0.55": 0.25, "0.7-0.75": 0.5, "0.9-0.95": 0.25}
    quantiles = rows_of(results, "probability_quantile", "q", **people)
    assert quantiles["0.05"]["value"] == pytest.approx(0.53)
    assert quantiles["0.5"]["value"] == pytest.approx(0.7)
    assert set(column_of(quantiles.values(), "n")) == {4}
    assert not results["condition"].str.contains("never asked").any()


def test_words_without_answers() -> None:
    """Undefined with the reason and the count; no people; and percentages are refused."""
    results = detail(word_judgments("likely", [("refusal",), ("refusal",)]))
    for metric, part, count in (("value_share", "bin", 20), ("probability_quantile", "q", 5)):
        rows = rows_of(results, metric, part, **OWN)
        assert len(rows) == count
        for row in rows.values():
            assert np.isnan([row["value"], row["ci_low"], row["ci_high"]]).all()
            assert row["note"] == (
                "undefined: no readable judgment; 2 of 2 judgments left out: 2 refusal"
            )
    models = set(detail(word_judgments("by hook or by crook", [(0.5,)]))["model"])
    assert models == {"m"}
    with pytest.raises(InvalidArgument, match=r"probability=70 is not in \[0, 1\]; 70% is 0\.7"):
        detail(word_judgments("likely", [(70.0,)]))


def hedged(sentences: Sequence[tuple[str, int, str, float]]) -> pd.DataFrame:
    """Judgments of replies of a sentence: item, epoch, markers and confidence (NaN: not judged)."""
    rows: list[dict[str, object]] = []
    for item, epoch, markers, confidence in sentences:
        row = {
            "task": "hedge_markers",
            "model": "m",
            "dataset": f"d{item}",
            "split": "test",
            "item": item,
            "epoch": epoch,
            "sentence": 1,
            "n_markers": markers.count("+") + 1,
            "confidence": confidence,
            "status": "grader_failed" if np.isnan(confidence) else "ok",
            "judge": "j",
        }
        for marker in markers.split("+"):
            rows.append({**row, "marker": marker})
    silent = {"task": "hedge_markers", "model": "m", "dataset": "da", "split": "test", "item": "z"}
    return pd.DataFrame([*rows, {**silent, "epoch": 1, "status": "refusal", "marker": ""}])


SAID = [
    ("a", 1, "probably", 0.3),
    ("a", 2, "Probably", 0.35),
    ("b", 1, "probably", 0.3),
    ("b", 2, "probably", 1.0),
    ("c", 1, "probably+perhaps", 0.9),
    ("c", 2, "perhaps", np.nan),
    ("d", 1, "perhaps", 0.7),
]


def test_shares_of_a_marker() -> None:
    """Over its sentences, whose markers count all by the authors."""
    # Of .3, .35, .3 and 1, in two data sets and epochs, 3/4 lie in [.3, .4) and 1/4 in [.9, 1]. By
    # item 2 of 2 and 1 of 2 lie in the first: of one item with the rarer outcome n is limited to
    # the two items. Two of seven sentences don't count: of two markers, and not judged.
    results = detail(hedged(SAID))
    bins = rows_of(results, "confidence_share", "bin", model="m", judge="j", marker="probably")
    assert len(bins) == 10
    assert filled(bins) == {"0.3-0.4": 0.75, "0.9-1": 0.25}
    low, high = share_interval(3 / 2, 2)
    row = bins["0.3-0.4"]
    assert (row["ci_low"], row["ci_high"]) == (pytest.approx(low), pytest.approx(high))
    assert (row["dataset"], row["n"]) == ("all", 4)
    assert row["note"] == "2 of 7 sentences, of several markers or not judged, left out"
    second_marker = rows_of(
        results, "confidence_share", "bin", model="m", judge="j", marker="perhaps"
    )
    assert filled(second_marker) == {"0.7-0.8": 1}
    # The sentence of two markers, at .9, is one of five of `probably` then.
    results = without_choice(detail(hedged(SAID), convention="authors"))
    bins = rows_of(results, "confidence_share", "bin", model="m", judge="j", marker="probably")
    assert bins["0.9-1"]["value"] == pytest.approx(2 / 5)
    assert bins["0.9-1"]["note"].startswith("1 of 7 sentences")


def test_the_rarest_markers_are_counted() -> None:
    """Of 14 markers that 15, 14, ... 2 sentences have, the last two have 3 + 2 sentences."""
    names = numbered("mark", 14)
    sentences = []
    for number, name in enumerate(names):
        for item in numbered(name, 15 - number):
            sentences.append((item, 1, name, 0.5))
    results = detail(hedged(sentences))
    rows = results[results["metric"] == "confidence_share"]
    markers_shown = with_parts(rows, ["marker"])["marker"].drop_duplicates()
    assert markers_shown.tolist() == names[:12]
    assert set(rows["note"]) == {"2 rarer markers in 5 sentences left out"}
    assert rows["value"].sum() == pytest.approx(12)


@pytest.mark.parametrize("spec", [*WORD_FIGURES, *HEDGE_FIGURES], ids=lambda spec: spec.title)
def test_figures_are_specified_in_full(spec: FigureSpec) -> None:
    """Metrics are in the registry; the caption is of one to four short sentences."""
    assert set(spec.metrics) <= KNOWN
    assert 1 <= len(re.findall(r"[.:;]?[^.]+\.(?:\s|$)", spec.reads)) <= 4
    assert spec.reads.endswith(".")
    assert spec.title[0].isupper()


def test_headlines_are_in_the_registry() -> None:
    """Each names a known metric and stands once."""
    all_of_them = [*WORD_HEADLINES, *HEDGE_HEADLINES]
    assert set(attributes_of(all_of_them, "metric")) <= KNOWN
    assert len(
        {(headline.task, headline.metric, str(headline.where)) for headline in all_of_them}
    ) == len(all_of_them)
