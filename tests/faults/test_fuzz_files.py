"""Files edited at random: no traceback, no silent change, no code executed, no waiting.

Every edit is seeded, so that each run makes the same ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from itertools import chain, count
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
import yaml
from inspect_ai.log import read_eval_log, write_eval_log

from build import attributes_of, numbered
from conftest import CHECKOUT
from faults.edits import (
    VALUES,
    YAML_VALUES,
    damaged,
    flipped,
    truncated,
    with_edited_member,
    zipped,
)
from faults.ledger import held
from faults.test_readers import Slow, at_most
from inspect_confidence import (
    InvalidArgument,
    Judgments,
    ingest,
    read_judgments,
    recalibrate,
    recalibrated,
    summarize,
)
from inspect_confidence.commands.design import read_design
from inspect_confidence.commands.groups import item_folds
from inspect_confidence.commands.judge_labels import read_judge_labels
from inspect_confidence.commands.prices import read_prices
from inspect_confidence.datasets.wep_survey import read_survey
from inspect_confidence.judgments.store import MANIFEST
from inspect_confidence.studies import Recorded, all_tables
from runs import printed
from studies.frames import frames_are_equal
from test_user_files import COST, judgments

pytestmark = pytest.mark.slow

SECONDS = 5
"""What reading a file may take of the processor."""
SAMPLES = 5
HAPPENED = "the same judgments, or one line or notice that names the file"
BUILT = 6
"""Runs of a study that are built too, at most."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with complete logs of five samples of three tasks."""
    folder = tmp_path_factory.mktemp("fuzzed")
    for name in ("scale_variants", "fermi_eval", "question_sets"):
        log = read_eval_log(str(CHECKOUT / "examples" / "logs" / f"{name}-candid.eval"))
        assert log.samples
        assert log.results
        log.samples = log.samples[:SAMPLES]
        log.eval.dataset.samples = SAMPLES
        log.eval.dataset.sample_ids = attributes_of(log.samples, "id")
        log.results.total_samples = log.results.completed_samples = SAMPLES
        write_eval_log(log, str(folder / f"{name}.eval"))
    assert not read_judgments(folder).loss_notices
    return folder


def fault_of(read: Callable[[], object]) -> str:
    """Return what is wrong with how reading ends; nothing if it ends as it must."""
    try:
        with at_most(SECONDS):
            return str(read() or "")
    except InvalidArgument as error:
        lines = error.format_message().count("\n")
        return "an error of several lines" if lines else ""
    except Slow:
        return f"more than {SECONDS} s"
    except SystemExit:
        return ""
    except Exception as error:
        return f"traceback: {error!r:.200}"


def change_of(place: Path, before: Judgments) -> str:
    """Return which judgments of a place changed without a notice."""
    after = read_judgments(place)
    if set(after.notices) - set(before.notices):
        return ""
    if set(after.loss_notices) - set(before.loss_notices):
        return ""
    if list(after) != list(before):
        return f"silent: tasks {list(after)}"
    changed = [task for task in before if not frames_are_equal(before[task], after[task])]
    return f"silent: {changed}" if changed else ""


def check(fault: str, faults: Mapping[str, str], happened: str = HAPPENED) -> None:
    """Record the edits of a kind of file, and fail with those that did not end as they must."""
    outcomes = {case: not reason for case, reason in faults.items()}
    failures = held("edits", fault, outcomes, happened, "what the edit destroyed")
    assert not failures, "\n".join(f"{case}: {faults[case]}" for case in failures[:20])


def test_flipped_and_truncated_logs_change_no_number_silently(logs: Path, tmp_path: Path) -> None:
    """A log is a zip file: its checksums tell."""
    chance, faults = Random(1), {}
    for source in sorted(logs.glob("*.eval")):
        content, log = source.read_bytes(), tmp_path / source.name
        log.write_bytes(content)
        before = read_judgments(log)
        for number in range(70):
            edit = chance.choice([flipped, flipped, flipped, truncated])
            log.write_bytes(edit(content, chance))
            faults[f"{source.stem} {number}"] = fault_of(lambda: change_of(log, before))  # noqa: B023 # called at once
    check("Bits of logs flipped, logs cut", faults)


