"""What is read of replies that nobody wrote, a line each: for one Python beside another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from zlib import crc32

from answers.fuzz import fuzz_of
from answers.test_fuzz import FORMS, FuzzQuestion, question_of


def fuzzed(form: str, count: int) -> Iterator[tuple[str, FuzzQuestion]]:
    """The same replies in every run, with what was asked."""
    chance = Random(crc32(f"faults of {form}".encode()))
    fuzz = fuzz_of(FORMS[form][1], chance)
    for _ in range(count):
        reply, row = fuzz.row()
        yield reply, question_of(row, chance)


def readings(count: int) -> Iterator[str]:
    """The readings of so many replies to each form, in plain ASCII."""
    for form, (read, _) in FORMS.items():
        for number, (reply, question) in enumerate(fuzzed(form, count)):
            try:
                reading = ascii(list(read(reply, question)))
            except Exception as error:  # told, and compared with what another Python does
                reading = f"raised {error!r}"
            yield f"{form} {number}: {reading}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in readings(int(sys.argv[1])))
