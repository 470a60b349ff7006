"""Every file from the internet: pinned, as published, and refused when it isn't."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from build import column_of
from inspect_confidence import DataUnavailable
from inspect_confidence.datasets import (
    fermi,
    hub,
    life_eval,
    marker_prompts,
    question_sets,
    questions,
    wep_survey,
)
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.decisions import load_decision_questions
from inspect_confidence.datasets.hedge_markers import load_marker_questions

BUNDLED, OURS = "-T dataset=bundled", "-T prompts=ours"

Load = tuple[Callable[[], object], Sequence[str], str]
"""What loads, the sources that it may ask for, what works without them."""


def loads_of_sets(
    load: Callable[[str], object], sources: Mapping[str, str], instead: str
) -> list[Load]:
    """One function with the name of each question set, which has one source."""
    return [(partial(load, name), [source], instead) for name, source in sources.items()]


def loads_of_splits() -> Iterator[Load]:
    """Each split of the published sets of hedge-marker questions."""
    for name, published in hub.PUBLISHED.items():
        for split in published.splits:
            yield partial(load_marker_questions, name, split=split), published.files, BUNDLED


LOADS: list[Load] = [
    (partial(fermi.load_fermi, "scioly"), [fermi.QUESTIONS, fermi.CORRECTIONS], BUNDLED),
    (partial(questions.load_questions, "mmlu"), [questions.MMLU], BUNDLED),
    (partial(questions.load_questions, "gsm8k"), [questions.GSM8K], BUNDLED),
    (partial(questions.load_questions, "truthfulqa"), [questions.TRUTHFULQA], BUNDLED),
    *loads_of_sets(question_sets.load_question_set, question_sets.ITEMS, BUNDLED),
    *loads_of_sets(question_sets.study_prompts, question_sets.PROMPTS, OURS),
    (partial(life_eval.study_prompts, life_eval.study_items()), [life_eval.PROMPTS], OURS),
    (
        partial(load_decision_questions, "simpleqa_verified"),
        ["qa/simpleqa/simpleqa_verified.parquet"],
        BUNDLED,
    ),
    (marker_prompts.study_systems, [marker_prompts.PROMPTS], "prompts=ours"),
    (marker_prompts.study_formats, [marker_prompts.UTILS], "prompts=ours"),
    (wep_survey.download_survey, [wep_survey.SURVEY], "the counts that come with the package"),
    *loads_of_splits(),
]


def refusal(load: Callable[[], object]) -> str:
    """The message of what can't be downloaded."""
    with pytest.raises(DataUnavailable) as caught:
        load()
    return caught.value.format_message()


def test_every_source_is_used_and_pinned() -> None:
    """By its bytes or a revision in its address; other forms of rows by their bytes alone."""
    forms = {source.rows for source in SOURCES.values() if source.rows}
    assert forms.union(*column_of(LOADS, 1)) == set(SOURCES)
    for name, source in SOURCES.items():
        assert source.name == name
        assert bool(source.url) == (name not in forms), name
        assert source.sha256 or re.search(r"/[0-9a-f]{40}/", source.url), name
        assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256), name
    for name in (*question_sets.ITEMS.values(), *question_sets.PROMPTS.values(), life_eval.PROMPTS):
        assert f"/{question_sets.STUDY_COMMIT}/" in SOURCES[name].url


def test_checksums_are_those_of_the_files(shared_data: Path) -> None:
    """Of each file that is at hand; for FermiEval also of the record of where they come from."""
    record = (shared_data / "SOURCES.md").read_text("utf-8")
    checked = 0
    for name, source in SOURCES.items():
        if source.sha256 and (shared_data / name).exists():
            assert hashlib.sha256((shared_data / name).read_bytes()).hexdigest() == source.sha256
            checked += 1
        if name in (fermi.QUESTIONS, fermi.CORRECTIONS):
            assert f"`{name}` {source.sha256}" in record
            (revision,) = re.findall(r"/([0-9a-f]{40})/", source.url)
            assert f"landy8697/open-scioly-fermi @{revision}" in record
    assert checked > 20


def test_missing_data_are_refused_with_address_place_and_remedy(offline: Path) -> None:
    """Without a network: one error with address, place in the cache and what works without."""
    for load, names, instead in LOADS:
        message = refusal(load)
        for part in (str(offline), "no connection to", instead):
            assert part in message, names
        assert any(SOURCES[name].url in message and name in message for name in names), names


def test_a_file_with_one_changed_byte_is_refused_and_kept(offline: Path, shared_data: Path) -> None:
    """A file in the cache of which one byte differs isn't used, and stays as it is."""
    checked = 0
    for load, names, instead in LOADS:
        for name in names:
            present = [
                source_name
                for source_name in names
                if SOURCES[source_name].sha256 and (shared_data / source_name).exists()
            ]
            if set(present) < set(names):
                continue
            for source_name in names:
                (offline / source_name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(shared_data / source_name, offline / source_name)
            load()
            content = bytearray((offline / name).read_bytes())
            content[len(content) // 2] ^= 1
            (offline / name).write_bytes(content)
            message = refusal(load)
            for part in (name, "the file in the cache has another sha256", instead):
                assert part in message, name
            assert (offline / name).read_bytes() == content, name
            checked += 1
    assert checked > 12
