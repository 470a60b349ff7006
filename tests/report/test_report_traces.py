"""Numbers of the report, from the page back to the judgments, computed anew without our metrics."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from build import records_with
from inspect_confidence.report import write_report
from inspect_confidence.results import Condition
from metrics.oracles import share_interval
from report.pages import SHOWN, Element, elements, rows_of, small_judgments

MODEL = "vendor/b"


@pytest.fixture(scope="module")
def judgments() -> dict[str, pd.DataFrame]:
    """Judgments of two tasks by two models."""
    return small_judgments("vendor/a", MODEL)


@pytest.fixture(scope="module")
def page(judgments: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their report."""
    return write_report(judgments, tmp_path_factory.mktemp("traced"), resamples=100)


@pytest.fixture(scope="module")
def shown_values(page: Path) -> dict[int, str]:
    """What the page shows of each row, where it shows it with most digits."""
    texts: dict[int, str] = {}
    for cell in _cells(page):
        row = int(cell.attributes["data-row"])
        texts[row] = max(texts.get(row, ""), cell.text.split(" ")[0], key=len)
    return texts


def _cells(page: Path) -> list[Element]:
    cells = [element for element in elements(page) if "data-row" in element.attributes]
    return records_with(cells, tag="td")  # in the matrix percentages are rounded


def _scale_judgments(frames: Mapping[str, pd.DataFrame], high: int) -> pd.DataFrame:
    frame = frames["scale_variants"]
    read = frame[(frame["model"] == MODEL) & (frame["high"] == high) & (frame["status"] == "ok")]
    return read.assign(confidence=read["raw"] / high)


def _intervals(frames: Mapping[str, pd.DataFrame], level: int) -> pd.DataFrame:
    frame = frames["fermi_eval"]
    is_of_level = (frame["model"] == MODEL) & (frame["level"] == level) & (frame["split"] == "test")
    return frame[is_of_level & (frame["status"] == "ok")]


def _ece(read: pd.DataFrame) -> float:
    error = 0.0
    for k in range(10):
        low, high = k / 10, (k + 1) / 10
        last = read["confidence"] == 1 if k == 9 else False
        bin_judgments = read[(read["confidence"] >= low) & ((read["confidence"] < high) | last)]
        if len(bin_judgments):
            gap = abs(bin_judgments["confidence"].mean() - bin_judgments["correct"].mean())
            error += len(bin_judgments) / len(read) * gap
    return error


def _interval_score(read: pd.DataFrame, alpha: float) -> float:
    scores = []
    for row in read.to_dict("records"):
        score = row["upper"] - row["lower"]
        if row["truth"] < row["lower"]:
            score += 2 / alpha * (row["lower"] - row["truth"])
        if row["truth"] > row["upper"]:
            score += 2 / alpha * (row["truth"] - row["upper"])
        scores.append(score)
    return float(np.mean(scores))


def _covered(read: pd.DataFrame) -> float:
    return float(((read["lower"] <= read["truth"]) & (read["truth"] <= read["upper"])).mean())


def _bin_accuracy(read: pd.DataFrame) -> float:
    return float(read[(read["confidence"] >= 0.5) & (read["confidence"] < 0.6)]["correct"].mean())


def _hit_rate(read: pd.DataFrame) -> float:
    return float((read[read["correct"] == 1]["confidence"] >= 0.5).mean())


Recompute = Callable[[Mapping[str, pd.DataFrame]], float]

