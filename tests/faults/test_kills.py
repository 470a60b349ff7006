"""Runs killed at any point, and completed by `inspect eval-retry`."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pandas as pd
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

from build import attributes_of
from faults.killing import CASES, KilledCase, count, exit_code_of, killed, retry, run, server
from faults.ledger import held
from inspect_confidence import InvalidArgument, read_judgments

POINTS = int(os.environ.get("KILL_POINTS", "5"))
"""At which each task is killed."""
OF_A_RUN = ["run", "uuid", "variant"]


def table(logs: Path) -> pd.DataFrame:
    """The judgments of a folder, but for Inspect's ids, in one order."""
    (frame,) = read_judgments(logs).values()
    frame = frame.drop(columns=OF_A_RUN)
    texts = pd.Series(list(map(repr, frame.itertuples(index=False))))
    return frame.iloc[texts.argsort()].reset_index(drop=True)


def begun(logs: Path) -> tuple[str, int] | None:
    """The killed run's log and how many samples it has; None where it isn't one yet."""
    for info in list_eval_logs(str(logs)):
        try:
            read_eval_log(info, header_only=True)
            summaries = read_eval_log_sample_summaries(info)
        except Exception:  # whatever a file that was cut off makes Inspect raise
            return None
        return info.name, sum(attributes_of(summaries, "completed"))
    return None


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_killed_run_is_completed(case: KilledCase, tmp_path: Path) -> None:
    """At seeded points: what the retry leaves in the folder is an unbroken run's table."""
    context, rng = server(), Random(case.task)
    assert exit_code_of(context, run, case, tmp_path / "whole", tmp_path / "calls") == 0
    whole, calls = table(tmp_path / "whole"), count(tmp_path / "calls")
    (log,) = list_eval_logs(str(tmp_path / "whole"))
    samples = len(read_eval_log_sample_summaries(log))
    good, anew = {}, 0
    for point in range(POINTS):
        logs, noted = tmp_path / f"{point}", tmp_path / f"calls-{point}"
        after, later = rng.randint(0, calls), rng.uniform(0, 0.05)
        was_alive = killed(context, after, later, noted, case, logs, noted)
        before, first_calls = begun(logs), count(noted)
        if before is None:  # killed before the log was there: nothing is to be retried
            anew += 1
            ended = exit_code_of(context, run, case, logs, noted)
            kept_samples = 0
        elif was_alive:
            ended, kept_samples = exit_code_of(context, retry, before[0], logs, noted), before[1]
        else:
            ended, kept_samples = 0, samples
        later_calls = count(noted) - first_calls
        try:
            is_same = table(logs).equals(whole)
        except InvalidArgument:
            is_same = False
        # Of what the log lacks Inspect may have more in its own buffer.
        owed = range(calls - first_calls, calls * (samples - kept_samples) // samples + 1)
        good[f"{case} killed at point {point}, after {after} calls"] = (
            ended == 0 and is_same and (later_calls in owed or not case.uniform)
        )
    wrong = held(
        *("kills", f"kill -9 of {case} at {POINTS} points, then eval-retry", good),
        "both logs together equal an unbroken run; only missing samples are asked",
        "samples under way",
    )
    assert not wrong
    assert anew < POINTS
