"""Arguments of the public functions as Python users write them, and errors that name them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import inspect_confidence
from inspect_confidence import (
    InvalidArgument,
    check,
    compare,
    confidence,
    count_tables,
    items_needed,
    plots,
    read_judgments,
    recalibrate,
    summarize,
    threshold,
)

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    """Answers of two models to the same 40 items."""
    rng = np.random.default_rng(1)
    frames = []
    for model in ("a", "b"):
        confidence = rng.choice([0.6, 0.7, 0.8, 0.9], 40)
        correct = (rng.random(40) < confidence).astype(float)
        items = [f"q{number}" for number in range(40)]
        frames.append(
            pd.DataFrame(
                {"model": model, "item": items, "confidence": confidence, "correct": correct}
            )
        )
    return pd.concat(frames).assign(task="any_eval")  # the index has each number twice


def test_one_name_is_as_good_as_a_list_of_one(answers: pd.DataFrame) -> None:
    """A text is one name, not a sequence of letters."""
    results = summarize(answers, metrics="ece")
    pd.testing.assert_frame_equal(results, summarize(answers, metrics=["ece"]))
    pd.testing.assert_frame_equal(
        compare(answers, metrics="brier", models="a", resamples=200),
        compare(answers, metrics=["brier"], models=["a"], resamples=200),
    )
    verdicts = check(results, "ece<=0.9")
    pd.testing.assert_frame_equal(verdicts, check(results, ["ece<=0.9"]))
    assert count_tables(answers, "any_eval", by="model")["n"].tolist() == [40, 40]


class OtherFrame:
    """A frame of another package, which can be converted."""

    columns = ("task",)

    def to_pandas(self) -> pd.DataFrame:
        """Return an empty frame."""
        return pd.DataFrame()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: read_judgments(""), "A path is empty; name a log"),
        (lambda _: read_judgments(["", "x"]), "A path is empty; name a log"),
        (lambda _: read_judgments([]), "No path is given; name a log"),
        (lambda _: summarize(OtherFrame()), "convert it with .to_pandas()"),  # type: ignore[arg-type]
        (lambda _: summarize({"any_eval": 5}), "'any_eval': int is no frame"),
        (lambda _: read_judgments("logs", recorded="x"), "recorded=x is no Recorded"),  # type: ignore[arg-type]
        (lambda _: confidence(equality="match"), "equality=match is no scorer"),  # type: ignore[arg-type]
        (lambda _: confidence(regrade=3), "regrade=3 is no scorer"),  # type: ignore[arg-type]
        (lambda frame: summarize(frame, seed=-1), "seed=-1 is below 0"),
        (lambda frame: recalibrate(frame, seed=-1), "seed=-1 is below 0"),
        (lambda frame: recalibrate(frame, resamples=0), "resamples=0 is below 1"),
        (lambda frame: items_needed(frame, width="ece=.1", seed=-1), "seed=-1 is below 0"),
        (lambda frame: items_needed(frame, width="ece=.1", resamples=0), "resamples=0 is below 1"),
        (lambda frame: items_needed(frame, width="ece=.1", power="a"), "--power a is not between"),  # type: ignore[arg-type]
        (lambda frame: threshold(frame, risk="a"), "--risk a is not between 0 and 1"),  # type: ignore[arg-type]
        (lambda frame: compare(frame, study="fermi"), "study=fermi: there is no such study. Did"),
        (lambda frame: count_tables(frame, "any"), "no task 'any'. Did you mean 'any_eval'?"),
        (lambda frame: check(frame, "ece<=0.1"), "The frame has no column 'dataset'; give results"),
    ],
)
def test_an_unusable_argument_is_named(
    call: Callable[[Any], Any], message: str, answers: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder with logs, which an empty path must not read."""
    monkeypatch.chdir(ROOT / "examples")
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        call(answers)


def test_functions_do_not_change_the_frame(answers: pd.DataFrame) -> None:
    """Neither its values nor its index, which has repeats; the order of rows changes no number."""
    before = answers.copy(deep=True)
    results = summarize(answers)
    for function in (threshold, compare):
        function(answers)
    pd.testing.assert_frame_equal(answers, before)
    shuffled = answers.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(summarize(shuffled), results)


PLOTS = [name for name in plots.__all__ if name not in ("COLOURS", "style")]


@pytest.mark.parametrize("name", PLOTS)
def test_a_figure_of_anything_but_results_is_refused(name: str, answers: pd.DataFrame) -> None:
    """Judgments, paths and empty frames have no column of results."""
    plot = getattr(plots, name)
    for rows, message in [
        (answers, "no column 'metric'"),
        (pd.DataFrame(), "no column 'metric'"),
        ("logs", "str is no frame"),
        (None, "NoneType is no frame"),
    ]:
        with pytest.raises(InvalidArgument, match=f"nothing to draw: .*{message}.* Give the frame"):
            plot(rows)
    with pytest.raises(TypeError, match="rows"):
        plot()


def test_public_names_are_listed() -> None:
    """Completion in a notebook asks `dir`, which knows nothing of names that are imported late."""
    assert set(inspect_confidence.__all__) <= set(dir(inspect_confidence))
    assert "__version__" in dir(inspect_confidence)
