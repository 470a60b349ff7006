"""What must not be mixed in a report: variants, data sets, languages, runs."""

from pathlib import Path

import pandas as pd
import pytest

from build import numbered
from inspect_confidence import detail
from inspect_confidence.report import write_report
from inspect_confidence.results import Condition
from report.pages import elements, interval_frame, rows_of, stated_frame


def _captions(page: Path) -> list[str]:
    return [element.text for element in elements(page) if element.tag == "figcaption"]


def test_variants_that_differ_only_in_their_folder_stay_two(tmp_path: Path) -> None:
    """Folders are taken away, and no row of results stands twice."""
    frames = [
        stated_frame("m", items=10, seed=k).assign(variant=f"prompt=/home/{folder}/p.txt")
        for k, folder in enumerate(("a", "b"))
    ]
    page = write_report(pd.concat(frames), tmp_path, resamples=20)
    rows = rows_of(page)
    assert not rows.duplicated(["task", "model", "dataset", "condition", "metric"]).any()
    variants = {Condition.read(text).get("variant", "") for text in rows["condition"]} - {""}
    assert len(variants) == 2
    assert not any("home" in text for text in variants)
    # 10 items, 2 scales, 2 epochs of either variant; the first figure has both
    counts = [text.split("Asked: ")[1].split(" ")[0] for text in _captions(page)]
    assert counts[:2] == ["80", "40"]
    lines = [element.text for element in elements(page) if "data-model" in element.attributes]
    assert sum("p.txt" in text for text in lines) == len(lines) > 2


def test_frames_by_task_need_no_task_column(tmp_path: Path) -> None:
    """The key says what the judgments are of, in figures too."""
    frame = stated_frame("m", items=12).drop(columns="task")
    judgments = detail({"scale_variants": frame})
    assert set(judgments["task"]) == {"scale_variants"}
    page = write_report({"scale_variants": frame}, tmp_path, resamples=20)
    assert any(element.tag == "svg" for element in elements(page))


def test_statuses_are_counted_by_language() -> None:
    """Eight English and four Chinese judgments of a word are two counts."""
    frame = pd.DataFrame(
        {
            "task": "wep_elicitation",
            "item": numbered("c", 12),
            "word": "likely",
            "setting": "concise",
            "language": ["en"] * 8 + ["zh"] * 4,
            "probability": 0.7,
        }
    )
    judgments = detail(frame)
    counts = judgments[judgments["metric"] == "status_count"]
    values = {
        Condition.read(str(row["condition"]))["language"]: row["value"] for row in _records(counts)
    }
    assert values == {"en": 8, "zh": 4}


def _records(rows: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


@pytest.mark.slow
def test_a_model_without_readable_judgments_is_named_as_missing(tmp_path: Path) -> None:
    """A figure of all models names it, and one of its own has a reason why there is no picture."""
    silent = stated_frame("silent", items=6).assign(
        raw=float("nan"), correct=float("nan"), status="refusal"
    )
    page = write_report(pd.concat([stated_frame("m"), silent]), tmp_path, resamples=20)
    page_elements = elements(page)
    figures = [element.text for element in page_elements if element.tag == "figure"]
    for title in ("Accuracy against confidence", "Telling right from wrong answers, scale by"):
        (model_figure,) = (text for text in figures if title in text)
        assert "No number of: silent." in model_figure
    reasons = [
        element.text for element in page_elements if element.attributes.get("class") == "nothing"
    ]
    (reason,) = [
        text for text in reasons if text.startswith("What is reported on each scale: silent")
    ]
    assert "Too little data" in reason


@pytest.mark.slow
def test_a_second_report_leaves_no_figure_of_the_first(tmp_path: Path) -> None:
    """Files of an earlier report go, those of other people's stay."""
    frames = {"scale_variants": stated_frame("a"), "fermi_eval": interval_frame("a")}
    write_report(frames, tmp_path, resamples=20)
    foreign_file = tmp_path / "figures" / "mine.png"
    foreign_file.write_bytes(b"mine")
    assert list((tmp_path / "figures").glob("scale-variants-*"))
    write_report({"fermi_eval": interval_frame("a")}, tmp_path, resamples=20)
    assert not list((tmp_path / "figures").glob("scale-variants-*"))
    assert foreign_file.read_bytes() == b"mine"


@pytest.mark.slow
def test_each_difference_names_the_variant_of_the_baseline(tmp_path: Path) -> None:
    """Variants of the baseline are told apart, and undefined differences are dashes."""
    frames = [
        interval_frame(model, items=12, seed=k).assign(variant=f"temperature={k % 2}")
        for k, model in enumerate(("m1", "m1", "m2", "m2"))
    ]
    page = write_report(pd.concat(frames), tmp_path, resamples=20, baseline="m1")
    (table,) = (
        element
        for element in elements(page)
        if element.tag == "table" and "baseline value" in element.text
    )
    assert "m1 temperature=0" in table.text
    assert "m1 temperature=1" in table.text
    assert "nan" not in table.text


def test_means_over_models_are_in_no_matrix(tmp_path: Path) -> None:
    """Only models that answered are in the matrix; the mean stands in the study's tables."""
    lives = pd.DataFrame(
        {
            "task": "life_eval",
            "model": [model for model in ("a", "b") for _ in range(8)],
            "item": numbered("p", 8) * 2,
            "age": [10.0 * (k % 8) for k in range(16)],
            "radius": 5.0,
            "confidence": [0.1 * (k % 8) for k in range(16)],
            "score": [0.05 * (k % 8) for k in range(16)],
        }
    )
    page_elements = elements(write_report(lives, tmp_path, resamples=20))
    matrix = [element.text for element in page_elements if element.attributes.get("scope") == "row"]
    assert [text.strip() for text in matrix[:3]] == ["a", "b", "life_eval"]
    assert any(
        "mean of all models" in element.text for element in page_elements if element.tag == "table"
    )
