"""Independent parts of a study in several processes: the same numbers, the same errors."""

import os

import numpy as np
import pandas as pd
import pytest

from build import column_of, numbered
from inspect_confidence import InvalidArgument, summarize
from inspect_confidence.results import Result
from inspect_confidence.studies import Resampling, workers
from inspect_confidence.studies.study import ResampledValue
from inspect_confidence.studies.workers import MIN_JUDGMENTS, run_tasks, workers_for
from studies.process_tasks import ends, process_of, refuses, threads


def test_where_work_is_done() -> None:
    """In order by several processes, here for one worker, or where processes save no time."""
    products = run_tasks(process_of, [(number, 10) for number in range(6)], workers=2)
    assert column_of(products, 0) == [0, 10, 20, 30, 40, 50]
    assert os.getpid() not in set(column_of(products, 1))
    assert len(set(column_of(products, 1))) <= 2
    # The work of one worker, or of one task, is done here.
    cases: list[tuple[list[tuple[int, int]], int]] = [([(1, 2), (3, 4)], 1), ([(1, 2)], 4), ([], 4)]
    for tasks, worker_count in cases:
        expected = [(number * factor, os.getpid()) for number, factor in tasks]
        assert run_tasks(process_of, tasks, workers=worker_count) == expected, (tasks, worker_count)
    # Processes work only where they save time, and never where resamples are observed.

    def observe(result: Result, value: ResampledValue) -> None:
        """Nothing."""

    assert workers_for(MIN_JUDGMENTS, Resampling(workers=3)) == 3
    assert workers_for(MIN_JUDGMENTS - 1, Resampling(workers=3)) == 1
    assert workers_for(MIN_JUDGMENTS, Resampling(workers=3, observe=observe)) == 1


def test_errors_of_processes() -> None:
    """The same words, remedies where one was ended, and impossible numbers refused."""
    with pytest.raises(InvalidArgument, match=r"^number=2 is refused; give 1\.$"):
        run_tasks(refuses, [(1,), (2,), (3,)], workers=2)
    with pytest.raises(InvalidArgument, match=r"workers=2: .*__main__.*workers=1"):
        run_tasks(ends, [(3,), (4,)], workers=2)
    for number in (0, -1, 1.5):
        with pytest.raises(InvalidArgument, match=f"workers={number}"):
            summarize(two_models(), resamples=40, workers=number)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "inside"), [(None, "1"), ("3", "3")])
def test_one_thread_a_process(
    monkeypatch: pytest.MonkeyPatch, before: str | None, inside: str
) -> None:
    """Linear algebra has one thread in each process unless the user says so; here nothing changes.

    A setting of the user's own reaches the processes.
    """
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OMP_NUM_THREADS", before)
    assert run_tasks(threads, [(1,), (2,)], workers=2) == [inside, inside]
    assert os.environ.get("OMP_NUM_THREADS") == before


def two_models() -> pd.DataFrame:
    """Judgments of two models on two scales and two data sets."""
    rng = np.random.default_rng(4)
    rows = pd.MultiIndex.from_product(
        [["m/a", "m/b"], ["first", "second"], [10.0, 100.0], numbered("i", 40)],
        names=["model", "dataset", "high", "item"],
    ).to_frame(index=False)
    raw = np.round(rng.random(len(rows)) * rows["high"])
    right = (rng.random(len(rows)) < 0.6).astype(float)
    return rows.assign(task="scale_variants", low=0.0, raw=raw, correct=right)


@pytest.mark.slow
def test_results_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scale study's results of one process and of two are the same to the last digit."""
    monkeypatch.setattr(workers, "MIN_JUDGMENTS", 0)
    single = summarize(two_models(), resamples=40)
    two = summarize(two_models(), resamples=40, workers=2)
    pd.testing.assert_frame_equal(single, two, check_exact=True)
