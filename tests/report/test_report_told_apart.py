"""What must not be mixed in a report: variants, data sets, languages, runs."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, condition_values, numbered, texts_with
from inspect_confidence import detail
from inspect_confidence.report import write_report
from report.pages import elements, interval_frame, rows_of, stated_frame, texts_of


def test_variants_that_differ_only_in_their_folder_stay_two(tmp_path: Path) -> None:
    """Folders are taken away, and no row of results stands twice."""
    frames = [
        stated_frame("m", items=10, seed=0).assign(variant="prompt=/home/a/p.txt"),
        stated_frame("m", items=10, seed=1).assign(variant="prompt=/home/b/p.txt"),
    ]
    page = write_report(pd.concat(frames), tmp_path, resamples=20)
    rows = rows_of(page)
    assert not rows.duplicated(["task", "model", "dataset", "condition", "metric"]).any()
    variants = set(condition_values(rows, "variant")) - {""}
    assert len(variants) == 2
    assert "home" not in " ".join(variants)
    # 10 items, 2 scales, 2 epochs of either variant; the first figure has both
    captions = texts_of(elements(page), tag="figcaption")
    assert re.findall(r"Asked[^:]*: (\S+) ", "\n".join(captions[:2])) == ["80", "40"]
    lines = [element.text for element in elements(page) if "data-model" in element.attributes]
    assert len(lines) > 2
    assert [text for text in lines if "p.txt" not in text] == []


def test_frames_by_task_need_no_task_column(tmp_path: Path) -> None:
    """The key says what the judgments are of, in figures too."""
    frame = stated_frame("m", items=12).drop(columns="task")
    judgments = detail({"scale_variants": frame})
    assert set(judgments["task"]) == {"scale_variants"}
    page = write_report({"scale_variants": frame}, tmp_path, resamples=20)
    assert "svg" in attributes_of(elements(page), "tag")


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
    languages = condition_values(counts, "language")
    assert dict(zip(languages, counts["value"], strict=True)) == {"en": 8, "zh": 4}


@pytest.mark.slow
def test_a_model_without_readable_judgments_is_named_as_missing(tmp_path: Path) -> None:
    """A figure of all models names it, and one of its own has a reason why there is no picture."""
    silent = stated_frame("silent", items=6).assign(
        raw=float("nan"), correct=float("nan"), status="refusal"
    )
    page = write_report(pd.concat([stated_frame("m"), silent]), tmp_path, resamples=20)
    page_elements = elements(page)
    figures = texts_of(page_elements, tag="figure")
    for title in ("Accuracy against confidence", "Telling right from wrong answers, scale by"):
        (model_figure,) = texts_with(figures, title)
        assert "No number of: silent." in model_figure
    reasons = texts_of(page_elements, **{"class": "nothing"})
    (reason,) = texts_with(reasons, "What is reported on each scale: silent")
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
    frames = []
    for seed, (model, temperature) in enumerate(product(("m1", "m2"), (0, 1))):
        frame = interval_frame(model, items=12, seed=seed)
        frames.append(frame.assign(variant=f"temperature={temperature}"))
    page = write_report(pd.concat(frames), tmp_path, resamples=20, baseline="m1")
    (table,) = texts_with(texts_of(elements(page), tag="table"), "baseline value")
    assert "m1 temperature=0" in table
    assert "m1 temperature=1" in table
    assert "nan" not in table


def test_means_over_models_are_in_no_matrix(tmp_path: Path) -> None:
    """Only models that answered are in the matrix; the mean stands in the study's tables."""
    decade = np.tile(np.arange(8), 2)
    lives = pd.DataFrame(
        {
            "task": "life_eval",
            "model": np.repeat(["a", "b"], 8),
            "item": numbered("p", 8) * 2,
            "age": 10.0 * decade,
            "radius": 5.0,
            "confidence": 0.1 * decade,
            "score": 0.05 * decade,
        }
    )
    page_elements = elements(write_report(lives, tmp_path, resamples=20))
    matrix = texts_of(page_elements, scope="row")
    assert list(map(str.strip, matrix[:3])) == ["a", "b", "life_eval"]
    assert texts_with(texts_of(page_elements, tag="table"), "mean of all models")