def test_edited_members_of_logs_end_in_no_traceback(logs: Path, tmp_path: Path) -> None:
    """Numbers may change: somebody wrote others. The log beside them is read as before."""
    chance, faults = Random(2), {}
    for source in sorted(logs.glob("*.eval")):
        content, log = source.read_bytes(), tmp_path / source.name
        for number in range(100):
            log.write_bytes(with_edited_member(content, chance))
            faults[f"{source.stem} {number}"] = fault_of(lambda: read_judgments(log) and "")  # noqa: B023 # called at once
    check("Members of logs edited", faults, "judgments with a status each, or one line or notice")


CODE = """
from pathlib import Path
from inspect_ai import Task, task

Path({canary!r}).touch()

@task
def trap() -> Task:
    return Task()
"""


def execution_of(words: tuple[object, ...], canary: Path) -> str:
    """Return whether a command executed code of a log."""
    canary.unlink(missing_ok=True)
    printed(*words, code=None)
    return "code executed" if canary.exists() else ""


def test_logs_that_name_code_execute_none(logs: Path, tmp_path: Path) -> None:
    """Whatever a text of a header is, no file that it names is imported."""
    canary, module = tmp_path / "canary", tmp_path / "trap.py"
    module.write_text(CODE.format(canary=str(canary)), "utf-8")
    names = (json.dumps(f"{module}@trap"), json.dumps(str(module)), '"trap"', '"os.system"')
    chance, faults = Random(3), {}
    log = tmp_path / "log.eval"
    for source, number in zip(sorted(logs.glob("*.eval")) * 5, count(), strict=False):
        log.write_bytes(with_edited_member(source.read_bytes(), chance, names))
        words = [("reproduce", log), ("summarize", log, "--reread", "--resamples", "1")][number % 2]
        faults[f"{words[0]} {number}"] = fault_of(lambda: execution_of(words, canary))  # noqa: B023
    crafted = {"task": f"{module}@trap"}
    for kind in ("task", "scorer"):
        eval_log = read_eval_log(str(logs / "question_sets.eval"))
        if kind == "task":
            eval_log.eval.task_registry_name = "inspect_confidence/with_confidence"
            eval_log.eval.task_file = str(module)
            eval_log.eval.task_args = eval_log.eval.task_args_passed = crafted
        for scorer in eval_log.eval.scorers or []:
            scorer.name = "inspect_confidence/with_confidence" if kind == "scorer" else scorer.name
            scorer.options = crafted if kind == "scorer" else scorer.options
        write_eval_log(eval_log, str(log))
        for words in (("reproduce", log), ("summarize", log, "--reread", "--resamples", "1")):
            faults[f"{words[0]} {kind}"] = fault_of(lambda: execution_of(words, canary))  # noqa: B023
    check("Names in logs that are code", faults, "no code is imported")


def test_edited_records_of_stores_change_no_number_silently(logs: Path, tmp_path: Path) -> None:
    """A record is parquet; most of its bytes are numbers."""
    store = tmp_path / "store"
    ingest(logs, store)
    before = read_judgments(store)
    chance, faults = Random(4), {}
    for record in sorted(store.glob("judgments/*/*/*.parquet")):
        content = record.read_bytes()
        for number in range(130):
            edit = chance.choice([flipped, flipped, flipped, truncated])
            record.write_bytes(edit(content, chance))
            faults[f"{record.parts[-3]} {number}"] = fault_of(lambda: change_of(store, before))
        record.write_bytes(content)
    check("Bits of a store's records flipped, records cut", faults)


def test_edited_manifests_of_stores_change_no_number_silently(logs: Path, tmp_path: Path) -> None:
    """A manifest is JSON, and says which records count."""
    store = tmp_path / "store"
    ingest(logs, store)
    before = read_judgments(store)
    content = (store / MANIFEST).read_bytes()
    chance, faults = Random(5), {}
    for number in range(300):
        (store / MANIFEST).write_bytes(damaged(content, chance))
        faults[f"{number}"] = fault_of(lambda: change_of(store, before))
    check("Manifests of stores edited", faults)


STUDY = {
    "logs": "logs/x",
    "models": ["respondent/candid", "mockllm/model"],
    "arguments": {"items": 3, "dataset": "bundled"},
    "repeats": 2,
    "settings": {"max_connections": 20, "temperature": 0.5, "stop_seqs": ["x"]},
    "tasks": [
        "question_sets",
        {"task": "fermi_eval", "vary": {"method": ["direct", "sampling"], "levels": [90, 80]}},
        {"task": "life_eval", "arguments": {"items": 2, "seed": 1}, "models": "mockllm/model"},
        {"task": "hedge_markers", "arguments": {"draws": 3}, "grader": "respondent/judge"},
    ],
}


