"""Faults seeded in a copy of our own source: the checks of these tests tell of each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from build import texts_starting
from conftest import CHECKOUT
from faults.ledger import held

SEEDED = {
    "a status swapped for ok": (
        "judgments/logs.py",
        'failed = "sample_error", failure(summary.error.splitlines()[0], asked)',
        'failed = "ok", ""',
        "calls",
    ),
    "a retry counted twice": (
        "judgments/joining.py",
        "run.frame[pd.Series(run.samples, dtype=object).isin(mine)]",
        "run.frame",
        "retry",
    ),
    "copies counted as judgments": (
        "judgments/checks.py",
        "frame, texts = frame[~copies], texts[~copies]",
        "copies &= False",
        "copies",
    ),
    "an escape not stripped": (
        "printing.py",
        'return text if _plain(text) else "".join(map(_shown, text))',
        "return text",
        "terminal",
    ),
}
"""The file, what stands there, what stands in its place, and the check."""

CHECKS = """
import os, sys
from pathlib import Path
import pytest
import inspect_confidence
from faults import test_calls, test_hostile, test_users_tables
from inspect_confidence.judgments.files import write_judgments
from runs import OPENAI, printed

def calls(folder):
    flaky = test_calls.Flaky(test_calls.estimate, kinds=("half", "no choices"), share=0.4)
    good, _, _ = test_calls.broken_and_whole(folder, OPENAI, flaky, items=6)
    return [case for case, held in good.items() if not held]

def retry(folder):
    with pytest.MonkeyPatch.context() as patch:
        good = test_calls.retried(folder, patch, items=6)
    return [case for case, held in good.items() if not held]

def copies(folder):
    try:
        test_users_tables.test_copies_count_once_and_draws_all(folder)
    except Exception:  # counted, or refused as contradictions
        return ["copies count once"]
    return []

def terminal(folder):
    file = folder / "judgments.parquet"
    write_judgments(test_hostile.frames(test_hostile.TEXTS["terminal"]), file)
    done = printed("summarize", file, "--resamples", 5, code=None)
    return ["summarize"] if not done.output or test_hostile.acts(done.output) else []

if __name__ == "__main__":
    assert Path(inspect_confidence.__file__).is_relative_to(sys.argv[2])
    print("FAILING", globals()[sys.argv[1]](Path(sys.argv[3])))
"""


def failing(check: str, source: Path, folder: Path) -> str:
    """What a check says fails of a package with that source."""
    folder.mkdir()
    program = folder / "checks.py"
    program.write_text(CHECKS, encoding="utf-8")
    path = os.pathsep.join([str(source), str(CHECKOUT / "tests")])
    done = subprocess.run(
        [sys.executable, program, check, source, folder],
        env={**os.environ, "PYTHONPATH": path, "OPENAI_API_KEY": "test"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    (verdict,) = texts_starting(done.stdout.splitlines(), "FAILING") or [
        f"no verdict: {done.stderr[-2000:]}"
    ]
    return verdict


@pytest.mark.thorough
def test_seeded_faults_are_found(tmp_path: Path) -> None:
    """Each check passes our source, and fails a copy with one line changed."""
    source = tmp_path / "own"
    shutil.copytree(CHECKOUT / "src", source)
    good = {}
    for number, (fault, (file, line, replacement, check)) in enumerate(SEEDED.items()):
        seeded = tmp_path / f"seeded-{number}"
        shutil.copytree(source, seeded)
        place = seeded / "inspect_confidence" / file
        text = place.read_text("utf-8")
        assert text.count(line) == 1, fault
        place.write_text(text.replace(line, replacement), "utf-8")
        verdict = failing(check, seeded, tmp_path / f"bad-{number}")
        assert failing(check, source, tmp_path / f"good-{number}") == "FAILING []", fault
        good[fault] = verdict.startswith("FAILING ['")
    wrong = held(
        *(
            "defects",
            "status, retry and copy counted wrongly, escape printed, all by our own code",
            good,
        ),
        *("the checks of the fault tests report failing cases", "nothing"),
    )
    assert not wrong
