"""Readers of replies meet texts that nobody would write, and a Python with broken patterns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from answers.fuzz import SHAPES
from answers.test_any_text import READERS
from answers.test_fuzz import FORMS, FuzzQuestion, outcomes
from faults.ledger import held
from faults.readings import fuzzed, readings

pytestmark = pytest.mark.slow

FUZZED = 2_000
"""Fuzzed replies to each form."""
LONG, ENDLESS = 100_000, 10_000_000
"""Characters of long replies."""
SECONDS, SECONDS_ENDLESS = 30, 300
"""What they may take of a slow processor; what is quadratic takes more than minutes."""
OLD = "INSPECT_CONFIDENCE_OLD_PYTHON"
"""The environment variable that names a Python before 3.11.5."""


class Slow(BaseException):
    """A reply that takes too long; nobody catches it on the way."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `Slow` after so many seconds of the processor; patterns can be interrupted."""

    def stop(_: int, __: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def is_read(read: Callable[[], object], seconds: float = 60) -> bool:
    """Whether reading comes to an outcome there can be, and in time."""
    try:
        with at_most(seconds):
            read()
    except (Exception, Slow):
        return False
    return True


@pytest.mark.parametrize("form", FORMS)
def test_fuzzed_replies(form: str) -> None:
    """Cut, spliced, and with halves of surrogate pairs, fractions, controls or half an object."""
    cases = {
        f"{number}: {ascii(reply)[:200]}": is_read(lambda: outcomes(form, reply, question))  # noqa: B023 # called at once
        for number, (reply, question) in enumerate(fuzzed(form, FUZZED))
    }
    assert len(cases) == FUZZED
    fault = f"fuzzed replies: {form}"
    assert held("extremes", fault, cases, "an answer in its bounds, or a status", "nothing") == []


@pytest.mark.thorough
@pytest.mark.parametrize("form", [*FORMS, "agreement"])
def test_long_replies(form: str) -> None:
    """A hundred thousand characters of each shape are read in seconds, as linear time allows."""
    cases = {}
    for name, (start, piece, end) in SHAPES.items():
        text = start + piece * (LONG // len(piece)) + end

        def read(text: str = text) -> None:
            for reader in READERS["agreement"] if form == "agreement" else ():
                reader(text)
            if form in FORMS:
                outcomes(form, text, FuzzQuestion())

        cases[name] = is_read(read, SECONDS)
    fault = f"replies of {LONG:,} characters of one shape: {form}"
    assert held("extremes", fault, cases, f"an outcome within {SECONDS} s", "nothing") == []


@pytest.mark.thorough
def test_endless_replies() -> None:
    """Ten megabytes of prose have an outcome in every form."""
    text = "Answer: B. " + "It is so, since 7 of 9 say so.\n" * (ENDLESS // 31)
    cases = {
        form: is_read(lambda: outcomes(form, text, FuzzQuestion()), SECONDS_ENDLESS)  # noqa: B023 # called at once
        for form in ("choice", "confidence", "exponent", "probability", "object")
    }
    happened = f"an outcome within {SECONDS_ENDLESS} s"
    assert held("extremes", "replies of 10 MB", cases, happened, "nothing") == []


def old_pythons() -> Iterator[str]:
    """The interpreters before 3.11.5 that are at hand, of this one's minor version."""
    folders = map(Path, os.environ.get("PATH", "").split(os.pathsep))
    for path in (os.environ.get(OLD), *(folder / "python3.11" for folder in folders)):
        if path and Path(path).is_file():
            completed = subprocess.run(
                [path, "-c", "import sys; print(*sys.version_info[:3])"],
                capture_output=True,
                text=True,
                check=False,
            )
            version = tuple(map(int, completed.stdout.split()))
            if version[:2] == sys.version_info[:2] and version < (3, 11, 5):
                yield str(path)


def test_an_old_python_reads_the_same() -> None:
    """Before 3.11.5 a possessive group matches what it shouldn't; the packages are this one's."""
    old = next(old_pythons(), None)
    if old is None:
        pytest.skip(f"no python3.11 before 3.11.5, neither in {OLD} nor on the PATH")
    tests = Path(__file__).parents[1]
    # The other Python has a standard library of its own.
    packages = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
    done = subprocess.run(
        [old, "-m", "faults.readings", str(FUZZED // 2)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), *packages])},
        capture_output=True,
        text=True,
        check=True,
    )
    new_readings, old_readings = list(readings(FUZZED // 2)), done.stdout.splitlines()
    assert len(new_readings) == len(old_readings) == len(FORMS) * (FUZZED // 2)
    cases = {
        new_reading: new_reading == old_reading
        for new_reading, old_reading in zip(new_readings, old_readings, strict=True)
    }
    assert len(cases) == len(new_readings)
    happened = "the same readings as by a newer one"
    assert (
        held("versions", "replies read by a Python before 3.11.5", cases, happened, "nothing") == []
    )