def test_edited_study_files_are_read_or_refused(offline: Path) -> None:
    """In block and in flow style, with what YAML can mean beyond data; what is read is built."""
    canary, file = offline / "canary", offline / "study.yaml"
    code = f"!!python/object/apply:os.system [touch {canary}]"
    values = (*YAML_VALUES, code, f"!!python/object/new:os.system [touch {canary}]")
    # JSON is YAML in flow style, and stays so with other values.
    texts = [(yaml.safe_dump(STUDY), values), (json.dumps(STUDY), (*VALUES, code))]
    chance, faults = Random(6), {}

    def read() -> str:
        design = read_design(str(file))
        for entry in design.entries[:BUILT]:
            entry.build()
        return "code executed" if canary.exists() else ""

    for number in range(500):
        text, tokens = texts[number % 2]
        file.write_bytes(damaged(text.encode(), chance, tokens))
        faults[f"{number}"] = fault_of(read)
        canary.unlink(missing_ok=True)
    check("Study files edited", faults, "the runs of the file, or one line with the key")


def test_edited_price_files_are_read_or_refused(tmp_path: Path) -> None:
    """Every price that is read is a number from 0 on."""
    prices = {f"openai/{name}": COST for name in ("a", "b", "c")}
    chance, faults = Random(7), {}
    for number in range(300):
        suffix = ("json", "yaml")[number % 2]
        text = json.dumps(prices) if suffix == "json" else yaml.safe_dump(prices)
        values = YAML_VALUES if suffix == "yaml" else ()
        file = tmp_path / f"prices.{suffix}"
        file.write_bytes(damaged(text.encode(), chance, *([values] if values else [])))

        def read(file: Path = file) -> str:
            for cost in read_prices(str(file)).values():
                dollars = np.array(list(cost.model_dump().values()))
                if not (np.isfinite(dollars) & (dollars >= 0)).all():
                    return f"prices {dollars}"
            return ""

        faults[f"{suffix} {number}"] = fault_of(read)
    check("Price files edited", faults, "prices from 0 on, or one line with the key")


def intervals(items: int = 300) -> pd.DataFrame:
    """Judgments with intervals that are too narrow."""
    truth = np.random.default_rng(1).normal(0, 2, items)
    frame = pd.DataFrame({"item": numbered("", items), "truth": truth})
    return frame.assign(
        task="fermi_eval",
        model="m",
        level=90.0,
        lower=-1.0,
        upper=1.0,
        status="ok",
        method="direct",
    )


def test_edited_maps_are_applied_or_refused(tmp_path: Path) -> None:
    """A fold's map gives a confidence and rises with what it is given; bounds are numbers."""
    frame = pd.concat([judgments(), intervals()], ignore_index=True)
    files = [
        recalibrate(frame, method=method, resamples=2).maps
        for method in ("isotonic", "beta", "venn_abers")
    ]
    file = tmp_path / "map.json"
    chance, faults = Random(8), {}

    def read() -> str:
        after = recalibrated(frame, file)
        confidence = after["any_eval"]["confidence"].to_numpy(float)
        confidences = judgments().set_index("item").loc[after["any_eval"]["item"], "confidence"]
        entry = json.loads(file.read_text("utf-8"))["maps"][0]
        seed = entry.get("train", {}).get("folds")
        rows = after["any_eval"]
        fold = np.zeros(len(rows), int) if seed is None else item_folds(rows, seed)
        order = np.lexsort((confidences.to_numpy(float), fold))
        is_rise = np.diff(confidence[order]) >= -1e-9
        is_new_fold = np.diff(fold[order]) > 0
        if not ((confidence >= 0) & (confidence <= 1)).all():
            return "a confidence outside [0, 1]"
        if not (is_rise | is_new_fold).all() and entry["method"] != "histogram":
            return "a map that falls"
        bounds = after["fermi_eval"][["lower", "upper"]].to_numpy(float)
        return "" if np.isfinite(bounds[~np.isnan(bounds)]).all() else "an infinite bound"

    for number in range(400):
        maps = deepcopy(files[number % len(files)])
        file.write_bytes(damaged(json.dumps(maps).encode(), chance))
        faults[f"{number}"] = fault_of(read)
    check("Maps edited", faults, "confidence in [0, 1], or one line with the key")


