"""Seeded faults: each still fits the code that it changes, and names tests that exist."""

import ast

import pytest

from build import attributes_of
from mutants import MUTANTS, ROOT, SOURCE, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_fits_the_code(mutant: Mutant) -> None:
    """Its text stands once in the file, the result is Python, and its tests exist."""
    source = (SOURCE / mutant.file).read_text("utf-8")
    ast.parse(mutant.mutated(source))
    assert mutant.mutated(source) != source
    for path in mutant.tests:
        assert (ROOT / path).exists()


def test_a_fault_that_fits_no_code_is_an_error() -> None:
    """A text that stands nowhere is refused."""
    with pytest.raises(ValueError, match="stands 0 times"):
        Mutant("unknown", "results.py", "no such line", "", []).mutated("a = 1\n")


def test_names_of_faults_are_unique() -> None:
    """No name stands for two faults."""
    assert len(set(attributes_of(MUTANTS, "name"))) == len(MUTANTS)