NUMBERS: dict[tuple[str, str], Recompute] = {
    ("accuracy", "scale=0-100"): lambda f: float(_scale_judgments(f, 100)["correct"].mean()),
    ("mean_confidence", "scale=0-20"): lambda f: float(
        _scale_judgments(f, 20)["confidence"].mean()
    ),
    ("overconfidence", "scale=0-100"): lambda f: float(
        _scale_judgments(f, 100)["confidence"].mean() - _scale_judgments(f, 100)["correct"].mean()
    ),
    ("ece", "scale=0-100"): lambda f: _ece(_scale_judgments(f, 100)),
    ("brier", "scale=0-20"): lambda f: brier_score_loss(
        _scale_judgments(f, 20)["correct"], _scale_judgments(f, 20)["confidence"]
    ),
    ("auroc", "scale=0-100"): lambda f: roc_auc_score(
        _scale_judgments(f, 100)["correct"], _scale_judgments(f, 100)["confidence"]
    ),
    ("top1_share", "scale=0-20"): lambda f: (
        Counter(_scale_judgments(f, 20)["raw"]).most_common(1)[0][1] / len(_scale_judgments(f, 20))
    ),
    ("coverage", "level=90;method=direct;split=test"): lambda f: _covered(_intervals(f, 90)),
    ("interval_score", "level=90;method=direct;split=test"): lambda f: _interval_score(
        _intervals(f, 90), 0.1
    ),
    ("mean_width", "level=95;method=direct;split=test"): lambda f: float(
        (_intervals(f, 95)["upper"] - _intervals(f, 95)["lower"]).mean()
    ),
    ("status_count", "status=refusal"): lambda f: float(
        (f["scale_variants"][f["scale_variants"]["model"] == MODEL]["status"] == "refusal").sum()
    ),
}


DRAWN: dict[tuple[str, str], Recompute] = {
    ("bin_accuracy", "bin=0.5-0.6;scale=0-100"): lambda f: _bin_accuracy(_scale_judgments(f, 100)),
    ("type2_hit_rate", "scale=0-100;threshold=0.5"): lambda f: _hit_rate(_scale_judgments(f, 100)),
}
"""Numbers that figures draw and no table shows."""


def _row(page: Path, metric: str, condition: str) -> int:
    rows = rows_of(page)
    candidates = rows[(rows["model"] == MODEL) & (rows["metric"] == metric)]
    expected = Condition.read(condition)
    indices = [
        i for i, text in candidates["condition"].items() if Condition.read(str(text)) == expected
    ]
    assert len(indices) == 1, (metric, condition, indices)
    return int(str(indices[0]))


@pytest.mark.parametrize(("metric", "condition"), list(NUMBERS))
def test_a_number_of_the_page_follows_from_the_judgments(
    metric: str,
    condition: str,
    page: Path,
    shown_values: dict[int, str],
    judgments: dict[str, pd.DataFrame],
) -> None:
    """The page's text at that row is the number computed anew, to the digits shown."""
    row = _row(page, metric, condition)
    assert row in shown_values, f"the page shows no number of row {row}"
    text = shown_values[row].replace(",", "")
    digits = len(text.partition(".")[2])
    value = NUMBERS[metric, condition](judgments)
    assert abs(float(text) - value) <= 0.5 * 10.0**-digits + 1e-9


@pytest.mark.parametrize(("metric", "condition"), list(DRAWN))
def test_a_drawn_number_follows_from_the_judgments(
    metric: str, condition: str, page: Path, judgments: dict[str, pd.DataFrame]
) -> None:
    """A figure names its row, and the row's value is the number computed anew."""
    row = _row(page, metric, condition)
    assert rows_of(page).loc[row, "value"] == pytest.approx(DRAWN[metric, condition](judgments))
    rows_of_figures = set()
    for element in elements(page):
        if element.tag == "figure":
            for part in element.attributes["data-rows"].split():
                first, *last = map(int, part.split("-"))
                rows_of_figures |= set(range(first, max(last, default=first) + 1))
    assert row in rows_of_figures


def test_an_interval_follows_from_the_judgments(
    page: Path, judgments: dict[str, pd.DataFrame]
) -> None:
    """The share of unreadable replies at 90% has Wilson's interval, as statsmodels computes it."""
    row = _row(page, "format_failure_rate", "level=90;method=direct;split=test")
    frame = judgments["fermi_eval"]
    is_of_level = (frame["model"] == MODEL) & (frame["level"] == 90) & (frame["split"] == "test")
    failed = int((frame[is_of_level]["status"] != "ok").sum())
    low, high = share_interval(failed, int(is_of_level.sum()))
    text = next(cell.text for cell in _cells(page) if cell.attributes["data-row"] == str(row))
    match = SHOWN.match(text)
    assert match
    value, below, above = map(float, match.groups())
    assert value == pytest.approx(failed / is_of_level.sum(), abs=0.005)
    assert (below, above) == pytest.approx((low, high), abs=0.0051)