def test_edited_tables_of_labels_and_surveys_are_read_or_refused(tmp_path: Path) -> None:
    """Labels of a judge in csv and parquet, and a survey; a label that is read is one of three."""
    labels = pd.DataFrame({"judged": ["correct", "incorrect"] * 20, "label": ["correct"] * 40})
    labels.to_csv(tmp_path / "whole.csv", index=False)
    labels.to_parquet(tmp_path / "whole.parquet")
    (tmp_path / "whole.survey").write_text("likely,doubtful\n" + "70,20\n80,30\n" * 20, "utf-8")
    chance, faults = Random(10), {}

    def read_labels(file: Path) -> str:
        labelled = read_judge_labels(file)
        return "" if labelled and labelled.rows["label"].isin([0, 0.5, 1]).all() else "labels"

    def read_people(file: Path) -> str:
        values = set(chain.from_iterable(read_survey(file).values()))
        return "" if min(values) >= 0 and max(values) <= 100 else f"values {values}"

    readers = {"csv": read_labels, "parquet": read_labels, "survey": read_people}
    for number in range(300):
        suffix = ("csv", "parquet", "survey")[number % 3]
        content = (tmp_path / f"whole.{suffix}").read_bytes()
        file = tmp_path / f"edited.{suffix}"
        edit = flipped if suffix == "parquet" else damaged
        file.write_bytes(edit(content, chance))
        faults[f"{suffix} {number}"] = fault_of(lambda: readers[suffix](file))  # noqa: B023 # called at once
    check("Labels and surveys edited", faults, "numbers within bounds, or one line")


def numbers_of(path: Path, recorded: Recorded) -> str:
    """Compute a file's numbers; nothing is returned."""
    summarize(read_judgments(path, recorded=recorded), resamples=10)
    return ""


COLUMNS_BY_KIND = {
    "number": ["share", "gaps", "other", ":1", ":0.5"],
    "text": ["", "kind", "letter", ":A"],
    "flag": ["letter", ":true", ":false"],
}
"""Columns of the table below, and constants, that suit the columns of tasks by their kind."""


def test_columns_named_at_random_end_in_no_traceback(tmp_path: Path) -> None:
    """Whatever `--column` calls a column: judgments and their numbers, or one line."""
    chance = Random(11)
    cells = {
        "": range(30),
        "by": "Anna; Ben",
        "kind": ["high", "low", ""] * 10,
        "letter": ["A", "B", "C"] * 10,
        "share": [0.9, 0.4, 0.7] * 10,
        "gaps": [0.5, None, 1] * 10,
        "other": [80, 1e9, -3.5] * 10,
    }
    path = tmp_path / "table.csv"
    pd.DataFrame(cells).to_csv(path, index=False)
    faults = {}
    for _ in range(300):
        table = chance.choice(list(all_tables().values()))
        columns = {"task": f":{table.task}", "item": ""}
        # A complete answer, and two columns more.
        names = [*table.required, *chance.choice(table.answers), *chance.sample([*table.kinds], 2)]
        for name in names:
            suitable = COLUMNS_BY_KIND[table.kinds[name]]
            columns.setdefault(name, chance.choice(suitable if chance.random() < 0.9 else [*cells]))
        scale = chance.choice([None, (0, 1), (0, 100)])
        recorded = Recorded(columns=columns, scale=scale, by=chance.choice([(), ("kind",)]))
        faults[f"{columns} {scale} {recorded.by}"] = fault_of(partial(numbers_of, path, recorded))
    assert not {case: fault for case, fault in faults.items() if fault}


def test_the_edits_are_those_that_are_meant(logs: Path) -> None:
    """Unedited logs, packed as edited ones are, are read; edits differ from what they edit."""
    source = sorted(logs.glob("*.eval"))[0]
    chance = Random(9)
    content = source.read_bytes()
    for edit in (flipped, truncated):
        assert edit(content, chance) != content
    assert zipped({"a": b"{}"}) == zipped({"a": b"{}"})
    changed = [with_edited_member(content, chance) for _ in range(20)]
    assert len(set(changed)) > 10
