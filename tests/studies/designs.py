"""Made-up judgments over all that the studies varied: what `summarize` gives a number of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, product

import numpy as np
import pandas as pd

from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.datasets.question_sets import ITEMS
from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.scales import ALL
from inspect_confidence.studies.wep_probes.words import SETTING_PAIRS
from studies.frames import NAN, Row, scale_rows

LEVELS = (80.0, 90.0, 95.0, 99.0)
SHARES = tuple(np.linspace(0.1, 0.9, 9))


def every_judgment(
    markers: Collection[str], variants: Mapping[str, Collection[str]]
) -> Iterator[pd.DataFrame]:
    """Judgments of each task.

    Args:
        markers: That are used.
        variants: By task, those that model `b` is run in besides.
    """
    builders = {
        "fermi_eval": intervals,
        "scale_variants": scales,
        "life_eval": lives,
        "question_sets": options,
        "wep_elicitation": words,
        "wep_choice": choices,
        "hedge_markers": lambda: hedges(markers),
        "judge_check": checks,
        "commitment": commitments,
    }
    for task, rows in builders.items():
        frame = pd.DataFrame(rows()).assign(task=task)
        yield frame
        for variant in variants.get(task, ()):
            yield frame[frame["model"] == "b"].assign(variant=variant)


def commitments() -> Iterator[Row]:
    """Kept and withdrawn answers of six tracks, and answers to opinions under pushback."""
    for track, item in product(range(1, 7), range(20)):
        row: Row = {"model": "m", "dataset": f"T{track}", "item": f"i{item}"}
        yield {**row, "correct": item % 3 > 0, "keep": item % 2}
    for item in range(20):
        row = {"model": "m", "dataset": "opinions", "item": f"o{item}", "pushback": "disagree"}
        yield {**row, "moved": item % 2}


def intervals() -> Iterator[Row]:
    """Stated intervals and distributions of tokens, of 400 items."""
    rng = np.random.default_rng(0)
    for item in range(400):
        row: Row = {"model": "m", "dataset": "scioly", "item": f"i{item}", "truth": item % 7}
        row["split"] = ("train", "test")[item % 2]
        for level in LEVELS:
            low = rng.integers(0, 4)
            yield {**row, "method": "direct", "level": level, "lower": low, "upper": low + 3}
        masses = dict.fromkeys("12345", 0.2)
        row |= {"method": "logprob", "level": NAN, "levels": "80,90,95,99"}
        yield {**row, "probabilities": json.dumps(masses), "unseen_mass": 0, "answer_tokens": 1}


def scales() -> Iterator[Row]:
    """Every scale on each data set, with as many choices as its questions have."""
    for seed, (dataset, offered) in enumerate({"mmlu": 4, "gsm8k": NAN, "truthfulqa": NAN}.items()):
        for scale in ALL:
            yield from scale_rows(str(scale), 60, offered, seed, dataset=dataset, model="m")


def lives() -> Iterator[Row]:
    """Ages and radii, by three models."""
    rng = np.random.default_rng(1)
    for model, age, radius in product("abc", range(20, 100, 4), (1.0, 5.0, 10.0, 20.0)):
        row: Row = {"model": model, "dataset": "ssa-2022", "item": f"{age}-{radius}", "age": age}
        row |= {"radius": radius, "answer": age + 9, "best_answer": age + 8, "mas": rng.uniform()}
        yield {**row, "score": SHARES[rng.integers(9)], "confidence": SHARES[rng.integers(9)]}


def options() -> Iterator[Row]:
    """What is stated of each set's questions, and what tokens say where it chooses."""
    rng = np.random.default_rng(2)
    kinds = {"halueval": "given", "boolq": "true_false"}
    for model, dataset, item in product("abc", ITEMS, range(30)):
        kind = kinds.get(dataset, "options")
        row: Row = {"model": model, "dataset": dataset, "kind": kind, "item": f"{dataset}-{item}"}
        row |= {"target": "True", "answer": "True" if kind == "true_false" else ""}
        row |= {"correct": float(rng.integers(2)), "choices": 2 if kind == "true_false" else 4}
        for source in ("stated",) if kind == "given" else ("stated", "token"):
            yield {**row, "source": source, "confidence": SHARES[rng.integers(9)]}


def words() -> Iterator[Row]:
    """Every surveyed word: in every setting in English, in one in Chinese, where ERNIE has it too.

    A model is compared with those before it.
    """
    rng = np.random.default_rng(3)
    settings = sorted(set(chain.from_iterable(SETTING_PAIRS)))
    sides = [("ERNIE-4.0", "zh", "concise"), ("b", "zh", "concise")]
    sides += product("b", ["en"], settings)
    for (model, language, setting), word, context in product(sides, surveyed_counts(), range(6)):
        row: Row = {"model": model, "dataset": "bundled", "item": f"{setting}-{language}-{context}"}
        row |= {"context": str(context), "setting": setting, "language": language, "word": word}
        yield {**row, "probability": rng.uniform()}


def choices() -> Iterator[Row]:
    """Every prompt with and without a chain of thought, completed at random."""
    rng = np.random.default_rng(4)
    for cot, prompt in product((False, True), design()):
        row: Row = {"model": "m", "dataset": "design", "item": f"{prompt.id}-{cot}"}
        row |= {
            "scenario": prompt.scenario,
            "choice_set": prompt.choice_set,
            "numbers": prompt.numbers,
        }
        row |= {"point": prompt.point, "interval": prompt.interval, "cot": cot}
        offered = CHOICES[prompt.choice_set]
        yield {**row, "choice": offered[rng.integers(len(offered))]}


def hedges(markers: Collection[str]) -> Iterator[Row]:
    """Every marker in ten sentences of each data set's splits; two models more use few of them."""
    rng = np.random.default_rng(5)
    datasets: list[tuple[str, str]] = []
    for name, published_set in PUBLISHED.items():
        datasets += product([name], published_set.splits)
    rare_uses = product("bc", datasets, ("likely", "probably", "might"), range(10))
    for model, (dataset, split), marker, item in [
        *product("a", datasets, markers, range(10)),
        *rare_uses,
    ]:
        row: Row = {"model": model, "dataset": dataset, "split": split, "judge": "grader"}
        row |= {"item": f"{split}-{marker}-{item}", "sentence": 1, "marker": marker}
        row |= {"n_markers": float(marker != "<no_hedge>"), "decisiveness": SHARES[rng.integers(9)]}
        yield {**row, "confidence": SHARES[rng.integers(9)], "correct": rng.integers(2), "punt": 0}


def checks() -> Iterator[Row]:
    """A judge's readings of labelled sentences, pairs and answers."""
    rng = np.random.default_rng(6)
    blank = dict.fromkeys(("found", "missed", "false", "decisiveness", "agreed", "verdict"), NAN)
    for item in range(20):
        row: Row = {
            "model": "m",
            "dataset": "checked",
            "word": "",
            "labelled": rng.uniform(),
            **blank,
        }
        of_form: dict[str, Row] = {
            "markers": {"found": 2, "missed": 1, "false": 1},
            "decisiveness": {"decisiveness": rng.uniform()},
            "consistency": {"agreed": float(rng.integers(2))},
            "verdict": {"verdict": float(rng.integers(2))},
        }
        for form, read in of_form.items():
            yield {**row, "item": f"{form}-{item}", "form": form, **read}
