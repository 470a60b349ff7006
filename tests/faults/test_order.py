"""Numbers are a function of the judgments: no order of rows, files or logs changes any."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CHECKOUT
from faults.ledger import held
from inspect_confidence import InvalidArgument, compare, detail, read_judgments, summarize
from inspect_confidence.commands.analysis import Settings
from inspect_confidence.judgments.order import sort_judgments
from studies.designs import every_judgment
from studies.frames import frames_are_equal

EXAMPLES = CHECKOUT / "examples" / "logs"
FEW: Settings = {"resamples": 50}


def shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The same rows in another order."""
    order = np.random.default_rng(seed).permutation(len(frame))
    return frame.iloc[order].reset_index(drop=True)


def given_by(judgments: pd.DataFrame | Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """What each command computes of judgments; nothing where it has nothing to compare."""
    for compute in (summarize, detail, compare):
        with suppress(InvalidArgument):
            yield compute.__name__, compute(judgments, **FEW)


cells = st.tuples(
    st.sampled_from(["b", "a", ""]),
    st.sampled_from(["q1", "q2"]),
    st.sampled_from([1.0, 2.0, np.nan]),
    st.sampled_from([True, False, None]),
)


@given(st.lists(cells, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_rows_has_one_order(rows: list[tuple[object, ...]], random: Random) -> None:
    """However rows come they leave alike, none lost; missing numbers are last."""
    names = ["model", "item", "epoch", "reversed"]
    kinds = {"model": str, "item": str, "epoch": float, "reversed": object}
    frame = pd.DataFrame(rows, columns=names).astype(kinds)
    mixed = list(range(len(rows)))
    random.shuffle(mixed)
    first, second = sort_judgments(frame), sort_judgments(frame.iloc[mixed].reset_index(drop=True))
    pd.testing.assert_frame_equal(first, second)
    expected = sorted(map(str, frame.itertuples(index=False)))
    assert sorted(map(str, first.itertuples(index=False))) == expected
    keys = list(zip(first["model"], first["item"], first["epoch"].fillna(np.inf), strict=True))
    assert keys == sorted(keys)


def test_shuffled_judgments_give_the_same_numbers_and_sides() -> None:
    """Two models: results, and who is compared with whom."""
    logs = [EXAMPLES / f"question_sets-{model}.eval" for model in ("candid", "boastful")]
    frame = read_judgments(logs)["question_sets"]
    pairs = compare(frame, **FEW)
    stated_sides = {f"respondent/{model} prompts=ours stated" for model in ("boastful", "candid")}
    sides = set(zip(pairs["a"], pairs["b"], strict=True))
    assert (min(stated_sides), max(stated_sides)) in sides
    assert (max(stated_sides), min(stated_sides)) not in sides
    assert frames_are_equal(pairs, compare(shuffled(frame, 1), **FEW))
    assert frames_are_equal(summarize(frame, **FEW), summarize(shuffled(frame, 1), **FEW))


@pytest.mark.slow
def test_no_order_of_rows_changes_a_number() -> None:
    """Made-up judgments of every task, and those of the examples: results, bins, differences."""
    markers = ["likely", "probably", "might", "<no_hedge>"]
    frames = {f"made-up {table['task'][0]}": table for table in every_judgment(markers, {})}
    frames |= {f"logs {task}": table for task, table in read_judgments(EXAMPLES).items()}
    outcomes: dict[str, bool] = {}
    for name, frame in frames.items():
        expected = dict(given_by(frame))
        computed = dict(given_by(shuffled(frame, 1)))
        assert list(computed) == list(expected)
        outcomes |= {
            f"{name} {command}": frames_are_equal(table, expected[command])
            for command, table in computed.items()
        }
    wrong = held(
        *("logs", "rows of judgments in another order", outcomes),
        "the same numbers to the last bit, in the same order",
        "nothing",
    )
    assert wrong == []
    assert len(outcomes) > 30


@pytest.mark.slow
def test_no_name_or_age_of_logs_changes_a_number(tmp_path: Path) -> None:
    """The same logs under other names, written in another order."""
    expected = dict(given_by(EXAMPLES))
    logs, outcomes = sorted(EXAMPLES.glob("*.eval")), dict[str, bool]()
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        for age, place in enumerate(np.random.default_rng(seed).permutation(len(logs))):
            name = folder / f"{age}.eval"
            shutil.copy(logs[place], name)
            os.utime(name, (age, age))
        for command, computed in given_by(folder):
            outcomes[f"{seed} {command}"] = frames_are_equal(computed, expected[command])
    wrong = held(
        *("logs", "logs with other names and times of their files", outcomes),
        "the same numbers to the last bit, in the same order",
        "nothing",
    )
    assert wrong == []
    assert len(outcomes) == 9
